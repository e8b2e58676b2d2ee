package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/record"
)

// silentMost is how long the API server may give no answer: longer than a restart of the node takes.
const silentMost = 2 * time.Minute

// Drive goes through the planned rounds. In each, every participant has its turn, in random order (in the first one the
// quickest first, so that a person soon sees a result): it is installed, warmed up, driven through the scenarios, and
// removed, so that no two styles are ever there at once. What a style did wrong is no error, it is in the recording;
// nor is a style that cannot be installed or removed, of which Failed tells. An error means that the test environment
// broke, or that what is left of a style would act beside the next one.
func (s *Session) Drive(ctx context.Context) (err error) {
	defer func() { s.complete = err == nil }()
	if err := s.makePlan(); err != nil {
		return err
	}
	defer s.progress.Stop()
	ctx, stop := s.kube.WhileAnswering(ctx, silentMost)
	defer stop()
	if s.base != nil {
		return gateRun{s}.drive(ctx)
	}
	rounds := s.driveRounds
	if s.precise() {
		rounds = preciseRun{s}.drive
	}
	if err := rounds(ctx); err != nil {
		return err
	}
	if err := s.driveLoads(ctx); err != nil {
		return err
	}
	if err := s.driveMatrix(ctx); err != nil {
		return err
	}
	return s.collector() // which no style may have waited for; nothing is to go on beside the teardown
}

