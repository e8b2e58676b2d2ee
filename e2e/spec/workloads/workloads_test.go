package workloads_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/workloads"
)

func TestEveryWorkloadIsRead(t *testing.T) {
	require.NotEmpty(t, workloads.Names())
	for _, name := range workloads.Names() {
		w, err := workloads.Named(name)
		require.NoError(t, err)
		assert.Equal(t, name, w.Name)
		definesIt(t, w)
	}
	_, err := workloads.Named("memcache")
	require.ErrorContains(t, err, `there is no workload "memcache"; there are: `)
}

const example = `name: example
description: An example.
resource: {group: example.com, version: v1, kind: Example, plural: examples}
definition: crd.yaml
template: cr.yaml
knobs:
  size: {path: spec.replicas, effect: scale, min: 0, max: 9}
children:
  - {id: server, resource: statefulsets.v1.apps, kind: StatefulSet, main: true, scale: spec.replicas}
status: {observedGeneration: status.observedGeneration}
phases:
  ready: cr.status.observedGeneration == cr.metadata.generation && server.status.readyReplicas == knob.size
`

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: examples.example.com}
spec:
  group: example.com
  names: {kind: Example, plural: examples}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, properties: {replicas: {type: integer}}}
            status: {type: object, properties: {observedGeneration: {type: integer}}}
