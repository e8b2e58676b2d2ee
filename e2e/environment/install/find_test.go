package install

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	typed "k8s.io/client-go/kubernetes/fake"

	"operatorbench/e2e/environment/install/yaml"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// bundle is what a controller has made of one namespace that was applied: a Deployment
// and its account in it, and a cluster role, which is bound to that account alone.
const bundle = `
apiVersion: v1
kind: Namespace
metadata: {name: operator, uid: "n", labels: {app.kubernetes.io/managed-by: operatorbench, operatorbench/run: abc123, operatorbench/style: bundled}}
---
apiVersion: v1
kind: Namespace
metadata: {name: others, uid: o, labels: {app.kubernetes.io/managed-by: operatorbench, operatorbench/run: abc123, operatorbench/style: another}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: operator, uid: d}
spec: {template: {metadata: {labels: {app: manager}}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: manager, namespace: operator, uid: s}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: manager-x7, uid: r}
rules: [{apiGroups: [apps], resources: [deployments], verbs: [create]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: manager-x7, uid: b}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: manager-x7}
subjects: [{kind: ServiceAccount, name: manager, namespace: operator}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: manager-view, uid: v}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: manager, namespace: operator}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: shared, uid: h}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: somebody-elses}
subjects: [{kind: ServiceAccount, name: manager, namespace: operator}, {kind: ServiceAccount, name: default, namespace: others}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: manager-edit, uid: u, ownerReferences: [{apiVersion: v1, kind: Namespace, name: operator, uid: "n"}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: others, uid: z, ownerReferences: [{apiVersion: v1, kind: ServiceAccount, name: manager, uid: unknown}]}
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

// What a controller makes from an applied object is found by namespace, owner and binding: its
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
	found, err := Find(t.Context(), c, "bundled")
	require.NoError(t, err)
	names := plain.Map(found, func(obj *unstructured.Unstructured) string { return obj.GetKind() + " " + obj.GetName() })
	assert.ElementsMatch(t, []string{
		"Namespace operator", "ServiceAccount manager", "Deployment manager",
		"ClusterRoleBinding manager-x7", "ClusterRoleBinding manager-view", "ClusterRole manager-x7", "ClusterRole manager-edit", "ClusterRole view",
	}, names)
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
}
