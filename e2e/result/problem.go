package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// Problem is why a sample failed or is invalid. Oracles that say the same are told of once.
type Problem struct {
	Label, Scenario string
	Round           int
	Warmup          bool
	Namespace       string
	Oracles         []string
	Outcome         spec.Outcome
	Message         string
	Evidence        []string
	Expected        bool // such a verdict is expected of the style
}

// Title is the problem in one line.
func (p *Problem) Title() string {
	round := fmt.Sprintf("round %d", p.Round)
	if p.Warmup {
		round += " (warm-up)"
	}
	title := fmt.Sprintf("%s %s, %s: %s", p.Label, p.Scenario, round, strings.TrimSpace(strings.Join(p.Oracles, ", ")+" "+string(p.Outcome)))
	if p.Expected {
		title += ", as expected"
	}
	return title
}

// explain lists the problems of the cell's samples; expected: its verdict is the one expected of the style.
func (c *Cell) explain(expected bool) {
	for i := range c.Results {
		c.Problems = append(c.Problems, c.problemsOf(&c.Results[i])...)
	}
	if late := c.late(); late != nil {
		c.Problems = append(c.Problems, c.problem(late, judge.Verdict{
			Outcome: spec.Late,
			Message: fmt.Sprintf("%d of %d in time; the first that was not, after %s: %s", c.Passed, c.All(),
				plain.Duration(late.seconds()), cmp.Or(late.Reason, "it was given up")),
		}))
	}
	for i := range c.Problems {
		c.Problems[i].Expected = expected
	}
}

func (c *Cell) problem(s *Judged, v judge.Verdict) Problem {
	p := Problem{
		Label: c.Style.Label, Scenario: c.Scenario, Round: s.Round, Warmup: s.Warmup, Namespace: s.Namespace,
		Outcome: v.Outcome, Message: v.Message, Evidence: v.Evidence,
	}
	if v.Oracle != "" {
		p.Oracles = []string{v.Oracle}
	}
	return p
}

func (c *Cell) problemsOf(s *Judged) []Problem {
	var all []Problem
	for _, v := range s.Verdicts {
		if v.Outcome != spec.Fail && v.Outcome != spec.Invalid {
			continue
		}
		same := func(p Problem) bool { return p.Message == v.Message && p.Outcome == v.Outcome }
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i].Oracles = append(all[i].Oracles, v.Oracle)
			continue
		}
		all = append(all, c.problem(s, v))
	}
	return all
}
