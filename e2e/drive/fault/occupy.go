package fault

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/spec"
)

// controlled is the kind of occupation in which the object has a controller.
const controlled = "controlled"

// occupy puts somebody else's object in the place of the main child that the custom resource had: of the same name,
// with labels and a selector of its own, and no pods. Undo removes it, whatever has become of it.
func (i *Injector) occupy(ctx context.Context, how string, cr Target) (Broken, error) {
	if cr.Child == "" {
		return Broken{}, fmt.Errorf("occupy the place of the main child of %s/%s: nobody knows its name: it had none when the custom resource was deleted", cr.Namespace, cr.Name)
	}
	client := i.Dynamic.Resource(i.Workload.MainGVR()).Namespace(cr.Namespace)
	labels := map[string]any{"app": "somebody-elses"}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": i.Workload.MainGVR().GroupVersion().String(), "kind": i.Workload.Main().Kind,
		"spec": map[string]any{
			"replicas": int64(0), "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "somebody-elses", "image": "registry.invalid/somebody:elses"}}},
			},
		},
	}}
	object.SetName(cr.Child)
	object.SetLabels(map[string]string{"app": "somebody-elses"})
	if how == controlled {
		owner, err := i.Dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(cr.Namespace).
			Get(ctx, spec.OtherOwner, metav1.GetOptions{})
		if err != nil {
			return Broken{}, fmt.Errorf("occupy the place of %s/%s: read the ConfigMap that is to be its controller: %w", cr.Namespace, cr.Child, err)
		}
		object.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})})
	}
	made, err := client.Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return Broken{}, fmt.Errorf("occupy the place of %s/%s: %w", cr.Namespace, cr.Child, err)
	}
	uid := made.GetUID()
	return Broken{
		Objects: []string{i.Workload.MainGVR().Resource + "/" + cr.Namespace + "/" + cr.Child},
		Undo: func(ctx context.Context) error {
			background := metav1.DeletePropagationBackground
			err := client.Delete(ctx, cr.Child, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}, PropagationPolicy: &background})
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) { // a conflict: another is there by now
				return fmt.Errorf("remove somebody else's %s/%s: %w", cr.Namespace, cr.Child, err)
			}
			return nil
		},
	}, nil
}
