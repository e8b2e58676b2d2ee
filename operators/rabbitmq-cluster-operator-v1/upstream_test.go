// Package rabbitmqclusteroperatorv1_test holds the manifests of the style to those in the Go module that its image is
// built from.
package rabbitmqclusteroperatorv1_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/internal/upstreamtest"
)

var update = flag.Bool("update", false, "write the definition anew")

const header = `# The definition of RabbitmqCluster, that of upstream's v1.6.0 (config/crd, which controller-gen v0.5.0 made; MPL-2.0,
# Copyright 2020 VMware) without descriptions. Written by "go test ./operators/rabbitmq-cluster-operator-v1 -update".
`

// What is installed is what upstream's kustomization config/installation makes, whole, but for three things: the
// descriptions in the definition, where the image is from, and the class of the volumes.
func TestTheManifestsAreUpstreams(t *testing.T) {
	dir, _ := upstreamtest.Module(t, "rabbitmq-cluster-operator-v1", "github.com/rabbitmq/cluster-operator")
	want := upstreamtest.ByName(upstreamtest.Render(t, filepath.Join(today(t, filepath.Join(dir, "config")), "installation")))
	const definition = "CustomResourceDefinition rabbitmqclusters.rabbitmq.com"
	require.Contains(t, want, definition)
	brief := upstreamtest.Brief(&unstructured.Unstructured{Object: want[definition]})
	want[definition] = brief.Object
	if *update {
		upstreamtest.Write(t, filepath.Join("manifests", "definition.yaml"), header, []*unstructured.Unstructured{brief})
	}
	got := upstreamtest.ByName(upstreamtest.Render(t, "manifests"))
	delete(got, "StorageClass growing")
	upstreamtest.Same(t, want, got, func(_ string, object map[string]any) {
		upstreamtest.Replaced(object, "rabbitmqoperator/cluster-operator:latest", "operatorbench.local/rabbitmq-cluster-operator:v1.6.0")
	})
}

// today is a copy of upstream's kustomizations that a kustomize of today reads: its patches were files.
func today(t *testing.T, config string) string {
	t.Helper()
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(config)))
	for _, folder := range []string{"crd", "rbac"} {
		file := filepath.Join(copied, folder, "kustomization.yaml")
		text, err := os.ReadFile(file) //nolint:gosec // a file of the module
		require.NoError(t, err)
		require.NoError(t, os.Remove(file)) // it may only be read
		require.NoError(t, os.WriteFile(file, bytes.Replace(text, []byte("\npatches:"), []byte("\npatchesStrategicMerge:"), 1), 0o600))
	}
	return copied
}
