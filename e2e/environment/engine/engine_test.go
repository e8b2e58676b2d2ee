package engine_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/engine"
)

// Programs that behave like an engine in the state that a test wants.
const (
	works        = `echo "Server Version: 1"`
	noDaemon     = `echo "ERROR: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?" >&2; exit 1`
	noPermission = `echo "Got permission denied while trying to connect to the Docker daemon socket: dial unix /var/run/docker.sock: connect: permission denied" >&2; exit 1`
	broken       = `echo "Error: database schema is too new" >&2; exit 125`
)

// install makes PATH a folder with these programs only, and sh.
func install(t *testing.T, programs map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, body := range programs {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	}
	t.Setenv("PATH", dir)
}

func TestFind(t *testing.T) {
	tests := []struct {
		name     string
		programs map[string]string
		wanted   string
		found    string
		says     []string
		not      string
	}{
		{name: "docker first", programs: map[string]string{"docker": works, "podman": works}, found: "docker"},
		{name: "podman where docker has no daemon", programs: map[string]string{"docker": noDaemon, "podman": works}, found: "podman"},
		{name: "nerdctl alone", programs: map[string]string{"nerdctl": works}, found: "nerdctl"},
		{name: "the one asked for", programs: map[string]string{"docker": works, "podman": works}, wanted: "podman", found: "podman"},
		{
			name: "the one asked for, and no other", programs: map[string]string{"docker": works}, wanted: "podman",
			says: []string{"no container engine is installed (looked for podman in PATH)", "scripts/engine-up.sh"},
		},
		{name: "none", says: []string{"no container engine is installed (looked for docker, podman, nerdctl in PATH)", "scripts/engine-up.sh"}},
		{
			name: "no daemon", programs: map[string]string{"docker": noDaemon},
			says: []string{"docker is installed, but its daemon does not run", "systemctl start docker", "Cannot connect"}, not: "podman",
		},
		{
			name: "no permission", programs: map[string]string{"docker": noPermission},
			says: []string{"this user may not use it", "group docker"}, not: "podman",
		},
		{
			name: "something else", programs: map[string]string{"podman": broken},
			says: []string{"podman is installed but does not work", `"podman info" failed`, "database schema is too new"},
		},
		{name: "an unknown one", wanted: "rkt", says: []string{`KIND_EXPERIMENTAL_PROVIDER="rkt"`, "docker, podman, nerdctl"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			install(t, test.programs)
			found, err := engine.Find(t.Context(), test.wanted)
			if test.found != "" {
				require.NoError(t, err)
				assert.Equal(t, test.found, found.Name())
				return
			}
			require.Error(t, err)
			for _, part := range test.says {
				assert.Contains(t, err.Error(), part)
			}
			if test.not != "" {
				assert.NotContains(t, err.Error(), test.not)
			}
		})
	}
}

func TestRun(t *testing.T) {
	install(t, map[string]string{"docker": `
case "$1" in
info) ;;
say) echo "  hello  " ;;
fail) echo out; echo "no such image" >&2; exit 3 ;;
echo) read -r line; echo "got $line" ;;
both) echo one; echo two >&2 ;;
hang) while true; do :; done ;;
esac`})
	e, err := engine.Find(t.Context(), "")
	require.NoError(t, err)

	t.Run("output is trimmed", func(t *testing.T) {
		out, err := e.Run(t.Context(), "say")
		require.NoError(t, err)
		assert.Equal(t, "hello", out)
	})
	t.Run("an error carries command and output", func(t *testing.T) {
		_, err := e.Run(t.Context(), "fail", "x")
		require.EqualError(t, err, `"docker fail x" failed: exit status 3: no such image`)
	})
	t.Run("standard input", func(t *testing.T) {
		var out bytes.Buffer
		require.NoError(t, e.Attend(t.Context(), strings.NewReader("a line\n"), &out, "echo"))
		assert.Equal(t, "got a line\n", out.String())
	})
	t.Run("follow gives both outputs", func(t *testing.T) {
		var out bytes.Buffer
		require.NoError(t, e.Follow(t.Context(), &out, "both"))
		assert.Equal(t, "one\ntwo\n", out.String())
	})
	t.Run("a context that ends is the reason", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("the user gave up"))
		_, err := e.Run(ctx, "hang")
		assert.ErrorContains(t, err, "the user gave up")
	})
}

func TestAll(t *testing.T) {
	install(t, map[string]string{"docker": works, "podman": broken, "nerdctl": works})
	working, problems, err := engine.All(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, working, 2)
	assert.Equal(t, []string{"docker", "nerdctl"}, []string{working[0].Name(), working[1].Name()})
	require.Len(t, problems, 1)
	assert.ErrorContains(t, problems[0], "podman is installed but does not work")

	working, problems, err = engine.All(t.Context(), "nerdctl")
	require.NoError(t, err)
	assert.Len(t, working, 1)
	assert.Empty(t, problems)
}
