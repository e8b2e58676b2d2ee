package result_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
)

// A failure has the heaviest of its weights, by the oracles that failed, by how late it was and by how it recovered.
func TestWeights(t *testing.T) {
	late := judged("argo", "upgrade", 1)
	late.End, late.Reason = record.TimedOut, "too slow"
	never := failed("argo", "kill-bus", "recovers", "status")
	never.Recovery = &judge.Recovery{By: verdicts.Never}
	itself := failed("argo", "kill-bus", "diagnosable")
	itself.Recovery = &judge.Recovery{By: verdicts.Itself}
	for want, results := range map[string][]judge.Result{
		"":                  {passed("argo", "drift")},
		"1 never recovers":  {never},
		"1 lost":            {failed("argo", "drift", "diagnosable", "converged", "calm")},
		"1 otherwise wrong": {failed("argo", "drift", "status", "calm", "prompt")},
		"1 late":            {failed("argo", "drift", "status", "prompt")},
		"1 untold":          {itself},
		"1 lost, 2 untold":  {failed("argo", "drift", "diagnosable"), failed("argo", "upgrade", "gone"), failed("argo", "input-negative", "status", "conditions", "answered")},
	} {
		for i := range results {
			results[i].Matrix = true
		}
		set := result.Of(result.Recording{Judgement: &judge.Judgement{Header: header("one", "argo"), Results: results}})
		assert.Equal(t, want, set.Value("argo", "weights").Text)
	}
	measured := failed("argo", "create", "converged")
	set := result.Of(result.Recording{Judgement: &judge.Judgement{Header: header("one", "argo"), Results: []judge.Result{measured}}})
	assert.Empty(t, set.Value("argo", "weights").Text, "nothing of the matrix was recorded")
	late.Matrix = true
	set = result.Of(result.Recording{Judgement: &judge.Judgement{Header: header("one", "argo"), Results: []judge.Result{late}}})
	assert.Equal(t, spec.Late, set.Matrix.Cells("argo")[0].Verdict)
	assert.Equal(t, "1 late", set.Value("argo", "weights").Text)
}
