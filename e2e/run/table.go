package run

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// firstResults are the latencies of the block that is being driven: what a person sees of it as soon as it has ended.
type firstResults struct {
	scenarios []string
	values    map[string][]float64 // in seconds, by scenario: until the main child was right, or gone
	late      map[string]int       // samples that were not right in time
	right     int
	samples   int
}

// see adds a judged sample.
func (f *firstResults) see(result judge.Result) {
	if f.values == nil {
		f.values, f.late = map[string][]float64{}, map[string]int{}
	}
	if !slices.Contains(f.scenarios, result.Scenario) {
		f.scenarios = append(f.scenarios, result.Scenario)
	}
	f.samples++
	if result.Outcome() == spec.Pass {
		f.right++
	}
	for _, s := range result.Samples {
		if s.Phase != spec.PhaseChildWritten && s.Phase != spec.PhaseChildGone {
			continue
		}
		switch s.Outcome {
		case judge.Timeout:
			f.late[result.Scenario]++
		case judge.OK:
			f.values[result.Scenario] = append(f.values[result.Scenario], s.Value)
		default: // a wrong answer has no latency
		}
	}
}

// cell is a scenario's median in this block, or how many samples came too late.
func (f *firstResults) cell(scenario string) string {
	values := slices.Sorted(slices.Values(f.values[scenario]))
	switch {
	case f.late[scenario] > 0:
		return fmt.Sprintf("%d late", f.late[scenario])
	case len(values) == 0:
		return "-"
	}
	return plain.Duration(values[(len(values)-1)/2])
}

// firstLook adds a row to the table that grows while styles take their turns: the latencies of the block that has just
// ended, until the main child was right (of delete: gone).
func (rec *recording) firstLook(what, label string, took time.Duration, err error) {
	f := rec.first
	rec.first = firstResults{}
	names := namesOf(rec.measured())
	const most = 6 // columns that a terminal has room for
	names = names[:min(len(names), most)]
	if !rec.headed {
		rec.headed = true
		row := fmt.Sprintf("%-12s %-18s", "", "median latency")
		for _, name := range names {
			row += fmt.Sprintf(" %*s", width(name), name)
		}
		rec.say("%s %7s %8s", row, "right", "took")
	}
	row := fmt.Sprintf("%-12s %-18s", what, label)
	for _, name := range names {
		row += fmt.Sprintf(" %*s", width(name), f.cell(name))
	}
	row += fmt.Sprintf(" %7s %6.0f s", fmt.Sprintf("%d/%d", f.right, f.samples), took.Seconds())
	if err != nil {
		row += "  FAILED"
	}
	rec.say("%s", strings.TrimRight(row, " "))
}

func width(name string) int { return max(len(name), 10) }
