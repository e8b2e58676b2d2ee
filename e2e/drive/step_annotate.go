package drive

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"operatorbench/e2e/spec/scenarios"
)

// touched is an annotation that no operator reads.
const touched = "operatorbench/touched"

func (s *sampleRun) annotate(ctx context.Context, step scenarios.Step) error {
	for range step.Annotate {
		if err := s.write(ctx, step, s.touch(step)); err != nil {
			return err
		}
	}
	return nil
}

// touch changes an annotation of the step's custom resource, and nothing else.
func (s *sampleRun) touch(step scenarios.Step) request {
	r, client := s.on(step)
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"%d"}}}`, touched, s.Recorder.Now())
	return merge(r, client, patch, metav1.PatchOptions{})
}

// nudge makes the operator look at the custom resource again.
func (s *sampleRun) nudge(ctx context.Context) error {
	r := s.touch(scenarios.Step{})
	r.nudge, r.mayFail = true, true // it may be gone
	_, err := s.send(ctx, r)
	return err
}
