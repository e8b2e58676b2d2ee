package drive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/leak"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec/scenarios"
)

// Matrix is what driving the correctness matrix needs beside.
type Matrix struct {
	Window   time.Duration // of quiescence
	Patience time.Duration // nothing has moved for so long: the sample is given up
	Overlap  int           // scenarios without a shared fault at a time
}

// Wave is scenarios of the correctness matrix that are driven at the same time,
// against a style that is installed. They share their faults: either none has
// one that concerns the whole operator, or all have the same.
type Wave struct {
	Round, Number int // from 1
	Scenarios     []scenarios.Scenario
	// Applies says why a scenario is not applicable to the style; "": it is.
	Applies func(scenarios.Scenario) string
}

// secondOf is the namespace of scenarios.Elsewhere.
func secondOf(namespace string) string { return namespace + "-2" }

// DriveWave puts a style, which is installed, through a wave. What goes wrong in
// a sample is no error: it is recorded. Custom resources that have finalizers are
// then gone, all others go with their namespaces: leave removes these; it is to be
// called, with or without an error, when the style is gone.
func (d *Driver) DriveWave(ctx context.Context, style Style, wave Wave) (leave func(context.Context) error, err error) {
	var courses []*course
	namespaces := func() (names []string) {
		for _, c := range courses {
			names = append(names, c.namespaces...)
		}
		return names
	}
	leave = func(ctx context.Context) error { return d.removeAll(ctx, namespaces()) }
	watches, err := d.watch(ctx, style)
	if err != nil {
		return leave, err
	}
	defer watches.Stop()
	var together *lockstep
	for i, scenario := range wave.Scenarios {
		c := &course{Driver: d, style: style, watches: watches, wave: wave, scenario: scenario, stopped: ctx.Done()}
		c.namespace = c.space(i + 1)
		if wave.Applies != nil {
			c.unfit = wave.Applies(scenario)
		}
		courses = append(courses, c)
	}
	group, driving := errgroup.WithContext(ctx)
	if shared := applicable(courses); shared > 0 && wave.Scenarios[0].Exclusive() != "" {
		together = newLockstep(style.Faults, d.Recorder.Now, shared, ctx.Done())
	} else {
		group.SetLimit(max(d.Matrix.Overlap, 1))
	}
	for _, c := range courses {
		c.together = together
		group.Go(func() error { return c.run(driving) })
	}
	if err := group.Wait(); err != nil {
		return leave, err
	}
	released := d.release(ctx, style, namespaces())
	return leave, errors.Join(released, d.searchLogs(ctx, style, wave, courses))
}

// searchLogs searches the operator's logs of the wave for secrets.
func (d *Driver) searchLogs(ctx context.Context, style Style, wave Wave, courses []*course) error {
	if style.Logs == nil {
		return nil
	}
	var marks []leak.Mark
	for _, c := range courses {
		marks = append(marks, c.marks...)
	}
	ctx, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	found := style.Logs.Search(ctx, marks)
	found.Style, found.Variant, found.Round, found.Wave = style.Name, style.Variant, wave.Round, wave.Number
	return d.Recorder.Record(record.Entry{Time: d.Recorder.Now(), Kind: record.KindLogs, Logs: &found})
}

// searchTimeout bounds the search of an operator's logs.
const searchTimeout = time.Minute

func applicable(courses []*course) int {
	n := 0
	for _, c := range courses {
		if c.unfit == "" {
			n++
		}
	}
	return n
}

// course is one scenario's way through a wave.
type course struct {
	*Driver
	style      Style
	wave       Wave
	scenario   scenarios.Scenario
	namespace  string
	unfit      string // why it is not applicable; "": it is
	together   *lockstep
	watches    *watch.Watches
	stopped    <-chan struct{} // closed when the run is stopped
	namespaces []string        // that were made
	marks      []leak.Mark     // that are in them
	lag        time.Duration   // until the operator began to bring about the given state
}

// longest is how many letters a namespace's name may have.
const longest = 63

// space names the course's namespace.
func (c *course) space(number int) string {
	name := c.Driver.space(c.style, c.wave.Round, fmt.Sprintf("w%d-%d", c.wave.Number, number), c.scenario.Name)
	if lacks := c.scenario.Letters - len(name); lacks > 0 {
		name += strings.Repeat("x", lacks)
	}
	return name
}

// space names a namespace of samples that overlap. The number keeps names apart
// that are cut.
func (d *Driver) space(style Style, round int, number, scenario string) string {
	label := record.Label(style.Name, style.Variant)
	name := strings.ReplaceAll(fmt.Sprintf("services-%s-%s-%d-%s-%s", d.Run, label, round, number, scenario), "@", "-")
	if most := longest - len(secondOf("")); len(name) > most {
		name = name[:most]
	}
	return strings.TrimRight(name, "-.")
}

// run drives the course. An error means that the bed is broken, or that the run
// was stopped.
func (c *course) run(ctx context.Context) (err error) {
	if c.unfit != "" {
		sample := c.sample()
		sample.Reason = c.unfit
		return c.note(sample, record.Settled, c.unfit)
	}
	here := false // the trial takes it out of the faults
	defer func() {
		if !here && c.together != nil {
			_, left := c.together.leave()
			err = errors.Join(err, left)
		}
	}()
	uncover, err := c.open(ctx)
	if err != nil {
		return fmt.Errorf("scenario %s: %w", c.scenario.Name, err)
	}
	defer uncover()
	if c.scenario.Given != nil {
		end, err := c.prepare(ctx)
		if err != nil {
			return err
		}
		if end.Outcome != record.Settled {
			reason := fmt.Sprintf("the given state, a handled custom resource of size %d, was not reached: %s", c.scenario.Given.Size, end.Reason)
			return c.note(c.sample(), record.TimedOut, reason)
		}
	}
	if c.together != nil {
		if err := c.together.gather(ctx); err != nil {
			return fmt.Errorf("scenario %s: wait for the others: %w", c.scenario.Name, err)
		}
	}
	t := c.trial(c.style, c.sample())
	if c.scenario.Window > 0 {
		t.quiet, t.watched = c.window(), t.sample.Window
	}
	t.together, t.alone, here = c.together, newLockstep(c.style.Faults, c.Recorder.Now, 1, c.stopped), true
	if _, err := t.run(ctx, c.scenario.Steps); err != nil {
		return fmt.Errorf("scenario %s: %w", c.scenario.Name, err)
	}
	return nil
}

