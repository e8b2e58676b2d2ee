package drive

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"operatorbench/e2e/spec/scenarios"
)

// pause pauses the custom resource, or lets it go on.
func (s *sampleRun) pause(ctx context.Context, step scenarios.Step) error {
	fields := s.Workload.Pause
	if !*step.Pause {
		// Until now the operator may have done what it should not.
		if err := s.until(ctx, s.Recorder.Now()+max(leastHold, s.style.Typical.Reconcile)); err != nil {
			return err
		}
		fields = removal(fields)
	}
	patch, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	r, client := s.on(step)
	r.paused = step.Pause
	_, err = s.send(ctx, merge(r, client, patch, metav1.PatchOptions{}))
	return err
}

// removal is the merge patch that removes the fields of another one.
func removal(patch map[string]any) map[string]any {
	gone := map[string]any{}
	for key, value := range patch {
		gone[key] = nil
		if inner, is := value.(map[string]any); is {
			gone[key] = removal(inner)
		}
	}
	return gone
}
