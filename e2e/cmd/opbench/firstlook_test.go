package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The script that comes before `make e2e` goes on where a style could not be driven, and ends
// where opbench was ended by a signal: one Ctrl-C is for both.
func TestFirstLook(t *testing.T) {
	const ensured, missing, run, all = "images ensure --images=auto --operator=a", "images missing --images=auto --operator=a,b", "run --operator=a --rounds=1 --images=auto", "images ensure --images=auto --operator=a,b"
	for name, test := range map[string]struct {
		missing, run string // exit statuses
		want         []string
		status       int
	}{
		"nothing is missing":         {"0", "0", []string{ensured, missing, all}, 0},
		"a first look":               {"1", "0", []string{ensured, missing, run, all}, 0},
		"it fails":                   {"1", "1", []string{ensured, missing, run, all}, 0},
		"Ctrl-C in it":               {"1", "130", []string{ensured, missing, run}, 130},
		"Ctrl-C before it":           {"130", "0", []string{ensured, missing}, 130},
		"a signal that ends opbench": {"1", "143", []string{ensured, missing, run}, 143},
	} {
		t.Run(name, func(t *testing.T) {
			repository, programs := t.TempDir(), t.TempDir()
			script, err := os.ReadFile(filepath.Join(root, "scripts", "first-look.sh"))
			require.NoError(t, err)
			for file, text := range map[string]string{
				filepath.Join(repository, "scripts", "first-look.sh"): string(script),
				filepath.Join(programs, "go"):                         "#!/bin/sh\nmkdir -p \"$(dirname \"$3\")\" && cp \"$(dirname \"$0\")/built\" \"$3\"\n", // build -o FILE
				filepath.Join(programs, "built"):                      "#!/bin/sh\necho \"$*\" >>said\ncase \"$1 $2\" in\n\"images missing\") exit " + test.missing + " ;;\nrun*) exit " + test.run + " ;;\nesac\n",
			} {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, []byte(text), 0o755)) //nolint:gosec // it is run
			}
			cmd := exec.CommandContext(t.Context(), filepath.Join(repository, "scripts", "first-look.sh"), "a,b")
			cmd.Env = append(os.Environ(), "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"), "TMPDIR="+t.TempDir())
			out, _ := cmd.CombinedOutput() // an exit status is no error here
			assert.Equal(t, test.status, cmd.ProcessState.ExitCode(), string(out))
			said, err := os.ReadFile(filepath.Join(repository, "said"))
			require.NoError(t, err, string(out))
			assert.Equal(t, test.want, strings.Split(strings.TrimSpace(string(said)), "\n"))
			assert.Equal(t, test.run == "1", strings.Contains(string(out), "going on"), string(out))
		})
	}
}
