package record_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
)

func zipped(tb testing.TB, text []byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out)
	require.NoError(tb, err)
	_, err = w.Write(text)
	require.NoError(tb, err)
	require.NoError(tb, w.Close())
	return out.Bytes()
}

// results is a folder with files of these contents.
func results(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	return dir
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	return plain.Map(entries, os.DirEntry.Name)
}

func fileEntries(t testing.TB, name string) []record.Entry {
	t.Helper()
	var entries []record.Entry
	for e, err := range record.ReadFile(name) {
		require.NoError(t, err)
		entries = append(entries, e)
	}
	return entries
}

func TestCompress(t *testing.T) {
	text := recording(t, watchEntry("a"), watchEntry("b"))
	dir := results(t, map[string][]byte{record.FileName: text})
	want := fileEntries(t, filepath.Join(dir, record.FileName))
	name, err := record.Compress(filepath.Join(dir, record.FileName))
	require.NoError(t, err)
	assert.Equal(t, want, fileEntries(t, name))
	assert.Equal(t, []string{record.CompressedName}, names(t, dir))
	found, err := record.Find(dir)
	require.NoError(t, err)
	assert.Equal(t, name, found)
}

// Where the copy cannot be put in its place, the original stays and nothing else does.
func TestCompressKeepsTheOriginal(t *testing.T) {
	text := recording(t, watchEntry("a"))
	dir := results(t, map[string][]byte{record.FileName: text})
	blocked := filepath.Join(dir, record.CompressedName)
	require.NoError(t, os.MkdirAll(filepath.Join(blocked, "in the way"), 0o700))
	_, err := record.Compress(filepath.Join(dir, record.FileName))
	require.ErrorContains(t, err, "recording.jsonl is kept as it is")
	left, err := os.ReadFile(filepath.Join(dir, record.FileName))
	require.NoError(t, err)
	assert.Equal(t, text, left)
	assert.Equal(t, []string{record.FileName, record.CompressedName}, names(t, dir))

	_, err = record.Compress(filepath.Join(dir, "nothing"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A crash can leave any of these.
func TestFind(t *testing.T) {
	text := recording(t, watchEntry("a"), watchEntry("b"))
	whole := zipped(t, text)
	plain, compressed := record.FileName, record.CompressedName
	for name, test := range map[string]struct {
		files map[string][]byte
		want  string
	}{
		"plain":                      {map[string][]byte{plain: text}, plain},
		"compressed":                 {map[string][]byte{compressed: whole}, compressed},
		"crash while it is copied":   {map[string][]byte{plain: text, compressed + ".QWERTY": whole[:20]}, plain},
		"crash before the removal":   {map[string][]byte{plain: text, compressed: whole}, plain},
		"the copy is cut off":        {map[string][]byte{plain: text, compressed: whole[:len(whole)-1]}, plain},
		"the copy is foreign":        {map[string][]byte{plain: text, compressed: []byte("foreign")}, plain},
		"only a broken copy is left": {map[string][]byte{compressed: whole[:20]}, compressed},
	} {
		t.Run(name, func(t *testing.T) {
			dir := results(t, test.files)
			found, err := record.Find(dir)
			require.NoError(t, err)
			assert.Equal(t, filepath.Join(dir, test.want), found)
		})
	}
	_, err := record.Find(t.TempDir())
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "holds neither recording.jsonl nor recording.jsonl.zst")
}
