package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// gateYML is the workflow of the gate.
const gateYML = ".github/workflows/gate.yml"

// stepOf is what a step of a workflow or of a composite action runs.
func stepOf(t *testing.T, file, name string) string {
	t.Helper()
	type job struct {
		Steps []struct{ Name, Run string }
	}
	var all struct {
		Jobs map[string]job
		Runs job
	}
	require.NoError(t, yaml.Unmarshal(read(t, root, file), &all))
	for _, of := range append(slices.Collect(maps.Values(all.Jobs)), all.Runs) {
		for _, step := range of.Steps {
			if step.Name == name {
				return step.Run
			}
		}
	}
	t.Fatalf("%s has no step %q", file, name)
	return ""
}

// bash runs a script as a step of a workflow is run, in a folder.
func bash(t *testing.T, dir, script string, env ...string) (status int, output string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-e", "-c", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	said, err := cmd.CombinedOutput()
	if ended := (*exec.ExitError)(nil); !errors.As(err, &ended) {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), string(said)
}

// What gate.yml makes of how opbench ends: only an answer that this run wrote is
// "cannot tell".
func TestWhatTheWorkflowMakesOfTheGatesEnd(t *testing.T) {
	made := func(base, head []int) string {
		dir := folder(t, comparison(t, "run1", map[string][]int{"base": base, "again": base, "head": head}), "AMD")
		return "mkdir -p results/gate; cp " + dir + "/* results/gate; opbench gate results/gate"
	}
	fine, few, slower := made(about(100, 8), about(100, 8)), made(about(100, 3), about(130, 3)), made(about(100, 8), about(130, 8))
	for name, test := range map[string]struct {
		opbench string
		status  string // as the check is told
		red     bool
	}{
		"fine":                                 {fine, "0", false},
		"slower":                               {slower, "1", true},
		"cannot tell":                          {few, "10", false},
		"a panic":                              {"exec panics", "2", true},
		"a panic after an answer":              {few + "; exec panics", "2", true},
		"it says so, and wrote nothing":        {"exit 10", "3", true},
		"it says so, and wrote another":        {fine + "; exit 10", "3", true},
		"it is killed":                         {"kill -KILL $$", "137", true},
		"it says so beside an old gate.json":   {"exit 10 # old", "3", true},
		"invalid: there is nothing to compare": {"opbench gate nothing", "3", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for path, text := range map[string][]byte{
				"scripts/engine-up.sh": []byte("#!/bin/sh\n"), "scripts/gate.sh": read(t, root, "scripts/gate.sh"), "bin/opbench": []byte("#!/bin/bash\n" + test.opbench + "\n"),
			} {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(dir, path), text, 0o755)) //nolint:gosec // it is run
			}
			if strings.Contains(test.opbench, "# old") {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, "results/gate"), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "results/gate", gateJSON), []byte("{\n  \"status\": 10,\n}\n"), 0o600))
			}
			output := filepath.Join(dir, "output")
			status, said := bash(t, dir, stepOf(t, gateYML, "Compare with the base"), "BASE=main", "GITHUB_OUTPUT="+output)
			assert.Equal(t, test.red, status != 0, said)
			assert.Equal(t, "status="+test.status+"\n", string(read(t, dir, "output")), said)
			assert.Equal(t, test.status == "10", strings.Contains(said, "::notice title=operatorbench gate::cannot tell"), said)
		})
	}
}

// GitHub takes no comment of more than 65,536 characters.
func TestALongCommentIsCut(t *testing.T) {
	step, _, _ := strings.Cut(string(read(t, root, "scripts/gate-comment.sh")), "# Only what")
	step = "set -- " + gateMarkdown + "\n" + step
	for _, letters := range []int{100, 64000, 66000, 200000} {
		dir := t.TempDir()
		whole := "<!-- operatorbench gate -->\n" + strings.Repeat("| ❌ slower | one of many |\n", letters/27)
		require.NoError(t, os.WriteFile(filepath.Join(dir, gateMarkdown), []byte(whole), 0o600))
		status, said := bash(t, dir, step, "LINK=https://github.com/o/r/actions/runs/1", "LC_ALL=C.UTF-8")
		require.Zero(t, status, said)
		posted := read(t, dir, gateMarkdown)
		if letters < 65000 {
			assert.Equal(t, whole, string(posted))
			continue
		}
		assert.Less(t, len(bytes.Runes(posted)), 65536)
		assert.True(t, bytes.HasPrefix(posted, []byte("<!-- operatorbench gate -->\n| ❌")))
		assert.Contains(t, string(posted), "slower | one of many |\n\n</details>\n\n_This comment is cut: GitHub takes 65,536 characters. [The artifact gate](https://github.com/o/r/actions/runs/1)")
	}
}