`

const custom = "apiVersion: example.com/v1\nkind: Example\nspec: {replicas: 1}\n"

func read(replace ...string) error {
	with := strings.NewReplacer(replace...)
	_, err := workloads.Read("example", fstest.MapFS{
		"workload.yaml": {Data: []byte(with.Replace(example))},
		"crd.yaml":      {Data: []byte(with.Replace(definition))},
		"cr.yaml":       {Data: []byte(with.Replace(custom))},
	})
	return err
}

func refuses(t *testing.T, want string, replace ...string) {
	t.Helper()
	require.ErrorContains(t, read(replace...), want)
}

func TestReadRefuses(t *testing.T) {
	refuses(t, `workload.yaml:7: knobs.size.path: spec.replica: undefined field 'replica'; did you mean "replicas"?`,
		"{path: spec.replicas", "{path: spec.replica", "spec: {replicas: 1}", "spec: {replica: 1}")
	refuses(t, `workload.yaml:7: knobs.size.path: spec.TODO is still to be said`, "{path: spec.replicas", "{path: spec.TODO", "spec: {replicas: 1}", "spec: {TODO: 1}")
	require.NoError(t, read())
	refuses(t, `workload.yaml:12: phases.ready: undefined field 'observedGenerations'`, "cr.status.observedGeneration ==", "cr.status.observedGenerations ==")
	refuses(t, `workload.yaml:12: phases.ready: undefined field 'replicas'`, "== knob.size", "== knob.replicas")
	refuses(t, `workload.yaml:12: phases.ready: undefined field 'readyReplica'`, "readyReplicas", "readyReplica")
	refuses(t, `phases.ready holds already of cr.yaml, which no operator has seen`, "cr.status.observedGeneration == cr.metadata.generation && server.status.readyReplicas == knob.size", "knob.size == 1")
	refuses(t, `phases.ready: it is of the type int, expected bool`, " == cr.metadata.generation && server.status.readyReplicas == knob.size", "")
	refuses(t, `workload.yaml:7: knobs.size: unknown field "sizes"`, "effect: scale", "effect: scale, sizes: 1")
	refuses(t, `name is "other", expected "example" as the folder's`, "name: example\n", "name: other\n")
	refuses(t, `children: 0 of them are main, expected exactly one`, "main: true, ", "")
	refuses(t, `workload.yaml:9: children: field "scale" is missing: where the main child has the number of its pods`, ", scale: spec.replicas", "")
	refuses(t, `workload.yaml:9: children.scale: found "spec.replicas", expected nothing: the main child is many, so nothing has the number of them`, "main: true, ", "main: true, many: true, ")
	refuses(t, `workload.yaml:9: children.resource: found "statefulsets.v1.apps", expected pods.v1: only of these the main child can be many`, ", scale: spec.replicas", ", many: true")
	refuses(t, `knobs.size: it takes 0, where the main child server, which is many, is not there to be judged: say min: 1`, ", scale: spec.replicas", ", many: true", "statefulsets.v1.apps", "pods.v1")
	refuses(t, `template: cr.yaml has a example.com/v2, Kind=Example, expected a example.com/v1, Kind=Example`, "apiVersion: example.com/v1", "apiVersion: example.com/v2")
	refuses(t, `template: cr.yaml has no whole number at spec.replicas, the path of the knob that scales`, "spec: {replicas: 1}", "spec: {replica: 1}")
	refuses(t, `definition: crd.yaml defines others.example.com, expected examples.example.com`, "name: examples.example.com", "name: others.example.com")
	refuses(t, `definition: the definition examples.example.com has no schema of the version v1`, "    - name: v1", "    - name: v1beta1")
	refuses(t, `read example/none.yaml`, "template: cr.yaml", "template: none.yaml")
	refuses(t, `knobs.size: no values, and max is not above min`, "min: 0, max: 9", "min: 9")
	refuses(t, `workload.yaml:7: knobs.size.min: found the number 0, expected nothing: values has all that the knob can be set to`, "min: 0, max: 9", "min: 0, values: [1, 3]")
	colour := func(knob string) []string {
		return []string{"min: 0, max: 9}\n", "min: 0, max: 9}\n  colour: " + knob + "\n", "{replicas: {type: integer}}", "{replicas: {type: integer}, colour: {type: string}, paused: {type: boolean}}"}
	}
	require.NoError(t, read(colour("{path: spec.colour, effect: roll, to: red}")...))
	refuses(t, `workload.yaml:8: knobs.colour: field "to" is missing: what the knob is turned to`, colour("{path: spec.colour, effect: inPlace}")...)
	refuses(t, `workload.yaml:8: knobs.colour.max: found the number 3, expected nothing: a knob that does not scale has one value`, colour("{path: spec.colour, effect: roll, to: red, max: 3}")...)
	refuses(t, `workload.yaml:8: knobs.colour.path: spec.colours: undefined field 'colours'`, colour("{path: spec.colours, effect: roll, to: red}")...)
	refuses(t, `workload.yaml:8: knobs.colour.to: cr.yaml has red at spec.colour already`, append(colour("{path: spec.colour, effect: roll, to: red}"), "spec: {replicas: 1}", "spec: {replicas: 1, colour: red}")...)
	refuses(t, `workload.yaml:7: knobs.size.to: found the number 3, expected nothing: a knob that scales is set to what a scenario says`, "max: 9", "max: 9, to: 3")
	paused := func(patch string) []string {
		return append(colour("{path: spec.colour, effect: roll, to: red}"), "status: {observed", "pause: "+patch+"\nstatus: {observed")
	}
	require.NoError(t, read(paused("{metadata: {labels: {a/b: c}}, spec: {paused: true}}")...))
	refuses(t, `workload.yaml:11: pause: spec.pause: undefined field 'pause'; did you mean "paused"?`, paused("{spec: {pause: true}}")...)
	refuses(t, `workload.yaml:11: pause: cr.yaml has spec.replicas already, and it is removed to go on`, paused("{spec: {replicas: 0}}")...)
	refuses(t, `workload.yaml:12: phases.ready holds of a status without a condition: all() is true of an empty list`,
		"status: {observedGeneration: status.observedGeneration}", "status: {observedGeneration: status.observedGeneration, conditions: status.conditions}",
		"{observedGeneration: {type: integer}}", "{observedGeneration: {type: integer}, conditions: {type: array, items: {type: object, properties: {type: {type: string}, status: {type: string}}}}}",
		"&& server.status.readyReplicas == knob.size", "&& cr.status.conditions.filter(c, c.type == 'Ready').all(c, c.status == 'True')")
	refuses(t, `phases.failed holds already of cr.yaml`, "phases:", "phases:\n  failed: cr.spec.replicas == 1")
	refuses(t, `workload.yaml:12: phases.paused: undefined field 'pausing'`, "phases:", "phases:\n  paused: cr.spec.pausing")
	gone := func(text string) []string {
		return []string{"phases:", "phases:\n  gone: \"" + text + "\"", "main: true, scale: spec.replicas}", "main: true, scale: spec.replicas}\n  - {id: node, resource: services.v1, kind: Service}"}
	}
	require.NoError(t, read(gone("!node.exists(s, s.metadata.name == cr.metadata.name)")...))
	refuses(t, `workload.yaml:13: phases.gone: undefined field 'names'`, gone("!node.exists(s, s.metadata.names == cr.metadata.name)")...)
	refuses(t, `workload.yaml:13: phases.gone: it looks at no child: the custom resource is gone before it is asked`, gone("cr.metadata.generation > 0")...)
	refuses(t, `workload.yaml:13: phases.gone: where nothing is left it does not hold: node.exists(s, s.metadata.name == cr.metadata.name) does not hold`, gone("node.exists(s, s.metadata.name == cr.metadata.name)")...)
	refuses(t, `workload.yaml:13: phases.gone: expected type 'dyn' but found 'string'`, gone("!node.exists(s, s.metadata.name in [cr.metadata.name, 'a'])")...)
	child := func(text string) []string {
		return []string{"main: true, scale: spec.replicas}", "main: true, scale: spec.replicas}\n  - {id: node, resource: services.v1, kind: Service, name: " + text + "}"}
	}
	require.NoError(t, read(child(`"{{.Name}}-nodes"`)...))
	refuses(t, `workload.yaml:10: children.name: found "{{.UID}}", expected a template over {{.Name}} and {{.Namespace}}: there is more in it`, child(`"{{.UID}}"`)...)
	refuses(t, `workload.yaml:9: children.name: found "{{.Name}}", expected nothing: what the main child is called a style says`, "main: true, scale", `name: "{{.Name}}", main: true, scale`)
	probe := func(text string) []string { return []string{"phases:", "probe: " + text + "\nphases:"} }
	require.NoError(t, read(probe("{ask: {port: 1, send: a, expect: b}, gap: 3, write: {port: 1, send: a, expect: b}, read: {port: 1, send: a, expect: b}, kept: true}")...))
	refuses(t, `workload.yaml:11: probe.ask.expect: found "b*", expected an expression (RE2) of the answer: it matches no answer at all`, probe("{ask: {port: 1, send: a, expect: b*}}")...)
	refuses(t, `workload.yaml:11: probe.ask.expect: found "(", expected an expression (RE2) of the answer: `, probe("{ask: {port: 1, send: a, expect: '('}}")...)
	refuses(t, `workload.yaml:11: probe: read without write, expected both`, probe("{ask: {port: 1, expect: b}, read: {port: 1, send: a, expect: b}}")...)
	refuses(t, `workload.yaml:11: probe: kept without write, expected both`, probe("{ask: {port: 1, expect: b}, kept: true}")...)
	refuses(t, `probe.ask.port`, probe("{ask: {port: 0, expect: b}}")...)
	refuses(t, `scaleSubresource: leave it out, crd.yaml says whether there is one`, "template:", "scaleSubresource: true\ntemplate:")
}

