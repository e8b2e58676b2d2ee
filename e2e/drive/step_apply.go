package drive

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/spec/scenarios"
)

// applicant is the manager of a server-side apply.
const applicant = "operatorbench-apply"

func (s *sampleRun) apply(ctx context.Context, step scenarios.Step) error {
	r, client := s.on(step)
	r.verb, r.do = "apply", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return client.Apply(ctx, r.name, s.Workload.New(r.namespace, r.name, step.Apply.Size), metav1.ApplyOptions{FieldManager: applicant, Force: true})
	}
	return s.write(ctx, step, r)
}
