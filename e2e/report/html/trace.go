package html

import (
	"fmt"
	"slices"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/stat"
)

// mostRows is how many samples the page lists in all; where there are more, it
// names the lines of samples.jsonl that its figures are, and some others.
const mostRows = 2400

// leastRows is how many samples of each phase are listed at least. Of the many
// phases that one style alone has, all are, or none.
const leastRows = 6

// trail is where the figures of one cell come from.
type trail struct {
	Cell     *cell
	Verdicts []roundVerdicts
	MoreV    int // verdicts of further rounds, not shown
	Tables   []*trailTable
}

// roundVerdicts are what the oracles said in one round.
type roundVerdicts struct {
	Round    string
	Verdicts []verdictLine
}

type verdictLine struct {
	Oracle, Message string
	Badge           badge
}

// trailTable lists the samples of one phase.
type trailTable struct {
	Series *series
	Rows   []trailRow
	Left   int // samples that are not listed
}

// trailRow is one sample.
type trailRow struct {
	Round, Value, Outcome string
	Namespace             string
	At                    string // of the recording's entry, "t" in nanoseconds
	Line                  int    // of samples.jsonl
	Is                    string // the quantiles that it is
}

// trails are of all cells.
func (s *study) trails() []*trail {
	tables := 0
	for _, in := range s.Scenes {
		for _, c := range in.Cells {
			tables += len(c.series)
		}
	}
	each, inner := len(s.Samples), len(s.Samples)
	switch {
	case s.thrift > 0:
		each, inner = 2, 0
	case each > mostRows:
		each, inner = max(mostRows/max(tables, 1), leastRows), 0
	}
	var all []*trail
	for _, in := range s.Scenes {
		for _, c := range in.Cells {
			t := &trail{Cell: c}
			t.verdicts(s.thrift)
			for _, p := range c.Phases {
				one, most := c.series[p.Phase], each
				if slices.Contains(in.Inner, p.Phase) {
					most = inner
				}
				if one != nil {
					t.Tables = append(t.Tables, one.table(most))
				}
			}
			all = append(all, t)
		}
	}
	return all
}

// verdicts lists what was said in each round, those first in which not all passed:
// of these at most mostBad, and one in which all did.
func (t *trail) verdicts(thrift int) {
	mostBad, mostGood := 12, 1
	if thrift > 0 {
		mostBad = 2
	}
	var bad, fine []*judge.Result
	for i := range t.Cell.Results {
		if r := &t.Cell.Results[i].Result; good(r) {
			fine = append(fine, r)
		} else {
			bad = append(bad, r)
		}
	}
	order := slices.Concat(bad[:min(len(bad), mostBad)], fine[:min(len(fine), mostGood)])
	t.MoreV = len(t.Cell.Results) - len(order)
	for _, r := range order {
		one := roundVerdicts{Round: fmt.Sprint(r.Round)}
		if r.Warmup {
			one.Round += ", warm-up"
		}
		for _, v := range r.Verdicts {
			one.Verdicts = append(one.Verdicts, verdictLine{Oracle: v.Oracle, Message: v.Message, Badge: badgeOf(v.Outcome)})
		}
		t.Verdicts = append(t.Verdicts, one)
	}
}

func good(r *judge.Result) bool {
	o := r.Outcome()
	return o == judge.Pass || o == judge.NotApplicable
}

// table lists at most a number of samples, in the order of samples.jsonl: those
// that are quantiles, then those that do not count, then the first.
func (s *series) table(most int) *trailTable {
	t := &trailTable{Series: s}
	is := s.quantileLines()
	lines := s.lines
	if len(lines) > most {
		lines = s.choose(most, is)
	}
	t.Left = len(s.lines) - len(lines)
	for _, line := range lines {
		one := &s.samples[line-1]
		t.Rows = append(t.Rows, trailRow{
			Round: s.roundOf(one), Value: valueOf(one), Outcome: one.Outcome, Namespace: one.Namespace,
			At: fmt.Sprint(int64(one.At)), Line: line, Is: is[line],
		})
	}
	return t
}

// valueOf prints a sample's value; one that timed out is only bounded.
func valueOf(s *judge.Sample) string {
	return plain.AtLeast(s.Value, s.Outcome == judge.Timeout)
}

// quantileLines names the first line that has the value of each quantile shown:
// a quantile here is always a sample, never between two.
func (s *series) quantileLines() map[int]string {
	is := map[int]string{}
	if s.N == 0 {
		return is
	}
	name := func(o stat.Observation, what string) {
		for _, line := range s.lines {
			one := &s.samples[line-1]
			censored := one.Outcome == judge.Timeout
			if !one.Warmup && (censored || one.Outcome == judge.OK) && one.Value == o.Value && censored == o.Censored {
				if is[line] != "" {
					what = is[line] + ", " + what
				}
				is[line] = what
				return
			}
		}
	}
	for _, p := range quantiles() {
		if s.Shows(p) {
			name(s.Ordered.Quantile(p), fmt.Sprintf("p%g", 100*p))
		}
	}
	name(s.Ordered.Max(), "max")
	return is
}

// choose picks the lines that say most.
func (s *series) choose(most int, is map[int]string) []int {
	var chosen []int
	take := func(wanted func(line int) bool) {
		for _, line := range s.lines {
			if len(chosen) < most && wanted(line) && !slices.Contains(chosen, line) {
				chosen = append(chosen, line)
			}
		}
	}
	take(func(line int) bool { return is[line] != "" })
	take(func(line int) bool { return s.samples[line-1].Outcome != judge.OK })
	take(func(int) bool { return true })
	slices.Sort(chosen)
	return chosen
}

// roundOf names a sample's round, with its run where there are several.
func (s *series) roundOf(one *judge.Sample) string {
	round := fmt.Sprint(one.Block)
	if s.manyRuns {
		round += " of run " + one.Run
	}
	if one.Warmup {
		round += ", warm-up"
	}
	return round
}
