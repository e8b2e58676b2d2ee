package html

import (
	"slices"

	"operatorbench/e2e/judge"
)

// typical is the sample that stands for a cell: the one whose pods were ready,
// or gone, at the median. ok is false where nothing was measured. Where no
// latency counts, it is the first sample that has any.
func (c *cell) typical() (result *judge.Result, median bool) {
	_, phase := c.outcome()
	if s := c.series[phase]; s != nil && s.N > 0 {
		middle := s.Ordered.Quantile(0.5)
		for i := range c.Results {
			for _, one := range c.Results[i].Samples {
				counts := !one.Warmup && (one.Outcome == judge.OK || one.Outcome == judge.Timeout)
				if one.Phase == phase && counts && one.Value == middle.Value && (one.Outcome == judge.Timeout) == middle.Censored {
					return &c.Results[i], true
				}
			}
		}
	}
	if i := slices.IndexFunc(c.Results, func(r judge.Result) bool { return slices.ContainsFunc(r.Samples, drawable) }); i >= 0 {
		return &c.Results[i], false
	}
	return nil, false
}
