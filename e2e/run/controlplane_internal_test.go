package run

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pod has containers that have been restarted so often.
func pod(name string, counts ...int32) corev1.Pod {
	one := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for _, n := range counts {
		one.Status.ContainerStatuses = append(one.Status.ContainerStatuses, corev1.ContainerStatus{RestartCount: n})
	}
	return one
}

// What restarted before the run began is not told of, nor is a pod that is gone.
func TestRestartsSince(t *testing.T) {
	before := restartsOf([]corev1.Pod{pod("etcd", 0), pod("gone", 2), pod("scheduler", 1, 1)})
	assert.Empty(t, before.since(before))
	after := restartsOf([]corev1.Pod{pod("scheduler", 1, 3), pod("etcd", 0), pod("late", 1)})
	assert.Equal(t, []string{"late restarted 1×", "scheduler restarted 2×"}, after.since(before))
	assert.Empty(t, restarts(nil).since(before), "an existing cluster that does not let it be asked")
	assert.Empty(t, after.since(nil), "nobody has counted before, as in a run that was refused")
}
