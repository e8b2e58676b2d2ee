package result

import (
	"fmt"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/stat"
)

// Reference is the style that others are compared with: a plain client-go controller.
const Reference = "native"

// ToReference is how many times as long as Reference a style takes until it has done
// its part, in the rounds that both have; of a load, until the last is done. False: it
// is not known, they were measured in different runs, or the label is the floor's or Reference's.
func (r *Set) ToReference(label, scenario string) (stat.Ratio, bool) {
	one, other := r.Cell(label, scenario), r.Cell(Reference, scenario)
	if one == nil || other == nil || label == Reference || one.IsFloor() || one.Run != other.Run {
		return stat.Ratio{}, false
	}
	of, _ := one.Outcome()
	to, _ := other.Outcome()
	if one.Load() {
		of, to = Lasts(of), Lasts(to)
	}
	ratio := stat.RatioOf(of, to)
	return ratio, ratio.Rounds > 0
}

// RatioText is the ratio with its interval, or with the number of rounds that are too
// few for one; empty: it is not known.
func (r *Set) RatioText(label, scenario string) string {
	ratio, known := r.ToReference(label, scenario)
	if !known {
		return ""
	}
	figure, from := RatioParts(ratio)
	return figure + " " + from
}

// RatioParts are a ratio and what it rests on.
func RatioParts(ratio stat.Ratio) (figure, from string) {
	figure, from = plain.Digits(ratio.Value), "in "+plain.Plural(ratio.Rounds, "round")
	switch {
	case ratio.Censored:
		return "≥ " + figure, from + ", timed out"
	case ratio.High == 0:
		return figure, from + ", no interval"
	}
	return figure, fmt.Sprintf("[%s, %s] %s", plain.Digits(ratio.Low), plain.Digits(ratio.High), from)
}

// RatioNote says what a ratio is.
func RatioNote() string {
	return fmt.Sprintf("× %s: geometric mean of the ratios of medians in the rounds that both have, of a load of when the last is done, "+
		"with its 95%% interval (paired t-test on logarithms), which takes %d rounds", Reference, stat.RankedRounds)
}
