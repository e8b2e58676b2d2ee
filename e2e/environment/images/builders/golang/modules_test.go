package golang

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images/builders"
)

// newModules is a repository whose program imports a package of a folder beside it and
// of the module near, which imports the module far.
func newModules(t *testing.T) (root, program string) {
	t.Helper()
	root = t.TempDir()
	elsewhere := t.TempDir()
	module := "module example.test/"
	for file, text := range map[string]string{
		filepath.Join(root, "go.mod"): module + "own\n\ngo 1.26\n\nrequire (\n\texample.test/near v1.0.0\n\texample.test/far v1.0.0 // indirect\n\texample.test/beside v1.0.0\n)\n\n" +
			"replace example.test/near => " + elsewhere + "/near\n\nreplace example.test/far => " + elsewhere + "/far\n\nreplace example.test/beside => ./beside\n",
		filepath.Join(root, "cmd", "main.go"):            "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.test/own/inside\"\n)\n\nfunc main() { fmt.Println(inside.Text()) }\n",
		filepath.Join(root, "inside", "inside.go"):       "package inside\n\nimport (\n\t\"example.test/beside\"\n\t\"example.test/near/text\"\n)\n\nfunc Text() string { return text.Text() + beside.Text }\n",
		filepath.Join(root, "beside", "go.mod"):          module + "beside\n\ngo 1.26\n",
		filepath.Join(root, "beside", "beside.go"):       "package beside\n\nvar Text = \"beside\"\n",
		filepath.Join(elsewhere, "near", "go.mod"):       module + "near\n\ngo 1.26\n\nrequire example.test/far v1.0.0\n",
		filepath.Join(elsewhere, "near/text", "text.go"): "package text\n\nimport \"example.test/far\"\n\nfunc Text() string { return far.Text() }\n",
		filepath.Join(elsewhere, "far", "go.mod"):        module + "far\n\ngo 1.26\n",
		filepath.Join(elsewhere, "far", "far.go"):        "package far\n\nfunc Text() string { return \"far\" }\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	program = filepath.Join(t.TempDir(), "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./cmd")
	build.Dir, build.Env = root, append(os.Environ(), env()...)
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return root, program
}

// Counted is what is linked, but for the program's own code; direct is what that imports.
func TestModulesOfAProgram(t *testing.T) {
	root, program := newModules(t)
	modules := map[string]bool{}
	require.NoError(t, Part{Tools: builders.Tools{Root: root}}.addModules(modules, Binary{Package: "./cmd"}, program))
	assert.Equal(t, map[string]bool{"example.test/near": true, "example.test/far": false}, modules)
	assert.Equal(t, builders.Dependencies{Direct: 1, All: 2}, count(modules))
}

// A recipe's tool is itself what is asked for.
func TestModulesOfATool(t *testing.T) {
	_, program := newModules(t)
	root := t.TempDir()
	recipe := filepath.Join(root, builders.CatalogueFolder, "recipes", "tool")
	require.NoError(t, os.MkdirAll(recipe, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(recipe, "go.mod"), []byte("module example.test/recipe\n"), 0o644))
	modules := map[string]bool{}
	require.NoError(t, Part{Tools: builders.Tools{Root: root}}.addModules(modules, Binary{Recipe: "tool", Name: "program"}, program))
	assert.Equal(t, map[string]bool{"example.test/own": true, "example.test/near": false, "example.test/far": false, "example.test/beside": false}, modules)
}

func TestModulesOfWhatIsNoProgram(t *testing.T) {
	err := Part{}.addModules(nil, Binary{}, "modules_test.go")
	require.ErrorContains(t, err, "read of which modules modules_test.go is made")
}

func TestLongest(t *testing.T) {
	modules := map[string]bool{"k8s.io/api": false, "k8s.io/api/apps": false}
	assert.Equal(t, "k8s.io/api/apps", longest(modules, "k8s.io/api/apps/v1"))
	assert.Equal(t, "k8s.io/api", longest(modules, "k8s.io/api"))
	assert.Empty(t, longest(modules, "k8s.io/apimachinery"))
}
