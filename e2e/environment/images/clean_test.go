package images

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/engine"
)

// TestCleanRemovesWhatAKilledBuildLeft of this cache, unless a build into it may be alive.
func TestCleanRemovesWhatAKilledBuildLeft(t *testing.T) {
	const (
		left  = "build of the node: container 111111111111, image operatorbench.local/node-build:cache-MINE"
		looks = "ps --all --quiet --filter name=operatorbench-node-build- --filter label=operatorbench.node-build=MINE\nimages --quiet operatorbench.local/node-build:cache-MINE\n"
	)
	for name, test := range map[string]struct {
		mark   string // of the cache; empty: it has none
		held   bool   // its lock
		dryRun bool
		found  bool
		says   string // of CACHE
		asked  string // of the engine
	}{
		"left":            {mark: "MINE\n", found: true, says: "removed " + left + "\n", asked: looks + looks + "rm --force --volumes 111111111111\nrmi operatorbench.local/node-build:cache-MINE\n"},
		"a dry run":       {mark: "MINE\n", dryRun: true, found: true, says: "would remove " + left + "\n", asked: looks + looks},
		"still built":     {mark: "MINE\n", held: true, found: true, says: "kept, process 12 still fills the cache CACHE: " + left + "\n", asked: looks},
		"another's":       {mark: "OTHER\n", asked: strings.ReplaceAll(looks, "MINE", "OTHER")},
		"no cache":        {},
		"no id of a mark": {mark: "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			bin, cache := t.TempDir(), t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(bin, "docker"), []byte(`#!/bin/sh
echo "$@" >>"$0.log"
case "$*" in
"ps "*=MINE) echo 111111111111 ;;
"images "*-MINE) echo 333333333333 ;;
esac
`), 0o755))
			t.Setenv("PATH", bin)
			docker, err := engine.Find(t.Context(), "docker")
			require.NoError(t, err)
			if test.mark != "" {
				require.NoError(t, os.WriteFile(filepath.Join(cache, cacheMark), []byte(test.mark), 0o644))
			}
			if test.held {
				unlock, err := lockFile(t.Context(), filepath.Join(cache, "lock"), nil)
				require.NoError(t, err)
				defer unlock()
				require.NoError(t, os.WriteFile(filepath.Join(cache, "lock"), []byte("process 12\n"), 0o644))
			}
			var out strings.Builder
			found, err := Clean(t.Context(), cache, docker, test.dryRun, &out)
			require.NoError(t, err)
			assert.Equal(t, test.found, found)
			assert.Equal(t, strings.ReplaceAll(test.says, "CACHE", cache), out.String())
			log, err := os.ReadFile(filepath.Join(bin, "docker.log"))
			require.NoError(t, err)
			assert.Equal(t, "info\n"+test.asked, string(log))
		})
	}
}
