package drive

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec/scenarios"
)

// Load is a scenario that many custom resources are put through at once.
type Load struct {
	Round    int                  // from 1
	Warmup   []scenarios.Scenario // driven first, once; what they measure is marked as warm-up
	Scenario scenarios.Scenario
}

// DriveLoad puts a style, which is installed, through a load: each custom
// resource is a sample in a namespace of its own, and all samples begin and end
// together. Errors and leave are as those of Drive.
func (d *Driver) DriveLoad(ctx context.Context, style Style, load Load) (leave func(context.Context) error, err error) {
	l := &crowd{Driver: d, style: style, round: load.Round, scenario: load.Scenario, schedule: *load.Scenario.Load}
	leave = func(ctx context.Context) error { return d.removeAll(ctx, l.namespaces) }
	if len(load.Warmup) > 0 {
		left, err := d.Drive(ctx, style, Block{Round: load.Round, Warmup: load.Warmup})
		if err != nil {
			return left, err
		}
	}
	watches, err := d.watch(ctx, style)
	if err != nil {
		return leave, err
	}
	defer watches.Stop()
	l.watches = watches
	if err := l.drive(ctx); err != nil {
		return leave, fmt.Errorf("style %s, scenario %s, round %d: %w", record.Label(style.Name, style.Variant), load.Scenario.Name, load.Round, err)
	}
	return leave, d.release(ctx, style, l.namespaces)
}

// crowd is the custom resources of a load.
type crowd struct {
	*Driver
	style      Style
	round      int
	scenario   scenarios.Scenario
	schedule   scenarios.Schedule
	namespaces []string // that were made
	members    []*member
	watches    *watch.Watches
}

// member is one of them.
type member struct {
	*trial
	err error // of a step; the others after it were not made
}

// headStart is how long before its beginning a load is made ready.
const headStart = 100 * time.Millisecond

func (l *crowd) drive(ctx context.Context) error {
	uncover, err := l.open(ctx)
	if err != nil {
		return err
	}
	defer uncover()
	for _, m := range l.members {
		if err := l.Recorder.Record(record.Entry{Time: l.Recorder.Now(), Kind: record.KindBegin, Begin: &m.sample}); err != nil {
			return err
		}
		l.Observer.Began(m.sample)
	}
	begins := l.Recorder.Now() + headStart
	within := headStart + l.schedule.Due(l.schedule.Resources-1, len(l.scenario.Steps)-1) + l.schedule.Within
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	l.send(limited, begins)
	settled, reason := l.settle(limited)
	for _, m := range l.members {
		if err := l.end(ctx, m, settled, reason); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// open makes the namespaces, which are covered.
func (l *crowd) open(ctx context.Context) (uncover func(), err error) {
	for i := range l.schedule.Resources {
		l.namespaces = append(l.namespaces, l.space(l.style, l.round, fmt.Sprintf("%02d", i+1), l.scenario.Name))
	}
	uncover, err = l.watches.Cover(ctx, l.namespaces...)
	if err != nil {
		return nil, err
	}
	for _, namespace := range l.namespaces {
		if err := l.Namespaces.Make(ctx, namespace); err != nil {
			return nil, fmt.Errorf("make the namespace: %w", err)
		}
		if err := l.unstartable(ctx, namespace); err != nil {
			return nil, err
		}
		m := &member{trial: l.trial(l.style, l.sample(namespace))}
		m.moved = func() time.Duration { return l.Judge.LastEvent(namespace) }
		l.members = append(l.members, m)
	}
	return uncover, nil
}

var limitRanges = schema.GroupVersionResource{Version: "v1", Resource: "limitranges"}

// unstartable makes the pods of a namespace ask for what no node has: an
// operator writes Deployments as ever, and no kubelet competes with it for the
// machine.
func (l *crowd) unstartable(ctx context.Context, namespace string) error {
	nowhere := map[string]any{"operatorbench/nowhere": "1"}
	limits := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "LimitRange", "metadata": map[string]any{"name": "unstartable", "namespace": namespace},
		"spec": map[string]any{"limits": []any{map[string]any{"type": "Container", "default": nowhere, "defaultRequest": nowhere}}},
	}}
	if _, err := l.Client.Resource(limitRanges).Namespace(namespace).Create(ctx, limits, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create the LimitRange that keeps pods in %s from starting: %w", namespace, err)
	}
	return nil
}

