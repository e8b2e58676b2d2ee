// Package drive performs scenarios on a live cluster. It is the only package
// that changes a cluster on a scenario's behalf. It judges nothing: it records
// what it does, and asks its Judge only when to go on.
package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/fixtures/memcached"
	"operatorbench/fixtures/scenarios"
)

// watched is what is recorded in a round's namespace, whatever the style.
var watched = []schema.GroupVersionResource{
	memcached.Resource,
	{Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "apps", Version: "v1", Resource: "replicasets"},
	{Version: "v1", Resource: "pods"},
	{Group: "events.k8s.io", Version: "v1", Resource: "events"},
}

// name is the custom resource's, in every namespace.
const name = "memcached"

// Judge says of the sample that is open in a namespace what it still waits
// for, in a few words; "" when all of it has been seen.
type Judge interface {
	Missing(namespace string) string
}

// Observer is told of samples as they begin and end.
type Observer interface {
	Began(record.Sample)
	Ended(record.Sample, record.End)
}

// Style is what driving must know of an operator style.
type Style struct {
	Name    string
	Variant string
	Timeout time.Duration  // of one reconcile
	Watches []watch.Target // in the style's own namespaces: its pods, and what its inner phases are read from
	// Null makes the driver itself write what the custom resource asks for,
	// right after each act: the floor of every latency.
	Null bool
}

// Namespaces makes the namespaces that rounds need, and removes them.
type Namespaces interface {
	Make(ctx context.Context, name string) error
	Delete(ctx context.Context, name string) error // only begins it
	Remove(ctx context.Context, name string) error // returns when it is gone
}

// Driver performs scenarios. Fields are set once, before the first round.
type Driver struct {
	Run        string // the run's id, part of the namespaces' names
	Client     dynamic.Interface
	Namespaces Namespaces

	Recorder *record.Recorder
	Judge    Judge
	Observer Observer
	Window   time.Duration // of quiescence, behind each sample
}

// Block is one style's turn in one round.
type Block struct {
	Round  int                  // from 1
	Warmup []scenarios.Scenario // driven first, once; what they measure is marked as warm-up
	// Scenarios are driven Passes times (0 is once), each time in a fresh namespace.
	Scenarios []scenarios.Scenario
	Passes    int
}

// Drive puts a style, which is installed, through a block. A sample that does
// not end well is no error: the block goes on, in another fresh namespace. An
// error means that the bed is broken or ctx has ended. leave removes the last
// namespace; it is to be called, with or without an error, when the style is
// gone: what the last scenario left there then needs no reconcile. It returns
// when no custom resource is left for the next style to act on.
func (d *Driver) Drive(ctx context.Context, style Style, block Block) (leave func() error, err error) {
	leave = func() error { return nil }
	stop, err := watch.Open(ctx, d.Client, d.Recorder, style.Watches...)
	if err != nil {
		return leave, err
	}
	defer stop()
	prefix := fmt.Sprintf("services-%s-%s-%d", d.Run, strings.ReplaceAll(record.Label(style.Name, style.Variant), "@", "-"), block.Round)
	if len(block.Warmup) > 0 {
		r := &round{Driver: d, style: style, number: block.Round, warmup: true, prefix: prefix + "-warmup"}
		err := r.drive(ctx, block.Warmup)
		if err == nil {
			err = r.empty(ctx)
		}
		if err != nil {
			r.unwatch()
			return r.leave, err
		}
		r.close()
	}
	passes := max(block.Passes, 1)
	for pass := 1; ; pass++ {
		r := &round{Driver: d, style: style, number: block.Round, prefix: prefix}
		if pass > 1 {
			r.prefix = fmt.Sprintf("%s-pass%d", prefix, pass)
		}
		err := r.drive(ctx, block.Scenarios)
		if err == nil && pass < passes {
			err = r.empty(ctx)
		}
		r.unwatch()
		if err != nil || pass == passes {
			return r.leave, err
		}
		r.close()
	}
}

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
	namespace string // "" while none is open
	stop      func() // ends the namespace's watches
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
		Namespace: r.namespace, Name: name,
		Timeout: r.style.Timeout, Window: r.Window, Expect: s.Expect,
	}
	if result != nil {
		sample.Size = &result.Size
	}
	for _, target := range slices.Concat(r.targets(), r.style.Watches) {
		sample.Watches = append(sample.Watches, target.Name())
	}
	return sample
}

