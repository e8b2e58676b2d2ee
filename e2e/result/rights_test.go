package result_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// A style that holds what it should not fails as by a verdict that is not expected,
// once it was driven through all that could use its rights.
func TestRightsAreADifference(t *testing.T) {
	uses := []grants.Use{{Style: "native", Findings: []string{"it may all", "it may secrets"}}, {Style: "argo"}}
	of := func(groups ...string) *result.Matrix {
		j := &judge.Judgement{Header: record.Header{Styles: []record.Style{{Style: spec.Style{Name: "native"}}, {Style: spec.Style{Name: "argo"}}}}}
		for _, group := range groups {
			for _, style := range []string{"native", "argo"} {
				j.Results = append(j.Results, judge.Result{Style: style, Scenario: "one of " + group, Group: group, Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Pass}}})
			}
		}
		return result.MatrixOf(j)
	}
	assert.Empty(t, result.OfRights(of(spec.GroupBasic, spec.GroupFault), uses), "what was not driven may use them")
	found := result.OfRights(of(spec.Groups()...), uses)
	require.Len(t, found, 1)
	assert.Equal(t, "native rights: expected no wildcards, and no right to read secrets that is never used and has no reason, seen otherwise; rights: it may all; it may secrets", found[0].String())
}
