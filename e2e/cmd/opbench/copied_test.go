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

// A binary that was built and copied away works without the clone and without Go, but for what needs either: it says
// so.
func TestABinaryWorksWithoutTheClone(t *testing.T) {
	away := t.TempDir()
	binary := filepath.Join(away, "opbench")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags=-X 'main.stamp=abc of 2026-11-22'", "-o", binary, ".").CombinedOutput()
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
		{[]string{"--version"}, "opbench (devel), revision abc of 2026-11-22, go1"},
		{[]string{"images", "--help"}, "opbench images ensure"},
		{[]string{"judge", "results"}, "native"},
		{[]string{"report", "results"}, "native"},
		{[]string{"report", "--format=samples", "results"}, "native"},
		{[]string{"styles"}, "\njava-operator-sdk\n"},
		{[]string{"check", "native", "argo", "java-operator-sdk-defaults"}, "verdicts"},
		{[]string{"images"}, "docker.io/kindest/node:"},
	} {
		text, err := run(test.args...)
		require.NoError(t, err, "%v: %s", test.args, text)
		assert.Contains(t, text, test.says, test.args)
	}
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"images", "ensure", "--images=build", "native"}, "no image can be built here: the program that builds them is in a clone of operatorbench, which this is not: "},
		{[]string{"images", "lock"}, "opbench images lock is for the repository's own file: no clone of operatorbench: "},
		{[]string{"styles", "--since=main"}, "opbench styles --since: no clone of operatorbench here: "},
		{[]string{"run", "--operator=native"}, "no container engine"},
		{[]string{"check", "controller-runtime"}, "unknown operator"},
	} {
		text, err := run(test.args...)
		require.Error(t, err, test.args)
		assert.Contains(t, text, test.says, test.args)
	}
}
