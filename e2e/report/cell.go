package report

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/matrix"
	"operatorbench/e2e/record"
	"operatorbench/e2e/stat"
	"operatorbench/fixtures/scenarios"
)

// Cell is one style, in one of its variants, in one scenario.
type Cell struct {
	Label                    string // record.Label of style and variant
	Style, Variant, Scenario string
	Results                  []judge.Result
	Phases                   []stat.Summary // in the order of the phases

	runs     []string // of each result
	verdict  judge.Outcome
	passed   int
	warmups  int
	problems []Problem
}

// Phase returns a phase's summary; its N is 0 if there is none.
func (c *Cell) Phase(name string) (stat.Summary, bool) {
	for _, p := range c.Phases {
		if p.Phase == name {
			return p, true
		}
	}
	return stat.Summary{}, false
}

// load tells whether the scenario changes many custom resources at once.
func (c *Cell) load() bool { return len(c.Results) > 0 && c.Results[0].Group == scenarios.Load }

// Outcome is when the operator had done its part, and when the cluster had: the
// Deployment written and its pods ready, or both gone.
func (c *Cell) Outcome() (written, ready stat.Summary) {
	written, there := c.Phase(judge.PhaseChildWritten)
	ready, _ = c.Phase(judge.PhaseReady)
	if !there {
		written, _ = c.Phase(judge.PhaseChildGone)
		ready, _ = c.Phase(judge.PhasePodsGone)
	}
	return written, ready
}

// Flaky is the verdict on a style that both passed and failed a scenario.
const Flaky = matrix.Flaky

// Verdict sums up a cell's rounds, warm-up rounds included: correctness counts
// from the first. passed of rounds passed.
func (c *Cell) Verdict() (verdict judge.Outcome, passed, rounds int) {
	return c.verdict, c.passed, len(c.Results)
}

// VerdictText is a verdict with how many rounds passed.
func (c *Cell) VerdictText() string {
	return fmt.Sprintf("%s %d/%d", c.verdict, c.passed, len(c.Results))
}

// Warmups counts the rounds that only warmed up: they are judged, but not
// measured.
func (c *Cell) Warmups() int { return c.warmups }

// Problems are those of the cell's rounds, in their order.
func (c *Cell) Problems() []Problem { return c.problems }

// sum computes once what every format asks for.
func (c *Cell) sum() {
	count := map[judge.Outcome]int{}
	for i := range c.Results {
		result := &c.Results[i]
		count[result.Outcome()]++
		if result.Warmup {
			c.warmups++
		}
		c.problems = append(c.problems, problemsOf(result)...)
	}
	c.passed = count[judge.Pass]
	switch {
	case count[judge.Fail] > 0 && c.passed > 0:
		c.verdict = Flaky
	case count[judge.Fail] > 0:
		c.verdict = judge.Fail
	case count[judge.Invalid] > 0:
		c.verdict = judge.Invalid
	case c.passed > 0:
		c.verdict = judge.Pass
	default:
		c.verdict = judge.NotApplicable
	}
}

// Problem is why a sample failed or is invalid. Oracles that say the same are
// told of once.
type Problem struct {
	Label, Scenario string
	Round           int
	Warmup          bool
	Namespace       string
	Oracles         []string
	Outcome         judge.Outcome
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
	title := fmt.Sprintf("%s %s, %s: %s %s", p.Label, p.Scenario, round, strings.Join(p.Oracles, ", "), p.Outcome)
	if p.Expected {
		title += ", as expected"
	}
	return title
}

func problemsOf(result *judge.Result) []Problem {
	var all []Problem
	for _, v := range result.Verdicts {
		if v.Outcome != judge.Fail && v.Outcome != judge.Invalid {
			continue
		}
		same := func(p Problem) bool { return p.Message == v.Message && p.Outcome == v.Outcome }
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i].Oracles = append(all[i].Oracles, v.Oracle)
			continue
		}
		all = append(all, Problem{
			Label: record.Label(result.Style, result.Variant), Scenario: result.Scenario, Round: result.Round, Warmup: result.Warmup,
			Namespace: result.Namespace, Oracles: []string{v.Oracle}, Outcome: v.Outcome, Message: v.Message, Evidence: v.Evidence,
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
	return [3]string{Latency(s.P50), Latency(s.P90), Latency(s.Max)}
}

// times prints ToFloor; empty where it is not known.
func (r *Report) times(s stat.Summary) string {
	times, known := r.ToFloor(s)
	switch {
	case !known:
		return ""
	case s.P50.Censored:
		return ">" + digits(times)
	}
	return digits(times)
}

// warmupNote says what warm-up rounds count for; empty: there are none.
func (r *Report) warmupNote() string {
	n := 0
	for _, c := range r.Cells {
		n += c.Warmups()
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Verdicts count %s; latencies leave them out.", plural(n, "warm-up sample"))
}
