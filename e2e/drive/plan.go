package drive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/leak"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec/scenarios"
)

// Plan is what a style, which is installed, is put through in one turn: scenarios whose latencies are measured, one
// after the other; or a load; or a wave of the correctness matrix, scenarios that are driven at the same time.
type Plan struct {
	Round  int                  // from 1
	Warmup []scenarios.Scenario // driven first, once; what they measure is marked as warm-up
	// Scenarios are all of one of these kinds; a load is one scenario. Those of a wave share their faults: either none
	// has one that concerns the whole operator, or all have the same.
	Scenarios []scenarios.Scenario
	// Passes is how often latencies are measured (0 is once), each time in a fresh
	// namespace. Choose says after the first how many there are to be in all; nil: Passes.
	Passes int
	Choose func() int
	// Wave is the number of a wave, from 1. Applies says why one of its scenarios is
	// not applicable to the style; "", and nil: it is.
	Wave    int
	Applies func(scenarios.Scenario) string
}

// Drive puts a style, which is installed, through a plan. A sample that does not end well is no error: it is recorded.
// An error means that the test environment is broken or ctx has ended. Custom resources that have finalizers are then
// gone. leave removes the namespaces that are left; it is to be called, with or without an error, when the style is
// gone: what else the last scenario left there then needs no reconcile. It returns when no custom resource is left for
// the next style to act on.
func (d *Driver) Drive(ctx context.Context, style Style, plan Plan) (leave func(context.Context) error, err error) {
	t := &turn{Driver: d, style: style, plan: plan, whole: ctx}
	t.watches, err = watch.Open(ctx, d.Client, d.Recorder, d.watched(), style.watches()...)
	if err != nil {
		return t.leave, err
	}
	defer t.watches.Stop()
	if err := t.warmUp(ctx); err != nil {
		return t.leave, err
	}
	if err := t.measure(ctx); err != nil {
		return t.leave, err
	}
	return t.leave, errors.Join(t.release(ctx), t.searchLogs(ctx))
}

// turn is a style's way through a plan.
type turn struct {
	*Driver

	style   Style
	plan    Plan
	watches *watch.Watches
	whole   context.Context // ends when the run is stopped
	lanes   []*lane         // that were begun
}

// lane begins a lane, whose namespaces' names begin so.
func (t *turn) lane(namespaces string) *lane {
	l := &lane{turn: t, prefix: namespaces}
	t.lanes = append(t.lanes, l)
	return l
}

// longest is how many letters a namespace's name may have. The first most of them
// leave room for what stands at the end: second, the number of a lane's next namespace, or that of a series.
const (
	longest = 63
	second  = "-2"
	most    = longest - len("-s000")
)

// name names a namespace of the turn, with a word at its end. Where a style's name is too long for it, a hash in the
// place of the style's last letters keeps the names of styles and variants apart.
func (t *turn) name(word string) string {
	label := strings.ReplaceAll(record.Label(t.style.Name, t.style.Variant), "@", "-")
	name := func(label string) string { return fmt.Sprintf("services-%s-%s-%d%s", t.Run, label, t.plan.Round, word) }
	over := len(name(label)) - most
	if over <= 0 {
		return name(label)
	}
	sum := sha256.Sum256([]byte(label))
	hash := hex.EncodeToString(sum[:3])
	kept := max(len(label)-over-len("-"+hash), 1)
	return name(strings.TrimRight(label[:kept], "-") + "-" + hash)
}

// warmUp drives what is not measured. Nothing of it is left where a load follows.
func (t *turn) warmUp(ctx context.Context) error {
	if len(t.plan.Warmup) == 0 {
		return nil
	}
	l := t.lane(t.name("-warmup"))
	l.warmup = true
	if err := l.drive(ctx, t.plan.Warmup, true); err != nil {
		return err
	}
	if t.schedule() != nil {
		return t.release(ctx)
	}
	return nil
}

// schedule is that of a load; nil: the plan is none.
func (t *turn) schedule() *scenarios.Schedule {
	if len(t.plan.Scenarios) == 0 {
		return nil
	}
	return t.plan.Scenarios[0].Load
}

// overlaps reports whether lanes are driven at the same time.
func (t *turn) overlaps() bool { return t.plan.Wave > 0 || t.schedule() != nil }

