package drive

import (
	"context"
	"time"

	"operatorbench/e2e/spec/scenarios"
)

// series creates custom resources at its pace, whatever becomes of those before.
func (s *sampleRun) series(ctx context.Context, step scenarios.Step) error {
	began, pace := s.Recorder.Now(), step.Series.Pace(s.style.Typical.Reconcile)
	for i, name := range step.Series.Names() {
		if err := s.until(ctx, began+time.Duration(i)*pace); err != nil {
			return err
		}
		if err := s.create(ctx, scenarios.Step{On: name, Create: &scenarios.Spec{Size: step.Series.Size}}); err != nil {
			return err
		}
	}
	return nil
}
