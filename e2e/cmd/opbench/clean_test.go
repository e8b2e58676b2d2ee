package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a killed build of the node image left is looked for by the id of the user's cache.
func TestCleanAfterAKilledBuild(t *testing.T) {
	bin, cache := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "docker"), []byte(`#!/bin/sh
echo "$@" >>"$0.log"
case "$*" in
"ps "*node-build=MINE) echo 111111111111 ;;
esac
`), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(cache, "operatorbench-cache"), []byte("MINE\n"), 0o644))
	t.Setenv("PATH", bin)
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("OPERATORBENCH_CACHE", cache)
	commands := func() string {
		text, err := os.ReadFile(filepath.Join(bin, "docker.log"))
		require.NoError(t, err)
		return string(text)
	}
	code, stdout, stderr := opbench(t, "clean", "--dry-run")
	require.Equal(t, exitOK, code, stderr)
	assert.Equal(t, "would remove build of the node: container 111111111111\n", stdout)
	assert.NotContains(t, commands(), "rm ")
	code, stdout, stderr = opbench(t, "clean")
	require.Equal(t, exitOK, code, stderr)
	assert.Equal(t, "removed build of the node: container 111111111111\n", stdout)
	assert.Contains(t, commands(), "rm --force --volumes 111111111111\n")
}
