package drive

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// ramp drives the steps of a ramp, each a load. What a step made is removed before the next while the operator is
// there, so that all begin alike, and however many steps there are, no more is kept than of one.
func (r *loadRun) ramp(ctx context.Context, schedule scenarios.Schedule) error {
	var tried []spec.Tried
	for rate := schedule.Ramp.Next(nil); rate > 0; rate = schedule.Ramp.Next(tried) {
		step := &loadRun{turn: r.turn, scenario: r.scenario, rate: rate}
		r.style.look(ctx)
		if err := step.drive(ctx, schedule.At(rate)); err != nil {
			return err
		}
		r.style.look(ctx)
		held := r.Holds(*schedule.Ramp, rate)
		tried = append(tried, spec.Tried{Rate: rate, Held: held})
		if err := step.clear(ctx); err != nil {
			return err
		}
		if held || schedule.Ramp.Next(tried) == 0 {
			continue
		}
		if err := step.catchUp(ctx); err != nil {
			return err
		}
	}
	return nil
}

// clear removes what a step has made. What does not go in time is left for the turn's end, which says so.
func (r *loadRun) clear(ctx context.Context) error {
	var made []string
	var left []unstructured.Unstructured
	for _, l := range r.lanes {
		made = append(made, l.open...)
		for _, namespace := range l.open {
			list, err := r.customs(namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return fmt.Errorf("list the custom resources of a step in %s: %w", namespace, err)
			}
			left = append(left, list.Items...)
		}
	}
	if err := r.remove(ctx, r.style, left); err != nil { // before their children, which the operator would make again
		return err
	}
	for _, namespace := range made {
		_ = r.Namespaces.Delete(ctx, namespace) // an error shows when it does not go
	}
	within, cancel := context.WithTimeout(ctx, r.style.bound())
	defer cancel()
	var leaving sync.WaitGroup
	for _, l := range r.lanes {
		leaving.Go(func() { l.leaveRoom(within) })
	}
	leaving.Wait()
	return ctx.Err()
}

// catchUp returns when the operator has handled one custom resource that came behind those of
// a step that was too much for it: the next step must not find them in its queue. An operator
// that does not in its time begins the next step as it is, which the recording tells.
func (r *loadRun) catchUp(ctx context.Context) error {
	behind := scenarios.Scenario{Name: "behind", Given: &scenarios.Spec{Size: 0}}
	l := r.lane(r.space(fmt.Sprintf("%d", r.rate), behind))
	r.lanes = []*lane{l}
	defer l.end()
	err := l.fresh(ctx, behind)
	if err == nil {
		_, err = l.prepare(ctx, behind)
	}
	if err != nil {
		return err
	}
	return r.clear(ctx)
}
