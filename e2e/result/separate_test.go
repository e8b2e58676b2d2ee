package result_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// measuredOn is a recording of so many creates on a machine; an empty one is not known.
func measuredOn(cpu, run string, schema, n int, value float64) result.Recording {
	one := result.Recording{Judgement: &judge.Judgement{Header: record.Header{Schema: schema, Run: run, Styles: []record.Style{{Style: spec.Style{Name: "native"}}}}}}
	if cpu != "" {
		one.Environment = &record.Environment{Run: run, Host: record.Host{CPU: cpu}}
	}
	for round := 1; round <= n; round++ {
		one.Judgement.Results = append(one.Judgement.Results, judge.Result{
			Style: "native", Scenario: "create", Group: spec.GroupLatency, Round: round, End: record.Settled,
			Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Pass}},
			Samples:  []judge.Sample{{Operator: "native", Scenario: "create", Phase: spec.PhaseChildWritten, Run: run, Block: round, Unit: "s", Value: value, Outcome: judge.OK}},
		})
	}
	return one
}

func written(t *testing.T, s *result.Set, label string) (n int, p50 float64) {
	t.Helper()
	c := s.Cell(label, "create")
	require.NotNil(t, c, label)
	w, _ := c.Outcome()
	return w.N, w.P50.Value
}

// The place with the most latencies is where the others belong; what is not known
// of a recording is no difference.
func TestWhatWasMeasuredElsewhereStandsApart(t *testing.T) {
	given := []result.Recording{measuredOn("", "vague", 7, 1, 2), measuredOn("small", "one", 7, 3, 9), measuredOn("big", "two", 7, 5, 1), measuredOn("big", "three", 6, 4, 8)}
	s := result.Of(given...)
	n, p50 := written(t, s, "native")
	assert.Equal(t, 6, n, "those of big, and the one of which nothing is known")
	assert.InDelta(t, 1.0, p50, 0)
	n, _ = written(t, s, "native@apart")
	assert.Equal(t, 4, n, "of another schema")
	n, _ = written(t, s, "native@apart-2")
	assert.Equal(t, 3, n, "of another machine")
	assert.Equal(t, []string{"native"}, s.Contestants())
	assert.Zero(t, s.RankOf("native@apart", "create").Place)
	warnings := strings.Join(s.Warnings, "\n")
	assert.Contains(t, warnings, "run one was made with another machine")
	assert.Contains(t, warnings, "run three was made with another schema (schema 6, not schema 7)")
	assert.Equal(t, "native", given[1].Judgement.Results[0].Style)
	assert.Empty(t, given[1].Judgement.Results[0].Variant, "what was given is as before")
	assert.Empty(t, given[1].Judgement.Results[0].Samples[0].Variant)
}

// A recording without an environment has a schema all the same.
func TestAnotherSchemaWithoutAnEnvironmentStandsApart(t *testing.T) {
	s := result.Of(measuredOn("big", "one", 7, 3, 1), measuredOn("", "two", 6, 2, 1))
	n, _ := written(t, s, "native")
	assert.Equal(t, 3, n)
	n, _ = written(t, s, "native@apart")
	assert.Equal(t, 2, n)
}

func TestRecordingsOfOnePlaceArePooled(t *testing.T) {
	s := result.Of(measuredOn("big", "one", 7, 3, 1), measuredOn("big", "two", 7, 3, 1))
	n, _ := written(t, s, "native")
	assert.Equal(t, 6, n)
	assert.NotContains(t, strings.Join(s.Warnings, "\n"), "apart")
}

// withFloor adds as many samples of the floor.
func withFloor(one result.Recording, n int, value float64) result.Recording {
	for _, r := range measuredOn("", one.Judgement.Header.Run, 7, n, value).Judgement.Results {
		r.Style, r.Samples[0].Operator = spec.Floor, spec.Floor
		one.Judgement.Results = append(one.Judgement.Results, r)
	}
	return one
}

// A run without a floor belongs to the most of its machine, in whatever order they are given.
func TestARunWithoutAFloorBelongsToTheMost(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}} {
		all := []result.Recording{withFloor(measuredOn("big", "one", 7, 6, 1), 6, 0.02), withFloor(measuredOn("big", "two", 7, 4, 2), 4, 0.04), measuredOn("big", "three", 7, 3, 1)}
		s := result.Of(all[order[0]], all[order[1]], all[order[2]])
		n, _ := written(t, s, "native")
		assert.Equal(t, 9, n, order)
		n, _ = written(t, s, "native@apart")
		assert.Equal(t, 4, n, order)
	}
}

// Floors of two machines are no other reason to part them.
func TestFloorsOfTwoMachinesAreNotNamed(t *testing.T) {
	s := result.Of(withFloor(measuredOn("big", "one", 7, 6, 1), 6, 0.02), withFloor(measuredOn("small", "two", 7, 4, 2), 4, 0.04))
	assert.NotContains(t, strings.Join(s.Warnings, "\n"), "floor")
}

