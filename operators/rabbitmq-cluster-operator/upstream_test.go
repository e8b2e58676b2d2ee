// Package rabbitmqclusteroperator_test holds the manifests of the style to those in the Go module that its image is
// built from.
package rabbitmqclusteroperator_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/spec/files"
)

var update = flag.Bool("update", false, "write the definition anew")

const header = `# The definition of RabbitmqCluster, that of upstream's v2.16.0 (config/crd, which controller-gen v0.18.0 made; MPL-2.0,
# Copyright 2020 VMware) without descriptions. Written by "go test ./operators/rabbitmq-cluster-operator -update".
`

// What is installed is what upstream's kustomization config/installation makes, whole, but for two things: the
// descriptions in the definition, and where the image is from.
func TestTheManifestsAreUpstreams(t *testing.T) {
	want := byName(render(t, filepath.Join(upstream(t), "config", "installation")))
	const definition, operator = "CustomResourceDefinition rabbitmqclusters.rabbitmq.com", "Deployment rabbitmq-cluster-operator"
	require.Contains(t, want, definition)
	want[definition] = plain(want[definition], false).(map[string]any) //nolint:forcetypeassert // what it was before
	if *update {
		text, err := json.Marshal(want[definition])
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join("manifests", "definition.yaml"), []byte(header+string(text)+"\n"), 0o644))
	}
	got := byName(render(t, "manifests"))
	require.Contains(t, got, operator)
	image := func(of map[string]any) string {
		containers, _, err := unstructured.NestedSlice(of, "spec", "template", "spec", "containers")
		require.NoError(t, err)
		require.Len(t, containers, 1)
		container := containers[0].(map[string]any)  //nolint:forcetypeassert // the API's own form
		name := container["image"].(string)          //nolint:forcetypeassert // the API's own form
		container["image"] = "that of the catalogue" // what differs
		require.NoError(t, unstructured.SetNestedSlice(of, containers, "spec", "template", "spec", "containers"))
		return name
	}
	assert.Equal(t, "rabbitmqoperator/cluster-operator:latest", image(want[operator]))
	assert.Equal(t, "operatorbench.local/rabbitmq-cluster-operator:v2.16.0", image(got[operator]))
	assert.Equal(t, want, got)
}

// upstream is the folder of the module that the image is built from.
func upstream(t *testing.T) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/rabbitmq/cluster-operator/v2")
	command.Dir = filepath.Join("..", "..", "fixtures", "images", "recipes", "rabbitmq-cluster-operator")
	text, err := command.Output()
	require.NoError(t, err, "%s in %s: %s", command, command.Dir, text)
	var downloaded struct{ Dir string }
	require.NoError(t, json.Unmarshal(text, &downloaded))
	return downloaded.Dir
}

func render(t *testing.T, path string) []*unstructured.Unstructured {
	t.Helper()
	objs, err := install.Render(files.Tree("/"), path) // upstream's are in the module cache
	require.NoError(t, err)
	return objs
}

func byName(objs []*unstructured.Unstructured) map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, obj := range objs {
		all[obj.GetKind()+" "+obj.GetName()] = obj.Object
	}
	return all
}

// plain is a schema, or what holds one, without its descriptions; properties says that its keys are names of fields.
func plain(of any, properties bool) any {
	switch of := of.(type) {
	case map[string]any:
		short := map[string]any{}
		for key, value := range of {
			if key != "description" || properties {
				short[key] = plain(value, key == "properties" && !properties)
			}
		}
		return short
	case []any:
		var short []any
		for _, value := range of {
			short = append(short, plain(value, false))
		}
		return short
	}
	return of
}
