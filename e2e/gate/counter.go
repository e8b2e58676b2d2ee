package gate

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/report"
)

// Counter is an exact count of what one change brings about, on both sides.
type Counter struct {
	Style, Scenario, Name string
	Base, Head            Range
	// Gated counters have no noise: base counts the same in all of its samples.
	Gated   bool
	Verdict Verdict
}

// Range is the smallest and largest of n counts.
type Range struct{ Least, Most, N int }

func (r Range) String() string {
	if r.Least == r.Most {
		return fmt.Sprint(r.Least)
	}
	return fmt.Sprintf("%d–%d", r.Least, r.Most)
}

// counted are the counters that say what a change costs. Reads, and writes that
// go by the clock, are reported alone.
func counted(name string) bool {
	return name == cost.Pods || name == cost.Writes || strings.HasPrefix(name, cost.MadePrefix)
}

func compareCounters(base, head Side) []Counter {
	var list []Counter
	for _, was := range countersOf(base) {
		for _, is := range countersOf(head) {
			if was.Style != is.Style || was.Scenario != is.Scenario || was.Name != is.Name {
				continue
			}
			c := Counter{Style: was.Style, Scenario: was.Scenario, Name: was.Name, Base: rangeOf(was), Head: rangeOf(is)}
			c.decide()
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b Counter) int {
		if a.Gated != b.Gated {
			return number(b.Gated) - number(a.Gated)
		}
		return rank(a.Verdict) - rank(b.Verdict)
	})
	return list
}

func countersOf(s Side) []cost.Counter {
	var list []cost.Counter
	for _, c := range s.Recording.Costs {
		if c.Style != report.Floor && c.Variant == s.Variant {
			for _, counter := range c.Counters {
				if counter.Known() {
					list = append(list, counter)
				}
			}
		}
	}
	return list
}

func rangeOf(c cost.Counter) Range {
	least, most := c.Range()
	return Range{least, most, len(c.Values)}
}

// minCounts is how many samples show that a counter is constant. A counter that
// in truth takes one of two values at random has one of them in all samples of
// base and the other in all of head with a probability of at most ¼ⁿ: of a dozen
// counters that is below 0.3% for six samples each.
const minCounts = 6

// decide compares exactly, where base is constant. Head is only another where
// all of its counts are.
func (c *Counter) decide() {
	c.Gated = counted(c.Name) && c.Base.Least == c.Base.Most && min(c.Base.N, c.Head.N) >= minCounts
	c.Verdict = Pass
	switch {
	case c.Head.Least > c.Base.Most:
		c.Verdict = Regression
	case c.Head.Most < c.Base.Least:
		c.Verdict = Improvement
	case c.Head.Least != c.Head.Most:
		c.Gated = false
	}
}
