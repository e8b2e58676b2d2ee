package html

import (
	"operatorbench/e2e/stat"
)

// step is where an empirical distribution function rises: to Fraction, at Value.
type step struct {
	Value, Fraction float64
}

// steps returns where the distribution of observations rises: at every measured
// value, one step for equal ones. Censored observations count in the whole, but
// never let it rise, because their true values are not known: with them it ends
// below 1. waited is the longest time that was waited in vain; 0: none was.
func steps(o stat.Ordered) (rises []step, waited float64) {
	n := o.Len()
	for rank := 1; rank <= n; rank++ {
		one := o.At(rank)
		if one.Censored {
			waited = max(waited, one.Value)
			continue
		}
		rise := step{Value: one.Value, Fraction: float64(rank) / float64(n)}
		if last := len(rises) - 1; last >= 0 && rises[last].Value == one.Value {
			rises[last] = rise
			continue
		}
		rises = append(rises, rise)
	}
	return rises, waited
}
