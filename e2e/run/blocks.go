package run

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// silentMost is how long the API server may give no answer: longer than a restart of the node takes.
const silentMost = 2 * time.Minute

// Drive goes through the turns of the run: each participant is installed, warmed up, driven and removed, so that no two
// styles are ever there at once. What a style did wrong is no error, it is in the recording; nor is a style that cannot
// be installed or removed: see Failed. An error means that the test environment broke, or that what is left
// of a style would act beside the next one.
func (s *Session) Drive(ctx context.Context) (err error) {
	defer func() { s.complete = err == nil }()
	defer s.progress.Stop()
	ctx, stop := s.kube.WhileAnswering(ctx, silentMost)
	defer stop()
	plan := s.planned // what it hands out next may depend on what became of the last ones
	switch {
	case s.base != nil:
		plan = gateRun{s}.planned
	case s.precise():
		plan = preciseRun{Session: s}.planned
	}
	err = plan(func(t turn) error {
		if t.say != "" {
			s.say("%s", t.say)
		}
		return s.guarded(ctx, t.participant, func() error { return s.perform(ctx, t) })
	})
	if err != nil {
		return err
	}
	return s.collector() // which no style may have waited for; nothing is to go on beside the teardown
}

// guarded drives a turn. A style that failed has no further one. One that could not be removed only ends the run where
// it is in everybody's way.
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

// perform installs a participant, drives it, and removes it; only then it leaves what driving
// left. The correctness matrix asks nothing of the floor: it is only said why not.
func (s *Session) perform(ctx context.Context, place turn) (err error) {
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
		_, err := s.driver.Drive(ctx, style, place.plan)
		return err
	}
	stop, err := s.observeWave(ctx, place)
	if err != nil {
		return err
	}
	defer stop()
	times := &blockTimes{}
	left := func(context.Context) error { return nil }
	defer func() { // when the style is gone
		if ctx.Err() == nil { // else the cluster goes, or Close removes it
			err = errors.Join(err, left(ctx))
		}
	}()
	target := install.Cluster{Kube: s.kube, Run: s.id, Progress: s.note}
	if p.operator != nil {
		err = timed(&times.install, func() error { return s.install(ctx, place, target) })
	}
	before := p.bad()
	if err == nil {
		s.mark(place, record.Installed)
		err = s.brought(ctx, p.operator)
	}
	if err == nil {
		s.find(ctx, place, target)
		s.room(ctx, place)
		s.atRest(ctx, place)
		machine, putOff := readMachine("/"), s.kube.PutOff()
		err = timed(&times.drive, func() error {
			leave, err := s.driver.Drive(ctx, style, place.plan)
			left = leave
			return err
		})
		if place.wave == 0 {
			times.measured = time.Since(s.measuring)
			s.edge(ctx, place)
		}
		s.strained(place, machine, s.kube.PutOff()-putOff)
		s.mark(place, record.Driven)
	}
	if p.operator != nil {
		if err != nil || p.bad() && !before {
			s.collect(ctx, p)
		}
		err = errors.Join(err, timed(&times.remove, func() error { return s.uninstall(ctx, place, target) }))
	}
	s.report(place, times, err)
	return err
}

// strained notes of a wave that the machine had little left for what it ran since it was read, and of any block how
// often the API server put the harness off.
func (s *Session) strained(place turn, machine *record.Machine, putOff int64) {
	label := place.participant.label()
	if share, _ := readMachine("/").Since(machine); place.wave > 0 && share > busyFrom {
		s.observers.busy = append(s.observers.busy, fmt.Sprintf("%s, wave %d: %.0f%%", label, place.wave, 100*share))
	}
	if putOff > 0 {
		s.observers.putOff = append(s.observers.putOff, fmt.Sprintf("%s, %s: %s", label, place.what(), plain.Plural(int(putOff), "time")))
	}
}

