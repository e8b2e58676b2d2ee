// Package olmcatalogue_test makes the catalogue of the style olm-catalogue from the
// ClusterServiceVersions of the style olm, and holds it to what opm's library takes.
package olmcatalogue_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/install"
)

var update = flag.Bool("update", false, "write catalogue.json anew")

const pack = "memcached-operator"

// The catalogue is a package with two channels: frozen has the first version alone, stable has the second as well,
// which replaces it.
func TestTheCatalogueIsMadeOfTheVersions(t *testing.T) {
	file := filepath.Join("manifests", "catalogue", "catalogue.json")
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetIndent("", "  ")
	for _, part := range catalogue(t) {
		require.NoError(t, encoder.Encode(part))
	}
	if *update {
		require.NoError(t, os.WriteFile(file, want.Bytes(), 0o644))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, want.String(), string(got), "`go test ./operators/olm-catalogue -update` writes it anew")
}

func catalogue(t *testing.T) []map[string]any {
	t.Helper()
	first, second := version(t, "v0.1.0"), version(t, "v0.1.1")
	frozen := []any{map[string]any{"name": first.GetName()}}
	return []map[string]any{
		{"schema": "olm.package", "name": pack, "defaultChannel": "stable"},
		{"schema": "olm.channel", "package": pack, "name": "frozen", "entries": frozen},
		{"schema": "olm.channel", "package": pack, "name": "stable", "entries": append(frozen, map[string]any{"name": second.GetName(), "replaces": first.GetName()})},
		bundle(t, first), bundle(t, second),
	}
}

// version is the ClusterServiceVersion of one of the style olm's.
func version(t *testing.T, name string) *unstructured.Unstructured {
	t.Helper()
	objs, err := install.Render("..", filepath.Join("..", "olm", "manifests", name))
	require.NoError(t, err)
	for _, obj := range objs {
		if obj.GetKind() == "ClusterServiceVersion" {
			obj.SetNamespace("") // that of the Subscription
			return obj
		}
	}
	require.Fail(t, "not found", "ClusterServiceVersion in %s", name)
	return nil
}

// bundle is an olm.bundle without an image, whose objects are inline.
func bundle(t *testing.T, version *unstructured.Unstructured) map[string]any {
	t.Helper()
	field := func(path ...string) any {
		value, found, err := unstructured.NestedFieldNoCopy(version.Object, path...)
		require.NoError(t, err)
		require.True(t, found, "%v of %s", path, version.GetName())
		return value
	}
	text, err := version.MarshalJSON()
	require.NoError(t, err)
	properties := []any{
		map[string]any{"type": "olm.package", "value": map[string]any{"packageName": pack, "version": field("spec", "version")}},
		map[string]any{"type": "olm.bundle.object", "value": map[string]any{"data": text}}, // base64
	}
	owned, is := field("spec", "customresourcedefinitions", "owned").([]any)
	require.True(t, is)
	for _, each := range owned {
		kind, is := each.(map[string]any)
		require.True(t, is)
		properties = append(properties, map[string]any{"type": "olm.gvk", "value": map[string]any{"group": "cache.example.com", "version": kind["version"], "kind": kind["kind"]}})
	}
	var images []any
	deployments, is := field("spec", "install", "spec", "deployments").([]any)
	require.True(t, is)
	for _, each := range deployments {
		deployment, is := each.(map[string]any)
		require.True(t, is)
		containers, found, err := unstructured.NestedSlice(deployment, "spec", "template", "spec", "containers")
		require.NoError(t, err)
		require.True(t, found)
		for _, each := range containers {
			container, is := each.(map[string]any)
			require.True(t, is)
			images = append(images, map[string]any{"name": container["name"], "image": container["image"]})
		}
	}
	return map[string]any{"schema": "olm.bundle", "package": pack, "name": version.GetName(), "image": "", "properties": properties, "relatedImages": images}
}
