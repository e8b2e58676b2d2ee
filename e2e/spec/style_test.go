package spec_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// Images and declarations may be written in a word.
func TestShortForms(t *testing.T) {
	var style spec.Style
	text := `{"images":["one",{"name":"two","reference":"example.org/two","go":"cmd"}],
		"declares":{"status":true,"ownerReferences":{"supported":false,"reason":"r"},"driftRepair":false}}`
	require.NoError(t, json.Unmarshal([]byte(text), &style))
	assert.Equal(t, []spec.Image{{Name: "one"}, {Name: "two", Reference: "example.org/two", Go: "cmd"}}, style.Images)
	assert.Equal(t, []string{"one", "two"}, style.ImageNames())
	assert.Equal(t, spec.Declares{Status: spec.Declaration{Supported: true}, OwnerReferences: spec.Declaration{Reason: "r"}}, style.Declares)
	known := plain.Map(style.Declares.All(), func(declared spec.Named) bool { return declared.Known() })
	assert.Equal(t, []bool{true, true, false}, known)
}

func TestGatesAreNamed(t *testing.T) {
	for want, gate := range map[string]spec.Gate{
		"the rollout of Deployment n/d":                                 {Rollout: &spec.Rollout{Kind: "Deployment", Namespace: "n", Name: "d"}},
		"condition Ready of Node a":                                     {Condition: &spec.Condition{Kind: "Node", Name: "a", Type: "Ready"}},
		`"up" in the log of c`:                                          {Log: &spec.Log{Component: "c", Contains: "up"}},
		`"up" in the logs of 2 pods of c`:                               {Log: &spec.Log{Component: "c", Contains: "up", Pods: 2}},
		"status.phase = Succeeded or Done of ClusterServiceVersion n/v": {Field: &spec.Field{Kind: "ClusterServiceVersion", Namespace: "n", Name: "v", Path: "status.phase", Equals: []string{"Succeeded", "Done"}}},
		"nothing": {},
	} {
		assert.Equal(t, want, gate.String())
	}
}
