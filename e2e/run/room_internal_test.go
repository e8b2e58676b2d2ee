package run

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/workloads"
	"operatorbench/e2e/timeline/wire"
)

// LeaderWorkerSet's own pod requests a whole CPU of two, and Kubernetes 850m: a fourth pod of 50m was not placed.
func TestWhatTheNodesHaveNoRoomFor(t *testing.T) {
	read := func(text string, into any) { require.NoError(t, yaml.Unmarshal([]byte(text), into)) }
	var nodes []corev1.Node
	read(`[{metadata: {name: one}, status: {allocatable: {cpu: "2", memory: 8Gi}}},
	  {metadata: {name: closed}, spec: {unschedulable: true}, status: {allocatable: {cpu: "64"}}},
	  {metadata: {name: tainted}, spec: {taints: [{key: a, effect: NoSchedule}]}, status: {allocatable: {cpu: "64"}}}]`, &nodes)
	var pods []corev1.Pod
	read(`[{spec: {nodeName: one, containers: [{resources: {requests: {cpu: 600m}}}, {resources: {requests: {cpu: 250m}}}]}},
	  {spec: {nodeName: one, containers: [{resources: {requests: {cpu: "1"}}}]}}, {spec: {nodeName: one, containers: [{}]}},
	  {spec: {nodeName: one, containers: [{resources: {requests: {cpu: "1"}}}]}, status: {phase: Succeeded}},
	  {spec: {nodeName: closed, containers: [{resources: {requests: {cpu: "1"}}}]}}]`, &pods)
	var asks map[string]any
	read(`{spec: {replicas: 1, workerTemplate: {spec: {containers: [{resources: {limits: {cpu: 100m, memory: 64Mi}, requests: {cpu: 0.03}}}, {resources: {requests: {cpu: 20m}}}]}}}}`, &asks)
	each := corev1.ResourceList{}
	wire.Request(asks, each)
	room := roomFor(nodes, pods, each)
	assert.Equal(t, 3, room)

	operator := &unstructured.Unstructured{}
	require.NoError(t, operator.UnmarshalJSON([]byte(`{"kind": "Deployment", "spec": {"replicas": 2, "template": {"spec": {"containers": [{"resources": {"requests": {"cpu": "500m"}}}]}}}}`)))
	memcached, err := workloads.Default()
	require.NoError(t, err)
	assert.Equal(t, "1 of cpu by its pods", asksFor([]*unstructured.Unstructured{operator}, memcached))

	sized := func(name string, given, then int) scenarios.Scenario {
		return scenarios.Scenario{Name: name, Given: &scenarios.Spec{Size: given}, Steps: []scenarios.Step{{Patch: &scenarios.Spec{Size: then}}}}
	}
	const kind = "LeaderWorkerSet"
	assert.Empty(t, crowded(room, each, kind, []scenarios.Scenario{sized("scale-to-zero", 3, 0)}))
	assert.Equal(t, "beside all that runs, the nodes have room for 3 pods of a LeaderWorkerSet, which requests 50m of cpu and 64Mi of memory for each: scale-up, scale-down, "+
		"which ask for more, will say nothing of the operator; run them on a larger machine, or request less in the custom resource's template",
		crowded(room, each, kind, []scenarios.Scenario{sized("scale-up", 3, 4), sized("scale-to-zero", 3, 0), sized("scale-down", 4, 2)}))
	assert.Empty(t, crowded(roomFor(nodes, pods, nil), nil, kind, []scenarios.Scenario{sized("scale-up", 3, 4)}), "who requests nothing has room")

	read(`{spec: {storage: {volumeClaimTemplate: {resources: {requests: {storage: 1Gi}}}}, resources: {requests: {cpu: 50m}}}}`, &asks)
	each = corev1.ResourceList{}
	wire.Request(asks, each)
	assert.Equal(t, 3, roomFor(nodes, pods, each), "a volume is no part of a node")
}
