package record_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
)

func words(out io.Writer) error {
	_, err := io.WriteString(out, "new\n")
	return err
}

// A name that is of no file stays what it is: root could put a file in the place of /dev/null.
func TestOnlyAFileIsReplaced(t *testing.T) {
	dir := t.TempDir()
	pipe, folder, toPipe, toOpened := filepath.Join(dir, "pipe"), filepath.Join(dir, "folder"), filepath.Join(dir, "to-pipe"), filepath.Join(dir, "to-opened")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.Mkdir(folder, 0o750))
	require.NoError(t, os.Symlink(pipe, toPipe))
	opened, err := os.Create(filepath.Join(t.TempDir(), "output"))
	require.NoError(t, err)
	defer opened.Close()
	require.NoError(t, os.Symlink(fmt.Sprintf("/proc/self/fd/%d", opened.Fd()), toOpened)) // as /dev/stdout is, where a shell sends it to a file
	for _, name := range []string{pipe, folder, toPipe, toOpened} {
		before, err := os.Lstat(name)
		require.NoError(t, err)
		require.EqualError(t, record.Replace(name, words), "write "+name+": it is no regular file, and only such a one is replaced: name a file, or one that is not there yet")
		after, err := os.Lstat(name)
		require.NoError(t, err)
		assert.True(t, os.SameFile(before, after), name)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 4, "nothing is left beside them")
}

// A program that is ended while it writes leaves what was there, and nothing else.
func TestNothingHalfWrittenStays(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(name, []byte("old\n"), 0o600))
	ended := 0
	require.ErrorIs(t, record.Replace(name, func(out io.Writer) error {
		record.Abandon(func() { ended++ })
		return words(out)
	}), os.ErrNotExist)
	assert.Equal(t, 1, ended)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "old\n", string(text))
}

func TestAFileIsReplaced(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(file, []byte("old\n"), 0o600))
	require.NoError(t, os.Symlink(file, link))
	for _, name := range []string{link, filepath.Join(dir, "none-yet"), file} {
		require.NoError(t, record.Replace(name, words))
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, "new\n", string(text), name)
	}
}

// Who may read the file is for the umask to say: results can hold what is not for everybody.
func TestTheUmaskIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	defer syscall.Umask(syscall.Umask(0o077))
	require.NoError(t, record.Replace(file, words))
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
}
