package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
)

// A large recording was compressed when its run ended: its name and its folder's lead to it all the same.
func TestACompressedRecordingIsLearntFrom(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, record.FileName)
	require.NoError(t, os.WriteFile(plain, []byte("no recording"), 0o600))
	_, err := record.Compress(plain)
	require.NoError(t, err)
	for _, name := range []string{plain, folder, plain + ".zst"} {
		_, err := learned(name)
		require.ErrorContains(t, err, "line 1: not an entry of a recording", name)
	}
	_, err = learned(filepath.Join(folder, "nothing"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = learned(t.TempDir())
	require.ErrorContains(t, err, "holds neither recording.jsonl nor recording.jsonl.zst")
}

// What cannot be written whole is not written in part: the same command would refuse what it left itself.
func TestAProposalIsWrittenWholeOrNotAtAll(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	require.NoError(t, os.Mkdir(folder, 0o755))
	taken := filepath.Join(folder, "style.yaml")
	require.NoError(t, os.WriteFile(taken, []byte("mine"), 0o600))
	made, err := writeNew(folder, map[string][]byte{"cr.yaml": []byte("new"), "style.yaml": []byte("new")})
	require.ErrorContains(t, err, taken+" is there already")
	assert.Equal(t, []string{filepath.Join(folder, "cr.yaml")}, made, "this can go")
	assert.Equal(t, "mine", string(read(t, taken)))
}
