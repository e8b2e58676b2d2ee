// Package drive performs scenarios on a live cluster. It is the only package that changes a cluster on a scenario's
// behalf. It judges nothing: it records what it does, and asks its Judge only when to go on.
package drive

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/workloads"
)

// watched is what is recorded in a sample's namespaces, whatever the style.
func (d *Driver) watched() []schema.GroupVersionResource {
	all := []schema.GroupVersionResource{d.Workload.GVR()}
	for _, child := range d.Workload.Children {
		all = append(all, workloads.GVR(child.Resource))
	}
	if d.Workload.Main().Kind == "Deployment" {
		all = append(all, schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"})
	}
	return plain.Once(nil, append(all, ownResources...)...)
}

// watchedFor names what is watched for a sample.
func (d *Driver) watchedFor(style Style) []string {
	names := plain.Map(d.watched(), watch.ResourceName)
	for _, target := range style.watches() {
		names = append(names, target.Name())
	}
	return names
}

// Judge says of the sample that is open at a place (see record.Sample.Place) how it stands.
type Judge interface {
	// Missing is what the sample still waits for, in a few words; "" when all of it has been seen.
	Missing(place string) string
	// Lacks is the same for a point of the reconcile: one of spec.Points, spec.PointCollected or spec.PointAnswered.
	Lacks(place, point string) string
	// NoRoom says that no node has room for a pod that the sample rightly asks for; "": it is not so.
	NoRoom(place string) string
	// LastEvent is when something last happened to an object of the sample, on the recording's clock.
	LastEvent(place string) time.Duration
}

// Observer hears of samples as they begin and end.
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
	Workload   *workloads.Workload // whose custom resources the styles handle

	Recorder *record.Recorder
	Judge    Judge
	Observer Observer
	// Holds reports whether a ramp's step, all of whose samples have ended, held its rate.
	Holds  func(ramp spec.Ramp, rate int) bool
	Dial   Dialer        // for the workload's probe; nil: the managed system is not asked
	Window time.Duration // of quiescence, behind each sample
	Matrix Matrix
}

// Matrix is what driving the correctness matrix needs beside.
type Matrix struct {
	Window   time.Duration // of quiescence
	Patience time.Duration // nothing has moved for so long: the sample is given up
	Overlap  int           // scenarios without a shared fault at a time
}

// began records the beginning of a sample, and tells of it.
func (d *Driver) began(sample record.Sample) error {
	if err := d.Recorder.Record(record.Entry{Time: d.Recorder.Now(), Kind: record.KindBegin, Begin: &sample}); err != nil {
		return err
	}
	d.Observer.Began(sample)
	return nil
}

// endOf is the end of a sample, but for how it ended.
func endOf(sample record.Sample) record.End {
	end := record.End{Style: sample.Style, Variant: sample.Variant, Scenario: sample.Scenario, Round: sample.Round, Namespace: sample.Namespace}
	if sample.Shared {
		end.Name = sample.Name
	}
	return end
}

// ended records the end of a sample, and tells of it.
func (d *Driver) ended(sample record.Sample, end record.End) error {
	err := d.Recorder.Record(record.Entry{Time: d.Recorder.Now(), Kind: record.KindEnd, End: &end})
	d.Observer.Ended(sample, end)
	return err
}
