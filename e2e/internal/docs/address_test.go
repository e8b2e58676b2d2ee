package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With an address, all imports are found as before, and the documents' line is the one that installs opbench: that its
// module can be fetched is TestModuleCanBeFetched's.
func TestAnAddressIsSetByOneCommand(t *testing.T) {
	const address, revision = "github.com/somebody/bench", "v1.2.3"
	top := copied(t)
	run := func(dir, name string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir = dir
		said, err := command.CombinedOutput()
		require.NoError(t, err, "%s %s: %s", name, strings.Join(args, " "), said)
		return string(said)
	}
	run(top, "make", "address", "ADDRESS="+address, "REVISION="+revision)
	assert.Equal(t, address+"\n", run(top, "go", "list", "-m"))
	left := exec.CommandContext(t.Context(), "git", "grep", "-nE", `(^|[^A-Za-z0-9_./-])operatorbench/(e2e|fixtures|operators)\b|OWNER/operatorbench`, "--", ":!docs/results", ":!CHANGELOG.md", ":!scripts", ":!e2e/internal/docs/address_test.go")
	left.Dir = top
	said, _ := left.Output() // status 1: there is none
	assert.Empty(t, string(said), "what still has the path that it had")
	run(top, "go", "list", "-deps", "./...")
	run(filepath.Join(top, "e2e/selftest"), "go", "list", "-deps", ".")
	run(filepath.Join(top, "fixtures/images"), "go", "list", "-deps", "./...")

	guide, err := os.ReadFile(filepath.Join(top, "docs/gate.md"))
	require.NoError(t, err)
	assert.Contains(t, string(guide), "      - uses: somebody/bench@"+revision+"\n")
	assert.Contains(t, string(guide), "`go install "+address+"/e2e/cmd/opbench@"+revision+"`")
}

// copied is a clone of the files that git tracks, as they are now.
func copied(t *testing.T) string {
	t.Helper()
	top := filepath.Join(t.TempDir(), "clone")
	for _, name := range trackedFiles(t) {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			continue // a link to a folder
		}
		info, err := os.Stat(filepath.Join("..", name))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(top, name), text, info.Mode().Perm()))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		require.NoError(t, exec.CommandContext(t.Context(), "git", append([]string{"-C", top}, args...)...).Run())
	}
	return top
}
