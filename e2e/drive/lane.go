package drive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/leak"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// lane is one custom resource after the other, and what it is put through: each scenario starts from what the one
// before it leaves, if it can, and in a fresh namespace else. Lanes of a wave have one scenario each, and overlap.
type lane struct {
	*turn

	warmup bool
	prefix string   // of its namespaces' names
	made   []string // namespaces
	open   []string // those of them whose deletion has not begun; the first is the scenario's own
	left   []string // those of them whose deletion could not be asked for

	uncover  func() // ends the recording of the namespaces
	state    *scenarios.Spec
	broken   bool // what the namespace holds is not known
	hopeless bool // a given state was not reached: no other is tried in this lane

	unfit    string        // why its scenario is not applicable; "": it is
	together *barrier      // of the lanes that share a fault; nil: they share none
	marks    []leak.Mark   // that are in its namespaces
	lag      time.Duration // until the operator began to bring about the given state
	wrote    time.Duration // until it had written the main child of the last custom resource created; 0: not known
}

// drive goes through scenarios once; empty: nothing is then left of them.
func (l *lane) drive(ctx context.Context, list []scenarios.Scenario, empty bool) error {
	for _, scenario := range list {
		err := l.scenario(ctx, scenario)
		switch {
		case err == nil:
		case l.plan.Wave > 0:
			return fmt.Errorf("scenario %s: %w", scenario.Name, err)
		default:
			return fmt.Errorf("style %s, scenario %s, round %d: %w", record.Label(l.style.Name, l.style.Variant), scenario.Name, l.plan.Round, err)
		}
	}
	if empty {
		return l.clear(ctx)
	}
	return nil
}

// scenario brings the given state about, then performs and awaits the steps.
func (l *lane) scenario(ctx context.Context, s scenarios.Scenario) (err error) {
	if l.unfit != "" {
		sample := l.sample(s)
		sample.Reason = l.unfit
		return l.note(sample, record.Settled, l.unfit)
	}
	there := false // its run takes it out of the faults
	defer func() {
		if !there && l.together != nil {
			_, left := l.together.leave()
			err = errors.Join(err, left)
		}
	}()
	if s.Given != nil && l.hopeless {
		return l.unreached(s, record.End{Outcome: record.TimedOut})
	}
	if s.Control() && l.plan.Wave > 0 {
		if err := l.control(ctx, s); err != nil {
			return err
		}
	}
	if len(l.open) == 0 || l.broken || l.state != nil && !l.leadsTo(s.Given) {
		if err := l.fresh(ctx, s); err != nil {
			return err
		}
	}
	if s.Given != nil && (l.state == nil || *l.state != *s.Given) {
		end, err := l.prepare(ctx, s)
		if err != nil {
			return err
		}
		if end.Outcome != record.Settled {
			return l.unreached(s, end)
		}
	}
	if l.together != nil {
		if err := l.together.gather(ctx); err != nil {
			return fmt.Errorf("wait for the others: %w", err)
		}
	}
	run := l.sampleRun(l.style, l.sample(s))
	if l.plan.Wave > 0 {
		if s.Window > 0 {
			run.quiet, run.watched = l.window(), run.sample.Window
		}
		run.before = s.Before
		run.together, run.alone = l.together, newBarrier(l.whole, l.style.Faults, l.Recorder.Now, 1)
	}
	there = true
	_, err = l.run(ctx, run, s.Steps)
	return err
}

// leadsTo reports whether the custom resource that is there can be brought to a given state; nil: none may be there.
func (l *lane) leadsTo(given *scenarios.Spec) bool {
	if given == nil {
		return false
	}
	_, knob := l.Workload.ScaleKnob()
	return knob.Lowers(l.state.Size, given.Size) == ""
}

// run records one sample: its beginning, its steps, and its end.
func (l *lane) run(ctx context.Context, run *sampleRun, steps []scenarios.Step) (record.End, error) {
	run.wrote = l.wrote
	end, err := run.run(ctx, steps)
	l.wrote = run.wrote
	l.broken, l.state = end.Outcome != record.Settled, nil
	if run.sample.Size != nil {
		l.state = &scenarios.Spec{Size: *run.sample.Size}
	}
	return end, err
}

