package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
	"operatorbench/e2e/table"
)

func observed(n float64) stat.Observation { return stat.Observation{Value: n} }

// The steps of a ramp are rows of their own, and no load beside them; the style's figure is
// the rate that it holds. A terminal shows what gave out, however long the other cells are.
func TestTableOfRamps(t *testing.T) {
	ramp := spec.Ramp{From: 2, Most: 4, Hold: 5 * time.Second, P99: time.Second}
	j := judge.Judgement{Header: record.Header{
		Run: "abc123", Styles: []record.Style{{Style: spec.Style{Name: "native", Settings: map[string]spec.Setting{spec.ClientLimit: {Is: "5/s, burst 10"}}}}},
		Scenarios: []record.Scenario{{Name: "ramp", Group: spec.GroupLoad, Ramp: &ramp}},
	}}
	add := func(rate, i int, took time.Duration) {
		from := map[int]time.Duration{2: time.Minute, 4: 2 * time.Minute, 3: 3 * time.Minute}[rate] + time.Duration(i)*time.Second/time.Duration(rate)
		s := judge.Sample{Operator: "native", Scenario: "ramp", Run: "abc123", Block: 1, Rate: rate, From: from, Outcome: judge.OK, Late: time.Millisecond}
		r := judge.Result{Style: "native", Scenario: "ramp", Group: spec.GroupLoad, Round: 1, Rate: rate, End: record.Settled, Verdicts: []judge.Verdict{{Oracle: "stays-converged", Outcome: spec.Pass}}}
		for phase, at := range map[string]time.Duration{spec.PhaseAcknowledged: 3 * time.Millisecond, spec.PhaseChildWritten: took} {
			s.Phase, s.At, s.Value = phase, from+at, at.Seconds()
			r.Samples = append(r.Samples, s)
		}
		j.Results = append(j.Results, r)
	}
	for i := range 10 {
		add(2, i, 40*time.Millisecond)
	}
	for i := range 20 {
		add(4, i, time.Duration(i)*100*time.Millisecond)
	}
	for i := range 15 {
		add(3, i, 50*time.Millisecond)
	}
	r := Of(result.Recording{Judgement: &j, Costs: []cost.Cost{{
		Style: "native", Busiest: []cost.Busiest{{Load: "ramp", Requests: cost.Figure{Unit: "1/s", Values: []cost.Value{{Round: 1, Value: 5.2}}}}},
	}}})
	held, byStep := r.rampTables()
	all := slices.Concat(held, byStep)
	require.Len(t, all, 2)
	limits, table := all[0], all[1]
	assert.Equal(t, []string{"native|1|3/s|–|style|"}, rowsOf(limits))
	rows := rowsOf(table)
	assert.Equal(t, []string{
		"native|1|2|10|2.20|40.0 ms|40.0 ms|0|2.00 ms|1.00 ms|–|",
		"native|1|4|20|3.01|900 ms|1.90 s|0|2.00 ms|1.00 ms|style|",
		"native|1|3|15|3.18|50.0 ms|50.0 ms|0|2.00 ms|1.00 ms|–|",
	}, rows)
	long := tables[*result.Step]{columns: result.StepColumns(), all: all[1:]}
	long.add(&result.Step{
		Rate:  result.Rate{Style: "controller-runtime-defaults", N: 150, Lost: 3, P50: observed(0.611), P99: observed(2.35), Done: 0.333, Late: 113 * time.Millisecond},
		Round: 1, Due: 140, Unknown: 1450, Acknowledged: observed(0.355), GaveOut: result.GaveClient,
	})
	lines := long.all[0].Lines(nil)
	assert.True(t, strings.HasSuffix(lines[len(lines)-1], result.GaveClient), lines[len(lines)-1])
	require.Len(t, limits.Notes, 3)
	assert.Equal(t, "native sent at most 5.2 requests a second over ten seconds, Events left out; the limit of its client: 5/s, burst 10.", limits.Notes[2])
	assert.Equal(t, "native holds 3 changes a second; at 4 its queue grows; the p99 is 1.90 s; nothing lost; whether its client held requests back by its own limit is not known.", limits.Notes[1])
	assert.Empty(t, r.RatesTable().Rows)
	assert.Equal(t, "3/s", r.Value("native", result.Holds("ramp")).Text)
	assert.Empty(t, r.Value("native", result.Last("ramp")), "the steps have no last one in common")
}

// rowsOf are a table's rows, each as one text.
func rowsOf(t table.Table) []string {
	return plain.Map(t.Rows, func(row []table.Cell) string {
		return strings.Join(plain.Map(row, func(c table.Cell) string { return c.Text + "|" }), "")
	})
}
