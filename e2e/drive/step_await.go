package drive

import (
	"context"
	"fmt"
	"slices"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// unreachedError says that a point of the reconcile was not reached.
type unreachedError struct{ point, lacks string }

func (e *unreachedError) Error() string { return fmt.Sprintf("await %s: %s", e.point, e.lacks) }

// await waits for a point of the reconcile. That nobody says what is wrong, or that a status goes on saying what is no
// longer so, is for an oracle to judge, and who never reads what he may not read is not denied it, who gave up does
// not try again, and who never rests does not rest; the steps go on.
func (s *sampleRun) await(ctx context.Context, step scenarios.Step) error {
	window := time.Duration(0)
	if step.Await == spec.PointRested {
		window = s.quiet
	}
	return s.reach(ctx, step.Await, window)
}

// reach waits for a point of the reconcile, and until nothing has moved for window.
func (s *sampleRun) reach(ctx context.Context, point string, window time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, s.style.bound())
	defer cancel()
	began, patience := s.Recorder.Now(), s.sample.Patience
	if point == spec.PointRetried { // which no watch shows
		patience += spec.RetriedFor
	}
	outcome, reason := s.wait(ctx, func() string { return s.Judge.Lacks(s.sample.Namespace, point) }, window, patience)
	s.waited = s.Recorder.Now() - began
	switch {
	case outcome == record.Settled, outcome == record.TimedOut && slices.Contains([]string{spec.PointStuck, spec.PointDenied, spec.PointRetried, spec.PointUnready, spec.PointRested}, point):
		return nil
	case outcome == record.TimedOut:
		return &unreachedError{point, reason}
	}
	return fmt.Errorf("await %s: %s", point, reason)
}
