package run

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// After Ctrl-C what came to no end is listed by style and scenario.
func TestWhatWasNotDrivenIsListed(t *testing.T) {
	options := Options{Operator: "native,controller-runtime", Scenario: "create,rollback,recreate", Cluster: "kind", Images: "auto", Window: time.Second, Patience: time.Minute, Rounds: 1}
	s, err := Load(t.Context(), options, "../..", time.Time{}, t.Output())
	require.NoError(t, err)
	ended := func(style, scenario, end string) judge.Result {
		return judge.Result{Style: style, Scenario: scenario, End: end, Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Fail}}, Matrix: true}
	}
	all := &judge.Judgement{Results: []judge.Result{
		ended("native", "create", record.Settled), ended("native", "rollback", record.TimedOut), ended("native", "recreate", record.Interrupted),
	}}
	s.judged = sync.OnceValues(func() (*judge.Judgement, error) { return all, nil })
	assert.Equal(t, "the run ended before all was driven. What was not: native: 1 of 3 scenarios, recreate; controller-runtime: nothing of what was asked for", s.undriven())
	differences, err := s.Differences("", "")
	require.NoError(t, err)
	for _, d := range differences {
		assert.NotEqual(t, "recreate", d.Scenario, "it was interrupted")
	}
	assert.Len(t, differences, 2)

	s.file = &os.File{}
	err = s.SoFar()
	require.ErrorContains(t, err, "not as expected so far:\nnative create: expected pass, seen fail (converged)")
	require.ErrorContains(t, err, "\nnative rollback: ")

	s.complete = true
	assert.Empty(t, s.undriven())
	require.NoError(t, s.SoFar())

	s.complete, s.judged = false, func() (*judge.Judgement, error) { return nil, errors.New("no recording") }
	assert.Equal(t, "the run ended before all was driven", s.undriven())
}

// What kill -9 leaves says that it is not all, until the run's end says what is not.
func TestAKilledRunIsNotTakenForAWholeOne(t *testing.T) {
	options := Options{Operator: "native", Scenario: "create", Cluster: "kind", Images: "auto", Window: time.Second, Patience: time.Minute, Rounds: 1}
	s, err := Load(t.Context(), options, "../..", time.Time{}, t.Output())
	require.NoError(t, err)
	s.folder = filepath.Join(t.TempDir(), "results")
	require.NoError(t, s.begin(t.Context()))
	t.Cleanup(func() { assert.NoError(t, errors.Join(s.synced.Stop(), s.file.Close())) })
	left, err := result.Load(s.folder)
	require.NoError(t, err)
	assert.Contains(t, report.Of(left).Warnings, "the run did not come to its end, as if it was killed: what was asked for may not have been driven")
}
