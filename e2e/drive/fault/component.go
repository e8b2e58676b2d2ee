package fault

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// components are those that a fault names.
func (i *Injector) components(name string) ([]spec.Component, error) {
	if name == spec.AllComponents {
		if len(i.Style.Components) == 0 {
			return nil, fmt.Errorf("style %s declares no component", i.Style.Name)
		}
		return i.Style.Components, nil
	}
	component, found := i.Style.Component(name)
	if !found {
		names := plain.Map(i.Style.Components, func(c spec.Component) string { return c.Name })
		return nil, fmt.Errorf("style %s has no component %q: it declares %s", i.Style.Name, name, strings.Join(names, ", "))
	}
	return []spec.Component{component}, nil
}

// managers returns a component's managers, the topmost first. A style.yaml in which they are none, or make a circle, is
// refused.
func (i *Injector) managers(c spec.Component) (chain []spec.Component) {
	for c.ManagedBy != "" {
		c, _ = i.Style.Component(c.ManagedBy)
		chain = append(chain, c)
	}
	slices.Reverse(chain)
	return chain
}

// pods lists a component's pods, which must all be this run's.
func (i *Injector) pods(ctx context.Context, c spec.Component) ([]corev1.Pod, error) {
	list, err := i.Kube.CoreV1().Pods(c.Namespace).List(ctx, metav1.ListOptions{LabelSelector: c.Selector})
	if err != nil {
		return nil, fmt.Errorf("list the pods of component %s (namespace %s, %s): %w", c.Name, c.Namespace, c.Selector, err)
	}
	for n := range list.Items {
		if err := i.mine(ctx, &list.Items[n], "pod"); err != nil {
			return nil, err
		}
	}
	return list.Items, nil
}

// awaitNone returns when none of the component's pods that counts is there.
func (i *Injector) awaitNone(ctx context.Context, c spec.Component, counts func(*corev1.Pod) bool) error {
	return until(ctx, "the end of the pods of component "+c.Name, func(ctx context.Context) (bool, string, error) {
		list, err := i.Kube.CoreV1().Pods(c.Namespace).List(ctx, metav1.ListOptions{LabelSelector: c.Selector})
		if err != nil {
			return false, "", err
		}
		var left []string
		for n := range list.Items {
			if counts(&list.Items[n]) {
				left = append(left, fmt.Sprintf("%s (%s)", list.Items[n].Name, list.Items[n].Status.Phase))
			}
		}
		return len(left) == 0, "still there: " + strings.Join(left, ", "), nil
	})
}
