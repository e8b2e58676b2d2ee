package drive

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// readScale reads the scale subresource once all is at rest.
func (s *sampleRun) readScale(ctx context.Context, step scenarios.Step) error {
	if err := s.reach(ctx, spec.PointHandled, s.quiet); err != nil {
		return err
	}
	r, client := s.on(step)
	r.verb, r.do = record.ReadScale, func(ctx context.Context) (*unstructured.Unstructured, error) {
		return client.Get(ctx, r.name, metav1.GetOptions{}, subresourceScale)
	}
	_, err := s.send(ctx, r)
	return err
}
