package fault

import (
	"cmp"
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/spec/workloads"
)

// occupy puts somebody else's objects in the places of children that the custom resource had, or will have: of the same
// names, with labels and a selector of their own, and no pods. Undo removes them, whatever has become of them.
func (i *Injector) occupy(ctx context.Context, how string, cr Target) (Broken, error) {
	children := []spec.ChildKind{i.Workload.Main()}
	if spec.OccupiesChildren(how) {
		children = i.Workload.Occupiable()
	} else if cr.Child == "" {
		return Broken{}, fmt.Errorf("occupy the place of the main child of %s/%s: nobody knows its name: it had none when the custom resource was deleted", cr.Namespace, cr.Name)
	}
	var owners []metav1.OwnerReference
	if how != spec.OccupyOrphan && how != spec.OccupyOrphanChildren {
		owner, err := i.Dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(cr.Namespace).
			Get(ctx, spec.OtherOwner, metav1.GetOptions{})
		if err != nil {
			return Broken{}, fmt.Errorf("occupy the places of children of %s/%s: read the ConfigMap that is to be their controller: %w", cr.Namespace, cr.Name, err)
		}
		owners = append(owners, *metav1.NewControllerRef(owner, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}))
	}
	var undo steps
	broken := Broken{Undo: undo.undo}
	for _, child := range children {
		name, err := bounds.ChildName(spec.Child{Name: child.Name}, cr.Namespace, cr.Name)
		if err != nil {
			return broken, fmt.Errorf("occupy the place of a %s of %s/%s: %w", child.Kind, cr.Namespace, cr.Name, err)
		}
		gvr := workloads.GVR(child.Resource)
		client := i.Dynamic.Resource(gvr).Namespace(cr.Namespace)
		object := somebodyElses(child, gvr, cmp.Or(name, cr.Child), owners)
		place := gvr.Resource + "/" + cr.Namespace + "/" + object.GetName()
		made, err := client.Create(ctx, object, metav1.CreateOptions{})
		if err != nil {
			return broken, fmt.Errorf("occupy the place of %s: %w", place, err)
		}
		uid := made.GetUID()
		undo = append(undo, func(ctx context.Context) error {
			background := metav1.DeletePropagationBackground
			err := client.Delete(ctx, made.GetName(), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}, PropagationPolicy: &background})
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) { // a conflict: another is there by now
				return fmt.Errorf("remove somebody else's %s: %w", place, err)
			}
			return nil
		})
		broken.Objects = append(broken.Objects, place)
	}
	return broken, nil
}

// somebodyElses is an object of a child's kind and name that the API server takes, and that any write can change.
func somebodyElses(child spec.ChildKind, gvr schema.GroupVersionResource, name string, owners []metav1.OwnerReference) *unstructured.Unstructured {
	labels := map[string]any{"app": "somebody-elses"}
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": gvr.GroupVersion().String(), "kind": child.Kind}}
	switch {
	case child.HasTemplate():
		object.Object["spec"] = map[string]any{
			"replicas": int64(0), "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "somebody-elses", "image": "registry.invalid/somebody:elses"}}},
			},
		}
	case child.Kind == "Service": // its type can be changed to any other
		object.Object["spec"] = map[string]any{"type": "ExternalName", "externalName": "somebody-elses.invalid"}
	}
	object.SetName(name)
	object.SetLabels(map[string]string{"app": "somebody-elses"})
	object.SetOwnerReferences(owners)
	return object
}
