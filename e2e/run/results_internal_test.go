package run

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// exampleRecording is of three rounds of the floor, native and argo.
const exampleRecording = "../../docs/example/recording.jsonl.zst"

// heard lets a run hear a recording as if it had made it, and returns the file that it has written.
func heard(t *testing.T, rec *recording, name string) string {
	t.Helper()
	written := filepath.Join(t.TempDir(), record.FileName)
	file, err := os.Create(written)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, file.Close()) })
	for e, err := range record.ReadFile(name) {
		require.NoError(t, err)
		if e.Header == nil {
			require.NoError(t, rec.recorder.Record(e))
			continue
		}
		rec.recorder, err = record.NewRecorder(file, *e.Header)
		require.NoError(t, err)
		require.NoError(t, rec.follow())
		t.Cleanup(rec.judge.Stop)
	}
	return written
}

// What looks, suite and reports read of a run is what anyone can judge from its file.
func TestWhatIsJudgedWhileItIsWrittenIsWhatTheFileSays(t *testing.T) {
	for _, name := range []string{exampleRecording, "../judge/testdata/argo.jsonl.zst", "../judge/testdata/native.jsonl.zst"} {
		t.Run(name, func(t *testing.T) {
			rec := &recording{job: &job{}}
			written := heard(t, rec, name)
			rec.judge.Stop()
			live, err := rec.soFar()
			require.NoError(t, err)
			assert.Same(t, &rec.facts, live.Environment)
			live.Environment = nil
			read, err := result.Load(written)
			require.NoError(t, err)
			want, err := json.Marshal(read)
			require.NoError(t, err)
			got, err := json.Marshal(live)
			require.NoError(t, err)
			assert.JSONEq(t, string(want), string(got))
		})
	}
}

// After Ctrl-C what came to no end is listed by style and scenario.
func TestWhatWasNotDrivenIsListed(t *testing.T) {
	options := Options{Operator: "native,controller-runtime", Scenario: "create,rollback,recreate", Cluster: "kind", Images: "auto", Window: time.Second, Patience: time.Minute, Rounds: 1}
	s, err := Load(t.Context(), options, "../..", time.Time{}, t.Output())
	require.NoError(t, err)
	s.recorder, err = record.NewRecorder(io.Discard, record.Header{Styles: []record.Style{{Style: spec.Style{Name: "native"}}}})
	require.NoError(t, err)
	require.NoError(t, s.follow())
	t.Cleanup(s.judge.Stop)
	for scenario, end := range map[string]string{"create": record.Settled, "rollback": record.TimedOut, "recreate": record.Interrupted} {
		sample := record.Sample{Style: "native", Scenario: scenario, Round: 1, Namespace: scenario, Name: "cache", Timeout: time.Minute, Expect: []string{"unheard-of"}, Matrix: true}
		require.NoError(t, s.recorder.Record(record.Entry{Time: s.recorder.Now(), Kind: record.KindBegin, Begin: &sample}))
		require.NoError(t, s.recorder.Record(record.Entry{Time: s.recorder.Now(), Kind: record.KindEnd, End: &record.End{Style: "native", Scenario: scenario, Round: 1, Namespace: scenario, Outcome: end}}))
	}
	assert.Equal(t, "the run ended before all was driven. What was not: native: 1 of 3 scenarios, recreate; controller-runtime: nothing of what was asked for", s.undriven())
	differences, err := s.Differences("", "")
	require.NoError(t, err)
	for _, d := range differences {
		assert.NotEqual(t, "recreate", d.Scenario, "it was interrupted")
	}
	assert.Len(t, differences, 2)

	s.file = &os.File{}
	err = s.SoFar()
	require.ErrorContains(t, err, "not as expected so far:\nnative ")
	for _, scenario := range []string{"create", "rollback"} {
		require.ErrorContains(t, err, "\nnative "+scenario+": expected pass, seen invalid; unheard-of: there is no oracle of this name")
	}

	s.complete = true
	assert.Empty(t, s.undriven())
	require.NoError(t, s.SoFar())

	s.complete, s.judge = false, nil
	assert.Equal(t, "the run ended before all was driven", s.undriven())
}

// What kill -9 leaves says that it is not all, until the run's end says what is not.
func TestAKilledRunIsNotTakenForAWholeOne(t *testing.T) {
	options := Options{Operator: "native", Scenario: "create", Cluster: "kind", Images: "auto", Window: time.Second, Patience: time.Minute, Rounds: 1}
	s, err := Load(t.Context(), options, "../..", time.Time{}, t.Output())
	require.NoError(t, err)
	s.options.Here, s.folder = t.TempDir(), filepath.Join(t.TempDir(), "results")
	require.NoError(t, s.begin(t.Context()))
	t.Cleanup(func() { assert.NoError(t, errors.Join(s.synced.Stop(), s.file.Close())) })
	left, err := result.Load(s.folder)
	require.NoError(t, err)
	assert.Contains(t, report.Of(left).Warnings, "the run did not come to its end, as if it was killed: what was asked for may not have been driven")
}
