package drive

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/record"
	"operatorbench/fixtures/memcached"
)

// reconcileNull is the null operator: no controller sees the custom resource,
// the harness itself writes what it asks for. What is measured then is the
// cluster and the observer, the floor below every operator.
func (r *round) reconcileNull(ctx context.Context, sample record.Sample, cr *unstructured.Unstructured) error {
	client := r.Client.Dynamic.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace(sample.Namespace)
	if cr == nil {
		propagation := metav1.DeletePropagationBackground
		err := client.Delete(ctx, sample.Name, metav1.DeleteOptions{PropagationPolicy: &propagation})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete the Deployment: %w", err)
		}
		return nil
	}
	deployment, err := memcached.Deployment(cr)
	if err != nil {
		return err
	}
	if cr.GetGeneration() == 1 {
		if _, err := client.Create(ctx, deployment, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create the Deployment: %w", err)
		}
		return nil
	}
	size, _, err := unstructured.NestedInt64(cr.Object, "spec", "size")
	if err != nil {
		return fmt.Errorf("read spec.size: %w", err)
	}
	patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, size)
	if _, err := client.Patch(ctx, sample.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("scale the Deployment: %w", err)
	}
	return nil
}
