package fault_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// The second pod comes beside the first; mending chooses the first to go, and waits until no more are left than there were.
func TestTheFirstOfTwoGoes(t *testing.T) {
	typed, injector := bench()
	pods := typed.CoreV1().Pods("n")
	labels := kube.Owner{Run: "mine"}.Labels()
	labels["app"] = "manager"
	add := func(name string) {
		_, err := pods.Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: "n", Name: name, UID: types.UID(name), Labels: labels,
		}}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	add("first")
	broken, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultDouble, What: "manager"}, fault.Target{})
	require.NoError(t, err)
	assert.Equal(t, []string{"deployments/n/manager"}, broken.Objects)
	assert.Equal(t, map[string]int32{"manager": 2, "worker": 2, "other": 3}, replicas(t, typed))
	add("second")

	// The ReplicaSet, which takes away the pod of the least cost.
	typed.PrependReactor("patch", "deployments", func(clienttesting.Action) (bool, runtime.Object, error) {
		list, err := typed.Tracker().List(corev1.SchemeGroupVersion.WithResource("pods"), corev1.SchemeGroupVersion.WithKind("Pod"), "n")
		require.NoError(t, err)
		for _, pod := range list.(*corev1.PodList).Items {
			if pod.Annotations[corev1.PodDeletionCost] != "" {
				require.NoError(t, typed.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("pods"), "n", pod.Name))
			}
		}
		return false, nil, nil
	})
	require.NoError(t, broken.Undo(t.Context()))
	assert.EqualValues(t, 1, replicas(t, typed)["manager"])
	left, err := pods.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, left.Items, 1)
	assert.Equal(t, "second", left.Items[0].Name)
}

// Who runs two pods already is given a third, and has two again.
func TestTwoBecomeThree(t *testing.T) {
	typed, injector := bench()
	broken, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultDouble, What: "worker"}, fault.Target{})
	require.NoError(t, err)
	assert.Equal(t, map[string]int32{"manager": 1, "worker": 3, "other": 3}, replicas(t, typed))
	require.NoError(t, broken.Undo(t.Context()))
	assert.Equal(t, map[string]int32{"manager": 1, "worker": 2, "other": 3}, replicas(t, typed))
}
