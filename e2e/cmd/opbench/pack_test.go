package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/report"
)

func TestPackKeepsEveryFigure(t *testing.T) {
	results, out := copied(t), t.TempDir()
	t.Chdir(t.TempDir()) // where nothing is expected of a style
	_, want, _ := opbench(t, "report", "--format=json", results)
	status, stdout, stderr := opbench(t, "pack", "--out="+out, "--most=3000", results)
	require.Equal(t, exitOK, status, stderr)
	names := strings.Fields(stdout)
	require.Greater(t, len(names), 2, "several parts, and the environment")
	for _, name := range names {
		info, err := os.Stat(name)
		require.NoError(t, err)
		if filepath.Base(name) != report.EnvironmentFile {
			assert.LessOrEqual(t, info.Size(), int64(3000), name)
		}
	}
	_, got, _ := opbench(t, "report", "--format=json", out)
	assert.JSONEq(t, want, got)

	status, stdout, stderr = opbench(t, "pack", "--out="+out, out) // what is packed, anew and in one file
	require.Equal(t, exitOK, status, stderr)
	assert.Len(t, strings.Fields(stdout), 2, "no part of the old ones stays")
	left, err := os.ReadDir(out)
	require.NoError(t, err)
	assert.Len(t, left, 2)
	_, got, _ = opbench(t, "report", "--format=json", out)
	assert.JSONEq(t, want, got)
}

func TestPackSeveralRuns(t *testing.T) {
	first, second, out := copied(t), copied(t), t.TempDir()
	status, _, stderr := opbench(t, "pack", "--out="+out, first, second)
	require.Equal(t, exitOK, status, stderr)
	assert.FileExists(t, filepath.Join(out, "shard-2", "recording.jsonl.zst"))
	_, stdout, _ := opbench(t, "report", out)
	assert.Contains(t, stdout, "null pass 6/6", "both are in one report")

	status, _, stderr = opbench(t, "pack", "--out="+out, first)
	require.Equal(t, exitOK, status, stderr)
	assert.NoDirExists(t, filepath.Join(out, "shard-1"))
}

func TestPackRefuses(t *testing.T) {
	killed := copied(t)
	require.NoError(t, os.Remove(filepath.Join(killed, report.EnvironmentFile)))
	for name, test := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"nothing":        {nil, exitUsage, "needs a results folder and --out"},
		"no out":         {[]string{killed}, exitUsage, "needs a results folder and --out"},
		"no byte":        {[]string{"--out=x", "--most=0", killed}, exitUsage, "--most=0: a file holds at least a byte"},
		"unknown flag":   {[]string{"--fast"}, exitUsage, "flag provided but not defined: -fast"},
		"empty folder":   {[]string{"--out=" + t.TempDir(), t.TempDir()}, exitError, "holds neither recording.jsonl"},
		"no environment": {[]string{"--out=" + t.TempDir(), killed}, exitError, "a report of figures says where they were measured"},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, stderr := opbench(t, append([]string{"pack"}, test.args...)...)
			assert.Equal(t, test.status, status)
			assert.Contains(t, stderr, test.want)
		})
	}
	out := t.TempDir()
	opbench(t, "pack", "--out="+out, copied(t))
	opbench(t, "pack", "--out="+out, killed)
	assert.FileExists(t, filepath.Join(out, "recording.jsonl.zst"), "what cannot be replaced stays")
	left, err := os.ReadDir(out)
	require.NoError(t, err)
	assert.Len(t, left, 2, "and nothing half done")
}
