package drive

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// endless is a fault whose undoing waits for something that never comes.
type endless struct{}

func (endless) Begin(context.Context, scenarios.Fault, fault.Target) (fault.Broken, error) {
	return fault.Broken{Undo: func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}}, nil
}

// A run that is stopped does not wait until what it broke serves again: the
// cluster goes, or all that the run has made in it.
func TestARunThatIsStoppedDoesNotWaitForWhatItBroke(t *testing.T) {
	for name, test := range map[string]struct {
		stopped bool
		took    time.Duration
		broken  bool // what it leaves is an error
	}{
		"stopped":  {true, stoppedUndo, false},
		"going on": {false, undoTimeout, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				run, stop := context.WithCancel(t.Context())
				defer stop()
				l := newBarrier(run, endless{}, func() time.Duration { return 0 }, 1)
				_, err := l.begin(t.Context(), scenarios.Fault{Kind: spec.FaultStop, What: "all"}, fault.Target{})
				require.NoError(t, err)
				if test.stopped {
					stop()
				}
				began := time.Now()
				done, err := l.leave()
				assert.Equal(t, test.took, time.Since(began))
				assert.Equal(t, test.broken, err != nil, "%v", err)
				require.Len(t, done, 1)
				assert.NotEmpty(t, done[0].fault.Error, "it is recorded")
			})
		})
	}
}

// broken is a fault whose undoing fails.
type broken struct{ err error }

func (b broken) Begin(context.Context, scenarios.Fault, fault.Target) (fault.Broken, error) {
	return fault.Broken{Undo: func(context.Context) error { return b.err }}, nil
}

// That an operator does not serve again is its failure. What could not be given back is not, whatever else does not
// serve; and of what an operator has logged nothing is recorded.
func TestWhatCouldNotBeGivenBackIsNoFailureOfTheOperator(t *testing.T) {
	late := &kube.WaitError{What: "a rollout", Object: "Deployment a", Err: context.DeadlineExceeded, Details: []string{"| the secret"}}
	for name, test := range map[string]struct {
		err  error
		ours bool
	}{
		"it does not serve":       {fmt.Errorf("start: %w", late), false},
		"neither of two serves":   {errors.Join(late, fmt.Errorf("start: %w", late)), false},
		"one is not scaled back":  {errors.Join(errors.New("refused"), late), true},
		"nothing could be undone": {errors.New("refused"), true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newBarrier(t.Context(), broken{test.err}, func() time.Duration { return 0 }, 1)
			_, err := l.begin(t.Context(), scenarios.Fault{Kind: spec.FaultStop, What: "all"}, fault.Target{})
			require.NoError(t, err)
			done := l.undo(spec.FaultStop)
			assert.Equal(t, test.ours, done.err != nil)
			assert.Equal(t, test.ours, l.lasts(spec.FaultStop))
			assert.NotContains(t, done.fault.Error, "secret")
			assert.NotEmpty(t, done.fault.Error)
		})
	}
}
