package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/record"
	"operatorbench/operators"
)

// Drive goes through the planned rounds. In each, every arm has its turn, in
// random order: it is installed, warmed up, driven through the scenarios, and
// removed, so that no two styles are ever there at once. What a style did wrong
// is no error, it is in the recording; nor is a style that cannot be installed
// or removed, of which Failed tells. An error means that the bed broke.
func (s *Session) Drive(ctx context.Context) error {
	if err := s.makePlan(); err != nil {
		return err
	}
	defer s.progress.Stop()
	for round := 1; round <= s.plan.Longest(); round++ {
		for _, a := range s.turns(round) {
			if a.err != nil {
				continue
			}
			if err := s.turn(ctx, a, round); err != nil {
				return err
			}
		}
	}
	return nil
}

// turns are the arms that have a block in a round, in their order there.
func (s *Session) turns(round int) []*arm {
	planned := slices.DeleteFunc(order(s.arms, s.options.Seed, round), func(a *arm) bool { return s.plan.Rounds[a.label()] < round })
	if s.options.Keep && round == s.plan.Longest() {
		// What is kept has a style in it.
		if floor := slices.Index(planned, s.arms[0]); floor >= 0 {
			planned = slices.Insert(slices.Delete(planned, floor, floor+1), 0, s.arms[0])
		}
	}
	return planned
}

// turn drives one block. A style that failed has no further one.
func (s *Session) turn(ctx context.Context, a *arm, round int) error {
	before := a.wrong
	err := s.block(ctx, a, round)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the run was stopped: %w", errors.Join(context.Cause(ctx), err))
	case s.recorder.Err() != nil:
		return s.recorder.Err()
	case a.operator == nil && err != nil:
		return err
	case a.operator == nil && a.wrong && !before:
		return errors.New("the floor could not be measured: the cluster does not bring about what the harness itself writes; summary.md says what was seen")
	}
	a.err = err
	return nil
}

// block is an arm's turn in a round.
func (s *Session) block(ctx context.Context, a *arm, round int) (err error) {
	style, err := a.driven()
	if err != nil {
		return err
	}
	times := &blockTimes{}
	left := func() error { return nil }
	defer func() { // when the style is gone
		if ctx.Err() == nil { // else the cluster goes, or Close removes it
			err = errors.Join(err, left())
		}
	}()
	target := operators.Cluster{Kube: s.kube, Run: s.id, Progress: s.note}
	if a.operator != nil {
		if err := s.collector(); err != nil {
			return err
		}
		err = times.install.measure(func() error { return s.install(ctx, a, round, target) })
	}
	before := a.wrong
	if err == nil {
		s.mark(a, round, record.Installed)
		s.rest(ctx, a)
		s.edge(ctx)
		err = times.drive.measure(func() error {
			leave, err := s.driver.Drive(ctx, style, drive.Block{Round: round, Warmup: s.warmupOf(a), Scenarios: s.scenarios, Passes: s.passes(a)})
			left = leave
			return err
		})
		s.edge(ctx)
		s.mark(a, round, record.Driven)
	}
	if a.operator == nil {
		s.report(a, round, times, err)
		return err
	}
	if err != nil || a.wrong && !before {
		s.collect(a.label(), a.operator)
	}
	err = errors.Join(err, times.remove.measure(func() error { return s.uninstall(ctx, a, round, target) }))
	s.report(a, round, times, err)
	return err
}

func (s *Session) install(ctx context.Context, a *arm, round int, target operators.Cluster) error {
	if err := s.reload(ctx, a); err != nil {
		return err
	}
	if err := s.observers.watch(a); err != nil {
		return err
	}
	s.mark(a, round, record.Installing)
	return a.operator.Install(ctx, target)
}

// uninstall takes an arm away, unless the cluster is kept with it, or goes as a
// whole anyway.
func (s *Session) uninstall(ctx context.Context, a *arm, round int, target operators.Cluster) error {
	last := s.turns(s.plan.Longest())
	switch {
	case s.options.Keep && round == s.plan.Longest() && last[len(last)-1] == a:
		s.say("%s is left installed in the cluster that is kept", a.label())
		return nil
	case ctx.Err() != nil && s.options.Cluster == "kind":
		return nil
	}
	cleanup, cancel := context.WithTimeout(context.WithoutCancel(ctx), teardownWithin)
	defer cancel()
	err := a.operator.Uninstall(cleanup, target)
	if err != nil {
		return err
	}
	s.mark(a, round, record.Removed)
	return s.observers.watch(nil)
}

// mark records how far a block is. The driver learns through Recorder.Err of a
// recording that failed.
func (s *Session) mark(a *arm, round int, stage string) {
	_ = s.recorder.Record(record.Entry{Time: s.recorder.Now(), Kind: record.KindBlock, Block: &record.Block{
		Style: a.name(), Variant: a.variant, Round: round, Stage: stage,
	}})
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
type blockTimes struct{ install, drive, remove span }

// report prints one line for a block, and adds its times to the stages.
func (s *Session) report(a *arm, round int, times *blockTimes, err error) {
	s.progress.Clear()
	line := fmt.Sprintf("round %d/%d %-14s scenarios %6.1f s", round, s.plan.Longest(), a.label(), times.drive.took.Seconds())
	if a.operator != nil {
		line += fmt.Sprintf("  install %5.1f s  uninstall %5.1f s", times.install.took.Seconds(), times.remove.took.Seconds())
		s.took("install "+a.label(), times.install.took)
		s.took("uninstall "+a.label(), times.remove.took)
	}
	s.took("scenarios "+a.label(), times.drive.took)
	if err != nil {
		line += "  FAILED"
	}
	s.say("%s", strings.TrimRight(line, " "))
}

// Failed says why a style could not be driven to its end; nil if it was.
func (s *Session) Failed(label string) error {
	for _, a := range s.arms {
		if a.label() == label {
			return a.err
		}
	}
	return fmt.Errorf("no style %s takes part in this run", label)
}

// Wrong joins what Failed says of every style, and says which styles did not
// handle every sample correctly.
func (s *Session) Wrong() error {
	var problems []error
	for _, a := range s.arms[1:] {
		if a.err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", a.label(), a.err))
		}
		if a.wrong && s.base == nil { // with a base, the gate judges
			problems = append(problems, fmt.Errorf("%s: not every sample was handled correctly; the summary says which", a.label()))
		}
	}
	return errors.Join(problems...)
}