// unreached records that a scenario could not begin: the operator did not bring about in time what the scenario is
// given, or, where preparing that was interrupted, it is not known whether it would have.
func (l *lane) unreached(s scenarios.Scenario, prepared record.End) error {
	reason := fmt.Sprintf("the given state, a handled custom resource of size %d, was not reached", s.Given.Size)
	if prepared.Reason != "" {
		reason += ": " + prepared.Reason
	}
	return l.note(l.sample(s), prepared.Outcome, reason)
}

// note records a sample that has no steps.
func (l *lane) note(sample record.Sample, outcome, reason string) error {
	end := endOf(sample)
	end.Outcome, end.Reason = outcome, reason
	if err := l.began(sample); err != nil {
		return err
	}
	return l.ended(sample, end)
}

// prepare brings about the state that a scenario is given.
func (l *lane) prepare(ctx context.Context, s scenarios.Scenario) (record.End, error) {
	sample := l.sample(s)
	sample.Prepare, sample.Size, sample.Others, sample.Unmeetable = true, &s.Given.Size, nil, false
	steps := []scenarios.Step{{Create: s.Given}}
	switch {
	case l.plan.Wave > 0:
		steps = append(steps, scenarios.Step{Await: spec.PointWorking})
	case l.state != nil:
		steps = []scenarios.Step{{Patch: s.Given}}
	}
	run := l.sampleRun(l.style, sample)
	end, err := l.run(ctx, run, steps)
	l.lag = run.waited
	// A request that failed, and a cluster without room, say nothing of the operator: the next scenario's state is asked
	// for anew.
	l.hopeless = end.Outcome == record.TimedOut && !run.full
	return end, err
}

// control drives an ordinary custom resource in a namespace of its own.
func (l *lane) control(ctx context.Context, s scenarios.Scenario) error {
	s.Given = &scenarios.Spec{Size: 1}
	if err := l.fresh(ctx, s); err != nil {
		return err
	}
	if _, err := l.prepare(ctx, s); err != nil {
		return err
	}
	return l.clear(ctx)
}

// clear deletes a custom resource that the last scenario left, waits until the
// operator has handled that (later ones must not meet its traces), and begins the
// namespace's deletion. Whether it went is checked at the run's end, for all of them.
func (l *lane) clear(ctx context.Context) error {
	if l.state != nil && !l.broken {
		sample := l.sample(scenarios.Scenario{Name: "empty"})
		sample.Prepare = true
		if _, err := l.run(ctx, l.sampleRun(l.style, sample), []scenarios.Step{{Delete: &scenarios.Delete{}}}); err != nil {
			return fmt.Errorf("style %s, round %d: delete what was left: %w", record.Label(l.style.Name, l.style.Variant), l.plan.Round, err)
		}
	}
	l.close(ctx)
	return nil
}

// empty reports whether nothing is left in the namespace.
func (l *lane) empty() bool {
	return l.plan.Wave == 0 && l.schedule() == nil && l.state == nil && !l.broken
}

// fresh opens another namespace, and those beside it that the scenario needs, from which all is recorded.
func (l *lane) fresh(ctx context.Context, s scenarios.Scenario) (err error) {
	l.close(ctx)
	own := l.prefix
	for n := len(l.made); slices.Contains(l.made, own); n++ { // a second namespace may be named as the next
		own = fmt.Sprintf("%s-%d", l.prefix, n)
	}
	open := []string{own}
	for _, other := range s.Others() {
		if namespace, _ := placeOf(own, other.Name); !slices.Contains(open, namespace) {
			open = append(open, namespace)
		}
	}
	l.state, l.broken = nil, false
	bears := time.Duration(0)
	if s.Load != nil {
		bears = watch.Unnoticed
	}
	if l.uncover, err = l.watches.Cover(ctx, bears, open...); err != nil {
		return err
	}
	for _, namespace := range open {
		l.made, l.open = append(l.made, namespace), append(l.open, namespace)
		if err := l.Namespaces.Make(ctx, namespace); err != nil {
			return fmt.Errorf("make the namespace %s: %w", namespace, err)
		}
		if l.style.Logs != nil && l.plan.Wave > 0 {
			mark, err := l.style.Logs.Mark(ctx, namespace)
			if err != nil {
				return err
			}
			l.marks = append(l.marks, mark)
		}
	}
	return nil
}

