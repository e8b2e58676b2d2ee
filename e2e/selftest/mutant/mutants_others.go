package main

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// replacesChild writes its Deployment as a whole: what others have put there is lost.
func replacesChild(o *operator) {
	merge := o.merge
	o.merge = func(cr, have, want *object) *object {
		if next := merge(cr, have, want); equality.Semantic.DeepEqual(next.Object, have.Object) {
			return next
		}
		whole := want.DeepCopy()
		whole.SetResourceVersion(have.GetResourceVersion())
		return whole
	}
}

// ownsAlone writes its owner reference in the place of all that there are.
func ownsAlone(o *operator) {
	mergesBut(o, func(next, _, want *object) { next.SetOwnerReferences(want.GetOwnerReferences()) })
}

// mergesBut lets change have the last word on what the Deployment is to become.
func mergesBut(o *operator, change func(next, have, want *object)) {
	merge := o.merge
	o.merge = func(cr, have, want *object) *object {
		next := merge(cr, have, want).DeepCopy()
		change(next, have, want)
		return next
	}
}

// insists writes the containers as a whole, and takes a Deployment that comes back otherwise for one that was not
// written.
func insists(o *operator) {
	const again = 250 * time.Millisecond
	merge, update := o.merge, o.update
	template := func(d *object) any {
		at, _, _ := unstructured.NestedFieldNoCopy(d.Object, "spec", "template")
		return at
	}
	o.merge = func(cr, have, want *object) *object {
		next := merge(cr, have, want).DeepCopy()
		kept, _, _ := unstructured.NestedSlice(next.Object, "spec", "template", "spec", "containers")
		mine, _, _ := unstructured.NestedSlice(want.Object, "spec", "template", "spec", "containers")
		kept = slices.DeleteFunc(kept, func(c any) bool {
			return !slices.ContainsFunc(mine, func(m any) bool { return titleOf(m) == titleOf(c) })
		})
		_ = unstructured.SetNestedSlice(next.Object, kept, "spec", "template", "spec", "containers")
		return next
	}
	o.update = func(ctx context.Context, cr, have, next *object) (*object, error) {
		wrote := next.DeepCopy()
		made, err := update(ctx, cr, have, next)
		if err == nil && !equality.Semantic.DeepEqual(template(made), template(wrote)) {
			o.queue.AddAfter(name{Namespace: cr.GetNamespace(), Name: cr.GetName()}, again)
		}
		return made, err
	}
}

// ignoresCommand never looks at what the container of a Deployment that is there runs, but at its image.
func ignoresCommand(o *operator) {
	merge := o.merge
	o.merge = func(cr, have, want *object) *object {
		next := merge(cr, have, want)
		for _, field := range []string{"command", "ports"} {
			if value, there := firstContainer(have)[field]; there {
				firstContainer(next)[field] = value
			}
		}
		return next
	}
}

// ignoresOwner sets the owner reference when it makes the Deployment, and never again.
func ignoresOwner(o *operator) {
	mergesBut(o, func(next, have, _ *object) { next.SetOwnerReferences(have.GetOwnerReferences()) })
}

// ignoresLabels sets the Deployment's labels when it makes it, and never again.
func ignoresLabels(o *operator) {
	mergesBut(o, func(next, have, _ *object) { next.SetLabels(have.GetLabels()) })
}

// firstContainer is that of a Deployment's pods.
func firstContainer(deployment *object) map[string]any {
	spec, _ := deployment.Object["spec"].(map[string]any)
	template, _ := spec["template"].(map[string]any)
	pod, _ := template["spec"].(map[string]any)
	containers, _ := pod["containers"].([]any)
	if len(containers) == 0 {
		return map[string]any{}
	}
	first, _ := containers[0].(map[string]any)
	return first
}

// seesByLabel has a cache that selects by the labels that it writes: without them a Deployment is not there.
func seesByLabel(o *operator) {
	known := o.known
	o.known = func(cr, want *object) *object {
		have := known(cr, want)
		if have == nil {
			return nil
		}
		for key, value := range want.GetLabels() {
			if have.GetLabels()[key] != value {
				return nil
			}
		}
		return have
	}
}

// takes makes an operator scale the Deployments that may is true of, whoever made them.
func takes(o *operator, may func(have *object) bool) {
	mine, merge := o.mine, o.merge
	o.mine = func(cr, have *object) error {
		if may(have) {
			return nil
		}
		return mine(cr, have)
	}
	o.merge = func(cr, have, want *object) *object {
		if mine(cr, have) == nil {
			return merge(cr, have, want)
		}
		next := have.DeepCopy()
		replicas, _, _ := unstructured.NestedInt64(want.Object, "spec", "replicas")
		_ = unstructured.SetNestedField(next.Object, replicas, "spec", "replicas")
		return next
	}
}

// takesOrphans scales what nobody controls.
func takesOrphans(o *operator) {
	takes(o, func(have *object) bool { return metav1.GetControllerOf(have) == nil })
}

// takesControlled scales what another controller has made.
func takesControlled(o *operator) {
	takes(o, func(have *object) bool { return metav1.GetControllerOf(have) != nil })
}

// deletesByName deletes the Deployment that has the name of a custom resource, whoever made it.
func deletesByName(o *operator) {
	finalizes(o, func(ctx context.Context, cr *object) error {
		return o.deleteChild(ctx, cr, metav1.DeletePropagationBackground)
	})
}