// The definition says whether there is a scale subresource; where the operator brings it, the file says so.
func TestTheScaleSubresource(t *testing.T) {
	const scales = "      subresources: {scale: {specReplicasPath: .spec.replicas}}\n"
	for name, test := range map[string]struct {
		file, crd string
		want      bool
	}{
		"none":                {example, definition, false},
		"the definition's":    {example, definition + scales, true},
		"another version's":   {example, definition + "    - name: v2\n" + scales, false},
		"what the file says":  {strings.Replace(example, "definition: crd.yaml", "scaleSubresource: true", 1), definition, true},
		"a status alone":      {example, definition + "      subresources: {status: {}}\n", false},
		"nothing in the file": {strings.Replace(example, "definition: crd.yaml\n", "", 1), definition + scales, false},
	} {
		w, err := workloads.Read("example", fstest.MapFS{"workload.yaml": {Data: []byte(test.file)}, "crd.yaml": {Data: []byte(test.crd)}, "cr.yaml": {Data: []byte(custom)}})
		require.NoError(t, err, name)
		assert.Equal(t, test.want, w.ScaleSubresource, name)
		assert.Equal(t, w.Definition != "" && !strings.Contains(test.crd, "status: {}"), w.WholeStatus, name)
	}
}

// definesIt holds a definition against what workload.yaml says of it.
func definesIt(t *testing.T, w *workloads.Workload) {
	t.Helper()
	object := w.CRD()
	if object == nil {
		return
	}
	var crd apiextensions.CustomResourceDefinition
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, &crd, true), "an unknown field is a mistake")
	assert.Equal(t, w.GVR().GroupResource().String(), crd.Name)
	assert.Equal(t, w.Kind().Kind, crd.Spec.Names.Kind)
	var served []string
	for _, version := range crd.Spec.Versions {
		if served = append(served, version.Name); version.Name != w.Kind().Version {
			continue
		}
		at := *version.Schema.OpenAPIV3Schema
		_, knob := w.ScaleKnob()
		for _, key := range spec.Fields(knob.Path) {
			require.Contains(t, at.Properties, key)
			at = at.Properties[key]
		}
		if at.Minimum != nil {
			assert.InDelta(t, knob.Lowest(), *at.Minimum, 0)
		}
		if at.Maximum != nil {
			assert.InDelta(t, knob.Highest(), *at.Maximum, 0)
		}
	}
	assert.Contains(t, served, w.Kind().Version)
}

