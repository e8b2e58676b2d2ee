package kindnode

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/images/builders"
	"operatorbench/e2e/environment/images/builders/golang"
)

func TestEditSpec(t *testing.T) {
	got, err := editSpec([]byte(`{"ociVersion": "1.3.0", "process": {"rlimits": [{}], "cwd": "/"}}`))
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"ociVersion": "1.3.0", "process": {"cwd": "/"},
		"hooks": {"createContainer": [{"path": "/kind/bin/mount-product-files.sh"}]}
	}`, string(got))
	for _, bad := range []string{"", "{}", `{"process": 1}`} {
		_, err := editSpec([]byte(bad))
		require.ErrorContains(t, err, "ctr oci spec")
	}
}

func TestKindsFiles(t *testing.T) {
	module, err := golang.ModuleFolder(t.Context(), "../../../../..", Module)
	require.NoError(t, err)
	entries, err := kindFiles(filepath.Join(module, "images", "base", "files"))
	require.NoError(t, err)
	byName := map[string]builders.Entry{}
	for _, e := range entries {
		byName[e.Name] = e
	}
	assert.Equal(t, int64(0o755), byName["usr/local/bin/entrypoint"].Mode)
	assert.Equal(t, int64(0o755), byName["kind/bin/mount-product-files.sh"].Mode)
	assert.Equal(t, int64(0o644), byName["etc/systemd/system/kubelet.service"].Mode)

	config, err := os.ReadFile(byName["etc/containerd/config.toml"].Source)
	require.NoError(t, err)
	changed, err := withSandboxImage(config, "registry.k8s.io/pause:9")
	require.NoError(t, err)
	assert.Contains(t, string(changed), `sandbox_image = "registry.k8s.io/pause:9"`)
	assert.Equal(t, strings.Count(string(config), "\n"), strings.Count(string(changed), "\n"))

	_, err = withSandboxImage([]byte("version = 2\n"), "x")
	require.ErrorContains(t, err, "no sandbox_image")
}

// What kind's default StorageClass runs is inside the node.
func TestKindsStorage(t *testing.T) {
	module, err := golang.ModuleFolder(t.Context(), "../../../../..", Module)
	require.NoError(t, err)
	manifest, err := kindStorage(filepath.Join(module, "pkg", "build", "nodeimage", "const_storage.go"))
	require.NoError(t, err)
	assert.Contains(t, string(manifest), "kind: StorageClass")
	catalogue, err := os.ReadFile(filepath.Join("../../../../..", builders.CatalogueFolder, "catalogue.yaml"))
	require.NoError(t, err)
	for _, name := range []string{"local-path-provisioner", "local-path-helper"} {
		reference := regexp.MustCompile(`name: ` + name + `\n +reference: (\S+)\n`).FindSubmatch(catalogue)
		require.NotNil(t, reference, name)
		assert.Contains(t, string(manifest), string(reference[1]))
	}
	_, err = kindStorage(filepath.Join(module, "pkg", "build", "nodeimage", "const_cni.go"))
	require.ErrorContains(t, err, "has no text defaultStorageManifest")
	_, err = kindStorage(filepath.Join(t.TempDir(), "gone.go"))
	require.ErrorContains(t, err, "read kind's default StorageClass")
}
