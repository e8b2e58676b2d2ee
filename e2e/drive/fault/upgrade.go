package fault

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// restartedAt is the annotation of a pod template by which kubectl rollout
// restart replaces pods.
const restartedAt = "kubectl.kubernetes.io/restartedAt"

// upgrade replaces all pods of the operator by a rollout of each workload, all at
// once, as applying a new version of its manifests does. It is over when the new
// ones serve, and the old ones are gone.
func (i *Injector) upgrade(ctx context.Context, what string) (Broken, error) {
	components, err := i.components(what)
	if err != nil {
		return Broken{}, err
	}
	var broken Broken
	var found []workload
	old := map[types.UID]bool{}
	for _, c := range components {
		pods, err := i.pods(ctx, c)
		if err != nil {
			return broken, err
		}
		for n := range pods {
			old[pods[n].UID] = true
		}
		workloads, err := i.workloads(ctx, c)
		if err != nil {
			return broken, fmt.Errorf("upgrade component %s: %w", c.Name, err)
		}
		found = append(found, workloads...)
	}
	patch := fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{%q:%q}}}}}`, restartedAt, time.Now().UTC().Format(time.RFC3339Nano))
	for _, w := range found {
		if err := i.patch(ctx, w, patch); err != nil {
			return broken, fmt.Errorf("upgrade: roll %s over: %w", w, err)
		}
		broken.Objects = append(broken.Objects, w.String())
	}
	for _, w := range found {
		if err := i.serving(ctx, w); err != nil {
			return broken, fmt.Errorf("upgrade: the rollout of %s: %w", w, err)
		}
	}
	for _, c := range components {
		if err := i.awaitNone(ctx, c, func(pod *corev1.Pod) bool { return old[pod.UID] }); err != nil {
			return broken, fmt.Errorf("upgrade: old pods: %w", err)
		}
	}
	return broken, nil
}
