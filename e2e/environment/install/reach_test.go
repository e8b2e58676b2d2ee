package install_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/install/yaml"
)

const hostile = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: node, namespace: kube-system}
spec:
  template:
    spec:
      hostPID: true
      containers: [{name: a, image: a, securityContext: {privileged: true}}]
      volumes: [{name: host, hostPath: {path: /}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: open}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: Group, name: "system:unauthenticated"}, {kind: ServiceAccount, name: me, namespace: mine}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: never}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: more, labels: {rbac.authorization.k8s.io/aggregate-to-view: "true"}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: theirs}
---
apiVersion: v1
kind: Namespace
metadata: {name: default}
---
apiVersion: example.com/v1
kind: Bundle
metadata: {name: b, namespace: theirs}
spec: {deployments: [{spec: {template: {spec: {hostNetwork: true, containers: [{name: a, image: a}]}}}}]}
`

func TestReach(t *testing.T) {
	objs, err := yaml.Parse("hostile", []byte(hostile))
	require.NoError(t, err)
	found, err := install.Reach(objs)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"1 of its objects are in kube-system, which is the cluster's own",
		"2 of its objects are in the namespace theirs, which it does not make",
		"ClusterRole more adds to the cluster's own role view",
		"ClusterRoleBinding open gives ClusterRole cluster-admin to the group system:unauthenticated",
		"ValidatingWebhookConfiguration never decides on what everybody in the cluster writes or reads",
		"it changes the namespace default, which every cluster has",
		"mine/me may * *, *.* in the whole cluster, by ClusterRole cluster-admin", // URLs, and resources
		"pods of Bundle theirs/b are beyond the baseline standard: host namespaces (hostNetwork=true)",
		"pods of DaemonSet kube-system/node are beyond the baseline standard: host namespaces (hostPID=true), hostPath volumes (volume \"host\"), " +
			"privileged (container \"a\" must not set securityContext.privileged=true)",
	}, found)
}
