// Package workloadtest has workloads for the tests of packages that are to know none.
package workloadtest

import (
	"testing"
	"testing/fstest"

	"operatorbench/e2e/spec/workloads"
)

// Default is the workload of styles that name none.
func Default(tb testing.TB) *workloads.Workload {
	tb.Helper()
	w, err := workloads.Default()
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

const queue = `
name: queue
description: A queue that keeps what it is given, in one StatefulSet.
resource: {group: queue.example.com, version: v1, kind: Queue, plural: queues}
template: cr.yaml
images: [pause]
knobs:
  members: {path: spec.cluster.members, effect: scale, values: [1, 3, 5]}
  colour: {path: spec.colour, effect: roll, to: red}
pause: {spec: {paused: true}, metadata: {annotations: {queue.example.com/by: somebody}}}
children:
  - {id: set, resource: statefulsets.v1.apps, kind: StatefulSet, main: true, scale: spec.replicas}
  - {id: service, resource: services.v1, kind: Service}
  - {id: secret, resource: secrets.v1, kind: Secret}
  - {id: pod, resource: pods.v1, kind: Pod}
`

// Queue differs from the default workload in all that can differ: the operator brings the definition, nobody knows what
// it writes for a custom resource, that is no Deployment, and not alone, and what scales it is elsewhere and never 0.
func Queue(tb testing.TB) *workloads.Workload {
	tb.Helper()
	w, err := workloads.Read("queue", fstest.MapFS{
		workloads.FileName: {Data: []byte(queue)},
		"cr.yaml":          {Data: []byte("apiVersion: queue.example.com/v1\nkind: Queue\nmetadata: {name: queue}\nspec: {cluster: {members: 1}}\n")},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return w
}