// However often a gate runs, it has one comment; where it compared nothing there is none, or the one that is there says
// so.
func TestOneCommentHoweverOften(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("GitHub's stand-in needs jq")
	}
	top, err := filepath.Abs(root)
	require.NoError(t, err)
	dir, programs := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(top, "e2e/cmd/opbench/testdata/gh"), filepath.Join(programs, "gh")))
	env := []string{"PATH=" + programs + ":" + os.Getenv("PATH"), "COMMENTS=" + filepath.Join(dir, "comments"), "GH_REPO=o/r", "NUMBER=7", "LINK=https://github.com/o/r/actions/runs/1"}
	says := func(text string, more ...string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(dir, gateMarkdown), []byte(text), 0o600))
		status, said := bash(t, dir, filepath.Join(top, "scripts/gate-comment.sh")+" "+gateMarkdown, append(more, env...)...)
		require.Zero(t, status, said)
	}
	comments := func() (bodies []string) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(dir, "comments", "*.json"))
		require.NoError(t, err)
		for _, file := range files {
			var one struct{ Body string }
			require.NoError(t, yaml.Unmarshal(read(t, filepath.Dir(file), filepath.Base(file)), &one))
			bodies = append(bodies, one.Body)
		}
		return bodies
	}
	const marker = "<!-- operatorbench gate -->\n"
	says("")
	assert.Empty(t, comments(), "nothing was compared")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "quote"), []byte("> "+marker+"> <!-- of all -->\nI do not believe it"), 0o600))
	status, said := bash(t, dir, "gh quote somebody quote", env...)
	require.Zero(t, status, said)
	says(marker + "slower")
	says(marker + "fine")
	require.Len(t, comments(), 2)
	assert.Contains(t, comments()[0], "I do not believe it", "a person's is left alone")
	assert.Equal(t, marker+"fine\n<!-- of all -->\n", comments()[1])
	says(marker+"of another gate", "KEY=./other")
	require.Len(t, comments(), 3)
	says("", "VERDICT=unchanged")
	require.Len(t, comments(), 3)
	assert.Contains(t, comments()[1], "## operatorbench gate: unchanged\n\nNothing was compared this time")
}

// The program of a pull request that changes the bench is not its judge.
func TestWhoeverChangesTheBenchIsJudgedByTheBase(t *testing.T) {
	step := stepOf(t, gateYML, "Build opbench")
	for name, test := range map[string]struct{ changed, from string }{
		"an operator": {"operators/mine/style.yaml", "."}, "the bench": {"e2e/gate/decide.go", "base"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, programs := t.TempDir(), t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(programs, "go"), []byte("#!/bin/sh\necho built from $3\n"), 0o755)) //nolint:gosec // it is run
			said, err := exec.CommandContext(t.Context(), "bash", "-ec", `cd "$1"; git init -q; git config user.email a@b; git config user.name a
				mkdir -p e2e/gate operators/mine; echo 1 | tee e2e/gate/decide.go operators/mine/style.yaml; git add .; git commit -qm 1; git tag base
				echo 2 > "$2"; git commit -qam 2`, "-", dir, test.changed).CombinedOutput()
			require.NoError(t, err, string(said))
			temporary := t.TempDir()
			status, output := bash(t, dir, step, "BASE=base", "RUNNER_TEMP="+temporary, "PATH="+programs+":"+os.Getenv("PATH"))
			require.Zero(t, status, output)
			if test.from != "." {
				test.from = filepath.Join(temporary, test.from)
				assert.Equal(t, "1\n", string(read(t, test.from, "e2e/gate/decide.go")))
			}
			assert.Contains(t, output, "built from "+test.from+"\n")
		})
	}
}

