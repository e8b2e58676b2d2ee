package docs_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
)

// Who disputes a figure checks out the revision that it was recorded with: it is in
// this repository, or the recording's notes say that it is not, and what comes next to it.
func TestRecordingsNameRevisionsThatExist(t *testing.T) {
	shallow, err := exec.CommandContext(t.Context(), "git", "rev-parse", "--is-shallow-repository").Output()
	if err != nil || strings.TrimSpace(string(shallow)) != "false" {
		t.Skip("needs the whole history: this is a shallow clone, or no clone at all")
	}
	runs, err := filepath.Glob("results/*/*/" + result.SavedName)
	require.NoError(t, err)
	require.NotEmpty(t, runs)
	for _, folder := range append(plain.Map(runs, filepath.Dir), "example") {
		environment, err := record.ReadEnvironment(folder)
		require.NoError(t, err)
		is := exec.CommandContext(t.Context(), "git", "merge-base", "--is-ancestor", environment.Revision, "HEAD")
		noted := slices.ContainsFunc(environment.Notes, func(note string) bool {
			return strings.HasPrefix(note, "revision "+environment.Revision[:7]+" is not in the repository")
		})
		assert.NotEqual(t, noted, is.Run() == nil, "%s: revision %s: either it is an ancestor of HEAD, or the notes of environment.json say that it is not", folder, environment.Revision)
	}
}
