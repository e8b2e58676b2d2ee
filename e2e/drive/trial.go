package drive

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/fixtures/scenarios"
)

// trial drives one sample, from its beginning to its end.
type trial struct {
	*Driver
	style   Style
	sample  record.Sample
	changed chan struct{} // something was recorded
	stirred atomic.Int64  // when
	// moved is when something last happened that the sample must come to rest
	// after, where it is not all that is recorded: others overlap with it.
	moved func() time.Duration
	// due is when the step that is performed was due by a schedule; 0: there is none.
	due time.Duration
	// waited is how long the last point that was awaited took to be reached.
	waited time.Duration
	// together does the faults that the samples of a wave share, alone does
	// those of this sample; nil: it has none.
	together, alone *lockstep
}

func (d *Driver) trial(style Style, sample record.Sample) *trial {
	t := &trial{Driver: d, style: style, sample: sample, changed: make(chan struct{}, 1)}
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
		}
		select {
		case t.changed <- struct{}{}:
		default: // the signal that waits covers this entry too
		}
	})
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
	err := t.takeStock(ctx, end.Outcome == record.Settled)
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
	return t.wait(ctx, func() string { return t.Judge.Missing(t.sample.Namespace) }, t.sample.Window, t.sample.Patience)
}

// wait waits until nothing is lacking, and has not been for window. It gives up
// when nothing has moved for patience (0: never), or when ctx ends.
func (t *trial) wait(ctx context.Context, lacks func() string, window, patience time.Duration) (outcome, reason string) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	began := t.Recorder.Now()
	whole := time.Duration(-1) // since when nothing is lacking; negative: something is
	for {
		lack, now := lacks(), t.Recorder.Now()
		due := time.Duration(-1)
		switch {
		case lack == "":
			if whole < 0 {
				whole = now
			}
			if due = max(whole, t.moved()) + window; now >= due {
				return record.Settled, ""
			}
		default:
			whole = -1
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
			if lack == "" {
				lack = fmt.Sprintf("it never stood still for %v", window)
			}
			return record.TimedOut, lack
		}
	}
}
