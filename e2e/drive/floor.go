package drive

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/spec/scenarios"
)

// writeFloor takes the place of an operator: no controller sees the custom resource, the harness itself writes what it
// asks for. What is measured then is the cluster and the observer, the floor below every operator.
func (s *sampleRun) writeFloor(ctx context.Context, step scenarios.Step, cr *unstructured.Unstructured) error {
	client, kind := s.children(s.sample.Namespace), s.Workload.Main().Kind
	if step.Delete != nil {
		propagation := metav1.DeletePropagationBackground
		err := client.Delete(ctx, s.sample.Name, metav1.DeleteOptions{PropagationPolicy: &propagation})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete the %s: %w", kind, err)
		}
		return nil
	}
	if step.Create != nil {
		child, err := s.Workload.Child(cr)
		if err != nil {
			return err
		}
		if _, err := client.Create(ctx, child, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create the %s: %w", kind, err)
		}
		return nil
	}
	patch := s.Workload.ScalePatch(step.Patch.Size)
	if _, err := client.Patch(ctx, s.sample.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("scale the %s: %w", kind, err)
	}
	return nil
}
