package docs_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/verdicts"
)

// The reason of a flaky verdict says how often the scenario failed, of how many, as
// docs/correctness.md asks.
func TestFlakyVerdictsSayHowOftenTheyFailed(t *testing.T) {
	all, err := scenarios.All(judge.OracleNames())
	require.NoError(t, err)
	var known []verdicts.Scenario
	for _, s := range all {
		known = append(known, verdicts.Scenario{Name: s.Name, Group: s.Group})
	}
	files, err := filepath.Glob("../operators/*/" + verdicts.File)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		expected, err := verdicts.Load(filepath.Dir(file), known, append(judge.OracleNames(), judge.Released))
		require.NoError(t, err)
		for _, e := range expected.Entries {
			if e.Verdict == spec.Flaky {
				assert.Regexp(t, `(?i)failed in \d+ of \d+ (recorded runs|rounds|samples)`, e.Why, "%s: %s", file, e.Scenario)
			}
		}
	}
}
