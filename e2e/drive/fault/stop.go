package fault

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"operatorbench/e2e/spec"
)

// stop scales a component to zero, after what would scale it up again, and returns when no pod of either is left.
func (i *Injector) stop(ctx context.Context, name string, _ Target) (Broken, error) {
	components, err := i.stopping(name)
	if err != nil {
		return Broken{}, err
	}
	var taken steps
	broken := Broken{Undo: taken.undo}
	for _, c := range components {
		workloads, err := i.workloads(ctx, c)
		if err != nil {
			return broken, fmt.Errorf("stop component %s: %w", c.Name, err)
		}
		for _, w := range workloads {
			if w.kind == daemonSet {
				return broken, fmt.Errorf("stop component %s: %s cannot be scaled", c.Name, w)
			}
			taken = append(taken, func(ctx context.Context) error { return i.start(ctx, w) })
			if err := i.scale(ctx, w, 0); err != nil {
				return broken, fmt.Errorf("stop component %s: scale %s to 0: %w", c.Name, w, err)
			}
			broken.Objects = append(broken.Objects, w.String())
		}
		if err := i.awaitNone(ctx, c, func(*corev1.Pod) bool { return true }); err != nil {
			return broken, fmt.Errorf("stop component %s: %w", c.Name, err)
		}
	}
	return broken, nil
}

// start scales a workload back to what it was, and returns when it serves.
func (i *Injector) start(ctx context.Context, w workload) error {
	err := i.scale(ctx, w, w.replicas)
	switch {
	case apierrors.IsNotFound(err):
		return nil // it was uninstalled: nothing is left to start
	case err != nil:
		return fmt.Errorf("%s is still scaled to 0: scale it to %d: %w; by hand: kubectl -n %s scale %s/%s --replicas=%d",
			w, w.replicas, err, w.namespace, w.plural(), w.name, w.replicas)
	}
	if err := i.serving(ctx, w); err != nil {
		return fmt.Errorf("%s is scaled to %d again, but does not serve: %w", w, w.replicas, err)
	}
	return nil
}

// stopping returns the components to stop, in order: managers first, as they would start the others again, then the
// others with the first that the style names last. Taken back in reverse order, each finds what it needs.
func (i *Injector) stopping(name string) ([]spec.Component, error) {
	named, err := i.components(name)
	if err != nil {
		return nil, err
	}
	var order []spec.Component
	add := func(c spec.Component) {
		if !slices.ContainsFunc(order, func(o spec.Component) bool { return o.Name == c.Name }) {
			order = append(order, c)
		}
	}
	for _, c := range named {
		for _, manager := range i.managers(c) {
			add(manager)
		}
	}
	for _, c := range slices.Backward(named) {
		add(c)
	}
	return order, nil
}
