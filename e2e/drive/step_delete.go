package drive

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/spec/scenarios"
)

func (s *sampleRun) delete(ctx context.Context, step scenarios.Step) error {
	r, client := s.on(step)
	if child, err := s.child(ctx); err == nil && step.On == "" && s.sample.Matrix {
		s.left = child.GetName()
	}
	var options metav1.DeleteOptions
	if r.orphan = step.Delete.Orphan; r.orphan {
		orphan := metav1.DeletePropagationOrphan
		options.PropagationPolicy = &orphan
	}
	r.verb, r.do = "delete", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return nil, client.Delete(ctx, r.name, options)
	}
	return s.write(ctx, step, r)
}
