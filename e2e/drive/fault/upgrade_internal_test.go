package fault

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
)

// A pod counts as ready for the second that it lives while the bus is not up.
func TestUnsteady(t *testing.T) {
	now := time.Now()
	running := func(ready bool, since time.Duration) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: "main", Ready: ready, RestartCount: 2, State: corev1.ContainerState{
			Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(now.Add(-since))},
		}}
	}
	for name, test := range map[string]struct {
		status []corev1.ContainerStatus
		steady bool
	}{
		"has run for long":      {[]corev1.ContainerStatus{running(true, time.Minute)}, true},
		"has just been started": {[]corev1.ContainerStatus{running(true, time.Second)}, false},
		"is not ready":          {[]corev1.ContainerStatus{running(false, time.Minute)}, false},
		"waits to be restarted": {[]corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}}, false},
		"was never started":     {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}}, Status: corev1.PodStatus{ContainerStatuses: test.status}}
			assert.Equal(t, test.steady, unsteady(pod, now) == "", unsteady(pod, now))
		})
	}
}

// That the pods of the next version do not stay up is its failure, as that a rollout does not end is, and no broken test
// environment.
func TestANextVersionThatDoesNotStayUp(t *testing.T) {
	owner := kube.Owner{Run: "mine"}
	i := &Injector{Owner: owner, Style: spec.Style{Name: "some"}, Kube: fake.NewClientset(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "new", Labels: owner.Labels()}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}},
	})}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	served := func(context.Context) error { return nil }
	err := i.finishUpgrade(ctx, served, []spec.Component{{Name: "c", Namespace: "n"}}, nil)
	var late *kube.WaitError
	require.ErrorAs(t, err, &late)
	assert.Contains(t, err.Error(), "container main of pod n/new is not, after 0 restarts")
}
