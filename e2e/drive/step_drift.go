package drive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/spec/scenarios"
)

var deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}

// drift changes the operator's Deployment behind its back.
func (s *sampleRun) drift(ctx context.Context, step scenarios.Step) error {
	child, err := s.child(ctx)
	if err != nil {
		return fmt.Errorf("drift: %w", err)
	}
	client := s.Client.Resource(deployments).Namespace(s.sample.Namespace)
	r := request{verb: "patch", resource: deployments, namespace: s.sample.Namespace, name: child.GetName()}
	if step.Drift.Delete != nil {
		r.verb, r.do = "delete", func(ctx context.Context) (*unstructured.Unstructured, error) {
			background := metav1.DeletePropagationBackground
			return nil, client.Delete(ctx, r.name, metav1.DeleteOptions{PropagationPolicy: &background})
		}
	} else {
		patch, err := drifted(child, *step.Drift)
		if err != nil {
			return err
		}
		r.do = func(ctx context.Context) (*unstructured.Unstructured, error) {
			return client.Patch(ctx, r.name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		}
	}
	_, err = s.send(ctx, r)
	return err
}

// drifted is the strategic merge patch of a drift.
func drifted(child *unstructured.Unstructured, d scenarios.Drift) ([]byte, error) {
	if d.Replicas != nil {
		return fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, *d.Replicas), nil
	}
	containers, _, err := unstructured.NestedSlice(child.Object, "spec", "template", "spec", "containers")
	if err != nil || len(containers) == 0 {
		return nil, fmt.Errorf("drift: Deployment %s/%s has no container: %w", child.GetNamespace(), child.GetName(), errors.Join(err))
	}
	first, _ := containers[0].(map[string]any)
	container := map[string]any{"name": first["name"], "image": d.Image}
	return json.Marshal(map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{container}}}}})
}

// child is the Deployment of the sample's custom resource.
func (s *sampleRun) child(ctx context.Context) (*unstructured.Unstructured, error) {
	wanted, err := bounds.DeploymentName(s.style.Child, s.sample.Namespace, s.sample.Name)
	if err != nil {
		return nil, err
	}
	if wanted != "" {
		return s.Client.Resource(deployments).Namespace(s.sample.Namespace).Get(ctx, wanted, metav1.GetOptions{})
	}
	list, err := s.Client.Resource(deployments).Namespace(s.sample.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the Deployments in %s: %w", s.sample.Namespace, err)
	}
	for i := range list.Items {
		if owner := metav1.GetControllerOf(&list.Items[i]); owner != nil && owner.Name == s.sample.Name {
			return &list.Items[i], nil
		}
	}
	return nil, fmt.Errorf("no Deployment in %s has Memcached %s as its controller", s.sample.Namespace, s.sample.Name)
}
