package wire

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec"
)

func TestWhatIsReadOfAnObject(t *testing.T) {
	metadata := `"metadata":{"uid":"u","resourceVersion":"12","generation":3,"deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["a"],"annotations":{"a":"\"}{"},"ownerReferences":[{"uid":"x"},{"controller":true,"uid":"o"}]}`
	object := Object{UID: "u", ResourceVersion: "12", Generation: 3, Deleting: true, Finalizers: []string{"a"}, Controller: "o", Replicas: 1}
	runs, custom := object, object
	runs.Resource, runs.Replicas, runs.ObservedGeneration, runs.StatusReplicas, runs.UpdatedReplicas, runs.Phase = spec.Pods, 2, 2, 1, -1, "R\n"
	custom.Resource, custom.Size, custom.ObservedGeneration, custom.StatusReplicas = layout.Customs, 4, 2, 1
	custom.Selector, custom.Nodes = "a=b", []string{"p"}
	custom.Conditions = []Condition{{Notice: Notice{Type: "Ready", Status: "True", Reason: "R", Message: "ä"}, ObservedGeneration: 2}}
	runsText := `{` + metadata + `,"spec":{"replicas":2},"status":{"observedGeneration":2,"replicas":1,"readyReplicas":0,"updatedReplicas":-1,"phase":"R\n"}}`
	customText := `{` + metadata + `,"spec":{"size":4,"replicas":5},"status":{"observedGeneration":2,"replicas":1,"selector":"a=b","nodes":["p"],"phase":"P",
		"conditions":[{"type":"Ready","status":"True","reason":"R","message":"ä","observedGeneration":2}]}}`
	nulls := `{"metadata":{"deletionTimestamp":null,"finalizers":null},"spec":{"replicas":null},"status":null}`
	nothing := Object{Resource: spec.Pods, Replicas: 1}
	for text, want := range map[string]Object{runsText: runs, customText: custom, nulls: nothing, `{}`: nothing, `null`: nothing} {
		var compact, spaced bytes.Buffer
		require.NoError(t, json.Compact(&compact, []byte(text)))
		require.NoError(t, json.Indent(&spaced, []byte(text), " ", " "))
		for _, text := range []string{compact.String(), " " + spaced.String()} {
			got := Object{Resource: want.Resource}
			require.NoError(t, layout.Read(&got, []byte(text)), "%s", text)
			assert.Equal(t, want, got, "%s", text)
		}
	}
	for _, text := range []string{``, `[]`, `3`, `{"spec":{"replicas":1e2}}`, `{"status":{"phase":1}}`, `{"metadata":{"generation":"1"}}`} {
		assert.Error(t, layout.Read(&Object{Resource: spec.Pods}, []byte(text)), "%s", text)
	}
}
