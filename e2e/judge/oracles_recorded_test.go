package judge_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/published"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// Styles that did what they were asked are not accused of anything else either.
func TestNoFalseAlarmOnRecordings(t *testing.T) {
	oracles := []string{"ledger", "health", "no-needless-work", "pods-kept", "write-history", "garbage", "diagnosable", "recovers", "isolation"}
	j, err := judge.Judge(asMatrix(record.ReadFile("../../docs/example/recording.jsonl.zst"), func(*record.Header) {}, oracles...))
	require.NoError(t, err)
	passed := map[string]int{}
	for _, r := range j.Results {
		for _, v := range r.Verdicts {
			assert.Contains(t, []spec.Outcome{spec.Pass, spec.NotApplicable}, v.Outcome, "%s %s %s: %s", r.Style, r.Scenario, v.Oracle, v.Message)
			if v.Outcome == spec.Pass {
				passed[r.Style+" "+v.Oracle]++
			}
		}
	}
	for _, one := range []string{"argo ledger", "argo health", "argo pods-kept", "argo garbage", "native ledger", "native health", "native pods-kept", "floor ledger"} {
		assert.Positive(t, passed[one], one)
	}
}

// Nor are those that judge every sample unjust to native, in whatever recordings of the correctness matrix are
// published: what needs an inventory or logs, which those do not have, apart.
func TestNoFalseAlarmOnTheRecordedMatrix(t *testing.T) {
	const root = "../.."
	lock, err := published.Read(root)
	require.NoError(t, err)
	matrix, err := lock.Find("lwzv2clg", "7oovcftx", "ji4douke")
	require.NoError(t, err)
	passed := map[string]int{}
	for _, one := range matrix {
		folder := t.TempDir()
		if err := (published.Repository{Root: root}).Get(t.Context(), one, folder); err != nil {
			shallow, _ := exec.CommandContext(t.Context(), "git", "-C", root, "rev-parse", "--is-shallow-repository").Output()
			if strings.TrimSpace(string(shallow)) != "true" {
				require.NoError(t, err)
			}
			t.Skip(err) // the history that has it is not here, and need not be within reach
		}
		file, err := record.Find(folder)
		require.NoError(t, err)
		j, err := judge.Judge(asMatrix(record.ReadFile(file), func(*record.Header) {}, scenarios.Standing()...))
		require.NoError(t, err)
		for _, r := range j.Results {
			if r.Style != "native" {
				continue // which may do what it is accused of
			}
			for _, v := range r.Verdicts {
				assert.Contains(t, []spec.Outcome{spec.Pass, spec.NotApplicable}, v.Outcome, "%s %s: %s", r.Scenario, v.Oracle, v.Message)
				if v.Outcome == spec.Pass {
					passed[v.Oracle]++
				}
			}
		}
	}
	for _, oracle := range []string{"calm", "prompt", "untouched"} {
		assert.Greater(t, passed[oracle], 20, oracle)
	}
}