func (l *crowd) sample(namespace string) record.Sample {
	return record.Sample{
		Style: l.style.Name, Variant: l.style.Variant, Scenario: l.scenario.Name, Round: l.round,
		Namespace: namespace, Name: scenarios.Name, Load: true, Size: &l.scenario.Result().Size,
		Timeout: l.schedule.Within, Window: l.window(), Expect: l.scenario.Expect,
		Watches: watchedFor(l.style),
	}
}

// window of quiescence: as long as where samples overlap in the matrix.
func (l *crowd) window() time.Duration { return max(l.Window, l.Matrix.Window) }

// send performs every member's steps by the schedule.
func (l *crowd) send(ctx context.Context, begins time.Duration) {
	var sending sync.WaitGroup
	for i, m := range l.members {
		sending.Go(func() {
			m.err = m.follow(ctx, l.scenario.Steps, func(step int) time.Duration { return begins + l.schedule.Due(i, step) })
		})
	}
	sending.Wait()
}

// follow performs each step when it is due, or when the step before it has been
// replied to, if that is later: requests that overtake each other would leave it
// to chance which one is the last.
func (m *member) follow(ctx context.Context, steps []scenarios.Step, due func(step int) time.Duration) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for i, step := range steps {
		m.due = due(i)
		timer.Reset(m.due - m.Recorder.Now())
		select {
		case <-timer.C:
		case <-ctx.Done():
			return fmt.Errorf("step %d was never sent: %w", i+1, context.Cause(ctx))
		}
		if err := m.step(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// settle waits until every member has come to its end state, and nothing has
// moved in any of them for the window: an operator that is behind may yet write
// what is out of date.
func (l *crowd) settle(ctx context.Context) (settled bool, reason string) {
	all := l.trial(l.style, record.Sample{})
	all.moved = func() time.Duration {
		var last time.Duration
		for _, m := range l.members {
			last = max(last, m.moved())
		}
		return last
	}
	defer all.listen()()
	outcome, reason := all.wait(ctx, l.missing, l.window(), 0)
	return outcome == record.Settled, reason
}

// missing is what the first member that is not there yet waits for. One whose
// steps failed never comes there.
func (l *crowd) missing() string {
	for _, m := range l.members {
		if m.err != nil {
			continue
		}
		if missing := l.Judge.Missing(m.sample.Namespace); missing != "" {
			return fmt.Sprintf("%s: %s", m.sample.Namespace, missing)
		}
	}
	return ""
}

// end records how a member ended. Where the time was over before all were right
// and calm, those that were are told apart.
func (l *crowd) end(ctx context.Context, m *member, settled bool, reason string) error {
	end := endOf(m.sample)
	end.Outcome = record.Settled
	missing := l.Judge.Missing(m.sample.Namespace)
	switch {
	case ctx.Err() != nil:
		end.Outcome, end.Reason = record.Interrupted, reason
	case m.err != nil:
		end.Outcome, end.Reason = record.Interrupted, m.err.Error()
	case settled:
	case l.Recorder.Err() != nil:
		return l.Recorder.Err()
	case missing != "":
		end.Outcome, end.Reason = record.TimedOut, missing
	case l.Recorder.Now()-m.moved() < l.window():
		end.Outcome, end.Reason = record.TimedOut, fmt.Sprintf("it has not stood still for %v yet", l.window())
	}
	err := l.Recorder.Record(record.Entry{Time: l.Recorder.Now(), Kind: record.KindEnd, End: &end})
	l.Observer.Ended(m.sample, end)
	return err
}
