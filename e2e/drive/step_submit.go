package drive

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/spec/scenarios"
)

// submit sends a custom resource that is wrong as kubectl does: strictly, so
// that a field that nobody knows is an error.
func (s *sampleRun) submit(ctx context.Context, step scenarios.Step) error {
	r, _ := s.on(step)
	object := (&unstructured.Unstructured{Object: step.Submit.Object}).DeepCopy()
	group, err := schema.ParseGroupVersion(object.GetAPIVersion())
	if err == nil && !group.Empty() {
		r.resource = group.WithResource(r.resource.Resource)
	}
	client := s.Client.Resource(r.resource).Namespace(r.namespace)
	r.mayFail = step.Submit.Refused
	if step.Submit.Patch {
		patch, err := json.Marshal(object.Object)
		if err != nil {
			return fmt.Errorf("write the patch: %w", err)
		}
		return s.write(ctx, step, merge(r, client, patch, metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict}))
	}
	object.SetNamespace(r.namespace)
	object.SetName(r.name)
	r.verb, r.do = "create", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return client.Create(ctx, object, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	}
	return s.write(ctx, step, r)
}
