package fault

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/spec"
)

// deleteOwn deletes the workload of a component that another component makes, as somebody does who takes it for left
// over. Whether the other one makes it again is what is asked. At the end it is there again.
func (i *Injector) deleteOwn(ctx context.Context, name string, _ Target) (Broken, error) {
	return i.withoutPods(ctx, name, "delete %s", func(ctx context.Context, w workload) (undo func(context.Context) error, err error) {
		client := i.Dynamic.Resource(w.resource()).Namespace(w.namespace)
		live, err := client.Get(ctx, w.name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("read it: %w", err)
		}
		policy, uid := metav1.DeletePropagationBackground, live.GetUID()
		err = client.Delete(ctx, w.name, metav1.DeleteOptions{PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &uid}})
		return func(ctx context.Context) error { return i.remake(ctx, w, live) }, err
	})
}

// remake makes a workload again that is not there.
func (i *Injector) remake(ctx context.Context, w workload, was *unstructured.Unstructured) error {
	again := was.DeepCopy()
	again.SetResourceVersion("")
	again.SetUID("")
	unstructured.RemoveNestedField(again.Object, "status")
	client := i.Dynamic.Resource(w.resource()).Namespace(w.namespace)
	if _, err := client.Create(ctx, again, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsNotFound(err) {
		return fmt.Errorf("%s was deleted: make it again: %w", w, err)
	}
	return nil
}

// scaleOwn scales the workload of a component that another component makes to
// zero, behind that one's back, which stop does not. At the end it is scaled back.
func (i *Injector) scaleOwn(ctx context.Context, name string, _ Target) (Broken, error) {
	return i.withoutPods(ctx, name, "scale %s to 0", func(ctx context.Context, w workload) (undo func(context.Context) error, err error) {
		return func(ctx context.Context) error {
			if err := i.scale(ctx, w, w.replicas); err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("%s was scaled to 0: scale it back: %w", w, err)
			}
			return nil
		}, i.scale(ctx, w, 0)
	})
}

// withoutPods takes the pods of a component that another component makes, workload by workload. It is over when its pods are
// gone or ending.
func (i *Injector) withoutPods(ctx context.Context, name, act string, take func(context.Context, workload) (undo func(context.Context) error, err error)) (Broken, error) {
	component, workloads, err := i.managed(ctx, name)
	if err != nil {
		return Broken{}, err
	}
	old, err := i.living(ctx, component)
	if err != nil {
		return Broken{}, err
	}
	var taken steps
	broken := Broken{Undo: taken.undo}
	for _, w := range workloads {
		undo, err := take(ctx, w)
		if undo != nil {
			taken = append(taken, undo)
		}
		if err != nil {
			return broken, fmt.Errorf(act+": %w", w, err)
		}
		broken.Objects = append(broken.Objects, w.String())
	}
	if err := i.awaitNone(ctx, component, func(pod *corev1.Pod) bool { return old[pod.UID] }); err != nil {
		return broken, fmt.Errorf(act+": %w", "the workload of component "+name, err)
	}
	return broken, nil
}

// managed is a component that another one makes, with its workload.
func (i *Injector) managed(ctx context.Context, name string) (spec.Component, []workload, error) {
	component, found := i.Style.Component(name)
	if !found || component.ManagedBy == "" {
		return component, nil, fmt.Errorf("style %s has no component %q that another one makes (managedBy)", i.Style.Name, name)
	}
	workloads, err := i.workloads(ctx, component)
	return component, workloads, err
}

// living are the pods that a component has now.
func (i *Injector) living(ctx context.Context, c spec.Component) (map[types.UID]bool, error) {
	pods, err := i.pods(ctx, c)
	all := map[types.UID]bool{}
	for n := range pods {
		all[pods[n].UID] = true
	}
	return all, err
}