// loaded is the same of a load, which has the scenario's name.
func loaded(one result.Recording, scenario string) result.Recording {
	for i := range one.Judgement.Results {
		r := &one.Judgement.Results[i]
		r.Scenario, r.Group = scenario, spec.GroupLoad
		for k := range r.Samples {
			r.Samples[k].Scenario = scenario
		}
	}
	return one
}

// What is compared is one scenario: one that was measured on another machine alone is
// that machine's, and stands apart from nothing.
func TestEachScenarioHasAHomeOfItsOwn(t *testing.T) {
	few := measuredOn("big", "one", 7, 9, 1)
	few.Judgement.Results = append(few.Judgement.Results, loaded(measuredOn("big", "one", 7, 1, 60), "burst-create").Judgement.Results...)
	many := loaded(measuredOn("small", "two", 7, 6, 30), "burst-create")
	warmup := measuredOn("small", "two", 7, 1, 7).Judgement.Results[0]
	warmup.Warmup, warmup.Samples[0].Warmup = true, true
	many.Judgement.Results = append(many.Judgement.Results, warmup)
	few.Costs = []cost.Cost{{Style: "native", PeakMemory: cost.Figure{Unit: "B", Values: []cost.Value{{Round: 1, Value: 1}}}}}
	many.Costs = []cost.Cost{{Style: "native", PeakMemory: cost.Figure{Unit: "B", Values: []cost.Value{{Round: 1, Value: 9}}}}}
	s := result.Of(few, many)
	n, p50 := written(t, s, "native")
	assert.Equal(t, 9, n)
	assert.InDelta(t, 1.0, p50, 0)
	load := s.Cell("native", "burst-create")
	require.NotNil(t, load)
	w, _ := load.Outcome()
	assert.Equal(t, 6, w.N, "those of the machine that has the most of this load")
	assert.InDelta(t, 30.0, w.P50.Value, 0)
	require.NotNil(t, s.Cell("native@apart", "burst-create"), "the few of the other")
	assert.Nil(t, s.Cell("native@apart", "create"))
	assert.Equal(t, []string{"one", "two"}, s.Runs)
	require.Len(t, s.RunFacts(), 2)
	require.NotNil(t, s.Environment)
	assert.Equal(t, "big", s.Environment.Host.CPU, "of the most latencies")
	assert.Empty(t, s.MeasuredOn("create"))
	assert.Contains(t, s.MeasuredOn("burst-create"), "small")
	peak := s.Used("native", "peak", func(c result.Cost) cost.Figure { return c.PeakMemory })
	assert.InDelta(t, 1.0, peak.P50.Value, 0, "what it costs is that machine's, too")
	warnings := strings.Join(s.Warnings, "\n")
	assert.Contains(t, warnings, "run two was made with another machine (small, 0 CPUs, 0 GiB, Linux , not big")
	assert.Contains(t, warnings, "those of burst-create compare with each other, and with those of no other scenario")
	assert.Contains(t, warnings, "run one was made with another machine")
	assert.Contains(t, warnings, "its figures of burst-create are shown separately, as …@apart")
	assert.NotContains(t, warnings, "more than once")
}

// A scenario that only another machine measured has nothing to stand apart from.
func TestALoadOfAnotherMachineAloneStandsApartFromNothing(t *testing.T) {
	s := result.Of(measuredOn("big", "one", 7, 9, 1), loaded(measuredOn("small", "two", 7, 6, 30), "burst-create"))
	assert.Equal(t, []string{"native"}, s.Styles)
	require.NotNil(t, s.Cell("native", "burst-create"))
	assert.Len(t, s.Warnings, 1, s.Warnings)
}

// Where a part of a recording stands apart, what its style uses stays with the other part:
// it is of the whole run.
func TestCostsOfASplitRecordingAreThereOnce(t *testing.T) {
	load := func(one result.Recording, n int) result.Recording {
		for round := 1; round <= n; round++ {
			burst := one.Judgement.Results[0]
			burst.Scenario, burst.Group, burst.Round = "burst-create", spec.GroupLoad, round
			burst.Samples = []judge.Sample{{Operator: "native", Scenario: "burst-create", Phase: spec.PhaseChildWritten, Run: one.Judgement.Header.Run, Block: round, Unit: "s", Value: 1, Outcome: judge.OK}}
			one.Judgement.Results = append(one.Judgement.Results, burst)
		}
		return one
	}
	both, elsewhere := load(measuredOn("big", "one", 7, 9, 1), 1), load(measuredOn("small", "two", 7, 1, 1), 5)
	both.Costs = []cost.Cost{{Style: "native", PeakMemory: cost.Figure{Unit: "bytes", Values: []cost.Value{{Round: 1, Value: 7}}}}}
	s := result.Of(both, elsewhere)
	require.Contains(t, s.Styles, "native@apart")
	require.Len(t, s.Costs, 1)
	assert.Equal(t, "native", s.Costs[0].Label())
}
