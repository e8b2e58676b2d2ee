package wire

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"operatorbench/e2e/spec"
)

// once tells whether every object in a value has each of its keys once: of others each reader makes what it likes.
func once(value gjson.Result) bool {
	keys, is := map[string]bool{}, true
	value.ForEach(func(key, inner gjson.Result) bool {
		is = !(value.IsObject() && keys[key.Str]) && (inner.Type != gjson.JSON || once(inner))
		keys[key.Str] = true
		return is
	})
	return is
}

// layout is that of a workload whose paths are those of the seeds.
var layout = NewLayout(&spec.Workload{
	Resource: spec.CustomResource{Group: "example.com", Version: "v1", Kind: "Example", Plural: "examples"},
	Knobs:    map[string]spec.Knob{"size": {Path: "spec.size", Effect: spec.Scale}},
	Children: []spec.ChildKind{{Resource: "deployments.v1.apps", Kind: "Deployment", Main: true, Scale: "spec.replicas"}},
	Status: spec.StatusPaths{
		ObservedGeneration: "status.observedGeneration", Replicas: "status.replicas", Selector: "status.selector",
		Nodes: "status.nodes", Conditions: "status.conditions",
	},
})

// What one pass finds is what gjson finds, path by path.
func FuzzLookup(f *testing.F) {
	paths := []string{
		"status.phase", "status", "status.nodes", "status.nodes.a", "metadata.labels.app", "phase",
		`status.nodes.@values.#(displayName=="a").phase`, `status.nodes.@values.#(displayName=="a").type`, `status.nodes.@values.#(displayName=="b c").phase`,
		`status.nodes.@values.#(displayName=="").phase`, `status.nodes.@values.#(displayName=="a").inputs.name`,
		`status.nodes.@values.#(id=="a").phase`, `status.conditions.#(type=="Ready").status`, "status.nodes.@values.#", "status.conditions.0.type",
	}
	look := NewLookup(paths)
	for i, left := range look.left {
		require.Equal(f, i >= 11, left, "%s is found in the pass, or left", paths[i])
	}
	for _, text := range []string{
		`{"metadata":{"labels":{"app":"x"}},"status":{"phase":"Running","nodes":{"n1":{"displayName":"a","id":"1","inputs":{"name":"i"},"phase":"Failed"},"a":{"phase":"P","displayName":"b c"},"n3":{"displayName":"a","phase":"late"}}}}`,
		`{"status":{"nodes":{"n1":{"displayName":7,"phase":"x"}}}}`, `{"status":{"nodes":[{"displayName":"a","phase":"x"}]}}`,
		`{"status":{"nodes":{},"phase":null,"conditions":[{"type":"Ready","status":"True"}]}}`, `{"status":"x"}`, `{"status":{"phase":1.50}}`,
		`{"status":{"nodes":{"a":{"displayName":"\u0061","phase":"x"}}}}`, `{"status":{"nodes":{"a":"x","b":{"displayName":"a"}}}}`, `[]`, `7`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		require.Equal(t, len(text) == 0 || json.Valid(text), Check(text) == nil)
		found := look.In(text, func(int) bool { return true })
		if !json.Valid(text) || !once(gjson.ParseBytes(text)) {
			return
		}
		for i, path := range paths {
			want := gjson.GetBytes(text, path)
			require.Equal(t, want.Exists(), found[i].Exists(), "%s of %s", path, text)
			require.Equal(t, want.String(), found[i].String(), "%s of %s", path, text)
		}
	})
}

// Objects that are not as expected are an error, never a panic.
func FuzzDetail(f *testing.F) {
	for _, text := range []string{
		`{"metadata":{"labels":{"app":"a"}},"status":{"containerStatuses":[{"name":"c","restartCount":2,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,"reason":"Error"}}}]}}`,
		`{"regarding":{"kind":"Pod","name":"p"},"reason":"Failed","note":"n","type":"Warning"}`, `{"involvedObject":{"uid":"u"},"message":"m"}`,
		`{"spec":{"replicas":1},"status":{"conditions":[{"type":"Available","status":"True","message":"m"}]}}`, `null`, `[]`, ``, `{"status":[]}`,
	} {
		for _, resource := range []string{spec.Pods, spec.Events, layout.Mains, layout.Customs} {
			f.Add(resource, []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, resource string, text []byte) {
		_ = layout.Read(&Object{Resource: resource}, text)
		d, err := layout.ReadDetail(resource, text)
		require.Equal(t, err == nil, d != nil)
		if err == nil && len(text) > 0 && resource == layout.Mains && d.Spec != "" {
			require.True(t, json.Valid([]byte(d.Spec)))
		}
	})
}
