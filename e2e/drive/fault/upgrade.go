package fault

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
)

// restartedAt is the annotation of a pod template by which kubectl rollout restart replaces pods.
const restartedAt = "kubectl.kubernetes.io/restartedAt"

// upgrade brings the next version of the style, and is over when that serves and
// the old pods are gone: whoever upgrades waits for that. A rollout alone does not
// say so where a pod counts as ready before it has found its like and dies of that.
func (i *Injector) upgrade(ctx context.Context, what string, _ Target) (Broken, error) {
	broken, finish, err := i.beginUpgrade(ctx, what)
	if finish != nil {
		err = cmp.Or(err, finish(ctx)) // which ends what is under way where ctx has ended
	}
	return broken, err
}

// upgrading is an upgrade that has only begun: a first pod of those that it replaces
// is ending. It is mended when the upgrade is over.
func (i *Injector) upgrading(ctx context.Context, what string, _ Target) (Broken, error) {
	broken, finish, err := i.beginUpgrade(ctx, what)
	broken.Undo = finish
	return broken, err
}

// replaced are the components whose pods an upgrade replaces: those that the style
// says, and all, where its upgrade is a rollout.
func (i *Injector) replaced(what string) ([]spec.Component, error) {
	if i.Style.Upgrade == nil {
		return i.components(what)
	}
	var replaced []spec.Component
	for _, name := range i.Style.Upgrade.Replaces {
		found, err := i.components(name)
		if err != nil {
			return nil, err
		}
		replaced = append(replaced, found...)
	}
	return replaced, nil
}

// beginUpgrade returns when a first pod of those that are replaced is ending; what
// it returns waits for the end of the upgrade.
func (i *Injector) beginUpgrade(ctx context.Context, what string) (broken Broken, finish func(context.Context) error, err error) {
	components, err := i.replaced(what)
	if err != nil {
		return broken, nil, err
	}
	var found []workload
	old := map[types.UID]bool{}
	for _, c := range components {
		living, err := i.living(ctx, c)
		if err != nil {
			return broken, nil, err
		}
		maps.Copy(old, living)
		workloads, err := i.workloads(ctx, c)
		if err != nil {
			return broken, nil, fmt.Errorf("upgrade component %s: %w", c.Name, err)
		}
		found = append(found, workloads...)
	}
	for _, w := range found {
		broken.Objects = append(broken.Objects, w.String())
	}
	serve, err := i.bringNext(ctx, found)
	if err != nil {
		return broken, nil, err
	}
	finish = func(ctx context.Context) error { return i.finishUpgrade(ctx, serve, components, old) }
	return broken, finish, i.awaitEnding(ctx, components, old)
}

// bringNext asks for the next version, as the style says, or for a rollout of each workload, all at once, as applying
// manifests does. What it returns waits until that serves, and ends what still installs when it waits no longer: it would
// put back what the end of the run removes.
func (i *Injector) bringNext(ctx context.Context, found []workload) (serve func(context.Context) error, err error) {
	if i.Style.Upgrade != nil {
		done := make(chan error, 1)
		upgrading, stop := context.WithCancel(context.WithoutCancel(ctx)) // it goes on when it counts as begun
		go func() { done <- i.Next(upgrading) }()
		return func(ctx context.Context) error {
			select {
			case err := <-done:
				done <- err // for whoever asks again
				return err
			case <-ctx.Done():
				stop()
				done <- <-done
				return ctx.Err()
			}
		}, nil
	}
	patch := fmt.Sprintf(`{"spec":{"template":{"metadata":{"annotations":{%q:%q}}}}}`, restartedAt, time.Now().UTC().Format(time.RFC3339Nano))
	for _, w := range found {
		if err := i.patch(ctx, w, patch); err != nil {
			return nil, fmt.Errorf("upgrade: roll %s over: %w", w, err)
		}
	}
	return func(ctx context.Context) error {
		for _, w := range found {
			if err := i.serving(ctx, w); err != nil {
				return fmt.Errorf("the rollout of %s: %w", w, err)
			}
		}
		return nil
	}, nil
}

// awaitEnding returns when a first of the old pods is ending or gone.
func (i *Injector) awaitEnding(ctx context.Context, components []spec.Component, old map[types.UID]bool) error {
	if len(old) == 0 {
		return nil
	}
	err := until(ctx, "a first of the old pods to end", func(ctx context.Context) (bool, string, error) {
		staying := 0
		for _, c := range components {
			list, err := i.Kube.CoreV1().Pods(c.Namespace).List(ctx, metav1.ListOptions{LabelSelector: c.Selector})
			if err != nil {
				return false, "", err
			}
			for n := range list.Items {
				if pod := &list.Items[n]; old[pod.UID] && pod.DeletionTimestamp == nil {
					staying++
				}
			}
		}
		return staying < len(old), fmt.Sprintf("%d of them live on", staying), nil
	})
	if err != nil {
		return fmt.Errorf("upgrade: %w", err)
	}
	return nil
}

// finishUpgrade returns when the new version serves and the old pods are gone.
func (i *Injector) finishUpgrade(ctx context.Context, serve func(context.Context) error, components []spec.Component, old map[types.UID]bool) error {
	if err := serve(ctx); err != nil {
		return fmt.Errorf("upgrade: %w", err)
	}
	for _, c := range components {
		if err := i.awaitNone(ctx, c, func(pod *corev1.Pod) bool { return old[pod.UID] }); err != nil {
			return fmt.Errorf("upgrade: old pods: %w", err)
		}
	}
	what, lacks, began := fmt.Sprintf("the new pods to be ready for %s", steadyFor), "", time.Now()
	err := until(ctx, what, func(ctx context.Context) (up bool, _ string, err error) {
		up, lacks, err = i.steady(ctx, components)
		return up, lacks, err
	})
	switch {
	case err == nil:
		return nil
	case lacks != "": // the next version's failure
		err = &kube.WaitError{What: what, Object: "style " + i.Style.Name, LastSeen: lacks, Waited: time.Since(began), Err: context.Cause(ctx)}
	}
	return fmt.Errorf("upgrade: %w", err)
}

// steadyFor is how long a container has run when it counts as up, much as the minReadySeconds of a Deployment: Argo's
// EventSource and Sensor have no readiness probe, and end within 1.5 s when the bus is not up.
const steadyFor = 5 * time.Second

// steady reports whether all pods of the components are up.
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
