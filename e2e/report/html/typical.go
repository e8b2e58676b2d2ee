package html

import (
	"slices"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/result"
)

// typical is the sample that stands for a cell: the one whose pods were ready,
// or gone, at the median. ok is false where nothing was measured. Where no
// latency counts, it is the first sample that has any.
func (c *cell) typical() (one *judge.Result, median bool) {
	_, phase := c.outcome()
	if s := c.series[phase]; s != nil && s.N > 0 {
		middle := s.Ordered.Quantile(0.5)
		for i := range c.Results {
			for _, s := range c.Results[i].Samples {
				counts := !s.Warmup && (s.Outcome == judge.OK || s.Outcome == judge.Timeout)
				if s.Phase == phase && counts && s.Value == middle.Value && (s.Outcome == judge.Timeout) == middle.Censored {
					return &c.Results[i].Result, true
				}
			}
		}
	}
	if i := slices.IndexFunc(c.Results, func(r result.Judged) bool { return slices.ContainsFunc(r.Samples, drawable) }); i >= 0 {
		return &c.Results[i].Result, false
	}
	return nil, false
}
