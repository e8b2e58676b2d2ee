package result_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// What a run was judged to gives the same report as its recording, to the byte.
func TestAPublishedRunGivesTheSameReport(t *testing.T) {
	recorded, err := result.Load("../../docs/example")
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, recorded.Save(folder))
	published, err := result.Load(folder)
	require.NoError(t, err)
	for _, file := range report.Files() {
		var want, got bytes.Buffer
		require.NoError(t, file.Print(report.Of(recorded), &want))
		require.NoError(t, file.Print(report.Of(published), &got))
		assert.Equal(t, want.String(), got.String(), file.Name)
		assert.NotEmpty(t, got.String(), file.Name)
	}
}

// No report reads what a verdict says that passed, nor the packages of an image: they are a fifth of what would be published.
func TestAPublishedRunLeavesOutWhatNoReportReads(t *testing.T) {
	recorded, err := result.Load("../../docs/example")
	require.NoError(t, err)
	recorded.Environment.Images[0].Packages = []string{"bash=5.2.15-2+b13"}
	folder := t.TempDir()
	require.NoError(t, recorded.Save(folder))
	assert.NotEmpty(t, recorded.Environment.Images[0].Packages, "what was saved is as it was")
	assert.NotEmpty(t, recorded.Judgement.Results[0].Verdicts[0].Message, "what was saved is as it was")
	published, err := result.Load(folder)
	require.NoError(t, err)
	assert.Empty(t, published.Environment.Images[0].Packages)
	for _, one := range published.Judgement.Results {
		for _, v := range one.Verdicts {
			assert.Equal(t, v.Outcome == spec.Pass, v.Message == "", "%s: %s", one.Scenario, v.Oracle)
		}
	}
}

func TestADamagedPublishedRunIsRefused(t *testing.T) {
	recorded, err := result.Load("../../docs/example")
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, recorded.Save(folder))
	name := filepath.Join(folder, result.SavedName)
	whole, err := os.ReadFile(name)
	require.NoError(t, err)
	for what, content := range map[string][]byte{
		"cut off": whole[:len(whole)/2], "foreign": []byte("x"), "empty": nil, "without a header": []byte(`{"warning":"w"}`),
		"a bomb":                   []byte(`{"header":{}}` + strings.Repeat("\n"+`{"result":{},"times":200000}`, 2)),
		"a line that does not end": []byte(`{"header":{}}` + "\n" + `{"warning":"` + strings.Repeat("a", 17<<20) + `"}`), "two in a line": []byte(`{"header":{}}{"warning":"w"}`),
	} {
		require.NoError(t, os.WriteFile(name, content, 0o600))
		_, err := result.Load(folder)
		require.ErrorContains(t, err, result.SavedName, what)
	}
	recorded.Environment = nil
	require.ErrorContains(t, recorded.Save(folder), record.EnvironmentFile)
}
