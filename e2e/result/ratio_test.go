package result_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// ofALoad makes a run one of a load: in each round two custom resources are done, one of them at once.
func ofALoad(one result.Recording) result.Recording {
	for i := range one.Judgement.Results {
		r := &one.Judgement.Results[i]
		r.Scenario, r.Group, r.Samples[0].Scenario = "burst-create", spec.GroupLoad, "burst-create"
		first := r.Samples[0]
		first.Value = 0.001
		r.Samples = append(r.Samples, first)
	}
	return one
}

// ratio is a style's to the reference, as it is shown, with what it rests on.
func ratio(s *result.Set, label, scenario string) string {
	v := s.Value(label, result.Times(scenario))
	return strings.TrimSpace(v.Text + " " + v.From())
}

func TestRatioToTheReference(t *testing.T) {
	s := result.Of(took("one", map[string][]float64{"native": {1, 10, 100}, "argo": {2, 20, 200}}))
	assert.Equal(t, "2.00 [2.00, 2.00], in 3 rounds", ratio(s, "argo", "create"))
	assert.Empty(t, ratio(s, "native", "create"), "it is the reference")
	assert.Empty(t, ratio(s, "argo", "delete"))

	few := result.Of(took("one", map[string][]float64{"native": {1, 10, 100}, "argo": {2, 20}}))
	assert.Equal(t, "2.00 in 2 rounds", ratio(few, "argo", "create"))
}

func TestLoadsAreComparedByTheirLast(t *testing.T) {
	s := result.Of(ofALoad(took("one", map[string][]float64{"native": {1, 1.1, 0.9}, "argo": {5, 5.1, 4.9}})))
	assert.Equal(t, 2, s.RankOf("argo", "burst-create").Place)
	assert.Regexp(t, `^5\.0\d \[\d.*\], in 3 rounds$`, ratio(s, "argo", "burst-create"))
	once := result.Of(ofALoad(took("one", map[string][]float64{"native": {1}, "argo": {5}})))
	assert.Zero(t, once.RankOf("argo", "burst-create").Place, "one round ranks nothing")
	assert.Equal(t, "5.00 in 1 round", ratio(once, "argo", "burst-create"))
}
