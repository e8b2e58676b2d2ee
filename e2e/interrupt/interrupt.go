// Package interrupt says how a program ends by a signal.
package interrupt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
)

// Error is why a context ended: a signal came.
type Error struct{ Signal syscall.Signal }

func (e *Error) Error() string { return "signal received: " + e.Signal.String() }

// Status is the exit status of a process that was ended by the signal, as shells give it.
func (e *Error) Status() int { return statusOfSignals + int(e.Signal) }

const statusOfSignals = 128

// Caught is the signal that ended a context; nil: none did.
func Caught(ctx context.Context) *Error {
	var caught *Error
	if errors.As(context.Cause(ctx), &caught) {
		return caught
	}
	return nil
}

// Gently ends the returned context with the first SIGINT, SIGTERM or SIGHUP, so that the program removes what it has
// made, and calls exit with the second. What Leaves was told is written to out then. Until stop is called, the end of
// whoever reads what the program prints does not end it either.
func Gently(ctx context.Context, out io.Writer, exit func(int)) (gentle context.Context, stop func()) {
	left := &leavings{}
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, leavingsKey{}, left))
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE) // nobody looks at it; a write fails then, and no more
	first := true
	unnotify := each(func(caught *Error) {
		if first {
			first = false
			cancel(caught)
			return
		}
		_, _ = fmt.Fprintf(out, "operatorbench: ended at once by a second signal (%v)\n%s", caught.Signal, left.said()) // there is nowhere else to say it
		exit(caught.Status())
	})
	return ctx, func() {
		unnotify()
		signal.Stop(pipes)
		cancel(nil)
	}
}

// AtOnce calls exit with the first SIGINT, SIGTERM or SIGHUP: for a program that
// leaves nothing behind, whatever it waits for.
func AtOnce(exit func(int)) (stop func()) {
	return each(func(caught *Error) { exit(caught.Status()) })
}

// each calls do with each signal that is to end the program.
func each(do func(*Error)) (stop func()) {
	ending := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup asks
		ending = append(ending, syscall.SIGHUP)
	}
	signals, stopped := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, ending...)
	go func() {
		for {
			select {
			case s := <-signals:
				caught, _ := s.(syscall.Signal)
				do(&Error{caught})
			case <-stopped:
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		signal.Stop(signals)
		close(stopped)
	})
}

// Leaves says what would be left if the program ended at that moment, and what
// removes it; "": nothing. It is of no effect where no Gently came before.
func Leaves(ctx context.Context, say func() string) {
	if left, ok := ctx.Value(leavingsKey{}).(*leavings); ok {
		left.mu.Lock()
		defer left.mu.Unlock()
		left.say = append(left.say, say)
	}
}

type leavingsKey struct{}

type leavings struct {
	mu  sync.Mutex
	say []func() string
}

func (l *leavings) said() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var text strings.Builder
	for _, say := range l.say {
		if line := say(); line != "" {
			text.WriteString(line + "\n")
		}
	}
	return text.String()
}