func TestDefaultDefinition(t *testing.T) {
	var crd apiextensions.CustomResourceDefinition
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(workloadtest.Default(t).CRD().Object, &crd))
	require.Len(t, crd.Spec.Versions, 1)
	version := crd.Spec.Versions[0]
	spec := version.Schema.OpenAPIV3Schema.Properties["spec"]
	assert.Equal(t, []string{"size"}, spec.Required)
	assert.NotNil(t, spec.Properties["size"].Minimum)
	assert.NotNil(t, spec.Properties["size"].Maximum)
	assert.NotNil(t, version.Subresources.Status)
	assert.NotNil(t, version.Subresources.Scale)
	status := version.Schema.OpenAPIV3Schema.Properties["status"]
	for _, field := range []string{"nodes", "observedGeneration", "conditions"} {
		assert.Contains(t, status.Properties, field)
	}
	// What a framework writes by itself is kept as it is: operator-lib's conditions
	// leave an empty reason and message out, and Helm's status has its manifest.
	condition := status.Properties["conditions"].Items.Schema
	assert.True(t, *status.XPreserveUnknownFields)
	assert.True(t, *condition.XPreserveUnknownFields)
	assert.Equal(t, []string{"type", "status"}, condition.Required)
	assert.Nil(t, condition.Properties["reason"].MinLength)
}

func TestChildIsOwnedNamedAndSized(t *testing.T) {
	w := workloadtest.Default(t)
	require.True(t, w.HasReference())
	cr := w.New("services", "example", 3)
	cr.SetUID("some-uid")
	child, err := w.Child(cr)
	require.NoError(t, err)
	assert.Equal(t, "services/example", child.GetNamespace()+"/"+child.GetName())
	replicas, found, err := unstructured.NestedInt64(child.Object, "spec", "replicas")
	require.NoError(t, err)
	assert.True(t, found)
	assert.EqualValues(t, 3, replicas)
	for _, path := range [][]string{{"metadata", "labels"}, {"spec", "selector", "matchLabels"}, {"spec", "template", "metadata", "labels"}} {
		labels, _, err := unstructured.NestedStringMap(child.Object, path...)
		require.NoError(t, err)
		assert.Equal(t, "example", labels["app.kubernetes.io/instance"], path)
	}
	require.Len(t, child.GetOwnerReferences(), 1)
	owner := child.GetOwnerReferences()[0]
	assert.Equal(t, "some-uid", string(owner.UID))
	assert.True(t, *owner.Controller)
	assert.Equal(t, w.Resource.Kind, owner.Kind)
	image, found := w.Image()
	assert.True(t, found)
	assert.Equal(t, "docker.io/library/memcached:1.6.18", image)
}

func TestChildNeedsASizeAndAReference(t *testing.T) {
	w := workloadtest.Default(t)
	cr := w.New("services", "example", 3)
	unstructured.RemoveNestedField(cr.Object, "spec", "size")
	_, err := w.Child(cr)
	require.ErrorContains(t, err, "read spec.size of Memcached services/example: not set")
	queue := workloadtest.Queue(t)
	_, err = queue.Child(queue.New("services", "example", 3))
	require.EqualError(t, err, "the workload queue does not say what Queue services/example asks for: it has no reference")
	_, found := queue.Image()
	assert.False(t, found)
	assert.True(t, w.HasFloor())
	assert.False(t, queue.HasFloor())
}

