package drive

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/spec/scenarios"
	"operatorbench/fixtures/workloads/memcached"
)

// writeFloor takes the place of an operator: no controller sees the custom resource,
// the harness itself writes what it asks for. What is measured then is the
// cluster and the observer, the floor below every operator.
func (s *sampleRun) writeFloor(ctx context.Context, step scenarios.Step, cr *unstructured.Unstructured) error {
	client := s.Client.Resource(deployments).Namespace(s.sample.Namespace)
	if step.Delete != nil {
		propagation := metav1.DeletePropagationBackground
		err := client.Delete(ctx, s.sample.Name, metav1.DeleteOptions{PropagationPolicy: &propagation})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete the Deployment: %w", err)
		}
		return nil
	}
	if step.Create != nil {
		deployment, err := memcached.Deployment(cr)
		if err != nil {
			return err
		}
		if _, err := client.Create(ctx, deployment, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create the Deployment: %w", err)
		}
		return nil
	}
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, step.Patch.Size)
	if _, err := client.Patch(ctx, s.sample.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("scale the Deployment: %w", err)
	}
	return nil
}
