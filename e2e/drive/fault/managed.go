package fault

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/spec"
)

// deleteOwn deletes the workload of a component that another component makes, as somebody does who takes it for left
// over. It is over when its pods are gone or ending; whether the other one makes it again is what is asked. At the end
// it is there again.
func (i *Injector) deleteOwn(ctx context.Context, name string, _ Target) (Broken, error) {
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
		client := i.Dynamic.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: w.plural()}).Namespace(w.namespace)
		live, err := client.Get(ctx, w.name, metav1.GetOptions{})
		if err != nil {
			return broken, fmt.Errorf("delete %s: read it: %w", w, err)
		}
		taken = append(taken, func(ctx context.Context) error { return i.remake(ctx, w, live) })
		policy, uid := metav1.DeletePropagationBackground, live.GetUID()
		if err := client.Delete(ctx, w.name, metav1.DeleteOptions{PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &uid}}); err != nil {
			return broken, fmt.Errorf("delete %s: %w", w, err)
		}
		broken.Objects = append(broken.Objects, w.String())
	}
	if err := i.awaitNone(ctx, component, func(pod *corev1.Pod) bool { return old[pod.UID] }); err != nil {
		return broken, fmt.Errorf("delete the workload of component %s: %w", name, err)
	}
	return broken, nil
}

// remake makes a workload again that is not there.
func (i *Injector) remake(ctx context.Context, w workload, was *unstructured.Unstructured) error {
	again := was.DeepCopy()
	again.SetResourceVersion("")
	again.SetUID("")
	unstructured.RemoveNestedField(again.Object, "status")
	client := i.Dynamic.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: w.plural()}).Namespace(w.namespace)
	if _, err := client.Create(ctx, again, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) && !apierrors.IsNotFound(err) {
		return fmt.Errorf("%s was deleted: make it again: %w", w, err)
	}
	return nil
}

// scaleOwn scales the workload of a component that another component makes to
// zero, behind that one's back, which stop does not. At the end it is scaled back.
func (i *Injector) scaleOwn(ctx context.Context, name string, _ Target) (Broken, error) {
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
		taken = append(taken, func(ctx context.Context) error {
			if err := i.scale(ctx, w, w.replicas); err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("%s was scaled to 0: scale it back: %w", w, err)
			}
			return nil
		})
		if err := i.scale(ctx, w, 0); err != nil {
			return broken, fmt.Errorf("scale %s to 0: %w", w, err)
		}
		broken.Objects = append(broken.Objects, w.String())
	}
	if err := i.awaitNone(ctx, component, func(pod *corev1.Pod) bool { return old[pod.UID] }); err != nil {
		return broken, fmt.Errorf("scale the workload of component %s to 0: %w", name, err)
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
