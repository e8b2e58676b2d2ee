package drive

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/spec/scenarios"
	"operatorbench/fixtures/workloads/memcached"
)

// submit sends a custom resource that is wrong as kubectl does: strictly, so
// that a field that nobody knows is an error.
func (t *trial) submit(ctx context.Context, step scenarios.Step) error {
	r, _ := t.on(step)
	object := (&unstructured.Unstructured{Object: step.Submit.Object}).DeepCopy()
	group, err := schema.ParseGroupVersion(object.GetAPIVersion())
	if err == nil && !group.Empty() {
		r.resource = group.WithResource(memcached.Resource.Resource)
	}
	client := t.Client.Resource(r.resource).Namespace(r.namespace)
	r.mayFail = step.Submit.Refused
	if step.Submit.Patch {
		patch, err := json.Marshal(object.Object)
		if err != nil {
			return fmt.Errorf("write the patch: %w", err)
		}
		return t.write(ctx, step, merge(r, client, patch, metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict}))
	}
	object.SetNamespace(r.namespace)
	if object.GetName() == "" {
		object.SetName(r.name)
	}
	r.verb, r.name = "create", object.GetName()
	r.do = func(ctx context.Context) (*unstructured.Unstructured, error) {
		return client.Create(ctx, object, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	}
	return t.write(ctx, step, r)
}
