package drive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/scenarios"
)

// barrier does each fault once for all samples that take part in it: the last that comes to a fault finds the others
// waiting there. A sample that ends before leaves, and is not waited for any more. Whoever leaves last mends what is
// still broken.
type barrier struct {
	faults Breaker
	clock  func() time.Duration
	// run ends when the run is stopped: the cluster then goes, or all that the run
	// has made in it, and nobody waits until it serves again.
	run context.Context

	mu      sync.Mutex
	members int
	meeting *meeting                // that somebody waits in; nil: none
	broken  map[string]fault.Broken // by kind
	what    map[string]string       // that it was done to
}

// meeting is one fault, or the mending of one, that all members come to.
type meeting struct {
	arrived int
	full    chan struct{}
	once    sync.Once
	done    action
}

// action is what was done in a meeting.
type action struct {
	fault record.Fault
	at    time.Duration // when it was done
	err   error
}

func newBarrier(run context.Context, faults Breaker, clock func() time.Duration, members int) *barrier {
	return &barrier{faults: faults, clock: clock, members: members, run: run, broken: map[string]fault.Broken{}, what: map[string]string{}}
}

// do waits for the other members, and does the work once for all.
func (b *barrier) do(ctx context.Context, work func(context.Context) action) (action, error) {
	b.mu.Lock()
	if b.meeting == nil {
		b.meeting = &meeting{full: make(chan struct{})}
	}
	t := b.meeting
	t.arrived++
	b.begins()
	b.mu.Unlock()
	select {
	case <-t.full:
	case <-ctx.Done():
		return action{}, ctx.Err()
	}
	t.once.Do(func() { t.done = work(ctx) })
	return t.done, t.done.err
}

// gather returns when all members are there. Each is given what it starts from before any begins: else the first would
// be long past the point at which the fault is to meet it.
func (b *barrier) gather(ctx context.Context) error {
	_, err := b.do(ctx, func(context.Context) action { return action{} })
	return err
}

// begins lets the meeting begin when all are there. The lock is held.
func (b *barrier) begins() {
	if b.meeting != nil && b.meeting.arrived >= b.members {
		close(b.meeting.full)
		b.meeting = nil
	}
}

// begin breaks what a step wants broken. A fault that is over at once returns no undoing.
func (b *barrier) begin(ctx context.Context, f scenarios.Fault, cr fault.Target) (action, error) {
	return b.do(ctx, func(ctx context.Context) action {
		from := b.clock()
		broken, err := b.faults.Begin(ctx, f, cr)
		d := action{fault: record.Fault{Stage: record.Begun, From: from, Kind: f.Kind, What: f.What, Objects: broken.Objects}, at: b.clock()}
		if broken.Undo != nil { // also of one that failed half-way, and could not be taken back
			b.mu.Lock()
			b.broken[f.Kind], b.what[f.Kind] = broken, f.What
			b.mu.Unlock()
		}
		if err != nil {
			d.err = fmt.Errorf("%s %s: %w", f.Kind, f.What, err)
			d.fault.Error = firstLine(err)
		}
		return d
	})
}

// lasts reports whether a fault of a kind is not over yet.
func (b *barrier) lasts(kind string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.broken[kind].Undo != nil
}

// mend makes whole what a kind of fault broke.
func (b *barrier) mend(ctx context.Context, kind string) (action, error) {
	return b.do(ctx, func(context.Context) action { return b.undo(kind) })
}

const (
	undoTimeout = 3 * time.Minute // of one fault
	stoppedUndo = 5 * time.Second // of the same, once the run is stopped
)

// undoing is a context that lasts whatever has ended meanwhile.
func (b *barrier) undoing() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.run), undoTimeout)
	goOn := context.AfterFunc(b.run, func() { time.AfterFunc(stoppedUndo, cancel) })
	return ctx, func() {
		goOn()
		cancel()
	}
}

// undo is done whatever has ended meanwhile.
func (b *barrier) undo(kind string) action {
	b.mu.Lock()
	broken, what := b.broken[kind], b.what[kind]
	b.mu.Unlock()
	d := action{fault: record.Fault{Stage: record.Over, From: b.clock(), Kind: kind, What: what, Objects: broken.Objects}}
	if broken.Undo == nil {
		d.err = fmt.Errorf("mend %s: nothing of this kind is broken", kind)
		return d
	}
	ctx, cancel := b.undoing()
	defer cancel()
	if err := broken.Undo(ctx); err != nil {
		d.fault.Error = firstLine(err)
		// What was given back and does not serve again is the operator's failure, not the test environment's.
		if !unready(err) && b.run.Err() == nil {
			d.err = fmt.Errorf("undo %s %s: %w", kind, what, err)
			return d
		}
	}
	d.at = b.clock()
	b.mu.Lock()
	delete(b.broken, kind)
	b.mu.Unlock()
	return d
}

// unready reports whether all that went wrong is that something did not come about in time.
func unready(err error) bool {
	switch is := err.(type) { //nolint:errorlint // each leaf is asked
	case *kube.WaitError:
		return true
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(is.Unwrap(), func(one error) bool { return !unready(one) })
	case interface{ Unwrap() error }:
		return unready(is.Unwrap())
	}
	return false
}

// firstLine is what an error says itself. Below it may stand what the operator has logged, secrets included.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// leave takes a member out. The last mends what is still broken, and returns
// what it did; an error means that the test environment is broken.
func (b *barrier) leave() ([]action, error) {
	b.mu.Lock()
	b.members--
	b.begins()
	last := b.members == 0
	kinds := slices.Sorted(maps.Keys(b.broken))
	b.mu.Unlock()
	if !last {
		return nil, nil
	}
	var done []action
	var problems []error
	for _, kind := range slices.Backward(kinds) {
		d := b.undo(kind)
		done, problems = append(done, d), append(problems, d.err)
	}
	return done, errors.Join(problems...)
}
