package fault

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/spec"
)

// restartedAt is the annotation of a pod template by which kubectl rollout
// restart replaces pods.
const restartedAt = "kubectl.kubernetes.io/restartedAt"

// upgrade replaces all pods of the operator by a rollout of each workload, all at
// once, as applying a new version of its manifests does. It is over when the new
// ones serve, and the old ones are gone: whoever upgrades waits for that. A rollout
// alone does not say so where a pod counts as ready before it has found its like
// and dies of that.
func (i *Injector) upgrade(ctx context.Context, what string, _ Target) (Broken, error) {
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
	err = until(ctx, fmt.Sprintf("the new pods to be ready for %s", steadyFor), func(ctx context.Context) (bool, string, error) {
		return i.steady(ctx, components)
	})
	if err != nil {
		return broken, fmt.Errorf("upgrade: %w", err)
	}
	return broken, nil
}

// steadyFor is how long a container has run when it counts as up, much as the
// minReadySeconds of a Deployment: Argo's EventSource and Sensor have no readiness
// probe, and end within 1.5 s when the bus is not up.
const steadyFor = 5 * time.Second

// steady tells whether all pods of the components are up.
func (i *Injector) steady(ctx context.Context, components []spec.Component) (bool, string, error) {
	for _, c := range components {
		pods, err := i.pods(ctx, c)
		if err != nil {
			return false, "", err
		}
		for n := range pods {
			if why := unsteady(&pods[n], time.Now()); why != "" {
				return false, why, nil
			}
		}
	}
	return true, "", nil
}

// unsteady says which container of a pod is not up; "": none.
func unsteady(pod *corev1.Pod, now time.Time) string {
	for n := range pod.Spec.Containers {
		status := statusOf(pod, pod.Spec.Containers[n].Name)
		if running := status.State.Running; !status.Ready || running == nil || now.Sub(running.StartedAt.Time) < steadyFor {
			return fmt.Sprintf("container %s of pod %s/%s is not, after %d restarts", pod.Spec.Containers[n].Name, pod.Namespace, pod.Name, status.RestartCount)
		}
	}
	return ""
}
