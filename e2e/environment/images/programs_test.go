package images

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images/builders"
)

const recipeCatalogue = `version: 1
debian: {suite: bookworm}
recipes:
  tool: {cold: 1s, disk: 1MB}
images:
  - name: server
    reference: docker.io/library/server:1
    purpose: an example
    size: 3MB
    binaries: [{recipe: tool, name: tool, to: /usr/bin/server}]
  - name: own
    reference: docker.io/library/own:1
    purpose: an example
    size: 3MB
    binaries: [{package: ./hello, to: /hello}]
`

// addRecipes adds recipes of that name, each a program of its own.
func addRecipes(t *testing.T, root string, names ...string) {
	t.Helper()
	for _, name := range names {
		for file, text := range map[string]string{
			"go.mod":  "module example.test/" + name + "\n\ngo 1.26\n\ntool example.test/" + name + "\n",
			"go.sum":  "",
			"main.go": "package main\n\nimport \"os\"\n\nfunc main() { _, _ = os.Stdout.WriteString(\"served\") }\n",
		} {
			folder := filepath.Join(root, builders.CatalogueFolder, "recipes", name)
			require.NoError(t, os.MkdirAll(folder, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte(text), 0o644))
		}
	}
}

func TestPrograms(t *testing.T) {
	root := newRepository(t, "docker.io")
	addRecipes(t, root, "tool")
	require.NoError(t, os.WriteFile(filepath.Join(root, builders.CatalogueFolder, "catalogue.yaml"), []byte(recipeCatalogue), 0o644))
	store, progress := open(t, root)
	folder, err := store.Programs(t.Context(), "server")
	require.NoError(t, err)
	said, err := exec.CommandContext(t.Context(), filepath.Join(folder, "server")).Output()
	require.NoError(t, err)
	assert.Equal(t, "served", string(said))
	assert.Regexp(t, `compile tool: done in \d+s \(CPU time \d+s\)`, progress.String())

	before, err := os.Lstat(folder)
	require.NoError(t, err)
	again, err := store.Programs(t.Context(), "server")
	require.NoError(t, err)
	assert.Equal(t, folder, again)
	after, err := os.Lstat(folder)
	require.NoError(t, err)
	assert.Equal(t, before.ModTime(), after.ModTime(), "what is there is not made again")

	source := filepath.Join(root, builders.CatalogueFolder, "recipes", "tool", "main.go")
	require.NoError(t, os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644))
	changed, err := store.Programs(t.Context(), "server")
	require.NoError(t, err)
	assert.NotEqual(t, folder, changed)

	for name, says := range map[string]string{
		"serv": `the catalogue has no image "serv"`,
		"own":  "/hello of image own is compiled from this repository: use `go build ./hello`",
	} {
		_, err := store.Programs(t.Context(), name)
		require.ErrorContains(t, err, says)
	}
	_, err = store.Programs(t.Context())
	require.ErrorContains(t, err, "which images? name those whose programs are to be compiled")
}
