package drive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"operatorbench/e2e/bed/kube"
	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/scenarios"
)

// lockstep does each fault once for all samples that take part in it: the last
// that comes to a fault finds the others waiting there. A sample that ends
// before leaves, and is not waited for any more. Whoever leaves last mends what
// is still broken.
type lockstep struct {
	faults Breaker
	clock  func() time.Duration
	// stopped is closed when the run is stopped: the cluster then goes, or all
	// that the run has made in it, and nobody waits until it serves again.
	stopped <-chan struct{}

	mu      sync.Mutex
	members int
	turn    *turn                   // that somebody waits in; nil: none
	broken  map[string]fault.Broken // by kind
	what    map[string]string       // that it was done to
}

// turn is one fault, or the mending of one, that all members come to.
type turn struct {
	arrived int
	full    chan struct{}
	once    sync.Once
	done    deed
}

// deed is what was done in a turn.
type deed struct {
	fault record.Fault
	at    time.Duration // when it was done
	err   error
}

func newLockstep(faults Breaker, clock func() time.Duration, members int, stopped <-chan struct{}) *lockstep {
	return &lockstep{faults: faults, clock: clock, members: members, stopped: stopped, broken: map[string]fault.Broken{}, what: map[string]string{}}
}

// do waits for the other members, and does the work once for all.
func (l *lockstep) do(ctx context.Context, work func(context.Context) deed) (deed, error) {
	l.mu.Lock()
	if l.turn == nil {
		l.turn = &turn{full: make(chan struct{})}
	}
	t := l.turn
	t.arrived++
	l.begins()
	l.mu.Unlock()
	select {
	case <-t.full:
	case <-ctx.Done():
		return deed{}, ctx.Err()
	}
	t.once.Do(func() { t.done = work(ctx) })
	return t.done, t.done.err
}

// gather returns when all members are there. Each is given what it starts from
// before any begins: else the first would be long past the point at which the
// fault is to meet it.
func (l *lockstep) gather(ctx context.Context) error {
	_, err := l.do(ctx, func(context.Context) deed { return deed{} })
	return err
}

// begins lets the turn begin when all are there. The lock is held.
func (l *lockstep) begins() {
	if l.turn != nil && l.turn.arrived >= l.members {
		close(l.turn.full)
		l.turn = nil
	}
}

// begin breaks what a step wants broken. A fault that is over at once returns
// no undoing.
func (l *lockstep) begin(ctx context.Context, f scenarios.Fault, cr fault.Target) (deed, error) {
	return l.do(ctx, func(ctx context.Context) deed {
		kind, what := f.Kind()
		from := l.clock()
		broken, err := l.faults.Begin(ctx, f, cr)
		d := deed{fault: record.Fault{Stage: record.Begun, From: from, Kind: kind, What: what, Objects: broken.Objects}, at: l.clock()}
		if broken.Undo != nil { // also of one that failed half-way, and could not be taken back
			l.mu.Lock()
			l.broken[kind], l.what[kind] = broken, what
			l.mu.Unlock()
		}
		if err != nil {
			d.err = fmt.Errorf("%s %s: %w", kind, what, err)
			d.fault.Error = err.Error()
		}
		return d
	})
}

// lasts tells whether a fault of a kind is not over yet.
func (l *lockstep) lasts(kind string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken[kind].Undo != nil
}

// mend makes whole what a kind of fault broke.
func (l *lockstep) mend(ctx context.Context, kind string) (deed, error) {
	return l.do(ctx, func(context.Context) deed { return l.undo(kind) })
}

const (
	undoTimeout = 3 * time.Minute // of one fault
	stoppedUndo = 5 * time.Second // of the same, once the run is stopped
)

// undoing is a context that lasts whatever has ended meanwhile.
func (l *lockstep) undoing() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), undoTimeout)
	go func() {
		select {
		case <-l.stopped:
		case <-ctx.Done():
			return
		}
		timer := time.NewTimer(stoppedUndo)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

func (l *lockstep) isStopped() bool {
	select {
	case <-l.stopped:
		return true
	default:
		return false
	}
}

// undo is done whatever has ended meanwhile.
func (l *lockstep) undo(kind string) deed {
	l.mu.Lock()
	broken, what := l.broken[kind], l.what[kind]
	l.mu.Unlock()
	d := deed{fault: record.Fault{Stage: record.Over, From: l.clock(), Kind: kind, What: what, Objects: broken.Objects}}
	if broken.Undo == nil {
		d.err = fmt.Errorf("mend %s: nothing of this kind is broken", kind)
		return d
	}
	ctx, cancel := l.undoing()
	defer cancel()
	if err := broken.Undo(ctx); err != nil {
		d.fault.Error = err.Error()
		// What was given back and does not serve again is the operator's failure, not the bed's.
		if unready := (*kube.WaitError)(nil); !errors.As(err, &unready) && !l.isStopped() {
			d.err = fmt.Errorf("undo %s %s: %w", kind, what, err)
			return d
		}
	}
	d.at = l.clock()
	l.mu.Lock()
	delete(l.broken, kind)
	l.mu.Unlock()
	return d
}

// leave takes a member out. The last mends what is still broken, and returns
// what it did; an error means that the bed is broken.
func (l *lockstep) leave() ([]deed, error) {
	l.mu.Lock()
	l.members--
	l.begins()
	last := l.members == 0
	kinds := slices.Sorted(maps.Keys(l.broken))
	l.mu.Unlock()
	if !last {
		return nil, nil
	}
	var done []deed
	var problems []error
	for _, kind := range slices.Backward(kinds) {
		d := l.undo(kind)
		done, problems = append(done, d), append(problems, d.err)
	}
	return done, errors.Join(problems...)
}
