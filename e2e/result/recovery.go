package result

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/verdicts"
)

// Recovery is how a style recovered over the repeats of a fault.
type Recovery struct {
	Itself, Nudge, Never int // how many repeats did so
	// After are the times from the end of the last fault until what was wanted
	// was reached, of the repeats that recovered by themselves, in order of size.
	After []time.Duration
}

// add takes one more repeat.
func (r *Recovery) add(one judge.Recovery) {
	switch one.By {
	case verdicts.Itself:
		r.Itself++
		at, _ := slices.BinarySearch(r.After, one.After)
		r.After = slices.Insert(r.After, at, one.After)
	case verdicts.Nudge:
		r.Nudge++
	default:
		r.Never++
	}
}

// By is how all repeats recovered; where they differ, it counts them.
func (r *Recovery) By() string {
	var parts []string
	counts := []int{r.Itself, r.Nudge, r.Never}
	for i, n := range counts {
		if n == r.Itself+r.Nudge+r.Never {
			return verdicts.Recoveries()[i]
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d×", verdicts.Recoveries()[i], n))
		}
	}
	return strings.Join(parts, ", ")
}

// String says in words how a style recovered from a fault, with the median (of an even number the lower of the two in the
// middle: always a time that was seen) and the range of the times that it took; empty: nothing was broken.
func (r *Recovery) String() string {
	if r == nil {
		return ""
	}
	switch by := r.By(); by {
	case verdicts.Nudge:
		return "only after a nudge"
	case verdicts.Never:
		return "never recovered"
	case verdicts.Itself:
		shortest, median, longest := r.After[0], r.After[(len(r.After)-1)/2], r.After[len(r.After)-1]
		switch text := "recovered in " + plain.Duration(median.Seconds()); {
		case longest == 0:
			return "recovered before the fault was over"
		case shortest != longest:
			return fmt.Sprintf("%s (%s–%s)", text, plain.Duration(shortest.Seconds()), plain.Duration(longest.Seconds()))
		default:
			return text
		}
	default:
		return "recovery: " + by
	}
}
