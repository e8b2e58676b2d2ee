package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
