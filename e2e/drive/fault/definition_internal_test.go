package fault

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/spec"
)

type object = map[string]any

// What the path leads through requires nothing any more, and no rule speaks of it; all else stays.
func TestRelaxIsOfAnyPath(t *testing.T) {
	fields := func(required bool, size object) object {
		some := func(o object) object {
			if required {
				o["required"], o["x-kubernetes-validations"] = []any{"members"}, []any{object{"rule": "self.members > 0"}}
			}
			return o
		}
		subresources := object{"status": object{}}
		if required {
			subresources["scale"] = object{}
		}
		return object{"name": "v1", "subresources": subresources, "schema": object{"openAPIV3Schema": some(object{"type": "object", "properties": object{
			"status": object{"type": "object", "required": []any{"phase"}},
			"spec": some(object{"type": "object", "properties": object{
				"image": object{"type": "string", "minLength": int64(1)}, "cluster": some(object{"type": "object", "properties": object{"members": size}}),
			}}),
		}})}}
	}
	_, knob := workloadtest.Queue(t).ScaleKnob()
	version := fields(true, object{"type": "integer", "minimum": int64(1), "enum": []any{int64(1), int64(3)}})
	require.True(t, relax(version, spec.Fields(knob.Path)))
	assert.Equal(t, fields(false, object{"type": "integer"}), version)
	other := fields(true, object{"type": "integer"})
	assert.False(t, relax(other, spec.Fields("spec.size")), "it is a version without it")
	assert.Equal(t, fields(true, object{"type": "integer"}), other)
}

func TestNoImageIsKnownWithoutAReference(t *testing.T) {
	i := &Injector{Workload: workloadtest.Queue(t)}
	_, err := i.removeImage(t.Context(), "workload", Target{})
	require.EqualError(t, err, "remove an image: the workload queue has no reference that runs one")
	i.Workload = workloadtest.Default(t)
	_, err = i.removeImage(t.Context(), "workload", Target{})
	require.ErrorIs(t, err, errForeign)
	require.ErrorContains(t, err, "remove the image docker.io/library/memcached:1.6.18: ")
}
