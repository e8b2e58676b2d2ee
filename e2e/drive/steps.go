package drive

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec/scenarios"
)

// performers says how each kind of step is done: each is one file here, and one in
// package scenarios, which says all else of it.
func performers() map[string]func(*sampleRun, context.Context, scenarios.Step) error {
	return map[string]func(*sampleRun, context.Context, scenarios.Step) error{
		scenarios.StepCreate:    (*sampleRun).create,
		scenarios.StepPatch:     (*sampleRun).patch,
		scenarios.StepApply:     (*sampleRun).apply,
		scenarios.StepScale:     (*sampleRun).scale,
		scenarios.StepReadScale: (*sampleRun).readScale,
		scenarios.StepSeries:    (*sampleRun).series,
		scenarios.StepAnnotate:  (*sampleRun).annotate,
		scenarios.StepFinalize:  (*sampleRun).finalize,
		scenarios.StepDelete:    (*sampleRun).delete,
		scenarios.StepSubmit:    (*sampleRun).submit,
		scenarios.StepWrong:     (*sampleRun).wrong,
		scenarios.StepDrift:     (*sampleRun).drift,
		scenarios.StepTurn:      (*sampleRun).turn,
		scenarios.StepPause:     (*sampleRun).pause,
		scenarios.StepFault:     (*sampleRun).fault,
		scenarios.StepMend:      (*sampleRun).mend,
		scenarios.StepAwait:     (*sampleRun).await,
		scenarios.StepProbe:     (*sampleRun).probe,
	}
}

// step performs one step, whatever it is.
func (s *sampleRun) step(ctx context.Context, step scenarios.Step) error {
	perform := performers()[step.Kind()]
	if perform == nil {
		return fmt.Errorf("no way is known to perform a step of the kind %q", step.Kind())
	}
	return perform(s, ctx, step)
}

// request is one write to the API.
type request struct {
	verb            string // create, patch, update, apply, scale, read scale, delete
	resource        schema.GroupVersionResource
	namespace, name string
	mayFail         bool // it is recorded, and for the oracles to judge
	nudge           bool
	orphan          bool                                                      // what the custom resource owns is to outlive it
	turned          string                                                    // the knob that it turns; empty: none
	paused          *bool                                                     // whether it pauses the custom resource; nil: it has nothing to do with that
	wrong           string                                                    // the wrong value that it sets; empty: none
	generation      func(context.Context) (int64, error)                      // of the custom resource, where the reply has none; nil: it has
	do              func(context.Context) (*unstructured.Unstructured, error) // the reply of a deletion is nil
}

// on is a request that concerns the custom resource of a step, and what it is sent with.
func (s *sampleRun) on(step scenarios.Step) (request, dynamic.ResourceInterface) {
	namespace, name := s.place(step.On)
	return request{resource: s.Workload.GVR(), namespace: namespace, name: name}, s.customs(namespace)
}

// customs are the custom resources of a namespace.
func (d *Driver) customs(namespace string) dynamic.ResourceInterface {
	return d.Client.Resource(d.Workload.GVR()).Namespace(namespace)
}

// children are the main children of a namespace.
func (d *Driver) children(namespace string) dynamic.ResourceInterface {
	return d.Client.Resource(d.Workload.MainGVR()).Namespace(namespace)
}

// merge makes of a request one that sends a merge patch.
func merge(r request, client dynamic.ResourceInterface, patch []byte, options metav1.PatchOptions) request {
	r.verb, r.do = "patch", func(ctx context.Context) (*unstructured.Unstructured, error) {
		return client.Patch(ctx, r.name, types.MergePatchType, patch, options)
	}
	return r
}

// write sends what a step asks of the operator; on the floor the harness does that itself.
func (s *sampleRun) write(ctx context.Context, step scenarios.Step, r request) error {
	reply, err := s.send(ctx, r)
	if err != nil || !s.style.isFloor() {
		return err
	}
	if err := s.writeFloor(ctx, step, reply); err != nil {
		return fmt.Errorf("the floor: %w", err)
	}
	return nil
}

// until returns at a time of the recording's clock.
func (s *sampleRun) until(ctx context.Context, at time.Duration) error {
	timer := time.NewTimer(at - s.Recorder.Now())
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.Recorder.Failed():
		return s.Recorder.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// place is where a step's custom resource is.
func (s *sampleRun) place(on string) (namespace, custom string) {
	return placeOf(s.sample.Namespace, cmp.Or(on, s.sample.Name))
}

// placeOf is where the custom resource is that a step is on: "elsewhere/NAME" is in a second namespace, and "WORD/NAME" in
// one that is named so behind the scenario's own.
func placeOf(own, on string) (namespace, custom string) {
	word, custom, beside := strings.Cut(on, "/")
	switch {
	case !beside:
		return own, on
	case word+"/" == scenarios.Elsewhere:
		return own + second, custom
	}
	return own + "-" + word, custom
}

// send makes one request and records it. That the API server refuses what a
// scenario sends because it must refuse it is no error.
func (s *sampleRun) send(ctx context.Context, r request) (*unstructured.Unstructured, error) {
	from := s.Recorder.Now()
	reply, err := r.do(ctx)
	for again := s.again(); err != nil && again > 0 && apierrors.IsInternalError(err) && s.until(ctx, s.Recorder.Now()+unansweredPause) == nil; again-- {
		reply, err = r.do(ctx)
	}
	at := s.Recorder.Now()
	var generation int64
	if err == nil && r.generation != nil {
		generation, err = r.generation(ctx)
	}
	if recorded := s.recordAction(r, from, at, generation, reply, err); recorded != nil {
		return nil, recorded
	}
	if err != nil && !r.mayFail {
		return nil, fmt.Errorf("%s %s %s/%s: %w", r.verb, r.resource.Resource, r.namespace, r.name, err)
	}
	return reply, nil
}

// unansweredPause is how long a person waits before a request is sent again that no webhook has answered.
const unansweredPause = time.Second

// again is how often a request is sent again that no webhook of the operator has answered: its pods may be new.
func (s *sampleRun) again() int {
	if !s.Workload.Admission {
		return 0
	}
	return int(s.style.bound() / unansweredPause)
}

func (s *sampleRun) recordAction(r request, from, at time.Duration, generation int64, reply *unstructured.Unstructured, failure error) error {
	action := &record.Action{
		From: from, Intended: s.due, Verb: r.verb, Resource: watch.ResourceName(r.resource),
		Namespace: r.namespace, Name: r.name, Measured: !s.sample.Prepare && !r.nudge && r.verb != record.ReadScale, Nudge: r.nudge, Wrong: r.wrong, Turned: r.turned, Paused: r.paused, Orphan: r.orphan,
	}
	if failure != nil {
		action.Error = failure.Error()
	} else if reply != nil {
		action.Generation = cmp.Or(generation, reply.GetGeneration())
		raw, err := s.written(reply)
		if err != nil {
			return fmt.Errorf("record the reply to %s: %w", r.verb, err)
		}
		action.Object = raw
	}
	return s.Recorder.Record(record.Entry{Time: at, Kind: record.KindAction, Action: action})
}

// written is what is recorded of a reply, which the caller goes on to use.
func (s *sampleRun) written(reply *unstructured.Unstructured) ([]byte, error) {
	object := reply.DeepCopy().Object
	kube.Withhold(object, nil)
	return json.Marshal(object)
}
