package drive

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/bed/kube"
	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/scenarios"
)

// step performs one step, whatever it is.
func (t *trial) step(ctx context.Context, step scenarios.Step) error {
	switch {
	case step.Fault != nil:
		return t.breakIt(ctx, *step.Fault)
	case step.Mend != "":
		return t.mend(ctx, step.Mend)
	case step.Await != "":
		return t.await(ctx, step.Await)
	case step.Drift != nil:
		return t.drift(ctx, *step.Drift)
	case step.ReadScale != nil:
		return t.readScale(ctx)
	case step.Series != nil:
		return t.series(ctx, *step.Series)
	}
	if step.Finalize != nil && !*step.Finalize {
		// Until now the operator may have done what it should not.
		if err := t.until(ctx, t.Recorder.Now()+max(leastHold, t.style.Typical.Reconcile)); err != nil {
			return err
		}
	}
	for range max(step.Annotate, 1) {
		reply, err := t.send(ctx, t.request(step))
		if err != nil {
			return err
		}
		if t.style.isFloor() {
			if err := t.writeFloor(ctx, step, reply); err != nil {
				return fmt.Errorf("the floor: %w", err)
			}
		}
	}
	return nil
}

// leastHold is how long the harness keeps a custom resource by its finalizer, at least.
const leastHold = 2 * time.Second

// series creates custom resources at its pace, whatever becomes of those before.
func (t *trial) series(ctx context.Context, s scenarios.Series) error {
	began, pace := t.Recorder.Now(), s.Pace(t.style.Typical.Reconcile)
	for i, name := range s.Names() {
		if err := t.until(ctx, began+time.Duration(i)*pace); err != nil {
			return err
		}
		if _, err := t.send(ctx, t.request(scenarios.Step{On: name, Create: &scenarios.Spec{Size: s.Size}})); err != nil {
			return err
		}
	}
	return nil
}

// until returns at a time of the recording's clock.
func (t *trial) until(ctx context.Context, at time.Duration) error {
	timer := time.NewTimer(at - t.Recorder.Now())
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-t.Recorder.Failed():
		return t.Recorder.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// place is where a step's custom resource is: "elsewhere/NAME" is in a second namespace.
func (t *trial) place(on string) (namespace, custom string) {
	namespace, custom = t.sample.Namespace, t.sample.Name
	if other, second := strings.CutPrefix(on, scenarios.Elsewhere); second {
		return secondOf(namespace), other
	}
	if on != "" {
		custom = on
	}
	return namespace, custom
}

// send makes one request and records it. That the API server refuses what a
// scenario sends because it must refuse it is no error.
func (t *trial) send(ctx context.Context, r request) (*unstructured.Unstructured, error) {
	from := t.Recorder.Now()
	reply, err := r.do(ctx)
	at := t.Recorder.Now()
	var generation int64
	if err == nil && r.generation != nil {
		generation, err = r.generation(ctx)
	}
	if recorded := t.recordAction(r, from, at, generation, reply, err); recorded != nil {
		return nil, recorded
	}
	if err != nil && !r.mayFail {
		return nil, fmt.Errorf("%s %s %s/%s: %w", r.verb, r.resource.Resource, r.namespace, r.name, err)
	}
	return reply, nil
}

func (t *trial) recordAction(r request, from, at time.Duration, generation int64, reply *unstructured.Unstructured, failure error) error {
	action := &record.Action{
		From: from, Intended: t.due, Verb: r.verb, Resource: resourceName(r.resource),
		Namespace: r.namespace, Name: r.name, Measured: !t.sample.Prepare && !r.nudge && r.verb != record.ReadScale, Nudge: r.nudge,
	}
	if failure != nil {
		action.Error = failure.Error()
	} else if reply != nil {
		action.Generation = cmp.Or(generation, reply.GetGeneration())
		raw, err := t.written(reply)
		if err != nil {
			return fmt.Errorf("record the reply to %s: %w", r.verb, err)
		}
		action.Object = raw
	}
	return t.Recorder.Record(record.Entry{Time: at, Kind: record.KindAction, Action: action})
}

// written is what is recorded of a reply, which the caller goes on to use.
func (t *trial) written(reply *unstructured.Unstructured) ([]byte, error) {
	object := reply.DeepCopy().Object
	kube.Withhold(object, nil)
	return json.Marshal(object)
}

// crew are those who do a kind of fault together with this sample.
func (t *trial) crew(kind string) *lockstep {
	if scenarios.Narrow(kind) {
		return t.alone
	}
	return t.together
}

// breakIt does a fault and records it. One that does not last is over at once.
func (t *trial) breakIt(ctx context.Context, f scenarios.Fault) error {
	kind, _ := f.Kind()
	crew := t.crew(kind)
	done, err := crew.begin(ctx, f, fault.Target{Namespace: t.sample.Namespace, Name: t.sample.Name})
	if recorded := t.recordFault(done); recorded != nil {
		return recorded
	}
	if err != nil || crew.lasts(kind) {
		return err
	}
	done.fault.Stage, done.fault.From = record.Over, done.at
	return t.recordFault(done)
}

func (t *trial) mend(ctx context.Context, kind string) error {
	done, err := t.crew(kind).mend(ctx, kind)
	if recorded := t.recordFault(done); recorded != nil {
		return recorded
	}
	return err
}

// recordFault records what was done as a part of this sample.
func (t *trial) recordFault(d deed) error {
	if d.fault.Kind == "" {
		return nil // the run ended before it was its turn
	}
	f := d.fault
	f.Namespace = t.sample.Namespace
	return t.Recorder.Record(record.Entry{Time: t.Recorder.Now(), Kind: record.KindFault, Fault: &f})
}

// leaveFaults takes the sample out of its faults, and mends what nobody else
// has a part in any more. An error means that the bed is broken.
func (t *trial) leaveFaults() error {
	for _, crew := range []*lockstep{t.alone, t.together} {
		if crew == nil {
			continue
		}
		done, err := crew.leave()
		for _, d := range done {
			if recorded := t.recordFault(d); recorded != nil && err == nil {
				err = recorded
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unreachedError says that a point of the reconcile was not reached.
type unreachedError struct{ point, lacks string }

func (e *unreachedError) Error() string { return fmt.Sprintf("await %s: %s", e.point, e.lacks) }

// await waits for a point of the reconcile. That nobody is told what is wrong
// is for an oracle to judge; the steps go on.
func (t *trial) await(ctx context.Context, point string) error { return t.reach(ctx, point, 0) }

// reach waits for a point of the reconcile, and until nothing has moved for window.
func (t *trial) reach(ctx context.Context, point string, window time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, t.style.bound())
	defer cancel()
	began := t.Recorder.Now()
	outcome, reason := t.wait(ctx, func() string { return t.Judge.Lacks(t.sample.Namespace, point) }, window, t.sample.Patience)
	t.waited = t.Recorder.Now() - began
	switch {
	case outcome == record.Settled, outcome == record.TimedOut && point == scenarios.AwaitStuck:
		return nil
	case outcome == record.TimedOut:
		return &unreachedError{point, reason}
	}
	return fmt.Errorf("await %s: %s", point, reason)
}
