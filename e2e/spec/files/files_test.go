package files_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec/files"
)

// A style's folder is a stranger's: whatever is in it, nothing else of the machine is read, and nothing is waited for.
func TestNothingIsReadButRegularFilesOfStyles(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	root := filepath.Join(top, "operators")
	for name, text := range map[string]string{
		"operators/mine/style.yaml": "mine", "operators/other/style.yaml": "other", "operators/other/a.yaml": "a",
		"operators/.docker/config.json": "secret", "secret": "secret",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(top, name), []byte(text), 0o600))
	}
	mine := func(name string) string { return filepath.Join(root, "mine", name) }
	for link, to := range map[string]string{
		"out": "../../secret", "absolute": filepath.Join(top, "secret"), "passwd": "/etc/passwd", "zero": "/dev/zero",
		"beside": "../.docker/config.json", "folder": "../..", "own": "style.yaml", "base": "../other/a.yaml",
	} {
		require.NoError(t, os.Symlink(to, mine(link)))
	}
	require.NoError(t, syscall.Mkfifo(mine("fifo"), 0o600))
	require.NoError(t, os.Truncate(mine("style.yaml"), 4))
	large, err := os.Create(mine("large"))
	require.NoError(t, err)
	require.NoError(t, large.Truncate(files.Most+1))
	require.NoError(t, large.Close())

	tree := files.Tree(root)
	for _, name := range []string{"out", "absolute", "passwd", "zero", "beside", "folder/secret", "fifo", "large", "../../secret", "../../../secret"} {
		began := time.Now()
		text, err := tree.Read(mine(name))
		var refused *files.RefusedError
		require.ErrorAs(t, err, &refused, name)
		assert.Empty(t, text, name)
		assert.NotContains(t, err.Error(), "root:", name)
		assert.Less(t, time.Since(began), time.Second, name)
	}
	for name, want := range map[string]string{"own": "mine", "base": "a", "../other/a.yaml": "a"} {
		text, err := tree.Read(mine(name))
		require.NoError(t, err, name)
		assert.Equal(t, want, string(text), name)
	}
	_, err = tree.Read(mine("absent"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
