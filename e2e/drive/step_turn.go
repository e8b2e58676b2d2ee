package drive

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// turn sets a knob that does not scale to its other value.
func (s *sampleRun) turn(ctx context.Context, step scenarios.Step) error {
	name, knob := s.Workload.Turned(step.Turn)
	patch, err := spec.MergePatch(spec.Fields(knob.Path), knob.To)
	if err != nil {
		return fmt.Errorf("turn the knob %s: %w", name, err)
	}
	r, client := s.on(step)
	r.turned = name
	_, err = s.send(ctx, merge(r, client, patch, metav1.PatchOptions{}))
	return err
}
