package drive

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec/scenarios"
)

// leastHold is how long the harness keeps a custom resource by its finalizer, at least.
const leastHold = 2 * time.Second

func (s *sampleRun) finalize(ctx context.Context, step scenarios.Step) error {
	if !*step.Finalize {
		// Until now the operator may have done what it should not.
		if err := s.until(ctx, s.Recorder.Now()+max(leastHold, s.style.Typical.Reconcile)); err != nil {
			return err
		}
	}
	r, client := s.on(step)
	r.mayFail = !*step.Finalize // an operator that took it away has let the custom resource go
	r.verb, r.do = "update", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return kube.Hold(ctx, client, r.name, *step.Finalize)
	}
	return s.write(ctx, step, r)
}
