package drive

import (
	"context"
	"fmt"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec/scenarios"
)

// drive goes through scenarios once.
func (r *round) drive(ctx context.Context, list []scenarios.Scenario) error {
	for _, scenario := range list {
		if err := r.scenario(ctx, scenario); err != nil {
			return fmt.Errorf("style %s, scenario %s, round %d: %w", record.Label(r.style.Name, r.style.Variant), scenario.Name, r.number, err)
		}
	}
	return nil
}

// round is the state of one pass through scenarios.
type round struct {
	*Driver
	style     Style
	number    int
	warmup    bool
	prefix    string // of its namespaces' names
	opened    int
	spaces    *[]string // that were opened in the block
	namespace string    // "" while none is open
	watches   *watch.Watches
	uncover   func() // ends the recording of the namespace
	state     *scenarios.Spec
	broken    bool // what the namespace holds is not known
	hopeless  bool // a given state was not reached: no other is tried in this round
}

// scenario brings the given state about, then performs and awaits the steps.
func (r *round) scenario(ctx context.Context, s scenarios.Scenario) error {
	if s.Given != nil && r.hopeless {
		return r.unreached(r.sample(s, s.Result()), *s.Given)
	}
	if r.namespace == "" || r.broken || (s.Given == nil && r.state != nil) {
		if err := r.fresh(ctx); err != nil {
			return err
		}
	}
	if s.Given != nil && (r.state == nil || *r.state != *s.Given) {
		if err := r.prepare(ctx, s); err != nil {
			return err
		}
	}
	sample := r.sample(s, s.Result())
	if r.broken {
		r.hopeless = true
		return r.unreached(sample, *s.Given)
	}
	return r.perform(ctx, sample, s.Steps)
}

// unreached records that a scenario could not begin, because the operator did
// not bring about what the scenario is given.
func (r *round) unreached(sample record.Sample, given scenarios.Spec) error {
	end := endOf(sample)
	end.Outcome, end.Reason = record.TimedOut, fmt.Sprintf("the given state, a handled custom resource of size %d, was not reached", given.Size)
	if err := r.Recorder.Record(record.Entry{Time: r.Recorder.Now(), Kind: record.KindBegin, Begin: &sample}); err != nil {
		return err
	}
	err := r.Recorder.Record(record.Entry{Time: r.Recorder.Now(), Kind: record.KindEnd, End: &end})
	r.Observer.Ended(sample, end)
	return err
}

func endOf(sample record.Sample) record.End {
	return record.End{Style: sample.Style, Variant: sample.Variant, Scenario: sample.Scenario, Round: sample.Round, Namespace: sample.Namespace}
}

// prepare brings about the state that a scenario is given.
func (r *round) prepare(ctx context.Context, s scenarios.Scenario) error {
	step := scenarios.Step{Create: s.Given}
	if r.state != nil {
		step = scenarios.Step{Patch: s.Given}
	}
	sample := r.sample(s, s.Given)
	sample.Prepare = true
	return r.perform(ctx, sample, []scenarios.Step{step})
}

// empty deletes a custom resource that the last scenario left, and waits until
// the operator has handled that: a later round must not meet its traces.
func (r *round) empty(ctx context.Context) error {
	if r.state == nil || r.broken {
		return nil
	}
	sample := r.sample(scenarios.Scenario{Name: "empty"}, nil)
	sample.Prepare = true
	return r.perform(ctx, sample, []scenarios.Step{{Delete: &struct{}{}}})
}

func (r *round) sample(s scenarios.Scenario, result *scenarios.Spec) record.Sample {
	sample := record.Sample{
		Style: r.style.Name, Variant: r.style.Variant, Scenario: s.Name, Round: r.number, Warmup: r.warmup,
		Namespace: r.namespace, Name: scenarios.Name,
		Timeout: r.style.Timeout, Window: r.Window, Expect: s.Expect,
	}
	if result != nil {
		sample.Size = &result.Size
	}
	sample.Watches = watchedFor(r.style)
	return sample
}

// perform records one sample: its beginning, its steps, and its end.
func (r *round) perform(ctx context.Context, sample record.Sample, steps []scenarios.Step) error {
	end, err := r.trial(r.style, sample).run(ctx, steps)
	r.broken = end.Outcome != record.Settled
	r.state = nil
	if sample.Size != nil {
		r.state = &scenarios.Spec{Size: *sample.Size}
	}
	return err
}

// fresh leaves the round's namespace and opens the next, with every watch
// synced before anything is written to it.
func (r *round) fresh(ctx context.Context) error {
	r.close(ctx)
	namespace := r.prefix
	if r.opened > 0 {
		namespace = fmt.Sprintf("%s-%d", r.prefix, r.opened)
	}
	r.opened++
	*r.spaces = append(*r.spaces, namespace)
	uncover, err := r.watches.Cover(ctx, namespace)
	if err != nil {
		return err
	}
	r.uncover = uncover
	if err := r.Namespaces.Make(ctx, namespace); err != nil {
		return fmt.Errorf("make the round's namespace: %w", err)
	}
	r.namespace, r.state, r.broken = namespace, nil, false
	return nil
}

// removeTimeout bounds the removal of a wave's namespaces, or of a round's, with all that is in them.
const removeTimeout = 5 * time.Minute

// leave ends the watches and the namespace. One that is empty need not be
// waited for.
func (r *round) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, removeTimeout)
	defer cancel()
	if err := r.abandon(ctx, *r.spaces); err != nil {
		return err
	}
	if r.namespace == "" || (r.state == nil && !r.broken) {
		r.close(ctx)
		return nil
	}
	r.unwatch()
	if err := r.Namespaces.Remove(ctx, r.namespace); err != nil {
		return fmt.Errorf("remove the round's namespace %s: %w", r.namespace, err)
	}
	r.namespace = ""
	return nil
}

// deleteTimeout bounds the request that begins a namespace's deletion.
const deleteTimeout = 10 * time.Second

// unwatch ends the watches of the namespace.
func (r *round) unwatch() {
	if r.uncover != nil {
		r.uncover()
		r.uncover = nil
	}
}

// close ends the watches and begins the namespace's deletion. Whether it went
// is checked at the run's end, for all of them.
func (r *round) close(ctx context.Context) {
	r.unwatch()
	if r.namespace == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, deleteTimeout)
	defer cancel()
	// An error shows when the run's end waits for the namespace to be gone.
	_ = r.Namespaces.Delete(ctx, r.namespace)
	r.namespace = ""
}
