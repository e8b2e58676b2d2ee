package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// What an operator says of itself stands beside what the API server saw, and the difference is told in a sentence.
func TestTableOfWhatOperatorsCount(t *testing.T) {
	figure := func(n float64) cost.Figure {
		return cost.Figure{Unit: "1", Values: []cost.Value{{Round: 1, Value: n}}}
	}
	j := judge.Judgement{Header: record.Header{Run: "abc123", Styles: []record.Style{{Style: spec.Style{Name: "native"}}, {Style: spec.Style{Name: "kube-rs"}}}, Scenarios: []record.Scenario{{Name: "burst", Group: spec.GroupLoad}}}}
	for _, style := range []string{"native", "kube-rs"} {
		j.Results = append(j.Results, judge.Result{Style: style, Scenario: "burst", Group: spec.GroupLoad, Round: 1, End: record.Settled})
	}
	r := Of(result.Recording{Judgement: &j, Costs: []cost.Cost{
		{Style: "native", Busiest: []cost.Busiest{{Load: "burst", Requests: figure(1)}}, Counted: []cost.Counted{
			{Load: "burst", Changes: figure(3), Reconciles: figure(18), Requeues: figure(3), Requests: figure(9), Writes: figure(4)},
			{Load: "ramp", Changes: figure(2), Reconciles: figure(2), Requests: figure(6), Writes: figure(4)},
		}},
		{Style: "kube-rs", Busiest: []cost.Busiest{{Load: "burst", Requests: figure(1)}}},
	}})
	tables := r.countedTables()
	require.Len(t, tables, 1)
	table := tables[0]
	rows := rowsOf(table)
	assert.Equal(t, []string{"burst|native|3|6|1|3|1.3|", "ramp|native|2|1|0|3|2|"}, rows)
	require.Len(t, table.Notes, 3)
	assert.Equal(t, "burst, native: 18 reconciles for 3 changes; 4 writes and 5 other requests reached the API server; at least 14 reconciles wrote nothing.", table.Notes[1])
	assert.Equal(t, "ramp, native: 2 reconciles for 2 changes; 4 writes and 2 other requests reached the API server.", table.Notes[2])
	assert.Equal(t, "6", r.Value("native", "burst.reconciles").Text)
	assert.Empty(t, r.Value("kube-rs", "burst.reconciles").Text, "its metrics do not say")
}