func TestPathsOfAnyWorkload(t *testing.T) {
	queue := workloadtest.Queue(t)
	assert.Equal(t, schema.GroupVersionResource{Group: "queue.example.com", Version: "v1", Resource: "queues"}, queue.GVR())
	assert.Equal(t, schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "statefulsets"}, queue.MainGVR())
	assert.Equal(t, schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, workloads.GVR("secrets.v1"))
	cr := queue.New("services", "example", 3)
	size, found := queue.SizeOf(cr)
	assert.True(t, found)
	assert.EqualValues(t, 3, size)
	assert.JSONEq(t, `{"spec":{"cluster":{"members":5}}}`, string(queue.SizePatch(5)))
	assert.JSONEq(t, `{"spec":{"replicas":5}}`, string(queue.ScalePatch(5)))
	assert.Equal(t, 1, queue.Smallest())
	assert.Nil(t, queue.CRD())
}

// What a recorded object's file claims is held against the workload's phases.
func TestRecordedObjects(t *testing.T) {
	const (
		cr    = "apiVersion: example.com/v1\nkind: Example\nmetadata: {generation: 2}\nspec: {replicas: 2}\nstatus: {observedGeneration: %d}\n"
		child = "---\napiVersion: apps/v1\nkind: StatefulSet\nstatus: {readyReplicas: 2}\n"
		note  = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n"
	)
	for name, test := range map[string]struct{ file, text, want string }{
		"ready":                     {"ready.yaml", fmt.Sprintf(cr, 2) + child, ""},
		"failed":                    {"failed-at-once.yaml", fmt.Sprintf(cr, 9), ""},
		"in none":                   {"none-yet.yaml", fmt.Sprintf(cr, 1) + child, ""},
		"ready with another child":  {"ready.yaml", fmt.Sprintf(cr, 2) + child + fmt.Sprintf(note, "here"), ""},
		"another child is wrong":    {"none.yaml", fmt.Sprintf(cr, 2) + child + fmt.Sprintf(note, "here") + fmt.Sprintf(note, "there"), ""},
		"not ready":                 {"ready-a.yaml", fmt.Sprintf(cr, 2), "fixtures/ready-a.yaml: its name claims ready: server.status.readyReplicas == knob.size does not hold (status is absent)"},
		"ready after all":           {"none-a.yaml", fmt.Sprintf(cr, 2) + child, "fixtures/none-a.yaml: its name claims none, and phases.ready holds"},
		"failed, whatever else":     {"ready-b.yaml", fmt.Sprintf(cr, 9) + child, "fixtures/ready-b.yaml: its name claims ready, and phases.failed holds"},
		"no such phase":             {"paused.yaml", fmt.Sprintf(cr, 2), `fixtures/paused.yaml: its name begins with "paused", expected none or a phase that workload.yaml has an expression of`},
		"nothing":                   {"none.yaml", "# nothing\n", "fixtures/none.yaml: Object 'Kind' is missing"},
		"another kind":              {"none.yaml", fmt.Sprintf(cr, 2) + "---\napiVersion: v1\nkind: Pod\n", "fixtures/none.yaml: object 2 is a v1 Pod, expected a apps/v1 StatefulSet or a v1 ConfigMap"},
		"no size":                   {"none.yaml", strings.Replace(fmt.Sprintf(cr, 2), "replicas", "size", 1), "fixtures/none.yaml: the custom resource has no whole number at spec.replicas"},
		"what cannot be read":       {"none.yaml", "a: b: c", "fixtures/none.yaml: "},
		"a key that is there twice": {"none.yaml", "a: 1\na: 2\n", `fixtures/none.yaml: `},
	} {
		with := strings.NewReplacer("phases:", "phases:\n  failed: cr.status.observedGeneration == 9", "status: {",
			"  - {id: notes, resource: configmaps.v1, kind: ConfigMap}\nstatus: {", "== knob.size", "== knob.size && notes.all(n, n.metadata.name == 'here')").Replace(example)
		_, err := workloads.Read("example", fstest.MapFS{
			"workload.yaml": {Data: []byte(with)}, "crd.yaml": {Data: []byte(definition)}, "cr.yaml": {Data: []byte(custom)},
			"fixtures/" + test.file: {Data: []byte(test.text)},
		})
		if test.want == "" {
			assert.NoError(t, err, name)
			continue
		}
		assert.ErrorContains(t, err, test.want, name)
	}
}
