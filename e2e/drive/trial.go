package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/scenarios"
)

// trial drives one sample, from its beginning to its end.
type trial struct {
	*Driver
	style   Style
	sample  record.Sample
	changed chan struct{} // something was recorded
	stirred atomic.Int64  // when
	moves   moves         // in its namespaces
	// moved is when something last happened that the sample must come to rest
	// after, where it is not all that is recorded: others overlap with it.
	moved func() time.Duration
	// quiet is how long nothing may move at the end; watched is how long the sample is
	// then watched, whatever moves; 0: no longer.
	quiet, watched time.Duration
	// due is when the step that is performed was due by a schedule; 0: there is none.
	due time.Duration
	// waited is how long the last point that was awaited took to be reached.
	waited time.Duration
	// together does the faults that the samples of a wave share, alone does
	// those of this sample; nil: it has none.
	together, alone *barrier
}

func (d *Driver) trial(style Style, sample record.Sample) *trial {
	t := &trial{Driver: d, style: style, sample: sample, changed: make(chan struct{}, 1), quiet: sample.Window}
	t.moved = func() time.Duration { return time.Duration(t.stirred.Load()) }
	if sample.Matrix {
		t.moved = func() time.Duration { return d.Judge.LastEvent(sample.Namespace) }
	}
	return t
}

// listen begins to signal that something was recorded.
func (t *trial) listen() (stop func()) {
	return t.Recorder.Listen(func(e record.Entry) {
		switch e.Kind {
		case record.KindUsage:
			return // nothing changed
		case record.KindAudit: // nor has anything here, but that the operator has begun may be seen
			if e.Audit.Namespace != t.sample.Namespace {
				return
			}
		default:
			t.stirred.Store(int64(e.Time))
			if e.Watch != nil && t.holds(e.Watch.Namespace) {
				t.moves.see(&e)
			}
		}
		select {
		case t.changed <- struct{}{}:
		default: // the signal that waits covers this entry too
		}
	})
}

// holds tells whether a namespace is one of the sample's.
func (t *trial) holds(namespace string) bool {
	return namespace != "" && (namespace == t.sample.Namespace || t.sample.Matrix && namespace == secondOf(t.sample.Namespace))
}

// run records the sample: its beginning, its steps, and its end.
func (t *trial) run(ctx context.Context, steps []scenarios.Step) (record.End, error) {
	defer t.listen()()
	end := endOf(t.sample)
	if err := t.Recorder.Record(record.Entry{Time: t.Recorder.Now(), Kind: record.KindBegin, Begin: &t.sample}); err != nil {
		return end, err
	}
	t.Observer.Began(t.sample)
	if t.sample.Matrix {
		end.Outcome, end.Reason = t.matrix(ctx, steps)
	} else {
		end.Outcome, end.Reason = t.measured(ctx, steps)
	}
	mended := t.leaveFaults()
	err := t.takeInventory(ctx, end.Outcome == record.Settled)
	if ctx.Err() != nil {
		end.Outcome = record.Interrupted
	}
	if err == nil {
		err = t.Recorder.Record(record.Entry{Time: t.Recorder.Now(), Kind: record.KindEnd, End: &end})
	}
	t.Observer.Ended(t.sample, end)
	switch {
	case mended != nil:
		return end, mended
	case err != nil:
		return end, err
	}
	return end, ctx.Err()
}

// measured performs the steps at once, and waits for the end state.
func (t *trial) measured(ctx context.Context, steps []scenarios.Step) (outcome, reason string) {
	ctx, cancel := context.WithTimeout(ctx, t.sample.Timeout)
	defer cancel()
	for _, step := range steps {
		if err := t.step(ctx, step); err != nil {
			return record.Interrupted, err.Error()
		}
	}
	return t.settle(ctx)
}

// settle waits for the end state, and that it stands still.
func (t *trial) settle(ctx context.Context) (outcome, reason string) {
	return t.wait(ctx, func() string { return t.Judge.Missing(t.sample.Namespace) }, t.quiet, t.sample.Patience)
}

// calm follows a sample that comes to rest, or does not.
type calm struct {
	window time.Duration // so long nothing may move
	stirs  time.Duration // so long it may move on though nothing is lacking; 0: for ever
	// Since when nothing is lacking, since when it is but for moments shorter than
	// the window, and when the last of these began; negative: it is not so.
	whole, nearly, lost time.Duration
}