// end ends the recording of the namespaces.
func (l *lane) end() {
	if l.uncover != nil {
		l.uncover()
		l.uncover = nil
	}
}

// deleteTimeout bounds the request that begins a namespace's deletion.
const deleteTimeout = 10 * time.Second

// close ends the recording, and begins the deletion of the namespaces.
func (l *lane) close(ctx context.Context) {
	l.end()
	ctx, cancel := context.WithTimeout(ctx, deleteTimeout)
	defer cancel()
	for _, namespace := range l.open {
		if l.Namespaces.Delete(ctx, namespace) != nil { // the turn's end tries again, and says so
			l.left = append(l.left, namespace)
		}
	}
	l.open = nil
}

// leaveRoom removes what the lane made while the operator is there, before another lane needs its room. What does not
// go in time is left for the turn's end, which says so.
func (l *lane) leaveRoom(ctx context.Context) {
	l.end()
	ctx, cancel := context.WithTimeout(ctx, l.style.bound())
	defer cancel()
	l.open = slices.DeleteFunc(l.open, func(namespace string) bool { return l.Namespaces.Remove(ctx, namespace) == nil })
}

// sample is what is recorded of a scenario at its beginning.
func (l *lane) sample(s scenarios.Scenario) record.Sample {
	sample := record.Sample{
		Style: l.style.Name, Variant: l.style.Variant, Scenario: s.Name, Round: l.plan.Round, Warmup: l.warmup,
		Namespace: l.prefix, Name: cmp.Or(s.Custom, l.Workload.Name), Timeout: l.style.Timeout, Window: l.Window, Expect: s.Expect, Watches: l.watchedFor(l.style),
	}
	if len(l.open) > 0 {
		sample.Namespace = l.open[0]
	}
	if result := s.Result(); result != nil {
		sample.Size = &result.Size
	}
	switch {
	case l.plan.Wave > 0:
		l.inMatrix(&sample, s)
	case s.Load != nil:
		sample.Load, sample.Timeout, sample.Window = true, s.Load.Within, max(l.Window, l.Matrix.Window)
	}
	return sample
}

// inMatrix adds what a sample of the correctness matrix has beside.
func (l *lane) inMatrix(sample *record.Sample, s scenarios.Scenario) {
	sample.Matrix, sample.Timeout, sample.Window = true, l.timeout(s), max(l.window(), s.Window)
	sample.Patience = cmp.Or(l.style.Patience(), max(l.Matrix.Patience, s.Patience))
	sample.Expect, sample.Cause, sample.Unmeetable = slices.Concat(s.Expect, scenarios.Standing()), s.Cause, s.Unmeetable()
	for _, other := range s.Others() {
		var o record.Other
		o.Namespace, o.Name = placeOf(sample.Namespace, other.Name)
		if other.Result != nil {
			o.Size = &other.Result.Size
		}
		sample.Others = append(sample.Others, o)
	}
}

// Where a reconcile is late to begin, what seems calm may only be late: the window is so many times what the given
// state's took, up to the longest. One event among five came 9 times as late as that of the given state.
const (
	windowLags    = 20
	longestWindow = 30 * time.Second
)

func (l *lane) window() time.Duration {
	return max(l.Matrix.Window, min(windowLags*l.lag, longestWindow))
}

// timeout bounds the whole sample: each point that it awaits, and the two ends
// that it may come to (by itself, after a nudge), may take a reconcile's.
func (l *lane) timeout(s scenarios.Scenario) time.Duration {
	waits := 2
	for _, step := range s.Steps {
		if step.Waits() {
			waits += max(step.Wrong, 1)
			if step.Drift != nil {
				waits += len(step.Drift.Fields)
			}
		}
	}
	return time.Duration(waits)*l.style.bound() + s.Lasts(l.style.Typical.Reconcile)
}

// leastBound is long enough for pods on a machine that has a lot else to do.
const leastBound = 2 * time.Minute

// bound is how long the matrix waits for one reconcile: longer than a style's timeout for one that is driven alone,
// since samples overlap, and share the machine with other clusters. What comes to nothing is given up out of patience.
func (s *Style) bound() time.Duration { return max(3*s.Timeout, leastBound) }
