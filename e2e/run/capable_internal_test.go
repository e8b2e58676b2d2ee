package run

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// nodesWith are nodes that have images. No pod of an operator is scheduled to one that is called control-plane.
func nodesWith(images map[string][]string) corev1.NodeList {
	list := corev1.NodeList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NodeList"}}
	for name, references := range images {
		node := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if name == "control-plane" {
			node.Spec.Taints = []corev1.Taint{{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule}}
		}
		node.Status.Capacity = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4")}
		node.Status.NodeInfo.KubeletVersion = "v1.37.0"
		for _, reference := range references {
			node.Status.Images = append(node.Status.Images, corev1.ContainerImage{Names: []string{reference}})
		}
		list.Items = append(list.Items, node)
	}
	return list
}

// An image that no registry has is refused before anything is made in a cluster
// whose nodes lack it; the message says what to do.
func TestAnExistingClusterThatCannotGetAnImageIsRefused(t *testing.T) {
	const own = "operatorbench.local/memcached-operator-native:v0.1.0"
	for name, test := range map[string]struct {
		operator string
		nodes    map[string][]string
		want     string // in the error; "": there is none
	}{
		"on no node":      {"native", map[string][]string{"a": {"docker.io/library/memcached:1.6.18"}}, "native (" + own + ") is not in node a"},
		"on one of them":  {"native", map[string][]string{"a": {own}, "b": nil}, "is not in node b"},
		"on each of them": {"native", map[string][]string{"a": {own}, "b": {own}}, ""},
		"where pods go":   {"native", map[string][]string{"a": {own}, "control-plane": nil}, ""},
		"not known":       {"native", map[string][]string{"a": make([]string, mostListed)}, ""},
		"of a registry":   {"argo", map[string][]string{"a": nil}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			url, writes := apiServer(t, map[string]any{"/api/v1/nodes": nodesWith(test.nodes)})
			s, _, _ := onExisting(t, "--yes", "--operator="+test.operator)
			s.options.Kubeconfig, s.listed = kubeconfig(t, url), 0
			require.NoError(t, s.cluster(t.Context(), ""))
			err := s.obtainable(t.Context())
			if test.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "the existing cluster cannot get images that no registry has: ")
				require.ErrorContains(t, err, test.want)
				require.ErrorContains(t, err, "nothing was made in it; bring them into each of its nodes")
				require.ErrorContains(t, err, "--cluster=kind")
			}
			require.NoError(t, s.nodes(t.Context()))
			assert.Len(t, s.facts.Nodes, len(test.nodes))
			for _, node := range s.facts.Nodes {
				assert.Equal(t, record.Node{Name: node.Name, Off: node.Name == "control-plane", Kubelet: "v1.37.0", CPUs: 4}, node)
			}
			assert.Zero(t, writes.Load(), "nothing was touched")
		})
	}
}

// What a cluster cannot do makes the scenarios that need it not applicable, and
// nothing else is expected of them.
func TestScenariosThatTheClusterLacksSomethingFor(t *testing.T) {
	for name, want := range map[string]string{
		"changed-after-node-restart":       "may not have its nodes restarted",
		"changed-after-api-server-restart": "may not have its control plane broken",
		"image-missing":                    "may not have images removed from its nodes",
		"two-resources":                    "",
	} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := onExisting(t, "--scenario="+name)
			require.Len(t, s.scenarios, 1)
			why := s.participants[1].unfit(s.scenarios[0])
			assert.Equal(t, want == "", why == "", why)
			assert.Contains(t, why, want)
			entry, _ := s.participants[1].expected.Of(name)
			assert.Equal(t, want != "", entry.Verdict == spec.NotApplicable)
			s.participants[1].cluster = cluster.KindName
			assert.Empty(t, s.participants[1].unfit(s.scenarios[0]), "on a cluster of its own")
			assert.True(t, strings.HasPrefix(why, "an existing cluster") || why == "")
		})
	}
}
