package drive

import (
	"context"
	"fmt"
	"time"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// series creates custom resources at its pace, whatever becomes of those before.
// While the operator is down none is under way, however long a reconcile takes.
func (s *sampleRun) series(ctx context.Context, step scenarios.Step) error {
	began, pace := s.Recorder.Now(), step.Series.Pace(s.style.Typical.Reconcile)
	if s.together != nil && s.together.lasts(spec.FaultStop) {
		pace = step.Series.Every
	}
	for i, name := range step.Series.Names() {
		if err := s.until(ctx, began+time.Duration(i)*pace); err != nil {
			return err
		}
		if err := s.create(ctx, scenarios.Step{On: name, Create: &scenarios.Spec{Size: step.Series.Size}}); err != nil {
			return err
		}
		if goes := step.Series.Goes(i); goes != "" {
			if err := s.delete(ctx, scenarios.Step{On: goes, Delete: &scenarios.Delete{}}); err != nil {
				return err
			}
		}
		if leaves := step.Series.Leaves(i); leaves != "" {
			namespace, _ := s.place(leaves)
			if err := s.Namespaces.Delete(ctx, namespace); err != nil {
				return fmt.Errorf("delete the namespace %s of a series: %w", namespace, err)
			}
		}
	}
	return nil
}
