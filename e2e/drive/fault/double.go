package fault

import (
	"context"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// firstToGo makes a ReplicaSet that is scaled down take this pod before all others:
// https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#pod-deletion-cost.
const firstToGo = "-1000"

// double gives a component one pod more, and returns when all serve. Mending takes away one that was there first: what
// that one was doing, another must do from then on. A StatefulSet takes away its last pod, whichever that is.
func (i *Injector) double(ctx context.Context, name string, _ Target) (Broken, error) {
	components, err := i.components(name)
	if err != nil {
		return Broken{}, err
	}
	var taken steps
	broken := Broken{Undo: taken.undo}
	for _, c := range components {
		old, err := i.living(ctx, c)
		if err != nil {
			return broken, fmt.Errorf("double component %s: %w", c.Name, err)
		}
		workloads, err := i.workloads(ctx, c)
		if err != nil {
			return broken, fmt.Errorf("double component %s: %w", c.Name, err)
		}
		for _, w := range workloads {
			if w.kind == daemonSet || w.replicas == 0 {
				return broken, fmt.Errorf("double component %s: %s has %d replicas, expected a Deployment or StatefulSet that has pods", c.Name, w, w.replicas)
			}
			taken = append(taken, func(ctx context.Context) error {
				return i.takeFirst(ctx, w, c.Selector, old)
			})
			if err := i.scale(ctx, w, w.replicas+1); err != nil {
				return broken, fmt.Errorf("double component %s: scale %s to %d: %w", c.Name, w, w.replicas+1, err)
			}
			if err := i.serving(ctx, w); err != nil {
				return broken, fmt.Errorf("double component %s: %w", c.Name, err)
			}
			broken.Objects = append(broken.Objects, w.String())
		}
	}
	return broken, nil
}

// takeFirst scales a workload back, so that one goes of the pods that were there first, and returns when it is gone.
func (i *Injector) takeFirst(ctx context.Context, w workload, selector string, old map[types.UID]bool) error {
	pods, err := i.Kube.CoreV1().Pods(w.namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return fmt.Errorf("%s is still scaled to %d: list its pods: %w", w, w.replicas+1, err)
	}
	cost := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, corev1.PodDeletionCost, firstToGo)
	for n := range pods.Items {
		if pod := &pods.Items[n]; old[pod.UID] {
			_, err := i.Kube.CoreV1().Pods(w.namespace).Patch(ctx, pod.Name, types.MergePatchType, []byte(cost), metav1.PatchOptions{})
			if err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("%s is still scaled to %d: choose pod %s to go first: %w", w, w.replicas+1, pod.Name, err)
			}
		}
	}
	err = i.scale(ctx, w, w.replicas)
	switch {
	case apierrors.IsNotFound(err):
		return nil // it was uninstalled
	case err != nil:
		return fmt.Errorf("%s is still scaled to %d: scale it to %d: %w; by hand: kubectl -n %s scale %s/%s --replicas=%d",
			w, w.replicas+1, w.replicas, err, w.namespace, w.plural(), w.name, w.replicas)
	}
	return i.awaitFewer(ctx, w, selector)
}

// awaitFewer returns when no more pods are left than the workload is to have.
func (i *Injector) awaitFewer(ctx context.Context, w workload, selector string) error {
	err := until(ctx, fmt.Sprintf("%s to have %d pods", w, w.replicas), func(ctx context.Context) (bool, string, error) {
		pods, err := i.Kube.CoreV1().Pods(w.namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return false, "", err
		}
		return len(pods.Items) <= int(w.replicas), "it has " + strconv.Itoa(len(pods.Items)), nil
	})
	if err != nil {
		return fmt.Errorf("take the first pod of %s away: %w", w, err)
	}
	return nil
}
