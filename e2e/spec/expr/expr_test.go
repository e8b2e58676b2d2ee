package expr_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/spec/expr"
)

const ready = `cr.status.observedGeneration == cr.metadata.generation && ['Ready', 'Available'].all(t, cr.status.conditions.exists(c, c.type == t && c.status == 'True'))` +
	` && server.status.readyReplicas == knob.size`

// object has whole numbers as recordings have them.
func object(t *testing.T, text string) map[string]any {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	o := &unstructured.Unstructured{}
	require.NoError(t, o.UnmarshalJSON(raw))
	return o.Object
}

func TestLacksIsTheFirstPartThatDoesNotHold(t *testing.T) {
	env, err := expr.Untyped("server")
	require.NoError(t, err)
	e, err := env.Compile(ready)
	require.NoError(t, err)
	for name, test := range map[string]struct{ cr, server, want string }{
		"a field is absent": {
			"{apiVersion: a/v1, kind: K, metadata: {generation: 2}}", "{apiVersion: v1, kind: K}",
			"cr.status.observedGeneration == cr.metadata.generation does not hold (status is absent)",
		},
		"values differ": {
			"{apiVersion: a/v1, kind: K, metadata: {generation: 2}, status: {observedGeneration: 1}}", "{apiVersion: v1, kind: K}",
			"cr.status.observedGeneration == cr.metadata.generation does not hold (cr.status.observedGeneration is 1, cr.metadata.generation is 2)",
		},
		"a condition": {
			"{apiVersion: a/v1, kind: K, metadata: {generation: 1}, status: {observedGeneration: 1, conditions: [{type: Ready, status: 'True'}]}}", "{apiVersion: v1, kind: K}",
			`["Ready", "Available"].all(t, cr.status.conditions.exists(c, c.type == t && c.status == "True")) does not hold`,
		},
		"the child": {
			"{apiVersion: a/v1, kind: K, metadata: {generation: 1}, status: {observedGeneration: 1, conditions: [{type: Ready, status: 'True'}, {type: Available, status: 'True'}]}}",
			"{apiVersion: v1, kind: K, status: {readyReplicas: 2}}",
			"server.status.readyReplicas == knob.size does not hold (server.status.readyReplicas is 2, knob.size is 3)",
		},
		"nothing": {
			"{apiVersion: a/v1, kind: K, metadata: {generation: 1}, status: {observedGeneration: 1, conditions: [{type: Ready, status: 'True'}, {type: Available, status: 'True'}]}}",
			"{apiVersion: v1, kind: K, status: {readyReplicas: 3}}", "",
		},
	} {
		lacks, steps := e.Lacks(map[string]any{"cr": object(t, test.cr), "server": object(t, test.server), "knob": map[string]any{"size": int64(3)}})
		assert.Equal(t, test.want, lacks, name)
		assert.Positive(t, steps)
	}
}

func TestTypedRefusesWhatTheKindsDoNotHave(t *testing.T) {
	definition := &unstructured.Unstructured{Object: object(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ks.a}
spec:
  group: a
  names: {kind: K, plural: ks}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            status:
              type: object
              properties:
                observedGeneration: {type: integer}
                conditions: {type: array, items: {type: object, properties: {type: {type: string}, status: {type: string}}}}
`)}
	env, err := expr.Typed(expr.Types{
		Definition: definition, Version: "v1", Knobs: []string{"size"},
		Children: map[string]expr.Child{
			"server":  {Kind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "StatefulSet"}},
			"volumes": {Kind: schema.GroupVersionKind{Version: "v1", Kind: "PersistentVolumeClaim"}, List: true},
			"other":   {Kind: schema.GroupVersionKind{Group: "b", Version: "v1", Kind: "O"}},
		},
	})
	require.NoError(t, err)
	compiled, err := env.Compile(ready + " && other.anything == 1")
	require.NoError(t, err)
	assert.True(t, compiled.Reads("other"))
	assert.False(t, compiled.Reads("volumes"))
	compiled, err = env.Compile("cr.metadata.name == '' || volumes.all(v, v.spec.resources.requests.storage == '1Gi')")
	require.NoError(t, err)
	assert.True(t, compiled.Reads("volumes"), "in a macro")
	for text, want := range map[string]string{
		"cr.status.observedGenerations == 1":    "undefined field 'observedGenerations'",
		"server.status.readyReplica == 1":       "undefined field 'readyReplica'; did you mean \"readyReplicas\"?",
		"knob.replicas == 1":                    "undefined field 'replicas'",
		"cr.status.observedGeneration":          "expected bool",
		"cr.status.observedGeneration == 'one'": "no matching overload",
		"cr.status.":                            "Syntax error",
		"cluster.status == 1":                   "undeclared reference to 'cluster'",
		"volumes.all(v, v.spec.resource == 1)":  "undefined field 'resource'",
	} {
		_, err := env.Compile(text)
		require.ErrorContains(t, err, want, text)
	}
	_, err = expr.Typed(expr.Types{Definition: definition, Version: "v2"})
	require.ErrorContains(t, err, "no schema of the version v2")
}

// Whatever the text, there is an expression or an error.
func FuzzCompile(f *testing.F) {
	env, err := expr.Untyped("server")
	require.NoError(f, err)
	for _, text := range []string{ready, "true", "cr.a[0] in knob", "[1,2].all(i, i > 0) && cr == server", "'a'.matches('(a+)+$')"} {
		f.Add(text)
	}
	values := map[string]any{"cr": map[string]any{}, "server": map[string]any{}, "knob": map[string]any{"size": int64(1)}}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := env.Compile(text)
		require.Equal(t, err == nil, e != nil)
		if e != nil {
			_, steps := e.Lacks(values)
			require.GreaterOrEqual(t, steps, 0)
		}
	})
}
