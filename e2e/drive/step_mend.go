package drive

import (
	"context"

	"operatorbench/e2e/spec/scenarios"
)

// mend makes whole what a kind of fault broke, and records it.
func (s *sampleRun) mend(ctx context.Context, step scenarios.Step) error {
	done, err := s.barrier(step.Mend).mend(ctx, step.Mend)
	if recorded := s.recordFault(done); recorded != nil {
		return recorded
	}
	return err
}
