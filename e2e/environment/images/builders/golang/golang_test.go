package golang

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images/builders"
)

// newRepository has a module, and one nested in it.
func newRepository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for file, text := range map[string]string{
		"go.mod":             "module operatorbench\n\ngo 1.26\n",
		"hello/main.go":      "package main\n\nfunc main() {}\n",
		"nested/go.mod":      "module nested.example/nested\n\ngo 1.26\n",
		"nested/cmd/main.go": "package main\n\nfunc main() {}\n",
		"fixtures/file.txt":  "no program",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(text), 0o644))
	}
	return root
}

// A recipe's own programs are in folders below it.
func TestRecipeHashOfItsOwnPrograms(t *testing.T) {
	part := Part{Tools: builders.Tools{Root: t.TempDir()}, Recipes: map[string]Recipe{"tool": {}}}
	require.NoError(t, os.MkdirAll(part.source("tool"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(part.source("tool"), "go.mod"), []byte("module example.test/tool\n"), 0o644))
	before, err := part.folder("tool")
	require.NoError(t, err)
	folder := filepath.Join(part.source("tool"), "below")
	require.NoError(t, os.Mkdir(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "notes.txt"), []byte("x"), 0o644))
	same, err := part.folder("tool")
	require.NoError(t, err)
	assert.Equal(t, before, same, "what is not compiled does not count")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte("package main\n"), 0o644))
	after, err := part.folder("tool")
	require.NoError(t, err)
	assert.NotEqual(t, before, after)
}

func TestPackageFilesExplains(t *testing.T) {
	root := newRepository(t)
	whole, err := moduleOf(root, "./absent")
	require.NoError(t, err)
	assert.Equal(t, module{folder: ".", path: "operatorbench"}, whole)
	_, err = whole.packageFiles(root, "./absent")
	require.ErrorContains(t, err, "read the Go package ./absent")
	_, err = whole.packageFiles(root, "./fixtures")
	require.ErrorContains(t, err, "no Go files in fixtures")
}

func TestModuleOfExplains(t *testing.T) {
	root := newRepository(t)
	require.NoError(t, os.WriteFile(filepath.Join(root, "nested", "go.mod"), []byte("modul x\n"), 0o644))
	_, err := moduleOf(root, "./nested/cmd")
	require.ErrorContains(t, err, "nested/go.mod:1: unknown directive: modul")
	require.NoError(t, os.Remove(filepath.Join(root, "go.mod")))
	_, err = moduleOf(root, "./hello")
	require.ErrorContains(t, err, "find the Go module of ./hello")
}

func TestRestoreAndCopyGoMod(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(from, "go.mod"), []byte("module x\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(from, "go.sum"), []byte("sums\n"), 0o444))
	require.NoError(t, copyGoMod(from, to, "\nreplace a => ./module\n"))
	raw, err := os.ReadFile(filepath.Join(to, "go.mod"))
	require.NoError(t, err)
	assert.Equal(t, "module x\n\nreplace a => ./module\n", string(raw))
	raw, err = os.ReadFile(filepath.Join(to, "go.sum"))
	require.NoError(t, err)
	assert.Equal(t, "sums\n", string(raw))
}
