package kindnode

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/engine"
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

// commit commits a node by a docker that does what a script says, and returns the commands that it got.
func commit(t *testing.T, script string) (commands []string, err error) {
	t.Helper()
	dir := t.TempDir()
	script = "#!/bin/sh\necho \"$@\" >>\"$0.log\"\ncase \"$1\" in\n" + script + `
load|exec) exec /bin/cat >/dev/null ;;
logs) echo "containerd successfully booted in 0.1s" ;;
esac
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o755))
	t.Setenv("PATH", dir)
	docker, err := engine.Find(t.Context(), "docker")
	require.NoError(t, err)
	p := Part{Tools: builders.Tools{Engine: docker, CacheID: "MINE", Progress: builders.NewProgress(io.Discard)}, Entrypoint: []string{"/entry"}}
	failed := p.Commit(t.Context(), empty.Image, map[string]v1.Image{"example.org/inside:1": empty.Image}, "example.org/node:1")
	text, err := os.ReadFile(filepath.Join(dir, "docker.log"))
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n"), failed
}

// containerOf is the name of the container that was run.
func containerOf(t *testing.T, commands []string) string {
	t.Helper()
	name := regexp.MustCompile(`(?m)^run --detach --name (\S+) --label operatorbench\.node-build=MINE `).FindStringSubmatch(strings.Join(commands, "\n"))
	require.NotNil(t, name, commands)
	return name[1]
}

func TestCommitRemovesWhatItMade(t *testing.T) {
	commands, err := commit(t, "")
	require.NoError(t, err)
	assert.Contains(t, commands, "load")
	assert.Equal(t, []string{"rm --force --volumes " + containerOf(t, commands), "rmi operatorbench.local/node-build:cache-MINE"}, commands[len(commands)-2:])

	// A container that does not start was made all the same.
	commands, err = commit(t, "run) echo 'no space left on device' >&2; exit 125 ;;")
	require.ErrorContains(t, err, "start containerd in the new node")
	require.ErrorContains(t, err, "no space left on device")
	assert.Equal(t, []string{"rm --force --volumes " + containerOf(t, commands), "rmi operatorbench.local/node-build:cache-MINE"}, commands[len(commands)-2:])
}

// Processes that share an engine need not share their ids: two in containers may have the same.
func TestCommitTakesNobodysContainer(t *testing.T) {
	first, err := commit(t, `run) [ "$4" != "operatorbench-node-build-$PPID" ] || { echo "Conflict. The container name is already in use" >&2; exit 125; } ;;`)
	require.NoError(t, err)
	second, err := commit(t, "")
	require.NoError(t, err)
	assert.NotEqual(t, containerOf(t, first), containerOf(t, second))
	for _, command := range first {
		if rest, removes := strings.CutPrefix(command, "rm "); removes {
			assert.Equal(t, "--force --volumes "+containerOf(t, first), rest)
		}
	}
}

// What a killed build into this cache left is removed first, the image after the containers that use it.
func TestCommitRemovesWhatAKilledBuildLeft(t *testing.T) {
	commands, err := commit(t, `ps) echo 111111111111; echo 222222222222 ;;
images) echo 333333333333 ;;`)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"info", "ps --all --quiet --filter label=operatorbench.node-build=MINE", "images --quiet operatorbench.local/node-build:cache-MINE",
		"rm --force --volumes 111111111111 222222222222", "rmi operatorbench.local/node-build:cache-MINE", "load",
	}, commands[:6])
}
