package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
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
