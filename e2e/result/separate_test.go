package result_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
