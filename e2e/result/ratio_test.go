package result_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// inTurns is a recording in which styles take as long as is given, round by round; of
// a load, two custom resources are done, the first at once.
func inTurns(scenario, group string, took map[string][]float64) result.Recording {
	one := result.Recording{Judgement: &judge.Judgement{Header: record.Header{Schema: 7, Run: "one"}}}
	for _, style := range []string{"native", "argo"} {
		one.Judgement.Header.Styles = append(one.Judgement.Header.Styles, record.Style{Style: spec.Style{Name: style}})
		for i, value := range took[style] {
			sample := judge.Sample{Operator: style, Scenario: scenario, Phase: spec.PhaseChildWritten, Run: "one", Block: i + 1, Unit: "s", Value: value, Outcome: judge.OK}
			samples := []judge.Sample{sample}
			if group == spec.GroupLoad {
				sample.Value = 0.001
				samples = append(samples, sample)
			}
			one.Judgement.Results = append(one.Judgement.Results, judge.Result{
				Style: style, Scenario: scenario, Group: group, Round: i + 1, End: record.Settled,
				Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Pass}}, Samples: samples,
			})
		}
	}
	return one
}

// ratio is a style's to the reference, as it is shown, with what it rests on.
func ratio(s *result.Set, label, scenario string) string {
	v := s.Value(label, result.Times(scenario))
	return strings.TrimSpace(v.Text + " " + v.From())
}

func TestRatioToTheReference(t *testing.T) {
	s := result.Of(inTurns("create", spec.GroupLatency, map[string][]float64{"native": {1, 10, 100}, "argo": {2, 20, 200}}))
	assert.Equal(t, "2.00 [2.00, 2.00], in 3 rounds", ratio(s, "argo", "create"))
	assert.Empty(t, ratio(s, "native", "create"), "it is the reference")
	assert.Empty(t, ratio(s, "argo", "delete"))

	few := result.Of(inTurns("create", spec.GroupLatency, map[string][]float64{"native": {1, 10, 100}, "argo": {2, 20}}))
	assert.Equal(t, "2.00 in 2 rounds", ratio(few, "argo", "create"))
}

func TestLoadsAreComparedByTheirLast(t *testing.T) {
	s := result.Of(inTurns("burst-create", spec.GroupLoad, map[string][]float64{"native": {1, 1.1, 0.9}, "argo": {5, 5.1, 4.9}}))
	assert.Equal(t, 2, s.RankOf("argo", "burst-create").Place)
	assert.Regexp(t, `^5\.0\d \[\d.*\], in 3 rounds$`, ratio(s, "argo", "burst-create"))
	once := result.Of(inTurns("burst-create", spec.GroupLoad, map[string][]float64{"native": {1}, "argo": {5}}))
	assert.Zero(t, once.RankOf("argo", "burst-create").Place, "one round ranks nothing")
	assert.Equal(t, "5.00 in 1 round", ratio(once, "argo", "burst-create"))
}
