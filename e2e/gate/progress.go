package gate

import (
	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
)

// StyleProgress is how far the comparison of one style has come that is still being driven. The driver asks for it
// after each round, and drops what is settled.
type StyleProgress struct {
	Style   string
	Verdict Verdict // so far
	// Settled tells that the verdict will not change: all that is gated is fine, or something is a regression. Then there
	// is nothing left to drive: each style has error probabilities of its own, so that dropping one changes nothing of the
	// others.
	Settled bool
	Gated   int      // how much is compared
	Open    []string // what of it cannot be told yet
}

// Look judges the recording of a comparison as far as it is driven. It is pure, and valid however often it is asked and
// whenever the driver stops for what it says: every look after a full round is one of a group-sequential design, whose
// error probabilities are spent in proportion to o.Planned (see Options), so that a driver must fix that number before
// the first look (it may be estimated from how long the first round took, never from what was measured).
//
// A look is taken only after a whole round: one that every variant of the style has finished. Later, Compare of the
// same recording repeats the looks and comes to the same verdicts.
func Look(o Options, recording result.Recording) ([]StyleProgress, error) {
	base, head, again, err := Sides("the run", recording)
	if err != nil {
		return nil, err
	}
	r, err := decide(o, base, head, again, true)
	if err != nil {
		return nil, err
	}
	var all []StyleProgress
	for _, one := range r.judged() {
		if one.style == "" {
			continue
		}
		s := plain.FindOrAdd(&all, func(s StyleProgress) bool { return s.Style == one.style }, StyleProgress{Style: one.style, Verdict: Pass})
		s.Gated++
		if rank(one.Verdict) < rank(s.Verdict) {
			s.Verdict = one.Verdict
		}
		if one.Verdict == Inconclusive {
			s.Open = append(s.Open, one.name)
		}
		s.Settled = s.Verdict == Regression || len(s.Open) == 0
	}
	return all, nil
}
