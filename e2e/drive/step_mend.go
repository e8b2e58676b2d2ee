package drive

import (
	"context"

	"operatorbench/e2e/spec/scenarios"
)

// mend makes whole what a kind of fault broke, and records it.
func (t *trial) mend(ctx context.Context, step scenarios.Step) error {
	done, err := t.barrier(step.Mend).mend(ctx, step.Mend)
	if recorded := t.recordFault(done); recorded != nil {
		return recorded
	}
	return err
}
