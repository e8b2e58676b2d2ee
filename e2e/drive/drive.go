// Package drive performs scenarios on a live cluster. It is the only package
// that changes a cluster on a scenario's behalf. It judges nothing: it records
// what it does, and asks its Judge only when to go on.
package drive

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/fixtures/workloads/memcached"
)

// watched is what is recorded in a sample's namespaces, whatever the style.
var watched = []schema.GroupVersionResource{
	memcached.Resource,
	{Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "apps", Version: "v1", Resource: "replicasets"},
	{Version: "v1", Resource: "pods"},
	{Group: "events.k8s.io", Version: "v1", Resource: "events"},
}

// watchedFor names what is watched for a sample.
func watchedFor(style Style) []string {
	var names []string
	for _, resource := range watched {
		names = append(names, watch.ResourceName(resource))
	}
	for _, target := range style.watches() {
		names = append(names, target.Name())
	}
	return names
}

// watch begins to watch what a turn of a style is recorded by.
func (d *Driver) watch(ctx context.Context, style Style) (*watch.Watches, error) {
	return watch.Open(ctx, d.Client, d.Recorder, watched, style.watches()...)
}

// Judge says of the sample that is open in a namespace how it stands.
type Judge interface {
	// Missing is what the sample still waits for, in a few words; "" when all of it has been seen.
	Missing(namespace string) string
	// Lacks is the same for a point of the reconcile: one of scenarios.Points, or Collected.
	Lacks(namespace, point string) string
	// LastEvent is when something last happened to an object of the sample, on the recording's clock.
	LastEvent(namespace string) time.Duration
}

// Observer is told of samples as they begin and end.
type Observer interface {
	Began(record.Sample)
	Ended(record.Sample, record.End)
	Held(record.Held) // behind the last sample of its namespace
}

// Breaker breaks things on purpose; see package fault.
type Breaker interface {
	Begin(ctx context.Context, f scenarios.Fault, cr fault.Target) (fault.Broken, error)
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
	Matrix   Matrix
}

// Block is one style's turn in one round.
type Block struct {
	Round  int                  // from 1
	Warmup []scenarios.Scenario // driven first, once; what they measure is marked as warm-up
	// Scenarios are driven Passes times (0 is once), each time in a fresh namespace.
	Scenarios []scenarios.Scenario
	Passes    int
	// Choose says after the first pass how many there are to be in all; nil:
	// Passes.
	Choose func() int
}

// Drive puts a style, which is installed, through a block. A sample that does
// not end well is no error: the block goes on, in another fresh namespace. An
// error means that the bed is broken or ctx has ended. Custom resources that have
// finalizers are then gone. leave removes the last namespace; it is to be called,
// with or without an error, when the style is gone: what else the last scenario
// left there then needs no reconcile. It returns when no custom resource is left
// for the next style to act on.
func (d *Driver) Drive(ctx context.Context, style Style, block Block) (leave func(context.Context) error, err error) {
	leave = func(context.Context) error { return nil }
	watches, err := d.watch(ctx, style)
	if err != nil {
		return leave, err
	}
	defer watches.Stop()
	prefix := fmt.Sprintf("services-%s-%s-%d", d.Run, strings.ReplaceAll(record.Label(style.Name, style.Variant), "@", "-"), block.Round)
	var spaces []string
	if len(block.Warmup) > 0 {
		r := &round{Driver: d, style: style, watches: watches, number: block.Round, warmup: true, prefix: prefix + "-warmup", spaces: &spaces}
		err := r.drive(ctx, block.Warmup)
		if err == nil {
			err = r.empty(ctx)
		}
		if err != nil {
			r.unwatch()
			return r.leave, err
		}
		r.close(ctx)
	}
	passes := max(block.Passes, 1)
	for pass := 1; ; pass++ {
		r := &round{Driver: d, style: style, watches: watches, number: block.Round, prefix: prefix, spaces: &spaces}
		if pass > 1 {
			r.prefix = fmt.Sprintf("%s-pass%d", prefix, pass)
		}
		err := r.drive(ctx, block.Scenarios)
		if pass == 1 && block.Choose != nil {
			passes = max(block.Choose(), 1)
		}
		if err == nil && pass < passes {
			err = r.empty(ctx)
		}
		r.unwatch()
		if err == nil && pass == passes {
			err = d.release(ctx, style, spaces)
		}
		if err != nil || pass == passes {
			return r.leave, err
		}
		r.close(ctx)
	}
}
