package install

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	typed "k8s.io/client-go/kubernetes/fake"

	"operatorbench/e2e/environment/install/yaml"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
)

// bundle is what a controller has made of one object that was applied: a Deployment
// and its account by owner, and a cluster role, which nobody can own, by a label.
const bundle = `
apiVersion: v1
kind: Namespace
metadata: {name: operator, uid: n, labels: {app.kubernetes.io/managed-by: operatorbench, operatorbench/run: abc123, operatorbench/style: bundled}}
---
apiVersion: v1
kind: Namespace
metadata: {name: others, uid: o, labels: {app.kubernetes.io/managed-by: operatorbench, operatorbench/run: abc123, operatorbench/style: another}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: operator, uid: d, ownerReferences: [{apiVersion: v1, kind: ServiceAccount, name: manager, uid: s}]}
spec: {template: {metadata: {labels: {app: manager}}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: manager, namespace: operator, uid: s, ownerReferences: [{apiVersion: v1, kind: Namespace, name: operator, uid: n}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: manager-x7, uid: r, labels: {made.example/for: bundled}}
rules: [{apiGroups: [apps], resources: [deployments], verbs: [create]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: manager-x7, uid: b, labels: {made.example/for: bundled}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: manager-x7}
subjects: [{kind: ServiceAccount, name: manager, namespace: operator}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: manager-view, uid: v, labels: {made.example/for: bundled}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: manager, namespace: operator}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: view, uid: w}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {to: view}}]}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: somebody-elses, uid: e}
rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]
`

// What a controller makes of what was applied is found by owners and marks: its
// workload, its account and its rights, and nobody else's.
func TestFind(t *testing.T) {
	objs, err := yaml.Parse("bundle.yaml", []byte(bundle))
	require.NoError(t, err)
	lists := map[schema.GroupVersionResource]string{}
	for resource, kind := range map[string]string{
		"namespaces": "Namespace", "serviceaccounts": "ServiceAccount", "deployments": "Deployment", "statefulsets": "StatefulSet", "daemonsets": "DaemonSet",
		"roles": "Role", "rolebindings": "RoleBinding", "clusterroles": "ClusterRole", "clusterrolebindings": "ClusterRoleBinding",
	} {
		for _, one := range telling() {
			if one.Resource == resource {
				lists[one] = kind + "List"
			}
		}
	}
	existing := make([]runtime.Object, len(objs))
	for i, obj := range objs {
		existing[i] = obj
	}
	cluster := typed.NewClientset()
	cluster.Resources = []*metav1.APIResourceList{{GroupVersion: "v1", APIResources: []metav1.APIResource{
		{Name: "namespaces", Kind: "Namespace", Verbs: []string{"list", "delete"}},
	}}}
	c := Cluster{Run: "abc123", Kube: &kube.Client{Dynamic: fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, existing...), Typed: cluster}}
	mark := labels.SelectorFromSet(labels.Set{"made.example/for": "bundled"})
	found, err := Find(t.Context(), c, "bundled", mark)
	require.NoError(t, err)
	installed, err := InstalledOf(found)
	require.NoError(t, err)
	assert.Equal(t, spec.Installed{
		Namespaces: []string{"operator"},
		Grants: []spec.Grant{
			{ServiceAccount: "operator/manager", Role: "ClusterRole manager-x7", Groups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"create"}},
			{ServiceAccount: "operator/manager", Role: "ClusterRole view", Groups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}},
		},
	}, installed, "a role that is bound is known, whoever made it")
	components := []spec.Component{{Name: "manager", Namespace: "operator", Selector: "app=manager"}, {Name: "gone", Namespace: "operator", Selector: "app=gone"}}
	unmade, err := Unmade(components, found)
	require.NoError(t, err)
	assert.Equal(t, []string{"gone"}, unmade)

	found, err = Find(t.Context(), c, "bundled")
	require.NoError(t, err)
	assert.Len(t, found, 3, "without the mark the namespace, and what it owns")
}
