package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// sampleRun drives one sample, from its beginning to its end.
type sampleRun struct {
	*Driver
	style     Style
	sample    record.Sample
	changed   chan struct{} // something was recorded
	changedAt atomic.Int64  // when
	changes   changes       // in its namespaces
	// moved is when something last happened that the sample must come to rest
	// after, where it is not all that is recorded: others overlap with it.
	moved func() time.Duration
	// blind reports whether something may have happened that is not recorded yet; nil: it never is so.
	blind func() bool
	// before is how long the operator is left alone before the first step, and quiet how long nothing may move at the end;
	// watched is how long the sample is then watched, whatever moves; 0: no longer.
	before, quiet, watched time.Duration
	// left is the name that the main child had when the custom resource was deleted.
	left string
	// drifted is the name of the main child that drifted last, of several.
	drifted string
	// due is when the step that is performed was due by a schedule; 0: there is none.
	due time.Duration
	// waited is how long the last point that was awaited took to be reached.
	waited time.Duration
	// wrote is how long the operator took to write the main child when the custom resource was created, before or here;
	// 0: that is not known, or not asked. It is measured from created on; 0: it is not.
	wrote, created time.Duration
	// full: its time was over, and the cluster had no room for what it asks for.
	full bool
	// together does the faults that the samples of a wave share, alone does those of this sample; nil: it has none.
	together, alone *barrier
}

func (d *Driver) sampleRun(style Style, sample record.Sample) *sampleRun {
	s := &sampleRun{Driver: d, style: style, sample: sample, changed: make(chan struct{}, 1), quiet: sample.Window}
	s.moved = func() time.Duration { return time.Duration(s.changedAt.Load()) }
	if sample.Matrix {
		s.moved = func() time.Duration { return d.Judge.LastEvent(sample.Namespace) }
	}
	return s
}

// sampleRun is Driver.sampleRun of a sample that the turn's watches show.
func (t *turn) sampleRun(style Style, sample record.Sample) *sampleRun {
	s := t.Driver.sampleRun(style, sample)
	s.blind = t.watches.Blind
	return s
}

// listen begins to signal that something was recorded.
func (s *sampleRun) listen() (stop func()) {
	return s.Recorder.Listen(func(e record.Entry) {
		switch e.Kind {
		case record.KindUsage, record.KindProbe, record.KindClosed:
			return // nothing changed
		case record.KindAudit: // nor has anything here, but that the operator has begun may be seen
			if e.Audit.Namespace != s.sample.Namespace {
				return
			}
		default:
			s.changedAt.Store(int64(e.Time))
			if e.Watch != nil && s.holds(e.Watch.Namespace) {
				s.changes.see(&e)
			}
		}
		select {
		case s.changed <- struct{}{}:
		default: // the signal that waits covers this entry too
		}
	})
}

// holds reports whether a namespace is one of the sample's.
func (s *sampleRun) holds(namespace string) bool {
	return namespace != "" && (namespace == s.sample.Namespace || slices.ContainsFunc(s.sample.Others, func(o record.Other) bool { return o.Namespace == namespace }))
}

// run records the sample: its beginning, its steps, and its end.
func (s *sampleRun) run(ctx context.Context, steps []scenarios.Step) (record.End, error) {
	defer s.listen()()
	end := endOf(s.sample)
	if err := s.began(s.sample); err != nil {
		return end, err
	}
	if !faulty(steps) && len(s.style.Work) == 0 && len(steps) > 0 && steps[0].Create != nil {
		s.created = s.Recorder.Now()
	}
	silent := s.asks(ctx)
	if s.sample.Matrix {
		end.Outcome, end.Reason, end.Await = s.matrix(ctx, steps)
	} else {
		end.Outcome, end.Reason = s.measured(ctx, steps)
	}
	if end.Outcome == record.Settled {
		end.Rested = s.Recorder.Now()
	}
	silent()
	s.full = end.Outcome == record.TimedOut && s.Judge.NoRoom(s.sample.Namespace) != ""
	mended := s.leaveFaults()
	err := s.takeInventory(ctx, end.Outcome == record.Settled)
	if ctx.Err() != nil {
		end.Outcome = record.Interrupted
	}
	if recorded := s.ended(s.sample, end); err == nil {
		err = recorded
	}
	switch {
	case mended != nil:
		return end, mended
	case err != nil:
		return end, err
	}
	return end, ctx.Err()
}