// The action's step ends and says as the gate does, in whatever repository it runs.
func TestTheAction(t *testing.T) {
	action, err := filepath.Abs(root)
	require.NoError(t, err)
	made := func(base, head []int) string {
		dir := folder(t, comparison(t, "run1", map[string][]int{"base": base, "again": base, "head": head}), "AMD")
		return "mkdir -p results; cp " + dir + "/* results; opbench gate results"
	}
	for name, test := range map[string]struct {
		opbench, base string
		status        int
		output        string
	}{
		"fine":        {made(about(100, 8), about(100, 8)), "main", 0, "verdict=fine\nreport=results/gate.md\n"},
		"slower":      {made(about(100, 8), about(130, 8)), "main", 1, "verdict=worse\nreport=results/gate.md\n"},
		"cannot tell": {made(about(100, 3), about(130, 3)), "main", 0, "verdict=cannot tell\nreport=results/gate.md\n"},
		"unchanged":   {"echo no operator style differs from the base", "main", 0, "verdict=unchanged\nreport=\n"},
		"a panic":     {"exec panics", "main", 2, "verdict=invalid\nreport=\n"},
		"no base":     {"exit 0", "", 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir, temporary := t.TempDir(), t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(temporary, "operatorbench"), 0o755))
			script := "#!/bin/bash\necho \"$@\" > " + temporary + "/asked\n" + test.opbench + "\n"
			require.NoError(t, os.WriteFile(filepath.Join(temporary, "operatorbench", "opbench"), []byte(script), 0o755)) //nolint:gosec // it is run
			require.NoError(t, os.WriteFile(filepath.Join(temporary, "output"), nil, 0o600))
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "results"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "results", "gate.md"), []byte("of another gate"), 0o600))
			status, said := bash(t, dir, stepOf(t, "action.yml", "Compare with the base"), "GITHUB_ACTION_PATH="+action, "RUNNER_TEMP="+temporary, "GITHUB_OUTPUT="+temporary+"/output",
				"FOLDER=./bench", "BASE="+test.base, "PROFILE=quick", "BUDGET=5m", "SCENARIOS=create", "FLAGS=--rounds=3\n--passes=1\n", "RESULTS=results")
			assert.Equal(t, test.status, status, said)
			assert.Equal(t, test.output, string(read(t, temporary, "output")))
			if test.base != "" {
				assert.Equal(t, "run --results=results --base=main --operator=./bench --profile=quick --images=auto --rounds=3 --passes=1 --budget=5m --scenario=create\n", string(read(t, temporary, "asked")))
			}
		})
	}
}

// What is checked out of a pull request is its merge with the newest base: that is compared with, not the one of the event,
// from which others may have gone on since.
func TestTheActionComparesWithWhatIsMergedInto(t *testing.T) {
	action, err := filepath.Abs(root)
	require.NoError(t, err)
	dir, temporary := t.TempDir(), t.TempDir()
	git := func(args ...string) string {
		command := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "base of the event")
	event := git("rev-parse", "HEAD")
	git("checkout", "-q", "-b", "theirs")
	git("commit", "-q", "--allow-empty", "-m", "the change")
	head := git("rev-parse", "HEAD")
	git("checkout", "-q", "main")
	git("commit", "-q", "--allow-empty", "-m", "of somebody else")
	newest := git("rev-parse", "HEAD")
	git("merge", "-q", "--no-ff", "-m", "merge", "theirs")
	require.NoError(t, os.MkdirAll(filepath.Join(temporary, "operatorbench"), 0o755))
	script := "#!/bin/bash\necho \"$@\" > " + temporary + "/asked\n"
	require.NoError(t, os.WriteFile(filepath.Join(temporary, "operatorbench", "opbench"), []byte(script), 0o755)) //nolint:gosec // it is run
	for sha, want := range map[string]string{head: newest, "another": event} {
		status, said := bash(t, dir, stepOf(t, "action.yml", "Compare with the base"), "GITHUB_ACTION_PATH="+action, "RUNNER_TEMP="+temporary, "GITHUB_OUTPUT="+temporary+"/output",
			"FOLDER=all", "BASE=", "PROFILE=", "BUDGET=", "SCENARIOS=", "FLAGS=", "RESULTS=results", "EVENT_BASE="+event, "HEAD_SHA="+sha)
		assert.Zero(t, status, said)
		assert.Contains(t, string(read(t, temporary, "asked")), "--base="+want)
	}
}
