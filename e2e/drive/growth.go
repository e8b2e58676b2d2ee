package drive

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// growing is the growth that is driven: its stages share the namespaces, and what each makes is kept.
type growing struct {
	*loadRun
	scenarios.Growth

	schedule scenarios.Schedule
	there    int  // custom resources
	short    bool // some of them did not become right in time: no further number of them is reached
}

// grow drives a growth. The floor has no operator that could rest or be restarted.
func (r *loadRun) grow(ctx context.Context, schedule scenarios.Schedule) error {
	defer r.close()
	if err := r.open(ctx, schedule); err != nil {
		return err
	}
	g := &growing{loadRun: r, Growth: *schedule.Growth, schedule: schedule}
	g.schedule.Growth = nil
	for _, to := range g.To {
		if err := g.level(ctx, to); err != nil || g.short {
			return err
		}
	}
	if r.style.isFloor() {
		return nil
	}
	if g.Down > 0 {
		if err := g.restart(ctx); err != nil {
			return err
		}
		if err := g.rest(ctx, ""); err != nil {
			return err
		}
	}
	return g.beside(ctx)
}

// level measures what one custom resource more takes where so many are there.
func (g *growing) level(ctx context.Context, to int) error {
	err := g.stage(ctx, record.StageFill, to-g.there, g.schedule.Every, nil)
	if err != nil || g.short {
		return err
	}
	if !g.style.isFloor() {
		if err := g.rest(ctx, ""); err != nil {
			return err
		}
	}
	return g.stage(ctx, record.StageMore, g.Changes, g.Pace, nil)
}

// stage creates so many custom resources, one every so often.
func (g *growing) stage(ctx context.Context, stage string, n int, every time.Duration, meanwhile meanwhile) error {
	if n == 0 {
		return nil
	}
	if err := g.part(stage, ""); err != nil {
		return err
	}
	step := &loadRun{turn: g.turn, scenario: g.scenario, lanes: g.lanes, stage: stage, held: g.there}
	g.there += n
	schedule := g.schedule
	schedule.Resources, schedule.Every = n, every
	err := step.through(ctx, schedule, meanwhile)
	g.short = g.short || !step.settled
	return err
}

// rest leaves the operator alone: first until the stage before is over for it too.
func (g *growing) rest(ctx context.Context, beside string) error {
	alone := g.sampleRun(g.style, record.Sample{})
	if err := alone.until(ctx, g.Recorder.Now()+g.Driver.Matrix.Window); err != nil {
		return err
	}
	if err := g.part(record.StageRest, beside); err != nil {
		return err
	}
	return alone.until(ctx, g.Recorder.Now()+g.Rest)
}

// part records that a part of the growth begins, and what the harness has used by then.
func (g *growing) part(stage, beside string) error {
	part := record.Part{Stage: stage, Customs: g.there, Beside: beside}
	if beside != "" {
		part.Each = g.Bystanders.Each
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return fmt.Errorf("ask what the harness has used: %w", err)
	}
	part.CPU, part.Memory = time.Duration(used.Utime.Nano()+used.Stime.Nano()), used.Maxrss<<10 // Linux counts KiB
	return g.Recorder.Record(record.Entry{Time: g.Recorder.Now(), Kind: record.KindBlock, Block: &record.Block{
		Style: g.style.Name, Variant: g.style.Variant, Round: g.plan.Round, Stage: record.Parted, Load: g.scenario.Name, Part: &part,
	}})
}

// restart stops the operator, creates custom resources, and starts it again.
func (g *growing) restart(ctx context.Context) (err error) {
	alone := newBarrier(g.whole, g.style.Faults, g.Recorder.Now, 1)
	defer func() {
		_, left := alone.leave()
		err = errors.Join(err, left)
	}()
	g.style.look(ctx)
	if _, err := alone.begin(ctx, scenarios.Fault{Kind: spec.FaultStop, What: spec.AllComponents}, fault.Target{Namespace: g.lanes[0].open[0], Name: g.Workload.Name}); err != nil {
		return err
	}
	return g.stage(ctx, record.StageDown, g.Down, g.schedule.Every, func(ctx, limited context.Context, down *loadRun) error {
		return g.start(ctx, limited, alone, down)
	})
}

// start starts the operator, and creates newcomers once it has written for one of those that were created meanwhile.
func (g *growing) start(ctx, limited context.Context, stopped *barrier, down *loadRun) error {
	started := make(chan error, 1)
	go func() {
		done, err := stopped.mend(ctx, spec.FaultStop)
		for _, l := range g.lanes {
			err = errors.Join(err, g.sampleRun(g.style, record.Sample{Namespace: l.open[0]}).recordFault(done))
		}
		started <- err
	}()
	if down.someWritten(limited) {
		if err := g.stage(ctx, record.StageNewcomer, g.Newcomers, g.Pace, nil); err != nil {
			return errors.Join(err, <-started)
		}
	}
	return <-started
}

// someWritten waits until the operator has written for one of the members.
func (r *loadRun) someWritten(ctx context.Context) bool {
	all := r.sampleRun(r.style, record.Sample{})
	defer all.listen()()
	outcome, _ := all.wait(ctx, func() (missing string) {
		r.Recorder.CatchUp()
		for _, m := range r.members {
			if missing = r.Judge.Missing(m.sample.Place()); missing == "" {
				return ""
			}
		}
		return missing
	}, 0, 0)
	return outcome == record.Settled
}
