package drive

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/spec/scenarios"
)

// drift changes the operator's main child behind its back.
func (s *sampleRun) drift(ctx context.Context, step scenarios.Step) error {
	child, err := s.child(ctx)
	if err != nil {
		return fmt.Errorf("drift: %w", err)
	}
	client := s.children(s.sample.Namespace)
	r := request{verb: "patch", resource: s.Workload.MainGVR(), namespace: s.sample.Namespace, name: child.GetName()}
	switch d := step.Drift; {
	case d.Delete != nil:
		r.verb, r.do = "delete", func(ctx context.Context) (*unstructured.Unstructured, error) {
			background := metav1.DeletePropagationBackground
			return nil, client.Delete(ctx, r.name, metav1.DeleteOptions{PropagationPolicy: &background})
		}
	case d.Replicas != nil:
		r = merge(r, client, s.Workload.ScalePatch(*d.Replicas), metav1.PatchOptions{})
	case d.Merge != nil:
		patch, err := json.Marshal(d.Merge)
		if err != nil {
			return fmt.Errorf("drift: %w", err)
		}
		r = merge(r, client, patch, metav1.PatchOptions{})
	default:
		fields := d.Container
		if d.Image != "" {
			fields = map[string]any{"image": d.Image}
		}
		patch, err := containerPatch(child, fields)
		if err != nil {
			return fmt.Errorf("drift: %w", err)
		}
		r.do = func(ctx context.Context) (*unstructured.Unstructured, error) {
			return client.Patch(ctx, r.name, types.JSONPatchType, patch, metav1.PatchOptions{})
		}
	}
	_, err = s.send(ctx, r)
	return err
}

// containerPatch is the JSON patch that gives the first container of a child's pods other fields.
func containerPatch(child *unstructured.Unstructured, fields map[string]any) ([]byte, error) {
	containers, _, err := unstructured.NestedSlice(child.Object, "spec", "template", "spec", "containers")
	if err != nil {
		return nil, err
	}
	if len(containers) == 0 {
		return nil, fmt.Errorf("%s %s/%s has no container", child.GetKind(), child.GetNamespace(), child.GetName())
	}
	first, _ := containers[0].(map[string]any)
	const at = "/spec/template/spec/containers/0/"
	patch := []map[string]any{{"op": "test", "path": at + "name", "value": first["name"]}} // others may have written since
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if value := fields[field]; value != nil {
			patch = append(patch, map[string]any{"op": "add", "path": at + field, "value": value})
		} else if _, there := first[field]; there {
			patch = append(patch, map[string]any{"op": "remove", "path": at + field})
		}
	}
	return json.Marshal(patch)
}

// child is the main child of the sample's custom resource in its present life, found as the judge finds it: by the name that
// the style declares, or else by the custom resource's UID.
func (s *sampleRun) child(ctx context.Context) (*unstructured.Unstructured, error) {
	namespace, kind := s.sample.Namespace, s.Workload.Main().Kind
	wanted, err := bounds.ChildName(s.style.Child, namespace, s.sample.Name)
	if err != nil {
		return nil, err
	}
	if wanted != "" {
		return s.children(namespace).Get(ctx, wanted, metav1.GetOptions{})
	}
	cr, err := s.customs(namespace).Get(ctx, s.sample.Name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("find the %s of %s %s/%s: %w", kind, s.Workload.Resource.Kind, namespace, s.sample.Name, err)
	}
	list, err := s.children(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list every %s in %s: %w", kind, namespace, err)
	}
	for i := range list.Items {
		if metav1.IsControlledBy(&list.Items[i], cr) {
			return &list.Items[i], nil
		}
	}
	return nil, fmt.Errorf("no %s in %s has %s %s (UID %s) as its controller", kind, namespace, s.Workload.Resource.Kind, cr.GetName(), cr.GetUID())
}
