package engine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValuesOfVariablesAreWithheld(t *testing.T) {
	for text, want := range map[string]string{
		`command "docker run -e HTTPS_PROXY=http://bob:hunter2@10.0.0.1:3128 -e NO_PROXY=a,b img" failed`: `command "docker run -e HTTPS_PROXY=(withheld) -e NO_PROXY=(withheld) img" failed`,
		`docker run -e 'PASS=hunter2 and more' img`:                                                       `docker run -e PASS=(withheld) img`,
		`docker run -e 'PASS=hun'"'"'ter2' --env X=y img`:                                                 `docker run -e PASS=(withheld) --env X=(withheld) img`,
		`docker run --env=PASS=hunter2 -e HOME img`:                                                       `docker run --env=PASS=(withheld) -e HOME img`,
		`Get "https://bob:hunter2@registry.example/v2/"`:                                                  `Get "https://(withheld)@registry.example/v2/"`,
		`docker ps -a --filter name=x https://example.com`:                                                `docker ps -a --filter name=x https://example.com`,
	} {
		assert.Equal(t, want, Withhold(text))
	}
}

// An error gives the command, and not what is behind its -e.
func TestACommandThatFailsTellsNoPassword(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "docker"), []byte("#!/bin/sh\n[ \"$1\" = info ] && exit 0\necho \"bad proxy http://bob:hunter2@127.0.0.1:9\" >&2\nexit 125\n"), 0o700)) //nolint:gosec // a program
	t.Setenv("PATH", dir)
	e, err := Find(t.Context(), "docker")
	require.NoError(t, err)
	_, run := e.Run(t.Context(), "run", "--rm", "-e", "HTTPS_PROXY=http://bob:hunter2 x@127.0.0.1:9", "--env=B=hunter2", "img")
	follow := e.Follow(t.Context(), &tail{limit: 100}, "run", "-e", "A=hunter2 x")
	for _, err := range []error{run, follow} {
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "hunter2")
		assert.Contains(t, err.Error(), "docker run")
	}
}
