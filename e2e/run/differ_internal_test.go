package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/spec/styles"
)

// A change to the sources of a style's own image is a change of the style.
func TestASourceOfAnImageDiffers(t *testing.T) {
	of := func(changes map[string]string) *styles.Style {
		folder := filepath.Join(t.TempDir(), "idle")
		require.NoError(t, os.CopyFS(folder, os.DirFS("../../operators/idle")))
		style, err := os.ReadFile(filepath.Join(folder, "style.yaml"))
		require.NoError(t, err)
		files := map[string]string{
			"style.yaml":       string(style),
			"go.mod":           "module example.org/own\n",
			"cmd/main.go":      "package main\n\nimport _ \"example.org/own/lib\"\n\nfunc main() {}\n",
			"lib/lib.go":       "package lib\n",
			"built/Dockerfile": "FROM scratch\nCOPY it /it\n",
			"built/it":         "it",
		}
		for name, text := range changes {
			files[name] = text
		}
		for name, text := range files {
			file := filepath.Join(folder, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		}
		operator, err := styles.Load(folder)
		require.NoError(t, err)
		return operator
	}
	with := func(own string) map[string]string {
		text, err := os.ReadFile("../../operators/idle/style.yaml")
		require.NoError(t, err)
		return map[string]string{"style.yaml": replaced(t, string(text), "images: [pause]", "images: [pause, {name: own, reference: 'example.org/own:v1', "+own+"}]")}
	}
	for own, changes := range map[string]map[string]bool{
		"go: ./cmd":         {"lib/lib.go": true, "cmd/main.go": true, "go.mod": true, "built/it": false},
		"dockerfile: built": {"built/it": true, "built/Dockerfile": true, "lib/lib.go": false},
	} {
		was := of(with(own))
		changed, err := differ(t.Context(), &images.Recipes{Clone: "../.."}, "../..", "../..", was, of(with(own)), nil)
		require.NoError(t, err)
		assert.False(t, changed, "the same elsewhere")
		for file, differs := range changes {
			now := with(own)
			text, err := os.ReadFile(filepath.Join(was.Folder, file))
			require.NoError(t, err)
			now[file] = string(text) + "\n"
			changed, err := differ(t.Context(), &images.Recipes{Clone: "../.."}, "../..", "../..", was, of(now), nil)
			require.NoError(t, err)
			assert.Equal(t, differs, changed, "%s: %s", own, file)
		}
	}
}

func replaced(t *testing.T, text, from, to string) string {
	t.Helper()
	require.Contains(t, text, from)
	return strings.Replace(text, from, to, 1)
}
