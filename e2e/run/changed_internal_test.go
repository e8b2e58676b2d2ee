package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// write adds to a file below a folder, which need not be there.
func write(t *testing.T, folder, name, text string) {
	t.Helper()
	name = filepath.Join(folder, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = file.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// A change is driven through the lanes of those styles that it touches.
func TestChangedStyles(t *testing.T) {
	for name, test := range map[string]struct {
		file string
		want []string
	}{
		"a manifest":           {"operators/mine/manifests/more.yaml", []string{"mine"}},
		"expected verdicts":    {"operators/mine/verdicts.yaml", []string{"mine"}},
		"a document":           {"operators/mine/README.md", nil},
		"another":              {"docs/notes.md", nil},
		"what no image has":    {"fixtures/images/recipes/new/Dockerfile", nil},
		"the harness":          {"e2e/run/run.go", []string{"mine", "other"}},
		"what builds images":   {"fixtures/images/builders/new.go", []string{"mine", "other"}},
		"scenarios":            {"fixtures/scenarios/new.yaml", []string{"mine", "other"}},
		"what is built anyhow": {"go.mod", []string{"mine", "other"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := repositoryWith(t, func(string) {}, func(operators string) {
				require.NoError(t, os.CopyFS(filepath.Join(operators, "other"), os.DirFS(filepath.Join(operators, "mine"))))
				text, err := os.ReadFile(filepath.Join(operators, "other", "style.yaml"))
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(operators, "other", "style.yaml"), []byte(strings.Replace(string(text), "name: mine", "name: other", 1)), 0o600))
			})
			write(t, root, test.file, "# changed\n")
			committed(t, root)
			changed, err := Changed(t.Context(), root, "HEAD~1")
			require.NoError(t, err)
			assert.Equal(t, test.want, changed)
		})
	}
}