// calm begins to follow the sample. By the style's timeout an operator would have
// handled one change more; a load has a time of its own.
func (t *trial) calm(window time.Duration) *calm {
	c := &calm{window: window, whole: -1, nearly: -1, lost: -1}
	if t.sample.Namespace != "" && t.style.Timeout > 0 {
		c.stirs = max(t.style.Timeout, 2*window)
	}
	return c
}

// lacking takes note that something lacks.
func (c *calm) lacking(now time.Duration) {
	if c.whole >= 0 {
		c.lost = now
	}
	c.whole = -1
}

// complete takes note that nothing lacks; moved is when something last did. It says
// whether the sample has come to rest, or never will, and else when to look again.
func (c *calm) complete(now, moved time.Duration) (outcome string, due time.Duration) {
	if c.whole < 0 {
		if c.whole = now; c.nearly < 0 || now-c.lost > c.window {
			c.nearly = now
		}
	}
	due = max(c.whole, moved) + c.window
	switch {
	case now >= due:
		return record.Settled, due
	case c.stirs == 0:
		return "", due
	case now-c.nearly >= c.stirs:
		return record.TimedOut, due
	}
	return "", min(due, c.nearly+c.stirs)
}

// wait waits until nothing is lacking, and has not been for window. It gives up
// when nothing has moved for patience (0: never), when nothing lacks and it does
// not come to rest, or when ctx ends.
func (t *trial) wait(ctx context.Context, lacks func() string, window, patience time.Duration) (outcome, reason string) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	began, calm := t.Recorder.Now(), t.calm(window)
	for {
		lack, now := lacks(), t.Recorder.Now()
		due := time.Duration(-1)
		switch {
		case lack == "":
			switch outcome, due = calm.complete(now, t.moved()); outcome {
			case record.Settled:
				return outcome, ""
			case record.TimedOut:
				return outcome, t.restless(window)
			}
		default:
			calm.lacking(now)
			if patience == 0 {
				break
			}
			if due = max(began, t.moved()) + patience; now >= due {
				return record.TimedOut, fmt.Sprintf("nothing has moved for %v: %s", patience, lack)
			}
		}
		if due < 0 {
			timer.Stop()
		} else {
			timer.Reset(due - now)
		}
		select {
		case <-t.changed:
		case <-timer.C:
		case <-t.Recorder.Failed():
			return record.Interrupted, t.Recorder.Err().Error()
		case <-ctx.Done():
			switch {
			case lack == "":
				lack = t.restless(window)
			case patience > 0: // something moved all the time
				lack += "; " + t.moves.String(t.Recorder.Now())
			}
			return record.TimedOut, lack
		}
	}
}

// restless is the reason of a sample that lacked nothing, and did not come to rest.
func (t *trial) restless(window time.Duration) string {
	return fmt.Sprintf("it never stood still for %v; %s", window, t.moves.String(t.Recorder.Now()))
}

// matrix performs the steps, waits for the end state, and nudges an operator
// that does not recover from a fault by itself.
func (t *trial) matrix(ctx context.Context, steps []scenarios.Step) (outcome, reason string) {
	faulty := slices.ContainsFunc(steps, func(s scenarios.Step) bool { return s.Fault != nil })
	for i := 0; i < len(steps); i++ {
		taken, err := t.taken(ctx, steps[i])
		if taken { // while the operator is down, nobody lets the old one go
			steps = later(steps, i)
		}
		if taken && steps[i].Create != nil {
			err = t.vacate(ctx, steps[i])
		}
		if err == nil {
			err = t.step(ctx, steps[i])
		}
		if err != nil {
			if unreached := (*unreachedError)(nil); errors.As(err, &unreached) {
				return record.TimedOut, err.Error()
			}
			return record.Interrupted, err.Error()
		}
	}
	if outcome, reason = t.rest(ctx); outcome == record.Settled && t.watched > 0 {
		if err := t.until(ctx, t.Recorder.Now()+t.watched); err != nil {
			return record.Interrupted, err.Error()
		}
	}
	if outcome != record.TimedOut || !faulty || t.Judge.Missing(t.sample.Namespace) == "" || t.sample.Size == nil || t.sample.Unmeetable {
		return outcome, reason
	}
	if err := t.nudge(ctx); err != nil {
		return record.Interrupted, err.Error()
	}
	return t.rest(ctx)
}

// rest waits for the end state as long as one reconcile may take.
func (t *trial) rest(ctx context.Context) (outcome, reason string) {
	ctx, cancel := context.WithTimeout(ctx, t.style.bound())
	defer cancel()
	return t.settle(ctx)
}
