package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/stat"
)

// Cell is one style, in one of its variants, in one scenario.
type Cell struct {
	Label                    string // record.Label of style and variant
	Style, Variant, Scenario string
	Results                  []judge.Result
	Phases                   []stat.Summary // in the order of the phases

	runs     []string // of each result
	tally    judge.Tally
	warmups  int
	problems []Problem
	floor    map[string]stat.Summary // by phase: the floor's, in the runs of the cell
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

// Load tells whether the scenario changes many custom resources at once.
func (c *Cell) Load() bool { return len(c.Results) > 0 && c.Results[0].Group == scenarios.Load }

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

// Floor returns the floor's summary of a phase in the cell's own runs: what the
// cluster and the observer took there without any operator. False: it was not
// measured there, or the cell is the floor's.
func (c *Cell) Floor(phase string) (stat.Summary, bool) {
	s, there := c.floor[phase]
	return s, there && s.N > 0 && c.Style != spec.Floor
}

// ToFloor is how many times the floor's p50 a summary's p50 is; for a censored
// p50 it is at least that many times. False: one of them is not known, or it is a
// load, in which waiting for each other is what takes time.
func (c *Cell) ToFloor(s stat.Summary) (times float64, known bool) {
	floor, there := c.Floor(s.Phase)
	if !there || c.Load() || s.N == 0 || floor.P50.Censored || floor.P50.Value <= 0 {
		return 0, false
	}
	return s.P50.Value / floor.P50.Value, true
}

// BesideFloor says in a few characters how a summary stands to the floor: how
// many times its p50, or, of a load, what the floor's p50 is; empty: not known.
func (c *Cell) BesideFloor(s stat.Summary) string {
	if c.Load() {
		if floor, there := c.Floor(s.Phase); there && s.N > 0 {
			return "floor " + Latency(floor.P50)
		}
		return ""
	}
	times, known := c.ToFloor(s)
	switch {
	case !known:
		return ""
	case s.P50.Censored:
		return ">" + digits(times)
	}
	return digits(times)
}

// Verdicts of several samples.
const (
	Flaky = judge.Flaky
	Late  = judge.Late
)

// Tally counts the cell's samples by their outcomes, warm-up rounds included:
// correctness counts from the first.
func (c *Cell) Tally() judge.Tally { return c.tally }

// Verdict sums them up.
func (c *Cell) Verdict() judge.Outcome { return c.tally.Verdict() }

// CountText is how many samples passed; of a load that is late, how many were in time.
func (c *Cell) CountText() string {
	if c.Verdict() == Late {
		return fmt.Sprintf("%d of %d in time", c.tally.Passed, c.tally.All())
	}
	return fmt.Sprintf("%d/%d", c.tally.Passed, c.tally.All())
}

// VerdictText is the verdict with CountText.
func (c *Cell) VerdictText() string { return string(c.Verdict()) + " " + c.CountText() }

// Warmups counts the samples that only warmed up: they are judged, but not
// measured.
func (c *Cell) Warmups() int { return c.warmups }

// Rounds counts the cell's measured rounds, and the samples in each: passes, or
// the custom resources of a load; least and most differ where rounds do.
func (c *Cell) Rounds() (rounds, least, most int) {
	type round struct {
		run    string
		number int
	}
	count := map[round]int{}
	for i := range c.Results {
		if !c.Results[i].Warmup {
			count[round{c.runs[i], c.Results[i].Round}]++
		}
	}
	for _, n := range count {
		if least == 0 || n < least {
			least = n
		}
		most = max(most, n)
	}
	return len(count), least, most
}

// Problems are those of the cell's rounds, in their order; what is late is one.
func (c *Cell) Problems() []Problem { return c.problems }

// sum computes once what every format asks for.
func (c *Cell) sum() {
	late := (*judge.Result)(nil)
	for i := range c.Results {
		result := &c.Results[i]
		c.tally.Add(result.Outcome())
		if result.Warmup {
			c.warmups++
		}
		if late == nil && result.Outcome() == Late {
			late = result
		}
		c.problems = append(c.problems, problemsOf(result)...)
	}
	if late == nil {
		return
	}
	c.problems = append(c.problems, Problem{
		Label: c.Label, Scenario: c.Scenario, Round: late.Round, Warmup: late.Warmup, Namespace: late.Namespace, Outcome: Late,
		Message: fmt.Sprintf("%d of %d in time; the first that was not, after %s: %s", c.tally.Passed, c.tally.All(),
			Duration((late.Ended - late.Began).Seconds()), cmp.Or(late.Reason, "it was given up")),
	})
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
	title := fmt.Sprintf("%s %s, %s: %s", p.Label, p.Scenario, round, strings.TrimSpace(strings.Join(p.Oracles, ", ")+" "+string(p.Outcome)))
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

// figures are p50, p90 and max; a dash where nothing counts, or there are too few
// for a quantile.
func figures(s stat.Summary) [3]string {
	if s.N == 0 {
		return [3]string{unknown, unknown, unknown}
	}
	return [3]string{Latency(s.P50), shown(&s, 0.9, s.P90), Latency(s.Max)}
}

// shown is a quantile, or a dash where there are too few latencies for it.
func shown(s *stat.Summary, p float64, o stat.Observation) string {
	if !s.Shows(p) {
		return unknown
	}
	return Latency(o)
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