// open makes the namespaces, which are covered.
func (c *course) open(ctx context.Context) (uncover func(), err error) {
	c.namespaces = []string{c.namespace}
	if c.second() {
		c.namespaces = append(c.namespaces, secondOf(c.namespace))
	}
	uncover, err = c.watches.Cover(ctx, c.namespaces...)
	if err != nil {
		return nil, err
	}
	for _, namespace := range c.namespaces {
		if err := c.Namespaces.Make(ctx, namespace); err != nil {
			return nil, fmt.Errorf("make the namespace: %w", err)
		}
		if c.style.Logs != nil {
			mark, err := c.style.Logs.Mark(ctx, namespace)
			if err != nil {
				return nil, err
			}
			c.marks = append(c.marks, mark)
		}
	}
	return uncover, nil
}

// second tells whether the scenario needs a second namespace.
func (c *course) second() bool {
	for _, step := range c.scenario.Steps {
		if strings.HasPrefix(step.On, scenarios.Elsewhere) {
			return true
		}
	}
	return false
}

// prepare brings about the given state.
func (c *course) prepare(ctx context.Context) (record.End, error) {
	sample := c.sample()
	sample.Prepare, sample.Size, sample.Others, sample.Unmeetable = true, &c.scenario.Given.Size, nil, false
	t := c.trial(c.style, sample)
	end, err := t.run(ctx, []scenarios.Step{{Create: c.scenario.Given}, {Await: scenarios.AwaitWorking}})
	c.lag = t.waited
	return end, err
}

// Where a reconcile is late to begin, what seems calm may only be late: the
// window is so many times what the given state's took, up to the longest. One
// event among five came 9 times as late as that of the given state.
const (
	windowLags    = 20
	longestWindow = 30 * time.Second
)

func (c *course) window() time.Duration {
	return max(c.Matrix.Window, min(windowLags*c.lag, longestWindow))
}

// note records a sample that has no steps.
func (c *course) note(sample record.Sample, outcome, reason string) error {
	end := endOf(sample)
	end.Outcome, end.Reason = outcome, reason
	c.Observer.Began(sample)
	if err := c.Recorder.Record(record.Entry{Time: c.Recorder.Now(), Kind: record.KindBegin, Begin: &sample}); err != nil {
		return err
	}
	err := c.Recorder.Record(record.Entry{Time: c.Recorder.Now(), Kind: record.KindEnd, End: &end})
	c.Observer.Ended(sample, end)
	return err
}

func (c *course) sample() record.Sample {
	s := c.scenario
	sample := record.Sample{
		Style: c.style.Name, Variant: c.style.Variant, Scenario: s.Name, Round: c.wave.Round,
		Namespace: c.namespace, Name: s.CustomName(), Matrix: true,
		Timeout: c.timeout(), Window: max(c.window(), s.Window), Patience: cmp.Or(c.style.Patience(), c.Matrix.Patience),
		Expect: slices.Concat(s.Expect, scenarios.Standing()), Cause: s.Cause, Unmeetable: s.Unmeetable(),
		Watches: watchedFor(c.style),
	}
	if result := s.Result(); result != nil {
		sample.Size = &result.Size
	}
	for _, other := range s.Others() {
		o := record.Other{Namespace: c.namespace, Name: other.Name}
		if rest, second := strings.CutPrefix(other.Name, scenarios.Elsewhere); second {
			o.Namespace, o.Name = secondOf(c.namespace), rest
		}
		if other.Result != nil {
			o.Size = &other.Result.Size
		}
		sample.Others = append(sample.Others, o)
	}
	return sample
}

// timeout bounds the whole sample: each point that it awaits, and the two ends
// that it may come to (by itself, after a nudge), may take a reconcile's.
func (c *course) timeout() time.Duration {
	waits := 2
	for _, step := range c.scenario.Steps {
		if step.Await != "" || step.ReadScale != nil || step.Fault != nil || step.Mend != "" {
			waits++
		}
	}
	return time.Duration(waits)*c.style.bound() + c.scenario.Lasts(c.style.Typical.Reconcile)
}

// leastBound is long enough for pods on a machine that has a lot else to do.
const leastBound = 2 * time.Minute

// bound is how long the matrix waits for one reconcile: longer than a style's
// timeout for one that is driven alone, since samples overlap, and share the
// machine with other clusters. What comes to nothing is given up out of patience.
func (s *Style) bound() time.Duration { return max(3*s.Timeout, leastBound) }

// removeAll removes namespaces: all at once, then it waits for each.
func (d *Driver) removeAll(ctx context.Context, names []string) error {
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	for _, namespace := range names {
		_ = d.Namespaces.Delete(ctx, namespace) // an error shows when it does not go
	}
	problems := []error{d.abandon(ctx, names)}
	for _, namespace := range names {
		if err := d.Namespaces.Remove(ctx, namespace); err != nil {
			problems = append(problems, fmt.Errorf("remove the namespace %s: %w", namespace, err))
		}
	}
	return errors.Join(problems...)
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
	if _, err := t.send(ctx, t.nudge()); err != nil {
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
