package drive

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"operatorbench/e2e/spec/scenarios"
)

// patch sends what `kubectl apply` does: a merge patch.
func (s *sampleRun) patch(ctx context.Context, step scenarios.Step) error {
	r, client := s.on(step)
	return s.write(ctx, step, merge(r, client, s.Workload.SizePatch(step.Patch.Size), metav1.PatchOptions{}))
}
