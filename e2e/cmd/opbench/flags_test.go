package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A mistake in a command line ends at once, with a sentence that helps.
func TestMistakes(t *testing.T) {
	t.Setenv("PATH", t.TempDir())                                         // no engine
	t.Setenv("OPERATORBENCH_CACHE", filepath.Join(t.TempDir(), "nobody")) // nothing comes so far as to lock images
	results, file := copied(t), filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, test := range map[string]struct{ line, want string }{
		"no shards":                 {"matrix --shards=0", "--shards=0: expected a number from 1 to 64"},
		"fewer shards than none":    {"matrix --shards=-2 --operator=native", "--shards=-2: expected a number from 1 to 64"},
		"no shards of nonsense":     {"matrix --operator=nonsense --shards=0", "--shards=0: expected"},
		"too many shards":           {"matrix --shards=65", "--shards=65: expected"},
		"no rounds":                 {"run --rounds=0", "--rounds=0: expected a number from 1 to 10000; leave the flag out for the default"},
		"no rounds of the matrix":   {"matrix --rounds=0", "--rounds=0: expected a number"},
		"a matrix of latencies":     {"matrix --scenario=latency --operator=native", "create, scale-up, scale-down, delete would be measured while other clusters run beside it; use `opbench run --scenario=latency`"},
		"a matrix of all":           {"matrix --scenario=all --operator=native", "use `opbench run --scenario=all`"},
		"a matrix of shards":        {"matrix --shard=1/2", "--shard is not for opbench matrix"},
		"a matrix on one's own":     {"matrix --cluster=existing", "--cluster is not for opbench matrix"},
		"a matrix with a base":      {"matrix --base=main", "--base is not for opbench matrix"},
		"a tolerance of five":       {"gate --tolerance=5 " + results, "5 is 500%: expected a share such as 5% or 0.05"},
		"flags after an argument":   {"judge " + results + " --format=json", "flags come before arguments: opbench judge --format=json " + results},
		"a value after an argument": {"report " + results + " --out " + file + " " + file, "flags come before arguments: opbench report --out " + file + " " + results + " " + file},
		"flags between arguments":   {"report --format=json " + results + " --out=x", "flags come before arguments: opbench report --format=json --out=x " + results},
		"flags after a gate's":      {"gate " + results + " --force", "flags come before arguments: opbench gate --force " + results},
		"flags after what to pack":  {"pack " + results + " --out=x", "flags come before arguments: opbench pack --out=x " + results},
		"flags after images":        {"images ensure native --images=build", "flags come before arguments: opbench images ensure --images=build native"},
		"a folder for a report":     {"report --format=html --out=" + results + " " + results, "--out=" + results + " is a folder, expected a file to write, such as --out=" + results + "/report.html"},
		"a file for judging":        {"judge --out=" + file + " " + results, "is a file, expected a folder to write into"},
		"a file for packing":        {"pack --out=" + file + " " + results, "is a file, expected a folder to write into"},
		"a file for a gate":         {"gate --out=" + file + " " + results, "is a file, expected a folder to write into"},
		"a misspelt command":        {"reprot " + results, `unknown subcommand "reprot": there are run, matrix`},
		"which one was meant":       {"mtrix", `; did you mean "matrix"?`},
		"a misspelt flag":           {"run --opertor=argo", `flag provided but not defined: -opertor; did you mean "operator"?`},
		"a misspelt format":         {"report --format=htm " + results, `did you mean "html"?`},
		"a misspelt verb":           {"images ensrue", `did you mean "ensure"?`},
		"a flag before the command": {"--operator=argo run", "--operator=argo before the subcommand: expected opbench SUBCOMMAND --operator=argo"},
		"a version of something":    {"version 2", `takes no arguments, got ["2"]`},
	} {
		t.Run(name, func(t *testing.T) {
			before := contents(t, results)
			status, stdout, stderr := opbench(t, strings.Split(test.line, " ")...)
			assert.Contains(t, []int{exitUsage, 3}, status, "3 is an invalid gate's")
			assert.Contains(t, stderr, test.want)
			assert.Equal(t, 1, strings.Count(stderr, "opbench: "), "said once")
			assert.Empty(t, stdout)
			assert.Equal(t, before, contents(t, results), "nothing was written")
		})
	}
	assert.NoDirExists(t, os.Getenv("OPERATORBENCH_CACHE"))
}

// What help says is so: every flag that it names is taken, with its default.
func TestHelpOfTheMatrix(t *testing.T) {
	status, stdout, stderr := opbench(t, "matrix", "--help")
	assert.Equal(t, exitOK, status)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, `or all (default "matrix")`)
	assert.Contains(t, stdout, "-shards int")
	for _, refused := range []string{"-shard value", "-cluster string", "-keep-cluster", "-base string", "-budget duration"} {
		assert.NotContains(t, stdout, refused)
	}
}

func TestVersion(t *testing.T) {
	for _, word := range []string{"version", "--version", "-version"} {
		status, stdout, _ := opbench(t, word)
		assert.Equal(t, exitOK, status)
		assert.Regexp(t, `^opbench \S+, revision .+, go1\.\d+.*\n$`, stdout)
	}
	assert.Equal(t, "opbench v1.2.3, revision abc of 2026-11-22T00:00:00Z, with changes, go1.26.0", describeBuild(&debug.BuildInfo{
		GoVersion: "go1.26.0", Main: debug.Module{Version: "v1.2.3"},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-11-22T00:00:00Z"}, {Key: "vcs.modified", Value: "true"}},
	}))
	assert.Equal(t, "opbench (devel), revision unknown, go1.26.0", describeBuild(&debug.BuildInfo{GoVersion: "go1.26.0"}))
}

// Every command that reads results takes a packed folder, by whatever name.
func TestPackedFolders(t *testing.T) {
	out := t.TempDir()
	status, _, stderr := opbench(t, "pack", "--out="+out, copied(t), copied(t))
	require.Equal(t, exitOK, status, stderr)
	t.Chdir(t.TempDir()) // where nothing is expected of a style
	for _, name := range []string{out, filepath.Join(out, "shard-1"), filepath.Join(out, "shard-2", "recording.jsonl.zst")} {
		_, stdout, _ := opbench(t, "judge", "--out="+t.TempDir(), name)
		assert.Contains(t, stdout, "floor pass ", name)
		status, stdout, stderr := opbench(t, "report", name)
		assert.Equal(t, exitOK, status, stderr)
		assert.Contains(t, stdout, "floor pass ", name)
	}
	status, _, stderr = opbench(t, "pack", "--out="+t.TempDir(), out)
	assert.Equal(t, exitOK, status, stderr)
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
