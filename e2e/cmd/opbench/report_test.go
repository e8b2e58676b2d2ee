package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/interrupt"
	"operatorbench/e2e/record"
)

// copied is a results folder of the hand-made recording.
func copied(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{record.FileName, record.EnvironmentFile} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), read(t, handMade, name), 0o644))
	}
	return dir
}

// Where the folder cannot be made, that is said once, and not for each page.
func TestReportIntoAFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	status, _, stderr := opbench(t, "report", "--format=html", "--out="+filepath.Join(file, "index.html"), copied(t))
	assert.Equal(t, exitError, status)
	assert.Equal(t, 1, strings.Count(stderr, file), stderr)
}

// What others recorded is published below the folder that was asked for, whatever it calls its run.
func TestARunIsPublishedWhereItWasAskedFor(t *testing.T) {
	for _, id := range []string{"../elsewhere", "..", "", "a/b"} {
		dir, out := copied(t), filepath.Join(t.TempDir(), "out")
		name := filepath.Join(dir, record.FileName)
		require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(read(t, name)), `"run":"handmade"`, `"run":"`+id+`"`, 1)), 0o600))
		status, _, stderr := opbench(t, "recordings", "add", "--out="+out, dir)
		assert.Equal(t, exitError, status, id)
		assert.Contains(t, stderr, `run id "`+id+`"`)
		assert.NoDirExists(t, out)
	}
}

// A signal that comes while a recording is judged ends that, and nothing is published.
func TestASignalEndsPublishing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&interrupt.Error{Signal: syscall.SIGINT})
	var stderr strings.Builder
	assert.Equal(t, 130, run(ctx, []string{"recordings", "add", "--out=" + out, copied(t)}, io.Discard, &stderr))
	assert.Equal(t, "opbench: signal received: interrupt\n", stderr.String())
	assert.NoDirExists(t, out)
}

// A flag that a verb has no use for is no flag of it: lock would lock although it is asked to check.
func TestRecordingsRefuseWhatIsNotTheirs(t *testing.T) {
	for _, args := range [][]string{{"lock", "--check"}, {"lock", "x"}, {"list", "x"}, {"get", "--check", "x"}, {"judge", "--out=x"}} {
		status, stdout, stderr := opbench(t, append([]string{"recordings"}, args...)...)
		assert.Equal(t, exitUsage, status, args)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, args[0])
	}
}

// What was published already, and has no recording, is not published half.
func TestWhatHasNoRecordingIsNotPublished(t *testing.T) {
	dir, first, second := copied(t), filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	status, _, stderr := opbench(t, "recordings", "add", "--out="+first, dir)
	require.Equal(t, exitOK, status, stderr)
	require.NoError(t, os.Remove(filepath.Join(first, "handmade", record.CompressedName)))
	status, _, stderr = opbench(t, "recordings", "add", "--out="+second, filepath.Join(first, "handmade"))
	assert.Equal(t, exitError, status)
	assert.Contains(t, stderr, "find the recording")
	assert.NoDirExists(t, second)
}

// A list that is cut short is not taken for a whole one.
func TestAListThatCannotBeWrittenIsAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	var stderr strings.Builder
	assert.Equal(t, exitError, run(t.Context(), []string{"styles"}, full, &stderr))
	assert.Contains(t, stderr.String(), "no space left on device")
}

// Figures of two runs do not compare: each format names the run and machine they come from.
func TestReportOfDifferentMachines(t *testing.T) {
	other := copied(t)
	environment, err := record.ReadEnvironment(other)
	require.NoError(t, err)
	environment.Host.CPUs = 64
	require.NoError(t, environment.Write(other))
	for format, want := range map[string]string{
		"terminal": "64 CPUs", "markdown": "64 CPUs", "json": `"cpus":64`,
	} {
		status, stdout, _ := opbench(t, "report", "--format="+format, copied(t), other)
		assert.Equal(t, exitOK, status)
		assert.Contains(t, stdout, want, format)
		assert.NotContains(t, stdout, "pass 6/6", "%s: nothing is pooled", format)
	}
	_, stdout, _ := opbench(t, "report", "--format=bench", copied(t), other)
	assert.Contains(t, stdout, "\ncpus: 2\n")
	assert.Contains(t, stdout, "\ncpus: 64\n", "benchstat keeps them apart")
}
