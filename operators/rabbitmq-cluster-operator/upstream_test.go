// Package rabbitmqclusteroperator_test holds the manifests of the style to those in the Go module that its image is
// built from.
package rabbitmqclusteroperator_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	const definition = "CustomResourceDefinition rabbitmqclusters.rabbitmq.com"
	require.Contains(t, want, definition)
	want[definition] = plain(want[definition], false)
	if *update {
		text, err := json.Marshal(want[definition])
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join("manifests", "definition.yaml"), []byte(header+string(text)+"\n"), 0o644))
	}
	got := byName(render(t, "manifests"))
	assert.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
	for name := range want {
		assert.Equal(t, want[name], got[name], name) // one by one: the definition is long
	}
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

// byName lists objects with the image as it is built here.
func byName(objs []*unstructured.Unstructured) map[string]any {
	const there, here = "rabbitmqoperator/cluster-operator:latest", "operatorbench.local/rabbitmq-cluster-operator:v2.16.0"
	all := map[string]any{}
	for _, obj := range objs {
		all[obj.GetKind()+" "+obj.GetName()] = replaced(obj.Object, there, here)
	}
	return all
}

// replaced is a value with one text in the place of another.
func replaced(of any, there, here string) any {
	switch value := of.(type) {
	case string:
		if value == there {
			return here
		}
	case map[string]any:
		for key, one := range value {
			value[key] = replaced(one, there, here)
		}
	case []any:
		for i, one := range value {
			value[i] = replaced(one, there, here)
		}
	}
	return of
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
