package api

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	require.NoError(t, u.UnmarshalJSON([]byte(text)))
	return u
}

func TestFromUnstructuredReadsTheSize(t *testing.T) {
	tests := []struct {
		name, spec string
		size       int32
		wrong      string // a part of the error; empty: none
	}{
		{name: "three", spec: `{"size":3}`, size: 3},
		{name: "zero is a wish", spec: `{"size":0}`, size: 0},
		{name: "the largest", spec: `{"size":2147483647}`, size: 2147483647},
		{name: "other fields", spec: `{"size":1,"colour":"blue"}`, size: 1},
		{name: "negative", spec: `{"size":-1}`, wrong: "have -1"},
		{name: "too large", spec: `{"size":2147483648}`, wrong: "have 2147483648"},
		{name: "fraction", spec: `{"size":1.5}`, wrong: "have 1.5 (float64)"},
		{name: "text", spec: `{"size":"3"}`, wrong: "have 3 (string)"},
		{name: "null", spec: `{"size":null}`, wrong: "missing"},
		{name: "missing", spec: `{}`, wrong: "missing"},
		{name: "spec is a list", spec: `[3]`, wrong: "spec"},
		{name: "spec is null", spec: `null`, wrong: "spec"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := parse(t, `{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached",
				"metadata":{"namespace":"services","name":"example","uid":"u","generation":7},
				"spec":`+tt.spec+`,"status":{"nodes":["a"]}}`)
			m, err := FromUnstructured(u)
			require.NotNil(t, m)
			assert.Equal(t, "example", m.Name)
			assert.EqualValues(t, 7, m.Generation)
			assert.Equal(t, []string{"a"}, m.Status.Nodes, "the status is read whatever the spec is")
			if tt.wrong != "" {
				require.ErrorIs(t, err, ErrInvalidSize)
				assert.ErrorContains(t, err, tt.wrong)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.size, m.Spec.Size)
		})
	}
}

func TestFromUnstructuredTakesAnUnreadableStatusForNone(t *testing.T) {
	for _, status := range []string{`"x"`, `{"nodes":5}`, `null`, `[]`} {
		m, err := FromUnstructured(parse(t, `{"kind":"Memcached","metadata":{},"spec":{"size":1},"status":`+status+`}`))
		require.NoError(t, err, status)
		assert.Equal(t, MemcachedStatus{}, m.Status, status)
	}
}

func TestWithStatusChangesOnlyWhatDiffers(t *testing.T) {
	status := MemcachedStatus{
		Nodes:              []string{},
		Selector:           "a=b",
		ObservedGeneration: 2,
		Conditions:         []metav1.Condition{{Type: ConditionReady, Status: metav1.ConditionFalse, Reason: "R", Message: "m"}},
	}
	before := parse(t, `{"kind":"Memcached","metadata":{"name":"example"},"spec":{"size":1},"status":{"others":"kept"}}`)
	unchanged := before.DeepCopy()

	after, changed, err := WithStatus(before, status)
	require.NoError(t, err)
	assert.True(t, changed)
	assert.Equal(t, unchanged, before, "the cache's object is not written to")
	text, err := json.Marshal(after.Object["status"])
	require.NoError(t, err)
	assert.JSONEq(t, `{"others":"kept","nodes":[],"replicas":0,"selector":"a=b","observedGeneration":2,
		"conditions":[{"type":"Ready","status":"False","reason":"R","message":"m","lastTransitionTime":null}]}`, string(text))

	_, changed, err = WithStatus(after, status)
	require.NoError(t, err)
	assert.False(t, changed, "the same status again is no change")
}

func FuzzFromUnstructured(f *testing.F) {
	f.Add([]byte(`{"kind":"Memcached","metadata":{"name":"a"},"spec":{"size":3},"status":{"conditions":[{"type":"Ready"}]}}`))
	f.Add([]byte(`{"kind":"Memcached","spec":{"size":-1},"status":[1]}`))
	f.Add([]byte(`{"kind":"Memcached","metadata":[],"spec":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		u := &unstructured.Unstructured{}
		if u.UnmarshalJSON(text) != nil || u.IsList() {
			return // the API never delivers such a text: there is no object in it
		}
		m, err := FromUnstructured(u)
		if err != nil {
			require.ErrorIs(t, err, ErrInvalidSize)
		}
		after, _, err := WithStatus(u, m.Status)
		require.NoError(t, err)
		again, _ := FromUnstructured(after)
		assert.Equal(t, m.Spec, again.Spec, "writing the status leaves the spec")
	})
}
