package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
)

// docs/running.md lists each file that a run writes into its results folder.
func TestRunningPageNamesTheFilesOfARun(t *testing.T) {
	page := string(read(t, "running.md"))
	names := []string{record.FileName, record.EnvironmentFile, html.File, html.Folder, "logs/", "gate.json", "gate.md"}
	for _, file := range report.Files() {
		names = append(names, file.Name)
	}
	for _, name := range names {
		assert.Contains(t, page, "`"+name)
	}
}

// stubbed stands for opbench: it writes down how it was called, and an environment that is whole, or was cut short where a
// file says so.
const stubbed = `#!/bin/sh
echo "$@" >> "$CALLS"
for arg in "$@"; do case $arg in --results=*) out=${arg#--results=};; esac; done
mkdir -p "$out"
if [ -e "$CALLS.cut" ]; then printf '{\n  "undriven": "kopf: all"\n}\n' > "$out/environment.json"; exit 130; fi
printf '{\n  "run": "abc"\n}\n' > "$out/environment.json"
exit 1
`

// The scale recording goes on where it was stopped: a part that is whole is not driven again, whatever verdicts it has, and
// one that was cut short is.
func TestScaleGoesOnWhereItWasStopped(t *testing.T) {
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls")
	stub := filepath.Join(dir, "opbench")
	require.NoError(t, os.WriteFile(stub, []byte(stubbed), 0o755))
	scale := func(parts ...string) (string, error) {
		command := exec.CommandContext(t.Context(), "../scripts/scale.sh", parts...)
		command.Env = append(os.Environ(), "OPBENCH="+stub, "CALLS="+calls, "RESULTS="+filepath.Join(dir, "results"))
		out, err := command.CombinedOutput()
		return string(out), err
	}
	driven := func() (parts []string) {
		said, err := os.ReadFile(calls)
		require.NoError(t, err)
		for line := range strings.Lines(string(said)) {
			parts = append(parts, filepath.Base(strings.TrimSpace(line))) // its last flag is the folder
		}
		return parts
	}
	require.NoError(t, os.WriteFile(calls+".cut", nil, 0o644))
	out, err := scale("bursts", "ramps")
	require.Error(t, err)
	assert.Contains(t, out, "bursts was cut short (status 130): the same command goes on with it")
	require.NoError(t, os.Remove(calls+".cut"))
	out, err = scale("bursts", "ramps")
	require.NoError(t, err, out)
	assert.Equal(t, []string{"bursts", "bursts", "ramps"}, driven())
	out, err = scale("bursts", "ramps")
	require.NoError(t, err, out)
	assert.Contains(t, out, "bursts is whole in ")
	assert.Len(t, driven(), 3)
	_, err = scale("ramp")
	require.Error(t, err, "there is no such part")
	foreign := filepath.Join(dir, "results", "queue", "thesis.txt")
	require.NoError(t, os.MkdirAll(filepath.Dir(foreign), 0o755))
	require.NoError(t, os.WriteFile(foreign, nil, 0o644))
	out, err = scale("queue")
	require.Error(t, err)
	assert.Contains(t, out, "queue holds no recording, and is not removed for a new one")
	assert.FileExists(t, foreign)
}

// What the parts drive is there, and a time that is guessed is marked.
func TestScalePlansWhatThereIs(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "../scripts/scale.sh", "plan").Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Greater(t, len(lines), 10)
	for _, line := range lines[:len(lines)-1] {
		what, styles, found := strings.Cut(line, " round(s): ")
		require.True(t, found, line)
		fields := strings.Fields(strings.ReplaceAll(what, ",", ""))
		assert.FileExists(t, "../fixtures/scenarios/"+fields[3]+".yaml")
		for _, style := range strings.Fields(styles) {
			assert.FileExists(t, "../operators/"+style+"/style.yaml")
		}
	}
	assert.Regexp(t, `five-slow +\d+\? min`, string(out), "nobody has measured it")
}