// measure drives the scenarios.
func (t *turn) measure(ctx context.Context) error {
	switch {
	case t.plan.Wave > 0:
		return t.wave(ctx)
	case t.schedule() != nil:
		return t.load(ctx)
	}
	passes := max(t.plan.Passes, 1)
	for pass := 1; pass <= passes; pass++ {
		l := t.lane(t.name(""))
		if pass > 1 {
			l.prefix = t.name(fmt.Sprintf("-pass%d", pass))
		}
		choose := func() bool {
			if pass == 1 && t.plan.Choose != nil {
				passes = max(t.plan.Choose(), 1)
			}
			return pass < passes
		}
		if err := l.drive(ctx, t.plan.Scenarios, false); err != nil {
			choose()
			return err
		}
		if !choose() {
			l.end()
			return nil
		}
		if err := l.clear(ctx); err != nil {
			return err
		}
	}
	return nil
}

// wave drives the scenarios at the same time, each in a lane of its own.
func (t *turn) wave(ctx context.Context) error {
	var lanes []*lane
	shared := 0
	for i, scenario := range t.plan.Scenarios {
		l := t.lane(t.space(fmt.Sprintf("w%d-%d", t.plan.Wave, i+1), scenario))
		if t.plan.Applies != nil {
			l.unfit = t.plan.Applies(scenario)
		}
		if l.unfit == "" {
			shared++
		}
		lanes = append(lanes, l)
	}
	group, driving := errgroup.WithContext(ctx)
	var together *barrier
	if shared > 0 && t.plan.Scenarios[0].Exclusive() != "" {
		together = newBarrier(t.whole, t.style.Faults, t.Recorder.Now, shared)
	} else {
		group.SetLimit(max(t.Matrix.Overlap, 1))
	}
	for i, l := range lanes {
		l.together = together
		group.Go(func() error {
			defer l.end()
			err := l.drive(driving, t.plan.Scenarios[i:i+1], false)
			if t.Workload.AtOnce > 0 && together == nil {
				l.leaveRoom(driving)
			}
			return err
		})
	}
	return group.Wait()
}

// space names a namespace of samples that overlap. The number keeps names apart that are cut.
func (t *turn) space(number string, scenario scenarios.Scenario) string {
	name := strings.ReplaceAll(t.name("-"+number)+"-"+scenario.Name, "@", "-")
	if len(name) > most {
		name = name[:most]
	}
	name = strings.TrimRight(name, "-.")
	if lacks := scenario.Letters - len(name); lacks > 0 {
		name += strings.Repeat("x", lacks)
	}
	return name
}

// namespaces are all that were made.
func (t *turn) namespaces() (names []string) {
	return plain.Flat(t.lanes, func(l *lane) []string { return l.made })
}

// release is Driver.release of all that the turn made.
func (t *turn) release(ctx context.Context) error {
	return t.Driver.release(ctx, t.style, t.namespaces())
}

// searchTimeout bounds the search of an operator's logs.
const searchTimeout = time.Minute

// searchLogs searches the operator's logs of a wave for secrets.
func (t *turn) searchLogs(ctx context.Context) error {
	if t.style.Logs == nil || t.plan.Wave == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	found := t.style.Logs.Search(ctx, plain.Flat(t.lanes, func(l *lane) []leak.Mark { return l.marks }))
	found.Style, found.Variant, found.Round, found.Wave = t.style.Name, t.style.Variant, t.plan.Round, t.plan.Wave
	return t.Recorder.Record(record.Entry{Time: t.Recorder.Now(), Kind: record.KindLogs, Logs: &found})
}

// removeTimeout bounds the removal of a turn's namespaces, with all that is in them.
const removeTimeout = 5 * time.Minute

// leave removes the namespaces: all at once, then it waits for each. One that is
// known to be empty need not be waited for.
func (t *turn) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	for _, l := range t.lanes {
		l.end()
		if l.empty() || t.overlaps() {
			for _, namespace := range l.open {
				_ = t.Namespaces.Delete(ctx, namespace) // an error shows when it does not go
			}
		}
	}
	problems := []error{t.abandon(ctx, t.namespaces())}
	for _, l := range t.lanes {
		waited := l.left
		if !l.empty() {
			waited = append(waited, l.open...)
		}
		for _, namespace := range waited {
			if err := t.Namespaces.Remove(ctx, namespace); err != nil {
				problems = append(problems, fmt.Errorf("remove the namespace %s: %w", namespace, err))
			}
		}
		l.open, l.left = nil, nil
	}
	return errors.Join(problems...)
}
