package fault

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"operatorbench/e2e/environment/kube"
)

const (
	// lookEvery is the pace of looks at what cannot be watched: whether the API
	// server answers, refuses, allows; what a node runs.
	lookEvery = 100 * time.Millisecond
	// lookWithin bounds one look: an API server that is going down may never answer.
	lookWithin = 5 * time.Second
	// waitWithin bounds a wait whose context has no deadline.
	waitWithin = 2 * time.Minute
)

// until looks again and again until what is waited for has come about. A look
// tells in a few words what it saw; its error is seen, and looked past.
func until(ctx context.Context, what string, look func(context.Context) (done bool, seen string, err error)) error {
	ctx, cancel := kube.Bounded(ctx, waitWithin)
	defer cancel()
	began, last := time.Now(), "nothing yet"
	err := wait.PollUntilContextCancel(ctx, lookEvery, true, func(ctx context.Context) (bool, error) {
		ctx, cancel := context.WithTimeout(ctx, lookWithin)
		defer cancel()
		done, seen, err := look(ctx)
		if err != nil {
			seen = err.Error()
		}
		last = seen
		return done && err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waited %s for %s: %w; last seen: %s", time.Since(began).Round(100*time.Millisecond), what, context.Cause(ctx), last)
	}
	return nil
}
