package run

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images"
)

// What an earlier run has recorded stays, whatever became of it, and no later one is judged by it.
func TestAFolderHoldsOneRun(t *testing.T) {
	for _, name := range []string{"recording.jsonl", "recording.jsonl.zst", "shard-2/recording.jsonl.zst"} {
		t.Run(name, func(t *testing.T) {
			root, folder := t.TempDir(), t.TempDir()
			write(t, folder, name, "of another run")
			rec := &recording{job: &job{
				console: &console{out: t.Output()}, root: root, folder: folder, participants: []*participant{{}}, options: Options{Cluster: "kind"},
			}}
			require.EqualError(t, rec.begin(t.Context()), "begin the recording: "+filepath.Join(folder, name)+" is there already (a folder holds one run; choose another with --results)")
			text, err := os.ReadFile(filepath.Join(folder, name))
			require.NoError(t, err)
			assert.Equal(t, "of another run", string(text))
			left, err := os.ReadDir(folder)
			require.NoError(t, err)
			assert.Len(t, left, 1)
			assert.NoFileExists(t, filepath.Join(root, "results", "latest"), "it does not lead to another run")
		})
	}
	for _, name := range []string{"junit.xml", "report.html", "environment.json"} { // of anybody
		folder := t.TempDir()
		write(t, folder, name, "theirs")
		require.EqualError(t, Unused(folder), "begin the recording: "+filepath.Join(folder, name)+" is there already, and would be replaced (choose another folder with --results)")
	}
	require.NoError(t, Unused(t.TempDir()))
	require.NoError(t, Unused(filepath.Join(t.TempDir(), "none-yet")))
}

// A folder of results may be in the one that an image is built from: what a run writes there must not change the image.
func TestAFolderOfResultsIsHidden(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "gate-results")
	require.NoError(t, os.Mkdir(folder, 0o755))
	require.NoError(t, marked(folder, folder))
	text, err := os.ReadFile(filepath.Join(folder, ".gitignore"))
	require.NoError(t, err)
	assert.Equal(t, images.ResultsMark, string(text))

	used := t.TempDir()
	write(t, used, "main.go", "package main")
	require.NoError(t, marked(used, used))
	assert.NoFileExists(t, filepath.Join(used, ".gitignore"), "it may be a repository")
}
