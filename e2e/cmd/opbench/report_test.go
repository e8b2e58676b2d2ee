package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
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

func TestReportWritesAFile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "not", "there", "r.json")
	status, stdout, stderr := opbench(t, "report", "--format=json", "--out="+out, copied(t))
	assert.Equal(t, exitOK, status, stderr)
	assert.Empty(t, stdout)
	assert.JSONEq(t, string(read(t, handMade, report.ReportFile)), string(read(t, out)))
}

// Where the folder cannot be made, that is said once, and not for each page.
func TestReportIntoAFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	status, _, stderr := opbench(t, "report", "--format=html", "--out="+filepath.Join(file, "index.html"), copied(t))
	assert.Equal(t, exitError, status)
	assert.Equal(t, 1, strings.Count(stderr, file), stderr)
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
