// Package argo_test holds the manifests of the style argo against what they were
// written after: the installation manifests in the pinned Go modules of Argo
// Events and Argo Workflows.
package argo_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec/files"
)

var update = flag.Bool("update", false, "write what was got to testdata/differences.golden")

const golden = "testdata/differences.golden"

// Every difference between our controllers and upstream's installation is in the
// golden file, so that none comes about unseen: neither by an edit here nor by a
// new version there. README.md says why each is there.
func TestEveryDifferenceFromUpstreamIsKnown(t *testing.T) {
	events := module(t, "argo-events", "github.com/argoproj/argo-events")
	workflows := module(t, "argo-workflows", "github.com/argoproj/argo-workflows/v3")
	upstream := append(render(t, filepath.Join(events, "manifests/install.yaml")),
		render(t, filepath.Join(workflows, "manifests/cluster-install"))...)
	got := differences(upstream, append(render(t, "manifests/events"), render(t, "manifests/workflows")...))
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "run go test ./operators/argo -args -update, and say why in README.md")
}

// module returns the folder of a Go module at the version that our image of it
// is built from.
func module(t *testing.T, recipe, path string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", path)
	command.Dir = filepath.Join("..", "..", "fixtures", "images", "recipes", recipe)
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

// differences compares two sets of objects field by field.
func differences(upstream, ours []*unstructured.Unstructured) string {
	there, here := fieldsOf(upstream), fieldsOf(ours)
	all := maps.Clone(there)
	maps.Copy(all, here)
	var text strings.Builder
	for _, object := range slices.Sorted(maps.Keys(all)) {
		switch {
		case here[object] == nil:
			fmt.Fprintf(&text, "%s\n  only upstream\n", object)
		case there[object] == nil:
			fmt.Fprintf(&text, "%s\n  only here\n", object)
		default:
			text.WriteString(compare(object, there[object], here[object]))
		}
	}
	return text.String()
}

func compare(object string, there, here map[string]string) string {
	var lines []string
	for field, value := range there {
		if here[field] != value {
			lines = append(lines, fmt.Sprintf("  - %s: %s\n", field, value))
		}
	}
	for field, value := range here {
		if there[field] != value {
			lines = append(lines, fmt.Sprintf("  + %s: %s\n", field, value))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	slices.SortFunc(lines, func(a, b string) int { // by field, upstream's first
		return strings.Compare(a[4:]+b[2:3], b[4:]+a[2:3])
	})
	return object + "\n" + strings.Join(lines, "")
}

// fieldsOf returns the fields of each object: path → value.
func fieldsOf(objs []*unstructured.Unstructured) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, obj := range objs {
		fields := map[string]string{}
		switch obj.GetKind() {
		case "ClusterRole", "Role":
			permissions(obj, fields)
		default:
			for _, version := range versions(obj) { // upstream describes some kinds in full
				delete(version, "schema")
				delete(version, "additionalPrinterColumns")
			}
			flatten("", obj.Object, fields)
		}
		all[kube.Describe(obj)] = fields
	}
	return all
}

// versions returns the versions of a CustomResourceDefinition.
func versions(obj *unstructured.Unstructured) []map[string]any {
	spec, _ := obj.Object["spec"].(map[string]any)
	list, _ := spec["versions"].([]any)
	var all []map[string]any
	for _, item := range list {
		if version, ok := item.(map[string]any); ok {
			all = append(all, version)
		}
	}
	return all
}

// permissions lists the verbs of each resource, however rules group them.
func permissions(role *unstructured.Unstructured, into map[string]string) {
	verbs := map[string][]string{}
	rules, _, _ := unstructured.NestedSlice(role.Object, "rules")
	for _, item := range rules {
		rule, _ := item.(map[string]any)
		groups, _, _ := unstructured.NestedStringSlice(rule, "apiGroups")
		resources, _, _ := unstructured.NestedStringSlice(rule, "resources")
		allowed, _, _ := unstructured.NestedStringSlice(rule, "verbs")
		for _, group := range groups {
			for _, resource := range resources {
				key := strings.TrimSuffix(resource+"."+group, ".")
				verbs[key] = append(verbs[key], allowed...)
			}
		}
	}
	for key, list := range verbs {
		slices.Sort(list)
		into["may "+key] = strings.Join(slices.Compact(list), ", ")
	}
}

// flatten writes a value's leaves by their path. Items of a list go by their name
// or version where they have one; a text that is a YAML mapping is read.
func flatten(path string, value any, into map[string]string) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			flatten(strings.TrimPrefix(path+"."+key, "."), inner, into)
		}
	case []any:
		for i, inner := range value {
			key := fmt.Sprint(i)
			item, _ := inner.(map[string]any)
			for _, id := range []string{"name", "version"} {
				if item[id] != nil {
					key = fmt.Sprint(item[id])
				}
			}
			flatten(path+"["+key+"]", inner, into)
		}
	default:
		var inner map[string]any
		if text, ok := value.(string); ok && yaml.Unmarshal([]byte(text), &inner) == nil && inner != nil {
			flatten(path, inner, into)
			return
		}
		text, _ := json.Marshal(value)
		into[path] = string(text)
	}
}
