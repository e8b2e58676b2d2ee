package main

import "k8s.io/apimachinery/pkg/api/equality"

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
