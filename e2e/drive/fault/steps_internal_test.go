package fault

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/kube"
)

// What does not serve again takes all the time that undoing has. The others are given back all the same; where the run
// is stopped, nobody waits for them.
func TestWhatDoesNotServeAgainKeepsNothingElseBroken(t *testing.T) {
	serving := func(ctx context.Context) error {
		<-ctx.Done()
		return &kube.WaitError{Err: ctx.Err()}
	}
	given := 0
	scaled := func(ctx context.Context) error { // as a request is refused
		if ctx.Err() == nil {
			given++
		}
		return ctx.Err()
	}
	all := steps{scaled, scaled, serving}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	late := (*kube.WaitError)(nil)
	err := all.undo(ctx)
	require.ErrorAs(t, err, &late)
	assert.Equal(t, 2, given)
	wrapped, is := err.(interface{ Unwrap() []error })
	require.True(t, is)
	assert.Len(t, wrapped.Unwrap(), 1, "nothing else went wrong")

	stopped, stop := context.WithCancel(t.Context())
	stop()
	err = all.undo(stopped)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 2, given)
}
