package drive

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/retry"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/scenarios"
)

const subresourceScale = "scale"

// scale changes the size as autoscalers do: they read the scale subresource, write
// another number into it, and try again when somebody else has written meanwhile.
func (s *sampleRun) scale(ctx context.Context, step scenarios.Step) error {
	r, client := s.on(step)
	r.verb, r.do = record.Scale, func(ctx context.Context) (reply *unstructured.Unstructured, err error) {
		err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
			is, err := client.Get(ctx, r.name, metav1.GetOptions{}, subresourceScale)
			if err != nil {
				return err
			}
			if err := unstructured.SetNestedField(is.Object, int64(step.Scale.Size), "spec", "replicas"); err != nil {
				return err
			}
			reply, err = client.Update(ctx, is, metav1.UpdateOptions{}, subresourceScale)
			return err
		})
		return reply, err
	}
	r.generation = func(ctx context.Context) (int64, error) {
		custom, err := client.Get(ctx, r.name, metav1.GetOptions{})
		if err != nil {
			return 0, fmt.Errorf("read the generation after %s: %w", r.verb, err)
		}
		return custom.GetGeneration(), nil
	}
	return s.write(ctx, step, r)
}
