package fakenodes

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Kwok may write what it says of nodes and pods, and nothing else; it runs what the catalogue has, and nothing is sent
// to the fake nodes but for what is in a namespace that asks for it.
func TestManifests(t *testing.T) {
	all, err := objects(250)
	require.NoError(t, err)
	byKind := map[string][]*unstructured.Unstructured{}
	for _, one := range all {
		byKind[one.GetKind()] = append(byKind[one.GetKind()], one)
	}
	written := map[string][]string{}
	for _, role := range append(byKind["ClusterRole"], byKind["Role"]...) {
		rules, _, err := unstructured.NestedSlice(role.Object, "rules")
		require.NoError(t, err)
		for _, rule := range rules {
			of, _ := rule.(map[string]any)
			resources, _, _ := unstructured.NestedStringSlice(of, "resources")
			verbs, _, _ := unstructured.NestedStringSlice(of, "verbs")
			for _, resource := range resources {
				written[resource] = slices.DeleteFunc(verbs, func(v string) bool { return v == "get" || v == "list" || v == "watch" })
			}
		}
	}
	assert.Equal(t, map[string][]string{
		"nodes": {}, "nodes/status": {"patch"}, "pods": {"patch", "delete"}, "pods/status": {"patch"}, "leases": {"create", "update", "patch"},
	}, written)
	text, err := os.ReadFile("../../../fixtures/catalogue.yaml")
	require.NoError(t, err)
	catalogue, err := yaml.YAMLToJSON(text)
	require.NoError(t, err)
	image := gjson.GetBytes(catalogue, `images.#(name=="`+Image+`").reference`).String()
	require.Len(t, byKind["Deployment"], 1)
	containers, _, err := unstructured.NestedSlice(byKind["Deployment"][0].Object, "spec", "template", "spec", "containers")
	require.NoError(t, err)
	assert.Equal(t, image, containers[0].(map[string]any)["image"])
	require.Len(t, byKind["MutatingAdmissionPolicy"], 1)
	asks, _, err := unstructured.NestedStringMap(byKind["MutatingAdmissionPolicy"][0].Object, "spec", "matchConstraints", "namespaceSelector", "matchLabels")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"operatorbench/nodes": "fake"}, asks)
	require.Len(t, byKind["ConfigMap"], 1)
	said, _, err := unstructured.NestedString(byKind["ConfigMap"][0].Object, "data", "kwok.yaml")
	require.NoError(t, err)
	assert.Contains(t, said, `allocatable: {cpu: "1000", memory: 1Ti, pods: "250"}`)
}

func TestNodesAreTainted(t *testing.T) {
	one := node(7)
	assert.Equal(t, "fake-007", one.GetName())
	taints, _, err := unstructured.NestedSlice(one.Object, "spec", "taints")
	require.NoError(t, err)
	require.Len(t, taints, 1)
}