// measured performs the steps at once, and waits for the end state.
func (s *sampleRun) measured(ctx context.Context, steps []scenarios.Step) (outcome, reason string) {
	ctx, cancel := context.WithTimeout(ctx, s.sample.Timeout)
	defer cancel()
	for _, step := range steps {
		if err := s.step(ctx, step); err != nil {
			return record.Interrupted, err.Error()
		}
	}
	return s.settle(ctx)
}

// settle waits for the end state, and that it stands still.
func (s *sampleRun) settle(ctx context.Context) (outcome, reason string) {
	return s.wait(ctx, func() string { return s.Judge.Missing(s.sample.Namespace) }, s.quiet, s.sample.Patience)
}

// quiescence follows a sample that comes to rest, or does not.
type quiescence struct {
	window time.Duration // so long nothing may move
	unrest time.Duration // so long it may move on though nothing is lacking; 0: for ever
	// Since when nothing is lacking, since when it is but for moments shorter than
	// the window, and when the last of these began; negative: it is not so.
	whole, nearly, lost time.Duration
}

// newQuiescence begins to follow the sample. By the style's timeout an operator would have
// handled one change more; a load has a time of its own.
func (s *sampleRun) newQuiescence(window time.Duration) *quiescence {
	q := &quiescence{window: window, whole: -1, nearly: -1, lost: -1}
	if s.sample.Namespace != "" && s.style.Timeout > 0 {
		q.unrest = max(s.style.Timeout, 2*window)
	}
	return q
}

// lacking takes note that something lacks.
func (q *quiescence) lacking(now time.Duration) {
	if q.whole >= 0 {
		q.lost = now
	}
	q.whole = -1
}

// complete takes note that nothing lacks; moved is when something last did. It says
// whether the sample has come to rest, or never will, and else when to look again.
func (q *quiescence) complete(now, moved time.Duration) (outcome string, due time.Duration) {
	if q.whole < 0 {
		if q.whole = now; q.nearly < 0 || now-q.lost > q.window {
			q.nearly = now
		}
	}
	due = max(q.whole, moved) + q.window
	switch {
	case now >= due:
		return record.Settled, due
	case q.unrest == 0:
		return "", due
	case now-q.nearly >= q.unrest:
		return record.TimedOut, due
	}
	return "", min(due, q.nearly+q.unrest)
}

// wait waits until nothing is lacking, and has not been for window. It gives up when nothing has moved for patience (0:
// never), when nothing lacks and it does not come to rest, or when ctx ends. While a watch is broken it does neither:
// that nothing moves is not seen then, and the gap must be recorded before the sample's end.
func (s *sampleRun) wait(ctx context.Context, lacks func() string, window, patience time.Duration) (outcome, reason string) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	began, quiescence := s.Recorder.Now(), s.newQuiescence(window)
	for {
		lack, now := lacks(), s.Recorder.Now()
		due := time.Duration(-1)
		if pace := s.pace(now); window > 0 {
			quiescence.window = max(window, pace)
		}
		switch {
		case lack == "":
			outcome, due = quiescence.complete(now, s.moved())
			reason = ""
			if outcome == record.TimedOut {
				reason = s.unsettled(quiescence.window)
			}
		default:
			quiescence.lacking(now)
			outcome = ""
			if patience == 0 {
				break
			}
			if due = max(began, s.moved()) + patience; now >= due {
				outcome, reason = record.TimedOut, fmt.Sprintf("nothing has moved for %v: %s", patience, lack)
			}
		}
		switch {
		case outcome == "":
		case s.isBlind(window + patience):
			due = now + watch.Unnoticed
		default:
			return outcome, reason
		}
		if due < 0 {
			timer.Stop()
		} else {
			timer.Reset(due - now)
		}
		select {
		case <-s.changed:
		case <-timer.C:
		case <-s.Recorder.Failed():
			return record.Interrupted, s.Recorder.Err().Error()
		case <-ctx.Done():
			if s.isBlind(window + patience) {
				return record.Interrupted, "a watch was broken when the time was over"
			}
			switch {
			case lack == "":
				lack = s.unsettled(quiescence.window)
			case patience > 0: // something moved all the time
				lack += "; " + s.changes.String(s.Recorder.Now())
			}
			return record.TimedOut, lack
		}
	}
}

