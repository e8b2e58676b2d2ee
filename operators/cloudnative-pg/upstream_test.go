// Package cloudnativepg_test holds the manifests of the style to those in the Go module that its image is built from.
package cloudnativepg_test

import (
	"flag"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/internal/upstreamtest"
)

var update = flag.Bool("update", false, "write the manifests anew")

const header = `# CloudNativePG v1.27.0 (Apache-2.0, Copyright The CloudNativePG Contributors): `

const written = `.
# Written by "go test ./operators/cloudnative-pg -update".
`

// What is installed is upstream's release, whole, but for the descriptions in the definitions, where the image is from,
// and that it is not pulled each time.
func TestTheManifestsAreUpstreams(t *testing.T) {
	dir, _ := upstreamtest.Module(t, "cloudnative-pg", "github.com/cloudnative-pg/cloudnative-pg")
	var definitions, others []*unstructured.Unstructured
	for _, obj := range upstreamtest.Render(t, filepath.Join(dir, "releases", "cnpg-1.27.0.yaml")) {
		if brief := upstreamtest.Brief(obj); brief != obj {
			definitions = append(definitions, brief)
		} else {
			others = append(others, obj)
		}
	}
	if *update {
		upstreamtest.Write(t, "manifests/definitions.yaml", header+"the definitions of releases/cnpg-1.27.0.yaml, without descriptions"+written, definitions)
		upstreamtest.Write(t, "manifests/operator.yaml", header+"all else in releases/cnpg-1.27.0.yaml"+written, others)
	}
	want, got := upstreamtest.ByName(append(definitions, others...)), upstreamtest.ByName(upstreamtest.Render(t, "manifests"))
	upstreamtest.Same(t, want, got, func(name string, object map[string]any) {
		upstreamtest.Replaced(object, "ghcr.io/cloudnative-pg/cloudnative-pg:1.27.0", "operatorbench.local/cloudnative-pg:1.27.0")
		if name == "Deployment cnpg-controller-manager" {
			upstreamtest.Replaced(object, "Always", "IfNotPresent")
		}
	})
}
