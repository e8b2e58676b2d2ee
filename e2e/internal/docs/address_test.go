package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// With an address, everything is built as before, and the documents' line installs opbench: here from a module proxy in
// a folder.
func TestAnAddressIsSetByOneCommand(t *testing.T) {
	const address = "github.com/somebody/bench"
	revision := fmt.Sprintf("v1.2.%d", os.Getpid()) // the cache of modules is shared with tests that run beside this one
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
	run(filepath.Join(top, "e2e/selftest"), "go", "list", "-deps", ".")
	run(filepath.Join(top, "fixtures/images"), "go", "list", "-deps", "./...")

	guide, err := os.ReadFile(filepath.Join(top, "docs/gate.md"))
	require.NoError(t, err)
	assert.Contains(t, string(guide), "      - uses: somebody/bench@"+revision+"\n")
	line := regexp.MustCompile("`go install ([^`]+)`").FindStringSubmatch(string(guide))
	require.NotNil(t, line)

	proxy := filepath.Join(t.TempDir(), address, "@v")
	require.NoError(t, os.MkdirAll(proxy, 0o755))
	out, err := os.Create(filepath.Join(proxy, revision+".zip"))
	require.NoError(t, err)
	require.NoError(t, zip.CreateFromDir(out, module.Version{Path: address, Version: revision}, top))
	require.NoError(t, out.Close())
	info, err := json.Marshal(map[string]string{"Version": revision})
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(top, "go.mod"))
	require.NoError(t, err)
	for name, text := range map[string][]byte{revision + ".info": info, revision + ".mod": mod, "list": []byte(revision + "\n")} {
		require.NoError(t, os.WriteFile(filepath.Join(proxy, name), text, 0o600))
	}
	bin := t.TempDir()
	proxies := "file://" + strings.TrimSuffix(filepath.ToSlash(proxy), "/"+address+"/@v")
	command := exec.CommandContext(t.Context(), "go", "install", line[1])
	cache := strings.TrimSpace(run(top, "go", "env", "GOMODCACHE"))
	t.Cleanup(func() { // it is nobody's module
		made, _ := filepath.Glob(filepath.Join(cache, "cache/download", address, "@v", revision+".*")) // the pattern is valid
		for _, one := range append(made, filepath.Join(cache, address+"@"+revision)) {
			_ = exec.CommandContext(context.Background(), "chmod", "-R", "u+w", one).Run()
			_ = os.RemoveAll(one)
		}
	})
	command.Dir, command.Env = bin, append(os.Environ(), "GOBIN="+bin, "GOPROXY="+proxies+",file://"+cache+"/cache/download", "GOSUMDB=off", "GOFLAGS=", "GONOPROXY=none", "GOPRIVATE=",
		"GODEBUG=goindex=0") // an index of that version would be of an earlier tree
	installed, err := command.CombinedOutput()
	require.NoError(t, err, "%s", installed)
	version, err := exec.CommandContext(t.Context(), filepath.Join(bin, "opbench"), "version").Output()
	require.NoError(t, err)
	assert.Contains(t, string(version), "opbench "+revision)
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