// isBlind reports whether that nothing moves for so long would not be seen now.
func (s *sampleRun) isBlind(still time.Duration) bool {
	return still > 0 && s.blind != nil && s.blind()
}

// What an operator without work objects does between two writes is not seen: nothing
// may move for so many times what it took to write the main child.
const windowWrites = 2

// pace is how long nothing may move at least, as far as is known now. What cannot be
// brought about is tried again and again: more calm may never come.
func (s *sampleRun) pace(now time.Duration) time.Duration {
	if s.sample.Unmeetable {
		return 0
	}
	if s.created > 0 && s.Judge.Lacks(s.sample.Namespace, spec.PointWritten) == "" {
		s.wrote, s.created = now-s.created, 0
	}
	return min(windowWrites*s.wrote, longestWindow)
}

// unsettled is the reason of a sample that lacked nothing, and did not come to rest.
func (s *sampleRun) unsettled(window time.Duration) string {
	return fmt.Sprintf("it never stood still for %v; %s", window, s.changes.String(s.Recorder.Now()))
}

// matrix performs the steps, waits for the end state, and nudges an operator
// that does not recover from a fault by itself. It stops at a point that is awaited in vain.
func (s *sampleRun) matrix(ctx context.Context, steps []scenarios.Step) (outcome, reason, await string) {
	if err := s.until(ctx, s.Recorder.Now()+s.before); err != nil {
		return record.Interrupted, err.Error(), ""
	}
	for i := 0; i < len(steps); i++ {
		taken, err := s.taken(ctx, steps[i])
		if taken { // while the operator is down, nobody lets the old one go
			steps = later(steps, i)
		}
		if taken && steps[i].Create != nil {
			err = s.vacate(ctx, steps[i])
		}
		if err == nil {
			err = s.step(ctx, steps[i])
		}
		if err != nil {
			if unreached := (*unreachedError)(nil); errors.As(err, &unreached) {
				return record.TimedOut, err.Error(), unreached.point
			}
			return record.Interrupted, err.Error(), ""
		}
	}
	if outcome, reason = s.rest(ctx); outcome == record.Settled && s.watched > 0 {
		if err := s.until(ctx, s.Recorder.Now()+s.watched); err != nil {
			return record.Interrupted, err.Error(), ""
		}
	}
	if outcome != record.TimedOut || !faulty(steps) || s.Judge.Missing(s.sample.Namespace) == "" || s.sample.Size == nil || s.sample.Unmeetable {
		return outcome, reason, ""
	}
	if err := s.nudge(ctx); err != nil {
		return record.Interrupted, err.Error(), ""
	}
	outcome, reason = s.rest(ctx)
	return outcome, reason, ""
}

// faulty reports whether something is broken on purpose.
func faulty(steps []scenarios.Step) bool { return scenarios.Scenario{Steps: steps}.Faulty() }

// rest waits for the end state as long as one reconcile may take.
func (s *sampleRun) rest(ctx context.Context) (outcome, reason string) {
	ctx, cancel := context.WithTimeout(ctx, s.style.bound())
	defer cancel()
	return s.settle(ctx)
}
