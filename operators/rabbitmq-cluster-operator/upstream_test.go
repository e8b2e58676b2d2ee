// Package rabbitmqclusteroperator_test holds the manifests of the style to those in the Go module that its image is
// built from.
package rabbitmqclusteroperator_test

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/internal/upstreamtest"
)

var update = flag.Bool("update", false, "write the definition anew")

const header = `# The definition of RabbitmqCluster, that of upstream's v2.16.0 (config/crd, which controller-gen v0.18.0 made; MPL-2.0,
# Copyright 2020 VMware) without descriptions. Written by "go test ./operators/rabbitmq-cluster-operator -update".
`

// What is installed is what upstream's kustomization config/installation makes, whole, but for two things: the
// descriptions in the definition, and where the image is from.
func TestTheManifestsAreUpstreams(t *testing.T) {
	dir, _ := upstreamtest.Module(t, "rabbitmq-cluster-operator", "github.com/rabbitmq/cluster-operator/v2")
	want := upstreamtest.ByName(upstreamtest.Render(t, filepath.Join(dir, "config", "installation")))
	const definition = "CustomResourceDefinition rabbitmqclusters.rabbitmq.com"
	require.Contains(t, want, definition)
	brief := upstreamtest.Brief(&unstructured.Unstructured{Object: want[definition]})
	want[definition] = brief.Object
	if *update {
		upstreamtest.Write(t, filepath.Join("manifests", "definition.yaml"), header, []*unstructured.Unstructured{brief})
	}
	got := upstreamtest.ByName(upstreamtest.Render(t, "manifests"))
	upstreamtest.Same(t, want, got, func(_ string, object map[string]any) {
		upstreamtest.Replaced(object, "rabbitmqoperator/cluster-operator:latest", "operatorbench.local/rabbitmq-cluster-operator:v2.16.0")
	})
}
