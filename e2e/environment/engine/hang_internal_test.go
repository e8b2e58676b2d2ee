package engine

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A daemon may hang at any time. What moves is let go on.
func TestACommandThatHangsIsEnded(t *testing.T) {
	const quiet = 2 * time.Second
	for name, test := range map[string]struct {
		script string
		hangs  bool
	}{
		"it says nothing":      {"exec sleep 60", true},
		"it says one thing":    {"echo a; exec sleep 60", true},
		"it says something":    {"for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done", false},
		"its child holds on":   {"sleep 60 & exec sleep 60", true},
		"it complains at last": {"for i in 1 2 3 4 5 6; do echo $i >&2; sleep 0.1; done", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "docker")
			require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+test.script+"\n"), 0o700)) //nolint:gosec // a program
			e := &Engine{name: "docker", path: path, quiet: quiet}
			began := time.Now()
			err := e.Pipe(t.Context(), io.Discard, "ps")
			if !test.hangs {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, `"docker ps" failed: `)
			require.ErrorContains(t, err, "it said nothing for 2s and was ended: look whether docker hangs (docker info)")
			assert.Less(t, time.Since(began), 20*time.Second)
		})
	}
}
