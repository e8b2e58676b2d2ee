package run

import (
	"fmt"
	"time"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// loadTime is what the loads of all comparisons may take, on top of the budget.
func (j *job) loadTime() time.Duration {
	if len(j.loads()) == 0 {
		return 0
	}
	return j.options.Budget / 2
}

// planLoads lets the loads of the first round be driven, which tells in how many there is
// time for them. A style is left out if there plainly is not.
func (g gateRun) planLoads(first func() error) error {
	if len(g.loads()) == 0 {
		return nil
	}
	for _, c := range g.comparisons {
		c.loads = 1
		var typical time.Duration
		for _, load := range g.loads() {
			typical += plain.Sum(c.participants, func(p *participant) time.Duration { return g.typicalLoad(p, load) })
		}
		if g.tooLong(c, typical/4) { // it is what a round may take at most: a quick style takes a quarter
			c.loads = 0
			g.leaveOutLoads(c, typical)
		}
	}
	if err := first(); err != nil {
		return err
	}
	for _, c := range g.comparisons {
		took := plain.Sum(c.participants, func(p *participant) time.Duration { return p.loaded })
		switch {
		case c.loads == 0 || c.failed() != nil || took == 0:
		case g.tooLong(c, took):
			g.leaveOutLoads(c, took)
		default:
			c.loads = min(c.rounds, int(g.loadTime()/time.Duration(len(g.comparisons))/took))
			g.say("%s: loads in %s of about %v, on top of the budget", c.style, plain.Plural(c.loads, "round"), took.Round(time.Second))
		}
	}
	return nil
}

// tooLong reports whether there are too few rounds for a load to be told, where one takes so
// long; of few rounds each has it.
func (g gateRun) tooLong(c *comparison, takes time.Duration) bool {
	return time.Duration(min(c.rounds, gate.LeastLoads))*takes > g.loadTime()/time.Duration(len(g.comparisons))
}

func (g gateRun) leaveOutLoads(c *comparison, takes time.Duration) {
	part := "half of the budget"
	if n := len(g.comparisons); n > 1 {
		part = fmt.Sprintf("its part of half of the budget for %d styles", n)
	}
	g.leaveOut(record.Undriven{Group: spec.GroupLoad, Style: c.style, Why: fmt.Sprintf(
		"%d rounds are needed of about %v each, and %v, %s, is what loads may take on top of it: give a larger --budget",
		min(c.rounds, gate.LeastLoads), takes.Round(time.Second), (g.loadTime() / time.Duration(len(g.comparisons))).Round(time.Second), part)})
}

// burst drives the loads of a round.
func (g gateRun) burst(take func(turn) error, round int, some []*comparison) error {
	loaded := plain.Where(some, func(c *comparison) bool { return c.loads >= round })
	participants := plain.Flat(loaded, func(c *comparison) []*participant { return c.participants })
	for _, load := range g.loads() {
		if err := g.each(take, some, round, participants, func(p *participant) turn {
			t := g.loadTurn(p, round, load)
			t.of = p.comparison.loads
			return t
		}); err != nil {
			return err
		}
	}
	return nil
}
