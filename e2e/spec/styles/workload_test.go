package styles_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec/styles"
)

// Where a custom resource owns two objects of the main child's kind, only a name tells which of them is the main one.
func TestTheMainChildIsToldFromOthersOfItsKind(t *testing.T) {
	for child, want := range map[string]string{
		`{name: "{{.Name}}"}`:    "",
		"{ownerReference: true}": ":1: child: each Cache has 2 children of the kind Deployment (proxy, server), and owns them: say with name which is the main one, server",
	} {
		folder := filepath.Join(t.TempDir(), "paired")
		require.NoError(t, os.CopyFS(folder, os.DirFS("../../selftest/testdata/shapes/paired")))
		file := filepath.Join(folder, "style.yaml")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(text), `{name: "{{.Name}}"}`)
		text = []byte("child: " + child + "\n" + replace(string(text), `child: {name: "{{.Name}}"}`, ""))
		require.NoError(t, os.WriteFile(file, text, 0o600))
		operator, err := styles.Load(folder)
		require.NoError(t, err)
		_, err = operator.Handles()
		if want == "" {
			require.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, file+want)
		}
	}
}
