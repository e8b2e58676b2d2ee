package drive

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/spec/scenarios"
)

func (s *sampleRun) create(ctx context.Context, step scenarios.Step) error {
	r, client := s.on(step)
	r.verb, r.do = "create", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return client.Create(ctx, s.Workload.New(r.namespace, r.name, step.Create.Size), metav1.CreateOptions{})
	}
	return s.write(ctx, step, r)
}
