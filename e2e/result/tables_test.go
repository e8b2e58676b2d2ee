package result_test

import (
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
)

// took is a run in which styles took so many seconds for a create, round by round.
func took(run string, seconds map[string][]float64) result.Recording {
	one := result.Recording{
		Environment: &record.Environment{Run: run, Host: record.Host{CPU: "Some CPU"}},
		Judgement:   &judge.Judgement{Header: record.Header{Schema: record.Schema, Run: run}},
	}
	for _, style := range []string{spec.Floor, "native", "argo", "kopf"} {
		one.Judgement.Header.Styles = append(one.Judgement.Header.Styles, record.Style{Style: spec.Style{Name: style}})
		for i, value := range seconds[style] {
			one.Judgement.Results = append(one.Judgement.Results, judge.Result{
				Style: style, Scenario: "create", Group: spec.GroupLatency, Round: i + 1, End: record.Settled,
				Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Pass}},
				Samples:  []judge.Sample{{Operator: style, Scenario: "create", Phase: spec.PhaseChildWritten, Run: run, Block: i + 1, Unit: "s", Value: value, Outcome: judge.OK}},
			})
		}
		one.Costs = append(one.Costs, cost.Cost{Style: style, PeakMemory: cost.Figure{Unit: "bytes", Values: []cost.Value{{Round: 1, Value: float64(len(run))}}}})
	}
	return one
}

// Two runs, even with the same description of the machine, are two tables: nothing is pooled, and ranks,
// ratios, the floor and costs are those of one run.
func TestEachRunIsATable(t *testing.T) {
	s := result.Of(
		took("one", map[string][]float64{spec.Floor: {1, 1, 1}, "native": {2, 2.1, 1.9}, "argo": {4, 4.1, 3.9}}),
		took("another", map[string][]float64{spec.Floor: {2, 2, 2}, "native": {8, 8.1, 7.9}}),
	)
	tables := s.Tables()
	require.Len(t, tables, 2)
	for i, want := range []struct {
		run, ratio, beside string
		p50, memory        float64
		styles             []string
		place              int
	}{
		{"one", "2.00 [1.88, 2.13], in 3 rounds", "2.00", 2, 3, []string{"floor", "native", "argo"}, 1},
		{"another", "", "4.00", 8, 7, []string{"floor", "native"}, 0}, // it is alone: there is no rank
	} {
		table := tables[i]
		assert.Equal(t, []string{want.run}, table.Runs)
		assert.Equal(t, want.run, table.Environment.Run)
		assert.Equal(t, want.styles, table.Styles)
		c := table.Cell("native", "create")
		written, _ := c.Outcome()
		assert.InDelta(t, want.p50, written.P50.Value, 0)
		assert.Equal(t, 3, written.N)
		assert.Equal(t, want.run, c.Run)
		assert.Equal(t, want.beside, c.BesideFloor(written))
		assert.Equal(t, want.place, table.RankOf("native", "create").Place)
		assert.Equal(t, want.ratio, ratio(table, "argo", "create"))
		assert.InDelta(t, want.memory, table.Value("native", "memory").Number, 0)
	}
	assert.Len(t, s.Cells, 5, "a cell is of one run")
	assert.Nil(t, s.Environment, "each table has its own")
	assert.Equal(t, 6, s.Matrix.Cell("native", "create").All(), "verdicts count over all runs")
	assert.Empty(t, s.Warnings)
}

// A run for verdicts alone is no table; one run with latencies is the whole report.
func TestVerdictsAloneAreNoTable(t *testing.T) {
	matrix := took("matrix", map[string][]float64{"native": {9}})
	matrix.Judgement.Results[0].Matrix, matrix.Judgement.Results[0].Group = true, spec.GroupBasic
	s := result.Of(matrix, took("one", map[string][]float64{"native": {1, 2, 3}}))
	require.Len(t, s.Tables(), 1)
	assert.Same(t, s, s.Tables()[0])
	assert.Equal(t, "one", s.Environment.Run)
	written, _ := s.Cell("native", "create").Outcome()
	assert.Equal(t, 3, written.N)
}

