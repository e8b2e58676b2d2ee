// Package shelloperator has the tests of an operator in bash and jq.
package shelloperator

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	asked   = `{"apiVersion":"cache.example.com/v1alpha1","kind":"Memcached","metadata":{"name":"m","namespace":"n","uid":"u","generation":3},"spec":{"size":1}}`
	stands  = `{"metadata":{"name":"m","namespace":"n","generation":1},"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":1}}`
	serving = `{"metadata":{"name":"m-1","namespace":"n"},"instance":"m","ready":true,"unscheduled":[],"waiting":[]}`
)

// object is what JSON has between braces.
type object = map[string]any

// parse returns a copy of an object that nothing else has.
func parse(t *testing.T, text string) object {
	t.Helper()
	var value object
	require.NoError(t, json.Unmarshal([]byte(text), &value), text)
	return value
}

// plan returns the operations that plan.jq prints for what there is.
func plan(t *testing.T, memcached object, deployments, pods []object) []object {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("no jq on this machine: ", err)
	}
	snapshot := func(objects ...object) []object {
		items := []object{}
		for _, one := range objects {
			items = append(items, object{"filterResult": one})
		}
		return items
	}
	input, err := json.Marshal([]object{{"binding": "pods", "type": "Group", "snapshots": object{
		"memcacheds": snapshot(memcached), "deployments": snapshot(deployments...), "pods": snapshot(pods...),
	}}})
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), "jq", "--compact-output", "--from-file", "manifests/plan.jq")
	command.Stdin = strings.NewReader(string(input))
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	var operations []object
	for line := range strings.Lines(string(out)) {
		operations = append(operations, parse(t, line))
	}
	return operations
}

// at returns what is at a path of an object.
func at(value any, path ...string) any {
	for _, key := range path {
		fields, _ := value.(object)
		value = fields[key]
	}
	return value
}

// made returns the Deployment that is created for a Memcached, as it stands once its pods are ready.
func made(t *testing.T, memcached object) object {
	t.Helper()
	first := plan(t, memcached, nil, nil)[0]
	require.Equal(t, "CreateIfNotExists", first["operation"])
	live := parse(t, stands)
	live["spec"] = at(first, "object", "spec")
	for key, value := range at(first, "object", "metadata").(object) {
		live["metadata"].(object)[key] = value
	}
	return live
}

// settled returns a Memcached whose status says all that there is.
func settled(t *testing.T) (memcached, live object) {
	t.Helper()
	memcached = parse(t, asked)
	live = made(t, memcached)
	operations := plan(t, memcached, []object{live}, []object{parse(t, serving)})
	require.Len(t, operations, 1)
	memcached["status"] = at(operations[0], "mergePatch", "status")
	return memcached, live
}

// ready returns status and reason of the condition Ready in the last operation.
func ready(operations []object) (status, reason any) {
	conditions, _ := at(operations[len(operations)-1], "mergePatch", "status", "conditions").([]any)
	last := conditions[len(conditions)-1]
	return at(last, "status"), at(last, "reason")
}

func TestAllIsAsItShouldBe(t *testing.T) {
	memcached, live := settled(t)
	assert.Equal(t, []any{"m-1"}, at(memcached, "status", "nodes"))
	assert.Empty(t, plan(t, memcached, []object{live}, []object{parse(t, serving)}), "nothing is written")
	live["spec"].(object)["revisionHistoryLimit"] = 10
	live["metadata"].(object)["labels"].(object)["more"] = "yes"
	assert.Empty(t, plan(t, memcached, []object{live}, []object{parse(t, serving)}), "others may add to it")
	memcached["metadata"].(object)["deletionTimestamp"] = "2026-11-23T00:00:00Z"
	assert.Empty(t, plan(t, memcached, nil, nil), "what is being deleted gets nothing")
}

func TestDrift(t *testing.T) {
	for name, change := range map[string]func(live object){
		"replicas": func(live object) { live["spec"].(object)["replicas"] = 9 },
		"labels":   func(live object) { delete(live["metadata"].(object)["labels"].(object), "app") },
		"owner":    func(live object) { delete(live["metadata"].(object), "ownerReferences") },
		"flag": func(live object) {
			live["metadata"].(object)["ownerReferences"].([]any)[0].(object)["blockOwnerDeletion"] = false
		},
		"image": func(live object) {
			containers := at(live, "spec", "template", "spec", "containers").([]any)
			containers[0].(object)["image"] = "docker.io/library/memcached:1.6.180"
		},
	} {
		memcached, live := settled(t)
		change(live)
		operations := plan(t, memcached, []object{live}, []object{parse(t, serving)})
		require.NotEmpty(t, operations, name)
		assert.Equal(t, "MergePatch", operations[0]["operation"], name)
		assert.Equal(t, "Deployment", operations[0]["kind"], name)
	}
}

func TestWhatIsLeftAlone(t *testing.T) {
	for reason, change := range map[string]func(memcached, live object){
		"InvalidSize":        func(memcached, _ object) { memcached["spec"] = object{"size": 1.5} },
		"DeploymentDeleting": func(_, live object) { live["metadata"].(object)["deletionTimestamp"] = "2026-11-23T00:00:00Z" },
		"PredecessorDeleting": func(memcached, _ object) {
			memcached["metadata"].(object)["uid"] = "another"
		},
		"DeploymentNotOwned": func(_, live object) {
			live["metadata"].(object)["ownerReferences"] = []object{{"kind": "Other", "name": "o", "uid": "o", "controller": true}}
		},
	} {
		memcached, live := settled(t)
		change(memcached, live)
		operations := plan(t, memcached, []object{live}, []object{parse(t, serving)})
		require.Len(t, operations, 1, reason)
		status, because := ready(operations)
		assert.Equal(t, "status", operations[0]["subresource"], reason)
		assert.Equal(t, []any{"False", reason}, []any{status, because})
	}
}

func TestWhyPodsDoNotStart(t *testing.T) {
	memcached, live := settled(t)
	pod := parse(t, serving)
	pod["ready"], pod["waiting"] = false, []object{{"name": "memcached", "image": "i", "reason": "ErrImagePull"}}
	status, reason := ready(plan(t, memcached, []object{live}, []object{pod}))
	assert.Equal(t, []any{"False", "PodsCannotStart"}, []any{status, reason}, "whatever the Deployment says")
}

func TestLongNamesAreToldApart(t *testing.T) {
	values := map[any]bool{}
	for _, name := range []string{"a", strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 250), strings.Repeat("a", 249) + "b"} {
		memcached := parse(t, asked)
		memcached["metadata"].(object)["name"] = name
		value := at(made(t, memcached), "metadata", "labels", "app.kubernetes.io/instance")
		assert.LessOrEqual(t, len(value.(string)), 63)
		values[value] = true
	}
	assert.Len(t, values, 5)
}
