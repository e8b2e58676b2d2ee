// Package report prints what a run found: a table for the terminal, a summary
// in Markdown, JUnit XML, and the samples as JSON Lines. It is pure, but for
// the progress line and the machine's facts.
package report

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/stat"
)

// Report is what every format is printed from.
type Report struct {
	Runs        []string
	Environment *Environment // nil: not known
	Warnings    []string
	Styles      []string // the floor first, then in order of appearance
	Scenarios   []string // in order of appearance
	Cells       []*Cell  // by scenario, then by style
	Samples     []judge.Sample
}

// Cell is one style in one scenario.
type Cell struct {
	Style, Scenario string
	Results         []judge.Result
	Phases          []stat.Summary // in the order of the phases
}

// New builds a report from judged recordings. The environment may be nil.
func New(environment *Environment, judgements ...*judge.Judgement) *Report {
	r := &Report{Environment: environment}
	for _, j := range judgements {
		r.Runs = append(r.Runs, j.Header.Run)
		r.Warnings = append(r.Warnings, j.Warnings...)
		for _, result := range j.Results {
			r.Styles, r.Scenarios = addNew(r.Styles, result.Style), addNew(r.Scenarios, result.Scenario)
			r.cell(result.Style, result.Scenario).add(result)
		}
		r.Samples = slices.AppendSeq(r.Samples, j.Samples())
	}
	slices.SortStableFunc(r.Styles, func(a, b string) int { return rank(a) - rank(b) })
	for _, s := range stat.Summarize(slices.Values(r.Samples)) {
		c := r.cell(s.Operator, s.Scenario)
		c.Phases = append(c.Phases, s)
	}
	slices.SortStableFunc(r.Cells, func(a, b *Cell) int {
		if d := slices.Index(r.Scenarios, a.Scenario) - slices.Index(r.Scenarios, b.Scenario); d != 0 {
			return d
		}
		return slices.Index(r.Styles, a.Style) - slices.Index(r.Styles, b.Style)
	})
	return r
}

func rank(style string) int {
	if style == Floor {
		return 0
	}
	return 1
}

func addNew(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// cell returns the cell of a style and scenario, and makes it if need be.
func (r *Report) cell(style, scenario string) *Cell {
	for _, c := range r.Cells {
		if c.Style == style && c.Scenario == scenario {
			return c
		}
	}
	c := &Cell{Style: style, Scenario: scenario}
	r.Cells = append(r.Cells, c)
	return c
}

func (c *Cell) add(result judge.Result) { c.Results = append(c.Results, result) }

// of yields the cells of a scenario, the floor's first.
func (r *Report) of(scenario string) iter.Seq[*Cell] {
	return func(yield func(*Cell) bool) {
		for _, c := range r.Cells {
			if c.Scenario == scenario && !yield(c) {
				return
			}
		}
	}
}

// phases are the names of a scenario's phases: those that all styles have in
// common first, in their order, then each style's inner ones.
func (r *Report) phases(scenario string) []string {
	var names []string
	for c := range r.of(scenario) {
		for _, p := range c.Phases {
			names = addNew(names, p.Phase)
		}
	}
	standard := judge.Phases()
	at := func(name string) int {
		if i := slices.Index(standard, name); i >= 0 {
			return i
		}
		return len(standard)
	}
	slices.SortStableFunc(names, func(a, b string) int { return at(a) - at(b) })
	return names
}

// phase returns a phase's summary; its N is 0 if there is none.
func (c *Cell) phase(name string) (stat.Summary, bool) {
	for _, p := range c.Phases {
		if p.Phase == name {
			return p, true
		}
	}
	return stat.Summary{}, false
}

// Flaky is the verdict on a style that both passed and failed a scenario.
const Flaky = judge.Outcome("flaky")

// Verdict sums up a cell's rounds, warm-up rounds included: correctness counts
// from the first. passed of rounds passed.
func (c *Cell) Verdict() (verdict judge.Outcome, passed, rounds int) {
	count := map[judge.Outcome]int{}
	for _, result := range c.Results {
		count[result.Outcome()]++
	}
	passed, rounds = count[judge.Pass], len(c.Results)
	switch {
	case count[judge.Fail] > 0 && passed > 0:
		return Flaky, passed, rounds
	case count[judge.Fail] > 0:
		return judge.Fail, passed, rounds
	case count[judge.Invalid] > 0:
		return judge.Invalid, passed, rounds
	case passed > 0:
		return judge.Pass, passed, rounds
	}
	return judge.NotApplicable, passed, rounds
}

// verdictText is a verdict with how many rounds passed.
func (c *Cell) verdictText() string {
	verdict, passed, rounds := c.Verdict()
	return fmt.Sprintf("%s %d/%d", verdict, passed, rounds)
}

// Failed tells whether some sample failed or could not be judged.
func (r *Report) Failed() bool { return len(r.problems()) > 0 }

// problem is why a sample failed or is invalid. Oracles that say the same are
// told of once.
type problem struct {
	Style, Scenario string
	Round           int
	Namespace       string
	Oracles         []string
	Outcome         judge.Outcome
	Message         string
	Evidence        []string
}

func (p *problem) title() string {
	return fmt.Sprintf("%s %s, round %d: %s %s", p.Style, p.Scenario, p.Round, strings.Join(p.Oracles, ", "), p.Outcome)
}

func (r *Report) problems() []problem {
	var all []problem
	for _, c := range r.Cells {
		all = append(all, c.problems()...)
	}
	return all
}

func (c *Cell) problems() []problem {
	var all []problem
	for _, result := range c.Results {
		all = append(all, problemsOf(result)...)
	}
	return all
}

func problemsOf(result judge.Result) []problem {
	var all []problem
	for _, v := range result.Verdicts {
		if v.Outcome != judge.Fail && v.Outcome != judge.Invalid {
			continue
		}
		same := func(p problem) bool { return p.Message == v.Message && p.Outcome == v.Outcome }
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i].Oracles = append(all[i].Oracles, v.Oracle)
			continue
		}
		all = append(all, problem{
			Style: result.Style, Scenario: result.Scenario, Round: result.Round, Namespace: result.Namespace,
			Oracles: []string{v.Oracle}, Outcome: v.Outcome, Message: v.Message, Evidence: v.Evidence,
		})
	}
	return all
}

// notes say what a summary's figures leave out or bound.
func notes(s stat.Summary) string {
	var parts []string
	if s.Censored > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d timed out", s.Censored, s.N))
	}
	if s.Wrong > 0 {
		parts = append(parts, fmt.Sprintf("%d wrong", s.Wrong))
	}
	if s.Interrupted > 0 {
		parts = append(parts, fmt.Sprintf("%d interrupted", s.Interrupted))
	}
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// figures are p50, p90 and max; dashes where nothing counts.
func figures(s stat.Summary) [3]string {
	if s.N == 0 {
		return [3]string{"–", "–", "–"}
	}
	return [3]string{latency(s.P50), latency(s.P90), latency(s.Max)}
}