// driveRounds goes through as many rounds as are planned.
func (s *Session) driveRounds(ctx context.Context) error {
	for round := 1; round <= s.plan.Longest(); round++ {
		for _, p := range s.turns(round) {
			if p.err != nil || !s.enough(p, fmt.Sprintf("round %d", round), s.cost(p).Round) {
				continue
			}
			if err := s.guarded(ctx, p, func() error { return s.block(ctx, p, round) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// guarded drives one block. A style that failed has no further one. One that could
// not be removed only ends the run where it is in everybody's way.
func (s *Session) guarded(ctx context.Context, p *participant, drive func() error) error {
	everybodys, itsOwn := s.inTheWay(ctx, p)
	if everybodys != nil || itsOwn != nil {
		p.err = itsOwn
		return everybodys
	}
	before := p.bad()
	err := drive()
	s.recorder.CatchUp() // what cannot be judged has ended the recording
	var remains *remainsError
	switch {
	case ctx.Err() != nil:
		if errors.Is(err, context.Canceled) {
			err = nil // it follows from that; what took too long is worth saying
		}
		return fmt.Errorf("the run was stopped: %w", errors.Join(context.Cause(ctx), err))
	case s.recorder.Err() != nil:
		return s.recorder.Err()
	case p.operator == nil && err != nil:
		return err
	case p.operator == nil && p.bad() && !before:
		return fmt.Errorf("the floor could not be measured: the harness wrote each %s itself, and the cluster did not make it ready (or delete it) in time; summary.md says what was last seen; check the node's load and free resources, and run again",
			s.workload.Main().Kind)
	}
	p.err = err
	if errors.As(err, &remains) {
		s.say("%s could not be removed and is skipped from now on; the run continues with the styles that do not use the same objects", p.label())
		s.remaining = append(s.remaining, p)
	}
	return nil
}

// block is which installation of a participant something is done in.
type block struct {
	participant *participant
	round       int
	wave        int    // of the correctness matrix; 0: latencies are measured
	load        string // the scenario, of a load
}

// block is a participant's turn in a round.
func (s *Session) block(ctx context.Context, p *participant, round int) error {
	plan := drive.Plan{Round: round, Warmup: s.warmupOf(p), Scenarios: s.measured(), Passes: s.passes(p)}
	if c := p.comparison; c != nil && c.passes == 0 {
		plan.Choose = func() int { return s.choosePasses(c) }
	}
	if s.precise() && s.options.Passes == 0 && p.passes == 0 {
		plan.Choose = func() int { return preciseRun{s}.choosePasses(p) }
	}
	return s.turn(ctx, block{participant: p, round: round}, plan)
}

// turn installs a participant, drives it, and removes it; only then it leaves what driving
// left. The correctness matrix asks nothing of the floor: it is only said why not.
func (s *Session) turn(ctx context.Context, place block, plan drive.Plan) (err error) {
	p := place.participant
	style, err := p.driven()
	if err == nil && p.operator != nil {
		err = s.ready(place, &style)
	}
	if err != nil {
		return err
	}
	if p.operator == nil {
		s.installing = time.Now()
	}
	if p.operator == nil && place.wave > 0 {
		_, err := s.driver.Drive(ctx, style, plan)
		return err
	}
	times := &blockTimes{}
	left := func(context.Context) error { return nil }
	defer func() { // when the style is gone
		if ctx.Err() == nil { // else the cluster goes, or Close removes it
			err = errors.Join(err, left(ctx))
		}
	}()
	target := install.Cluster{Kube: s.kube, Run: s.id, Progress: s.note}
	if p.operator != nil {
		err = times.install.measure(func() error { return s.install(ctx, place, target) })
	}
	before := p.bad()
	if err == nil {
		s.mark(place, record.Installed)
		err = s.brought(ctx)
	}
	if err == nil {
		s.find(ctx, place, target)
		s.atRest(ctx, place)
		processor := readProcessor()
		err = times.drive.measure(func() error {
			leave, err := s.driver.Drive(ctx, style, plan)
			left = leave
			return err
		})
		if place.wave == 0 {
			times.measured = time.Since(s.measuring)
			s.edge(ctx)
		} else if share := readProcessor().busySince(processor); share > busyFrom {
			s.observers.busy = append(s.observers.busy, fmt.Sprintf("%s, wave %d: %.0f%%", p.label(), place.wave, 100*share))
		}
		s.mark(place, record.Driven)
	}
	if p.operator != nil {
		if err != nil || p.bad() && !before {
			s.collect(ctx, p)
		}
		err = errors.Join(err, times.remove.measure(func() error { return s.uninstall(ctx, place, target) }))
	}
	s.report(place, times, err)
	return err
}

// ready makes ready what a participant with an operator is driven with.
func (s *Session) ready(place block, style *drive.Style) error {
	s.breakable(place.participant, style)
	if place.wave > 0 {
		if err := s.inspected(place.participant, style); err != nil {
			return err
		}
	} else {
		defer func() { s.installing = time.Now() }()
	}
	return s.collector()
}

// atRest looks, where latencies are measured, at what the participant uses idle, and begins to count what it uses.
func (s *Session) atRest(ctx context.Context, place block) {
	if place.wave > 0 {
		return
	}
	s.rest(ctx, place)
	s.edge(ctx)
	s.measuring = time.Time{}
}

func (s *Session) install(ctx context.Context, place block, target install.Cluster) error {
	if err := s.reload(ctx, place.participant); err != nil {
		return err
	}
	if err := s.observers.watch(place.participant); err != nil {
		return err
	}
	s.mark(place, record.Installing)
	return place.participant.operator.Install(ctx, target)
}

// uninstall takes a participant away, unless the cluster is kept with it. Of a run that
// is stopped Close removes it, with all else.
func (s *Session) uninstall(ctx context.Context, place block, target install.Cluster) error {
	switch {
	case s.options.Keep && s.last(place):
		s.say("%s is left installed in the cluster that is kept", place.participant.label())
		return nil
	case ctx.Err() != nil:
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, removeWithin)
	defer cancel()
	if err := place.participant.operator.Uninstall(limited, target); err != nil {
		return &remainsError{place.participant.label(), err}
	}
	s.mark(place, record.Removed)
	return s.observers.watch(nil)
}

// span is how long a part of a block took.
type span struct{ took time.Duration }

func (t *span) measure(do func() error) error {
	began := time.Now()
	err := do()
	t.took = time.Since(began)
	return err
}

// blockTimes is how long the parts of a block took.
type blockTimes struct {
	install, drive, remove span
	measured               time.Duration // of drive, from the beginning of the first sample that is no warm-up
}

// report ends a block: what is recorded of it is on disk then. It prints one line
// for it, and adds its times to the stages.
func (s *Session) report(place block, times *blockTimes, err error) {
	s.synced.Now()
	s.progress.Clear()
	label, what := place.participant.label(), s.numbered(place.round)
	switch {
	case place.wave > 0:
		what = fmt.Sprintf("wave %d", place.wave)
	case place.load != "":
		what = fmt.Sprintf("%s %d/%d", place.load, place.round, s.matrixRounds())
	}
	if place.wave == 0 && place.load == "" {
		place.participant.took = times.install.took + times.drive.took + times.remove.took
		measured := min(times.measured, times.drive.took)
		place.participant.fixed, place.participant.pass = place.participant.took-measured, measured/time.Duration(s.passes(place.participant))
		place.participant.change = place.participant.pass / time.Duration(max(1, len(s.measured())))
		s.firstLook(what, label, place.participant.took, err)
	} else {
		line := fmt.Sprintf("%s %-14s scenarios %6.1f s", what, label, times.drive.took.Seconds())
		if place.participant.operator != nil {
			line += fmt.Sprintf("  install %5.1f s  uninstall %5.1f s", times.install.took.Seconds(), times.remove.took.Seconds())
		}
		if err != nil {
			line += "  FAILED"
		}
		s.say("%s", line)
	}
	if place.load != "" {
		place.participant.loaded += times.install.took + times.drive.took + times.remove.took
	}
	if place.wave > 0 {
		s.took("matrix "+label, times.install.took+times.drive.took+times.remove.took)
		return
	}
	if place.participant.operator != nil {
		s.took("install "+label, times.install.took)
		s.took("uninstall "+label, times.remove.took)
	}
	s.took("scenarios "+label, times.drive.took)
}
