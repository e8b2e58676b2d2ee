package main

import (
	"flag"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
)

func TestVersion(t *testing.T) {
	assert.Equal(t, "opbench v1.2.3, revision abc of 2026-11-22T00:00:00Z, with changes, go1.26.0", describeBuild(&debug.BuildInfo{
		GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-11-22T00:00:00Z"}, {Key: "vcs.modified", Value: "true"}},
	}))
	assert.Equal(t, "opbench (devel), revision unknown (it was built with -buildvcs=false, or of no repository), go1.26.0", describeBuild(&debug.BuildInfo{GoVersion: "go1.26.0"}))
}

// Flags may stand behind arguments; what stands behind -- is an argument.
func TestFlagsBehindArguments(t *testing.T) {
	flags := flag.NewFlagSet("opbench x", flag.ContinueOnError)
	out, force := flags.String("out", "", ""), flags.Bool("force", false, "")
	require.NoError(t, parse(flags, []string{"one", "--out", "file", "two", "--force", "--", "--three"}))
	assert.Equal(t, "file", *out)
	assert.True(t, *force)
	assert.Equal(t, []string{"one", "two", "--three"}, flags.Args())
}

// together is a folder of shards, each with the compressed recording of a results folder.
func together(t *testing.T, results ...string) string {
	t.Helper()
	out := t.TempDir()
	for i, one := range results {
		shard := filepath.Join(out, "shard-"+strconv.Itoa(i+1))
		require.NoError(t, os.Mkdir(shard, 0o755))
		require.NoError(t, record.CompressTo(filepath.Join(one, record.FileName), filepath.Join(shard, record.CompressedName)))
		environment, err := record.ReadEnvironment(one)
		require.NoError(t, err)
		require.NoError(t, environment.Write(shard))
	}
	return out
}

// Every command that reads results takes a folder of shards, by whatever name.
func TestFoldersOfShards(t *testing.T) {
	out := together(t, copied(t), copied(t))
	t.Chdir(t.TempDir()) // where nothing is expected of a style
	for _, name := range []string{out, filepath.Join(out, "shard-1"), filepath.Join(out, "shard-2", "recording.jsonl.zst")} {
		_, stdout, _ := opbench(t, "judge", "--out="+t.TempDir(), name)
		assert.Regexp(t, `(?m)^floor .* pass \d`, stdout, name)
		status, stdout, stderr := opbench(t, "report", name)
		assert.Equal(t, exitOK, status, stderr)
		assert.Regexp(t, `(?m)^floor .* pass \d`, stdout, name)
	}
}

// What a recording says reaches the terminal without escapes, in errors and
// warnings as in tables.
func TestErrorsAreHarmless(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a\x1b[31m\u202egnp.jsonl")
	require.NoError(t, os.WriteFile(name, []byte(`{"t":0,"kind":"\u001b]0;x\u0007\u202e"}`), 0o600))
	for _, args := range [][]string{{"judge", name}, {"report", "--format=\x1b[2J", name}, {"gate", name}, {"\u2066run"}} {
		status, stdout, stderr := opbench(t, args...)
		assert.NotEqual(t, exitOK, status)
		assert.NotEmpty(t, stderr)
		for _, c := range []string{"\x1b", "\a", "\u202e", "\u2066"} {
			assert.NotContains(t, stdout+stderr, c)
		}
	}
}
