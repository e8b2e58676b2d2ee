package install_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/files"
)

const (
	aConfigMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: one\n"
	bConfigMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n  namespace: two\n"
)

// What is at a path says in which way it is installed.
func TestWays(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"plain/b.yaml": bConfigMap, "plain/a.yaml": aConfigMap,
		"overlay/kustomization.yaml": "resources: [../base, more.yaml]\nnamePrefix: my-\npatches: [{path: patch.yaml}]\n",
		"overlay/more.yaml":          bConfigMap, "overlay/patch.yaml": bConfigMap + "data: {key: value}\n", "overlay/unused.yaml": bConfigMap,
		"base/kustomization.yaml": "resources: [cm.yaml]\n", "base/cm.yaml": aConfigMap,
		"broken/kustomization.yaml": "resources: [absent.yaml]\n",
		"idle/kustomization.yaml":   "resources: [../base]\nimages: [{name: gone, newTag: v2}]\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	for path, test := range map[string]struct{ names, files []string }{
		"plain":         {[]string{"a", "b"}, []string{"plain/a.yaml", "plain/b.yaml"}},
		"plain/b.yaml":  {[]string{"b"}, []string{"plain/b.yaml"}},
		"overlay":       {[]string{"my-a", "my-b"}, []string{"base/cm.yaml", "base/kustomization.yaml", "overlay/kustomization.yaml", "overlay/more.yaml", "overlay/patch.yaml"}},
		"plain/../base": {[]string{"a"}, []string{"base/cm.yaml", "base/kustomization.yaml"}},
	} {
		objs, read, err := install.Read(files.Tree(root), filepath.Join(root, path))
		require.NoError(t, err, path)
		names := plain.Map(objs, (*unstructured.Unstructured).GetName)
		assert.Equal(t, test.names, names, path)
		for i := range read {
			read[i], err = filepath.Rel(root, read[i])
			require.NoError(t, err)
		}
		assert.Equal(t, test.files, read, path)
		require.NoError(t, install.Check(files.Tree(root), filepath.Join(root, path)), path)
	}
	_, err := install.Render(files.Tree(root), filepath.Join(root, "broken"))
	require.ErrorContains(t, err, "broken/kustomization.yaml: kustomize build: ")
	require.ErrorContains(t, install.Check(files.Tree(root), filepath.Join(root, "idle")), "this entry changes nothing")
	_, err = install.Render(files.Tree(root), filepath.Join(root, "absent"))
	require.ErrorContains(t, err, "openat absent")
}
