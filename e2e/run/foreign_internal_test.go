package run

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec/files"
)

// served are the kinds of a cluster that has the Operator Lifecycle Manager.
var served = map[string][]metav1.APIResource{
	"/api/v1":                    {{Name: "namespaces", Kind: "Namespace"}, {Name: "serviceaccounts", Kind: "ServiceAccount", Namespaced: true}, {Name: "services", Kind: "Service", Namespaced: true}},
	"/apis/networking.k8s.io/v1": {{Name: "networkpolicies", Kind: "NetworkPolicy", Namespaced: true}},
	"/apis/apps/v1":              {{Name: "deployments", Kind: "Deployment", Namespaced: true}},
	"/apis/rbac.authorization.k8s.io/v1": {
		{Name: "clusterroles", Kind: "ClusterRole"},
		{Name: "clusterrolebindings", Kind: "ClusterRoleBinding"},
		{Name: "roles", Kind: "Role", Namespaced: true},
		{Name: "rolebindings", Kind: "RoleBinding", Namespaced: true},
	},
	"/apis/apiextensions.k8s.io/v1":       {{Name: "customresourcedefinitions", Kind: "CustomResourceDefinition"}},
	"/apis/operators.coreos.com/v1":       {{Name: "operatorgroups", Kind: "OperatorGroup", Namespaced: true}, {Name: "olmconfigs", Kind: "OLMConfig"}},
	"/apis/operators.coreos.com/v1alpha1": {{Name: "clusterserviceversions", Kind: "ClusterServiceVersion", Namespaced: true}},
}

// apiServer answers reads of a cluster that has these objects, by path, and counts all else.
func apiServer(t *testing.T, objects map[string]any) (url string, writes *atomic.Int64) {
	t.Helper()
	answers := map[string]any{"/version": map[string]string{"gitVersion": "v1.37.0"}, "/api": metav1.APIVersions{Versions: []string{"v1"}}}
	groups := metav1.APIGroupList{}
	for at, resources := range served {
		version := strings.TrimPrefix(strings.TrimPrefix(at, "/apis/"), "/api/")
		answers[at] = metav1.APIResourceList{GroupVersion: version, APIResources: resources}
		if strings.HasPrefix(at, "/apis/") {
			found := metav1.GroupVersionForDiscovery{GroupVersion: version, Version: path.Base(version)}
			groups.Groups = append(groups.Groups, metav1.APIGroup{Name: path.Dir(version), Versions: []metav1.GroupVersionForDiscovery{found}})
		}
	}
	answers["/apis"] = groups
	for at, object := range objects {
		answers[at] = object
	}
	writes = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			writes.Add(1)
		}
		w.Header().Set("Content-Type", "application/json")
		answer, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			answer = metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound}
		}
		assert.NoError(t, json.NewEncoder(w).Encode(answer))
	}))
	t.Cleanup(server.Close)
	return server.URL, writes
}

// Whose cluster has the Operator Lifecycle Manager already is told that, and not first to
// bring images into its nodes, which would be of no use. Nothing is sent that could change it.
func TestALifecycleManagerThatIsThereIsRefused(t *testing.T) {
	s, _, _ := onExisting(t, "--operator=olm", "--scenario=create", "--yes")
	definitions, err := install.Render(files.Tree("../../operators"), "../../operators/olm/manifests/olm")
	require.NoError(t, err)
	objects := map[string]any{"/api/v1/nodes": corev1.NodeList{Items: []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "node"}}}}}
	var want []string
	for _, object := range definitions {
		if object.GetKind() == "CustomResourceDefinition" {
			objects["/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"+object.GetName()] = object
			want = append(want, kube.Describe(object))
		}
	}
	require.Len(t, want, 7)
	url, writes := apiServer(t, objects)
	s.options.Kubeconfig, s.listed = kubeconfig(t, url), 0

	opened := s.Open(t.Context())
	require.NoError(t, s.Close(t.Context()))
	var refused *kube.ForeignError
	require.ErrorAs(t, opened, &refused)
	assert.Equal(t, want, refused.Objects)
	assert.ErrorContains(t, opened, "refusing to touch what this run did not make")
	assert.Zero(t, writes.Load(), "nothing was made, changed or removed")
	assert.Empty(t, s.Left())
}
