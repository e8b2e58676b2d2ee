package run

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// restarts is how often the containers of each pod have been restarted.
type restarts map[string]int

// controlPlane counts the restarts of the cluster's own control plane. Of an
// existing cluster they may not be there to be seen: none are counted then.
func (e *environment) controlPlane(ctx context.Context) restarts {
	pods, err := e.kube.Typed.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "tier=control-plane"})
	if err != nil {
		return nil
	}
	return restartsOf(pods.Items)
}

func restartsOf(pods []corev1.Pod) restarts {
	counts := restarts{}
	for i := range pods {
		for _, container := range pods[i].Status.ContainerStatuses {
			counts[pods[i].Name] += int(container.RestartCount)
		}
	}
	return counts
}

// since says of each pod that was restarted since another count how often it was.
// One that was not there then counts from 0. Where nobody has counted before (nil),
// there is nothing to say.
func (r restarts) since(before restarts) []string {
	if before == nil {
		return nil
	}
	var pods []string
	for _, name := range slices.Sorted(maps.Keys(r)) {
		if n := r[name] - before[name]; n > 0 {
			pods = append(pods, fmt.Sprintf("%s restarted %d×", name, n))
		}
	}
	return pods
}