// ready makes ready what a participant with an operator is driven with.
func (s *Session) ready(place turn, style *drive.Style) error {
	s.breakable(place.participant, style)
	style.Look = func(ctx context.Context) { s.edge(ctx, place) }
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
func (s *Session) atRest(ctx context.Context, place turn) {
	if place.wave > 0 {
		return
	}
	s.rest(ctx, place)
	s.edge(ctx, place)
	s.measuring = time.Time{}
}

func (s *Session) install(ctx context.Context, place turn, target install.Cluster) error {
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
func (s *Session) uninstall(ctx context.Context, place turn, target install.Cluster) error {
	switch {
	case place.last:
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

// timed adds how long something takes to what took so far.
func timed(took *time.Duration, do func() error) error {
	began := time.Now()
	defer func() { *took += time.Since(began) }()
	return do()
}

// blockTimes is how long the parts of a block took.
type blockTimes struct {
	install, drive, remove time.Duration
	measured               time.Duration // of drive, from the beginning of the first sample that is no warm-up
}

// report ends a block: what is recorded of it is on disk then. It prints one line
// for it, and adds its times to the stages.
func (s *Session) report(place turn, times *blockTimes, err error) {
	s.synced.Now()
	s.progress.Clear()
	p, what := place.participant, place.what()
	took := times.install + times.drive + times.remove
	if place.measures() {
		measured := min(times.measured, times.drive)
		p.took, p.fixed, p.pass = took, took-measured, measured/time.Duration(s.passes(p))
		p.change = p.pass / time.Duration(max(1, len(s.measured())))
		s.firstLook(what, p.label(), took, err)
	} else {
		line := fmt.Sprintf("%s %-14s scenarios %6.1f s", what, p.label(), times.drive.Seconds())
		if p.operator != nil {
			line += fmt.Sprintf("  install %5.1f s  uninstall %5.1f s", times.install.Seconds(), times.remove.Seconds())
		}
		if err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			line += "  FAILED: " + first
		}
		s.say("%s", line)
	}
	if place.load != "" {
		p.loaded += took
	}
	if place.wave > 0 {
		s.took("matrix "+p.label(), took)
		return
	}
	if p.operator != nil {
		s.took("install "+p.label(), times.install)
		s.took("uninstall "+p.label(), times.remove)
	}
	s.took("scenarios "+p.label(), times.drive)
}

// find asks the cluster, where a style has been installed for the first time, what there is of it. Where that is other
// than its manifests say, it is recorded. What cannot be asked stays as the manifests say it.
func (s *Session) find(ctx context.Context, place turn, target install.Cluster) {
	p := place.participant
	if p.operator == nil || p.found != nil {
		return
	}
	before, err := p.style()
	if err != nil {
		return // the header has said why
	}
	found, err := install.Find(ctx, target, p.name())
	if err != nil {
		s.keep("the namespaces and rights of %s as installed could not be read; reports use those of its manifests: %v", p.label(), err)
		return
	}
	installed, err := install.InstalledOf(found)
	if err != nil {
		s.keep("what the cluster has of %s could not be read: %v", p.label(), err)
		return
	}
	p.found = &installed
	same := slices.EqualFunc(installed.Grants, before.Grants, func(a, b spec.Grant) bool { return reflect.DeepEqual(a, b) })
	if !same || !slices.Equal(installed.Namespaces, before.Namespaces) {
		s.markWith(place, record.Found, &installed)
	}
}

// firstLook adds a row to the table that grows while styles take their turns: the latencies of the block that has just
// ended, until the main child was right (of delete: gone).
func (rec *recording) firstLook(what, label string, took time.Duration, err error) {
	block := result.New(nil, &rec.block)
	rec.block = judge.Judgement{}
	names := namesOf(rec.measured())
	const most = 6 // columns that a terminal has room for
	names = names[:min(len(names), most)]
	if !rec.headed {
		rec.headed = true
		row := fmt.Sprintf("%-12s %-18s", "", "median latency")
		for _, name := range names {
			row += fmt.Sprintf(" %*s", width(name), name)
		}
		rec.say("%s %7s %8s", row, "right", "took")
	}
	row := fmt.Sprintf("%-12s %-18s", what, label)
	for _, name := range names {
		row += fmt.Sprintf(" %*s", width(name), medianOf(block, name))
	}
	all := block.Count()
	row += fmt.Sprintf(" %7s %6.0f s", fmt.Sprintf("%d/%d", all.Passed, all.All()), took.Seconds())
	if err != nil {
		row += "  FAILED"
	}
	rec.say("%s", strings.TrimRight(row, " "))
}

func width(name string) int { return max(len(name), 10) }

// medianOf is a scenario's median in a block, or how many samples came too late.
func medianOf(block *result.Set, scenario string) string {
	for _, c := range block.Of(scenario) {
		switch written, _ := c.Outcome(); {
		case written.Censored > 0:
			return fmt.Sprintf("%d late", written.Censored)
		case written.N > 0:
			return written.P50.String()
		}
	}
	return "-"
}
