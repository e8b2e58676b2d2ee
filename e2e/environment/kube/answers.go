package kube

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// askEvery is how often an API server is asked whether it still answers. An answer that takes longer is none.
const askEvery = 10 * time.Second

// SilentError is an API server that gives no answer.
type SilentError struct {
	Since time.Time // its last answer
	Last  error     // what came in place of further answers
}

// Error says since when, and what was heard last.
func (e *SilentError) Error() string {
	return fmt.Sprintf("the API server has not answered since %s; its last answer: %v", e.Since.Format(time.TimeOnly), e.Last)
}

// Unwrap gives what was heard last.
func (e *SilentError) Unwrap() error { return e.Last }

// WhileAnswering returns a context that ends when the API server has given no answer for as long as silence, with a
// *SilentError as its cause. Answers are those that need the server's store, refusals included. The caller calls stop.
func (c *Client) WhileAnswering(ctx context.Context, silence time.Duration) (answering context.Context, stop func()) {
	answering, end := context.WithCancelCause(ctx)
	go func() {
		every := min(askEvery, silence/4)
		answered, last := time.Now(), error(nil)
		for wait := time.NewTicker(every); ; {
			select {
			case <-answering.Done():
				wait.Stop()
				return
			case <-wait.C:
			}
			if err := c.ask(answering, every); err == nil {
				answered = time.Now()
			} else if answering.Err() == nil {
				last = err
			}
			if time.Since(answered) >= silence {
				end(&SilentError{Since: answered, Last: last})
			}
		}
	}()
	return answering, func() { end(context.Canceled) }
}

// ask returns why the API server gives no answer.
func (c *Client) ask(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf("nothing within %v", within))
	defer cancel()
	_, err := c.Typed.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
	var status apierrors.APIStatus
	switch {
	case err == nil, errors.As(err, &status) && status.Status().Code < 500:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return err
}
