package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A binary that was built and copied away works without the clone and without Go, but for what needs a clone: it says so.
func TestABinaryWorksWithoutTheClone(t *testing.T) {
	away := t.TempDir()
	binary := filepath.Join(away, "opbench")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, os.CopyFS(filepath.Join(away, "results"), os.DirFS("../../../docs/example")))

	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, binary, args...)
		cmd.Dir = away
		cmd.Env = []string{"PATH=" + t.TempDir(), "HOME=" + away}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--help"}, "Usage: opbench"},
		{[]string{"images", "--help"}, "opbench images ensure"},
		{[]string{"judge", "results"}, "native"},
		{[]string{"report", "results"}, "native"},
		{[]string{"report", "--format=samples", "results"}, "native"},
	} {
		text, err := run(test.args...)
		require.NoError(t, err, "%v: %s", test.args, text)
		assert.Contains(t, text, test.says, test.args)
	}
	for _, args := range [][]string{{"images"}, {"images", "ensure", "node"}, {"run", "--operator=native"}} {
		text, err := run(args...)
		require.Error(t, err, args)
		assert.Contains(t, text, "run this inside a clone of the repository (opbench judge, report and gate need only a results folder)", args)
	}
}
