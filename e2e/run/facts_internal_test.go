package run

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// What reaches beyond a container is found wherever a pod's specification is, and a
// definition of such fields is none.
func TestPrivileges(t *testing.T) {
	var objects []*unstructured.Unstructured
	for _, text := range []string{`
kind: DaemonSet
metadata: {name: agent, namespace: a}
spec: {template: {spec: {hostNetwork: true, hostPID: false, volumes: [{name: run, hostPath: {path: /run}}], containers: [
  {name: one, securityContext: {privileged: true, capabilities: {drop: [ALL], add: [NET_ADMIN]}}}, {name: two, securityContext: {privileged: false}}]}}}`, `
kind: Sensor
metadata: {name: s, namespace: a}
spec: {triggers: [{template: {k8s: {source: {resource: {spec: {initContainers: [{securityContext: {allowPrivilegeEscalation: true}}]}}}}}}]}`, `
kind: CustomResourceDefinition
metadata: {name: d}
spec: {hostNetwork: true}`} {
		object := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte(text), &object.Object))
		objects = append(objects, object)
	}
	assert.Equal(t, []string{
		"allowPrivilegeEscalation of Sensor a/s", "capability NET_ADMIN of DaemonSet a/agent", "hostNetwork of DaemonSet a/agent",
		"hostPath /run of DaemonSet a/agent", "privileged of DaemonSet a/agent",
	}, privileges(objects))
}

// Whose verdicts vary is what verdicts.yaml beside each side says; of no comparison
// nothing is recorded.
func TestFlakyScenariosOfAComparison(t *testing.T) {
	s := contested(t, time.Hour, io.Discard, "argo-ordered")
	assert.Contains(t, flaky(s.comparisons[0].base()), "updates-race")
	assert.Empty(t, flaky(&participant{operator: s.comparisons[0].base().operator}))
}
