package result_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// said is a sample of the matrix with what one oracle said.
func said(scenario, oracle string, outcome spec.Outcome) judge.Result {
	return judge.Result{
		Style: "a", Scenario: scenario, Group: spec.GroupLevel, Round: 1, Matrix: true, End: record.Settled,
		Verdicts: []judge.Verdict{{Oracle: oracle, Outcome: outcome, Message: "m"}},
	}
}

func TestConformance(t *testing.T) {
	declares := spec.Declares{
		Status:          spec.Declaration{Supported: true, Fields: []string{spec.StatusNodes}, Without: map[string]string{spec.StatusConditions: "It has no hook for them."}},
		OwnerReferences: spec.Declaration{Supported: true},
		DriftRepair:     spec.Declaration{Reason: "It watches no Deployment."},
	}
	header := record.Header{Styles: []record.Style{{Style: spec.Style{Name: "a", Declares: declares}}}}
	j := &judge.Judgement{Header: header, Results: []judge.Result{
		said("two-resources", "owned", spec.Pass), said("recreate", "owned", spec.Pass),
		said("two-resources", "status", spec.Fail), said("recreate", "status", spec.Pass),
		said("drift-image", "converged", spec.Fail),
	}}
	assert.Equal(t, []result.Conformance{
		{Asked: "owner", Outcome: spec.Pass, Why: "2 verdicts"},
		{Asked: "status", Outcome: spec.Fail, Why: "two-resources"},
		{Asked: "scale", Outcome: spec.NotApplicable, Why: "not asked", Unasked: true},
		{Asked: "drift", Outcome: spec.NotApplicable, Why: "It watches no Deployment."},
		{Asked: "calm", Outcome: spec.NotApplicable, Why: "not asked", Unasked: true},
	}, result.New(nil, j).Conformance("a"))
	assert.Empty(t, result.New(nil, j).Conformance("b"), "nothing is known of it")
}