// perform records one sample: its beginning, its steps, and its end.
func (r *round) perform(ctx context.Context, sample record.Sample, steps []scenarios.Step) error {
	changed := make(chan struct{}, 1)
	defer r.Recorder.Listen(func(e record.Entry) {
		if e.Kind == record.KindUsage || e.Kind == record.KindAudit {
			return // nothing changed
		}
		select {
		case changed <- struct{}{}:
		default: // the signal that waits covers this entry too
		}
	})()
	if err := r.Recorder.Record(record.Entry{Time: r.Recorder.Now(), Kind: record.KindBegin, Begin: &sample}); err != nil {
		return err
	}
	r.Observer.Began(sample)
	end := endOf(sample)
	deadline, cancel := context.WithTimeout(ctx, sample.Timeout)
	defer cancel()
	stepped := r.steps(deadline, sample, steps)
	if stepped != nil {
		end.Outcome, end.Reason = record.Interrupted, stepped.Error()
	} else {
		end.Outcome, end.Reason = r.await(deadline, sample, changed)
	}
	if ctx.Err() != nil {
		end.Outcome = record.Interrupted
	}
	r.broken = end.Outcome != record.Settled
	r.state = nil
	if sample.Size != nil {
		r.state = &scenarios.Spec{Size: *sample.Size}
	}
	err := r.Recorder.Record(record.Entry{Time: r.Recorder.Now(), Kind: record.KindEnd, End: &end})
	r.Observer.Ended(sample, end)
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// await waits until nothing is missing and has not been for the quiescence
// window; each event begins the window anew.
func (r *round) await(ctx context.Context, sample record.Sample, changed <-chan struct{}) (outcome, reason string) {
	window := time.NewTimer(sample.Window)
	defer window.Stop()
	for {
		missing := r.Judge.Missing(sample.Namespace)
		if missing == "" {
			window.Reset(sample.Window)
		} else {
			window.Stop()
		}
		select {
		case <-changed:
		case <-r.Recorder.Failed():
			return record.Interrupted, r.Recorder.Err().Error()
		case <-window.C:
			return record.Settled, ""
		case <-ctx.Done():
			if missing == "" {
				missing = fmt.Sprintf("it never stood still for %v", sample.Window)
			}
			return record.TimedOut, missing
		}
	}
}

// fresh leaves the round's namespace and opens the next, with every watch
// synced before anything is written to it.
func (r *round) fresh(ctx context.Context) error {
	r.close()
	namespace := r.prefix
	if r.opened > 0 {
		namespace = fmt.Sprintf("%s-%d", r.prefix, r.opened)
	}
	r.opened++
	if err := r.Namespaces.Make(ctx, namespace); err != nil {
		return fmt.Errorf("make the round's namespace: %w", err)
	}
	r.namespace, r.state, r.broken = namespace, nil, false
	stop, err := watch.Open(ctx, r.Client, r.Recorder, r.targets()...)
	if err != nil {
		return err
	}
	r.stop = stop
	return nil
}

// targets is what is watched in the round's namespace while it is open.
func (r *round) targets() []watch.Target {
	var targets []watch.Target
	for _, resource := range watched {
		targets = append(targets, watch.Target{Resource: resource, Namespace: r.namespace})
	}
	return targets
}

// removeTimeout bounds the removal of a namespace with all that is in it.
const removeTimeout = 2 * time.Minute

// leave ends the watches and the namespace. One that is empty need not be
// waited for.
func (r *round) leave() error {
	if r.namespace == "" || (r.state == nil && !r.broken) {
		r.close()
		return nil
	}
	r.unwatch()
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
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
	if r.stop != nil {
		r.stop()
		r.stop = nil
	}
}

// close ends the watches and begins the namespace's deletion. Whether it went
// is checked at the run's end, for all of them.
func (r *round) close() {
	r.unwatch()
	if r.namespace == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	// An error shows when the run's end waits for the namespace to be gone.
	_ = r.Namespaces.Delete(ctx, r.namespace)
	r.namespace = ""
}