// A style that has changed between two runs is another one: the verdicts of the run that was given first count, also
// where it was driven through fewer scenarios.
func TestVerdictsAreOfOneVersionOfAStyle(t *testing.T) {
	made := func(run, manifests, digest string) result.Recording {
		one := took(run, map[string][]float64{"native": {1, 1}, "argo": {1}})
		one.Environment.Styles = []record.StyleFacts{{Name: "native", Manifests: manifests, Images: []string{"operator"}}}
		one.Environment.Images = []record.ImageFacts{{Name: "operator", Digest: digest}, {Name: "other", Digest: run}}
		return one
	}
	before, after, again := made("before", "m", "1"), made("after", "m", "2"), made("again", "m", "2")
	for _, scenario := range []string{"delete", "drift", "gone"} {
		extra := before.Judgement.Results[0]
		extra.Scenario = scenario
		if scenario != "delete" {
			extra.Group = spec.GroupFault
		}
		before.Judgement.Results = append(before.Judgement.Results, extra)
		if scenario == "drift" {
			after.Judgement.Results = append(after.Judgement.Results, extra)
		}
	}

	rebuilt := made("rebuilt", "m", "3") // on another machine: with other times in it, and its images in another order
	rebuilt.Environment.Images[0].Source, rebuilt.Environment.Images[0].Bytes = "built", 7
	same := made("same", "m", "4")
	same.Environment.Images = []record.ImageFacts{same.Environment.Images[1], {Name: "operator", Digest: "4", Source: "built", Bytes: 7}}
	larger := made("larger", "m", "3")
	larger.Environment.Images[0].Source, larger.Environment.Images[0].Bytes = "built", 8
	assert.Equal(t, 4, result.Of(rebuilt, same, larger).Matrix.Cell("native", "create").All())

	m := result.Of(after, before, again).Matrix
	assert.Equal(t, 4, m.Cell("native", "create").All(), "the first version, in two runs")
	assert.Equal(t, 1, m.Cell("native", "delete").All(), "what was measured of another version only")
	assert.Equal(t, 1, m.Cell("native", "drift").All())
	assert.Nil(t, m.Cell("native", "gone"), "what the first version was not driven through is not known of it")
	assert.Equal(t, 3, m.Cell("argo", "create").All(), "a style whose version is not known counts always")
	assert.Len(t, before.Judgement.Results, 6, "the recording is as it was")
	assert.Equal(t, 4, result.Of(before, made("manifests", "n", "1"), made("same", "m", "1")).Matrix.Cell("native", "create").All())
}

// A scenario that was changed is another one: what was seen in the form before does not count.
func TestVerdictsAreOfOneFormOfAScenario(t *testing.T) {
	made := func(run, digest string, hour int, styles ...string) result.Recording {
		samples := map[string][]float64{}
		for _, style := range styles {
			samples[style] = []float64{1}
		}
		one := took(run, samples)
		one.Judgement.Header.Began = time.Date(2026, 11, 28, hour, 0, 0, 0, time.UTC)
		one.Judgement.Header.Scenarios = []record.Scenario{{Name: "create", Group: spec.GroupLatency, Digest: digest}}
		return one
	}
	m := result.Of(made("before", "a", 1, "native", "kopf"), made("now", "b", 2, "native", "argo"), made("unsaid", "", 3, "native")).Matrix
	assert.Equal(t, 2, m.Cell("native", "create").All(), "of two forms the newer, and what does not say which it had")
	assert.Nil(t, m.Cell("kopf", "create"), "seen in the form before only")
	assert.NotNil(t, m.Cell("argo", "create"))
}

// What a style was not driven through is lacking where this program has it, and is not where only an earlier one had.
func TestAScenarioThatThereIsNoMoreIsNobodysLack(t *testing.T) {
	with := func(run, style string, names ...string) result.Recording {
		one := took(run, map[string][]float64{style: {1}})
		for _, name := range names {
			more := one.Judgement.Results[0]
			more.Scenario, more.Group = name, spec.GroupLevel
			one.Judgement.Results = append(one.Judgement.Results, more)
		}
		return one
	}
	s := result.Of(with("now", "native", "drift-deleted"), with("before", "argo", "drift-deleted", "drift-image", "change-refused", "size-negative"))
	assert.Equal(t, 2, s.Fails("native").Lacking, "drift-image, and change-refused, of one workload")
	assert.Equal(t, 0, s.Fails("argo").Lacking)
	assert.Equal(t, 4, s.Fails("argo").Of, "create, and the three that there are: nothing is known of another style in size-negative")
	assert.Equal(t, 3, result.Of(with("now", "native", "of-theirs", "drift-deleted")).Fails("native").Of, "a scenario of somebody's own that all were driven through counts")
}

// A run that was given twice would count twice among verdicts.
func TestARunThatWasGivenTwice(t *testing.T) {
	one := took("one", map[string][]float64{"native": {1}})
	assert.Contains(t, strings.Join(result.Of(one, one).Warnings, "\n"), "run one was given more than once")
}

// Pods are told apart whichever style is listed first.
func TestPodsAreToldApartInAnyOrder(t *testing.T) {
	ready := func(style string, seconds ...float64) []judge.Result {
		var all []judge.Result
		for i, value := range seconds {
			all = append(all, judge.Result{
				Style: style, Scenario: "create", Group: spec.GroupLatency, Round: i + 1, End: record.Settled, Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Pass}},
				Samples: plain.Map([]string{spec.PhaseChildWritten, spec.PhaseReady}, func(phase string) judge.Sample {
					return judge.Sample{Operator: style, Scenario: "create", Phase: phase, Run: "r", Block: i + 1, Unit: "s", Value: value, Outcome: judge.OK}
				}),
			})
		}
		return all
	}
	one := took("r", nil)
	one.Judgement.Results = append(ready("native", 1.20, 1.21, 1.22), ready("argo", 1.00, 1.01, 1.02)...)
	assert.True(t, result.Of(one).ToldApart("create", []string{"native", "argo"}))
}
