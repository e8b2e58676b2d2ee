package workloads_test

import (
	"testing"

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
