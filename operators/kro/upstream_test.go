// Package kro_test holds the manifests of the style to the chart in the Go module that its image is built from, and its
// operator to the workload's reference.
package kro_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/spec/workloads"
	"operatorbench/internal/upstreamtest"
)

var update = flag.Bool("update", false, "write manifests/kro/kro.yaml and definitions.yaml anew")

const version = "v0.9.4"

const header = `# kro ` + version + ` (Apache-2.0, Copyright The Kubernetes Authors): %s.
# Written by "go test ./operators/kro -update".
`

// What is installed is upstream's kro-core-install-manifests, whole, but for the descriptions in the definitions; and a
// namespace, which upstream has its users make.
func TestTheManifestsAreUpstreams(t *testing.T) {
	chart, definitions := upstream(t)
	if *update {
		upstreamtest.Write(t, "manifests/kro/kro.yaml", fmt.Sprintf(header, "what its chart makes for kro-core-install-manifests"), chart)
		upstreamtest.Write(t, "manifests/kro/definitions.yaml", fmt.Sprintf(header, "its definitions, without descriptions"), definitions)
	}
	want, got := upstreamtest.ByName(append(chart, definitions...)), upstreamtest.ByName(upstreamtest.Render(t, "manifests/kro"))
	const namespace = "Namespace kro-system"
	assert.Contains(t, got, namespace)
	delete(got, namespace)
	upstreamtest.Same(t, want, got, nil)
}

// The Deployment of the graph is the workload's reference, but for names and size.
func TestTheDeploymentIsTheReference(t *testing.T) {
	workload, err := workloads.Named("memcached-kro")
	require.NoError(t, err)
	memcached, err := workloads.Named("memcached")
	require.NoError(t, err)
	cr := workload.New("here", "one", 3)
	want, err := workload.Child(cr)
	require.NoError(t, err)
	same, err := memcached.Child(cr)
	require.NoError(t, err)
	assert.Equal(t, want, same, "fixtures/workloads/memcached-kro/deployment.yaml is fixtures/workloads/memcached's")
	want.SetOwnerReferences(nil) // it offers none

	graph := upstreamtest.ByName(upstreamtest.Render(t, "manifests/operator"))["ResourceGraphDefinition memcached"]
	require.NotNil(t, graph)
	resources, _, err := unstructured.NestedSlice(graph, "spec", "resources")
	require.NoError(t, err)
	text, err := json.Marshal(resources[0].(map[string]any)["template"])
	require.NoError(t, err)
	said := strings.NewReplacer("${schema.metadata.name}", "one", "${schema.metadata.namespace}", "here", `"${schema.spec.size}"`, "3").Replace(string(text))
	got := &unstructured.Unstructured{}
	require.NoError(t, got.UnmarshalJSON([]byte(said)))
	assert.Equal(t, want, got)
}

// upstream is what the chart makes with the values of the core install manifests, and its definitions.
func upstream(t *testing.T) (chart, definitions []*unstructured.Unstructured) {
	t.Helper()
	dir, is := upstreamtest.Module(t, "kro", "github.com/kubernetes-sigs/kro")
	require.Equal(t, version, is)
	var variants struct {
		Variants []struct {
			Name   string
			Values map[string]any
		}
	}
	read(t, filepath.Join(dir, "manifests", "variants.yaml"), &variants)
	require.Equal(t, "kro-core-install-manifests", variants.Variants[0].Name)
	values := map[string]any{}
	read(t, filepath.Join(dir, "helm", "values.yaml"), &values)
	overlay(values, variants.Variants[0].Values)
	// As in upstream's Makefile.
	overlay(values, map[string]any{"metadata": map[string]any{"includeHelmChart": false, "includeManagedBy": false}, "image": map[string]any{"tag": version}})
	for _, text := range templates(t, filepath.Join(dir, "helm", "templates", "*"), map[string]any{
		"Values":  values,
		"Release": map[string]any{"Name": "kro", "Namespace": "kro-system", "Service": "Helm"},
		"Chart":   map[string]any{"Name": "kro", "Version": version, "AppVersion": version},
	}) {
		chart = append(chart, objects(t, text)...)
	}
	for _, obj := range upstreamtest.Render(t, filepath.Join(dir, "helm", "crds")) {
		definitions = append(definitions, upstreamtest.Brief(obj))
	}
	return chart, definitions
}

// templates executes a chart's templates, with those functions of Helm that kro's have.
func templates(t *testing.T, pattern string, data map[string]any) []string {
	t.Helper()
	all := template.New("chart")
	execute := func(name string, data any) (string, error) {
		var text bytes.Buffer
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	all.Funcs(template.FuncMap{
		"include": execute,
		"toYaml": func(value any) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"nindent": func(n int, text string) string {
			indent := "\n" + strings.Repeat(" ", n)
			return indent + strings.ReplaceAll(text, "\n", indent)
		},
		"default": func(otherwise, value any) any {
			if is, _ := template.IsTrue(value); is {
				return value
			}
			return otherwise
		},
		"quote":      func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"trunc":      func(n int, text string) string { return text[:min(n, len(text))] },
		"trimSuffix": func(suffix, text string) string { return strings.TrimSuffix(text, suffix) },
		"contains":   func(part, text string) bool { return strings.Contains(text, part) },
		"replace":    func(there, here, text string) string { return strings.ReplaceAll(text, there, here) },
		"regexFind":  func(expression, text string) string { return regexp.MustCompile(expression).FindString(text) },
		"list":       func(all ...any) []any { return all },
		"append":     func(all []any, one any) []any { return append(all, one) },
		"join":       func(by string, all []any) string { return strings.Join(strings.Fields(fmt.Sprint(all...)), by) },
	})
	template.Must(all.ParseGlob(pattern))
	var texts []string
	for _, one := range all.Templates() {
		if strings.HasSuffix(one.Name(), ".yaml") {
			text, err := execute(one.Name(), data)
			require.NoError(t, err, one.Name())
			texts = append(texts, text)
		}
	}
	return texts
}

// overlay writes values over others, map by map.
func overlay(values, over map[string]any) {
	for key, value := range over {
		inner, is := value.(map[string]any)
		if below, was := values[key].(map[string]any); is && was {
			overlay(below, inner)
			continue
		}
		values[key] = value
	}
}

func read(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into))
}

// objects are those of a text of several documents.
func objects(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	name := filepath.Join(t.TempDir(), "objects.yaml")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return upstreamtest.Render(t, name)
}
