package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/spec"
)

const handMade = "../../report/testdata/hand-made"

// opbench runs the program and returns what it printed.
func opbench(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, problems bytes.Buffer
	status = run(t.Context(), args, &out, &problems)
	return status, out.String(), problems.String()
}

// away leaves the repository, whose styles' expected verdicts are then not
// known, and returns the folder of the hand-made recording.
func away(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs(handMade)
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	return folder
}

// file writes a file into a fresh folder and returns its path.
func file(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o644))
	return path
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return data
}

// In the repository, what is expected of its styles is known.
func TestJudgeHoldsVerdictsAgainstWhatIsExpected(t *testing.T) {
	status, _, stderr := opbench(t, "judge", file(t, "recording.jsonl", read(t, handMade, record.FileName)))
	assert.Equal(t, exitError, status)
	assert.Contains(t, stderr, "opbench: not as expected: 3; the first: native delete: expected pass, seen invalid")
}

func TestJudgeSeveralTogether(t *testing.T) {
	handMade := away(t)
	recording := filepath.Join(handMade, record.FileName)
	_, stdout, stderr := opbench(t, "judge", recording, recording)
	assert.Regexp(t, `(?s)Run handmade.*\nfloor [^\n]*pass 3/3.*Run handmade.*\nfloor [^\n]*pass 3/3`, stdout, "each has its own tables")
	assert.Equal(t, "opbench: warning: run handmade was given more than once: its verdicts count more than once\n"+
		"opbench: 8 of 34 samples were not handled correctly\n", stderr)
}

// What passed is exit status 0: here the floor's first create.
func TestJudgePasses(t *testing.T) {
	whole := read(t, handMade, record.FileName)
	_, rest, found := bytes.Cut(whole, []byte(`"kind":"end"`))
	require.True(t, found)
	end := len(whole) - len(rest) + bytes.IndexByte(rest, '\n') + 1
	status, stdout, stderr := opbench(t, "judge", file(t, "recording.jsonl", whole[:end]))
	assert.Equal(t, exitOK, status, stderr)
	assert.Regexp(t, `(?m)^floor .* pass 1/1 `, stdout)
	assert.Empty(t, stderr)
}

// A killed run: the last line is cut off, and there is no environment.json.
func TestJudgeAKilledRun(t *testing.T) {
	whole := read(t, handMade, record.FileName)
	recording := file(t, record.FileName, whole[:len(whole)-20])
	status, stdout, stderr := opbench(t, "judge", filepath.Dir(recording))
	assert.Equal(t, exitError, status)
	assert.Contains(t, stderr, "has no environment.json, as after a run that was killed")
	assert.Contains(t, stderr, "the recording's last line is cut off; all before it is judged")
	assert.Contains(t, stdout, "the recording's last line is cut off")
	assert.Contains(t, string(read(t, filepath.Dir(recording), report.SummaryFile)), "the recording's last line is cut off")
}

// Of a style without a verdicts.yaml it is not known what is expected: a matrix in which
// a scenario fails is no success all the same.
func TestJudgeAMatrixOfWhichNothingIsExpected(t *testing.T) {
	of := func(outcome spec.Outcome) error {
		return unforeseen(report.New(nil, &judge.Judgement{Results: []judge.Result{{
			Style: "strange", Scenario: "drift-image", Group: spec.GroupLevel, Round: 1, Matrix: true, End: record.Settled,
			Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: outcome, Message: "no Deployment"}},
		}}}))
	}
	require.NoError(t, of(spec.Pass))
	require.ErrorContains(t, of(spec.Fail), "1 scenario of the correctness matrix did not pass, and no verdicts.yaml says what is expected; the first: strange drift-image")
}
