package drive

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/scenarios"
)

// loadRun is the custom resources that are put through a load: each is a sample in a
// lane of its own, and all samples begin and end together.
type loadRun struct {
	*turn

	scenario scenarios.Scenario
	rate     int    // of a ramp's step; 0: it is none
	stage    string // of a growth; empty: it is none
	held     int    // custom resources that are there when that begins
	settled  bool   // all has come to its end state
	lanes    []*lane
	members  []*member
	progress progress
}

// member is one of them.
type member struct {
	*sampleRun

	err    error // of a step; the others after it were not made
	heard  bool  // something was heard of it
	listed bool  // it is among those that are to be looked at
}

// headStart is how long before its beginning a load is made ready.
const headStart = 100 * time.Millisecond

// load drives a load. Each custom resource follows its schedule, whatever becomes of the others.
func (t *turn) load(ctx context.Context) error {
	r := &loadRun{turn: t, scenario: t.plan.Scenarios[0]}
	schedule, drive := *t.schedule(), r.drive
	switch {
	case schedule.Ramp != nil:
		drive = r.ramp
	case schedule.Growth != nil:
		drive = r.grow
	}
	if err := drive(ctx, schedule); err != nil {
		return fmt.Errorf("style %s, scenario %s, round %d: %w", record.Label(t.style.Name, t.style.Variant), r.scenario.Name, t.plan.Round, err)
	}
	return nil
}

func (r *loadRun) drive(ctx context.Context, schedule scenarios.Schedule) error {
	defer r.close()
	if err := r.open(ctx, schedule); err != nil {
		return err
	}
	return r.through(ctx, schedule, nil)
}

// open makes the namespaces. No pod starts in them, unless there are fake nodes.
func (r *loadRun) open(ctx context.Context, schedule scenarios.Schedule) error {
	for i := range schedule.Spaces() {
		number := fmt.Sprintf("%02d", i+1)
		if r.rate > 0 {
			number = fmt.Sprintf("%d-%02d", r.rate, i+1)
		}
		l := r.lane(r.space(number, r.scenario))
		r.lanes = append(r.lanes, l)
		if err := l.fresh(ctx, r.scenario); err != nil {
			return err
		}
		prepare := r.unstartable
		if schedule.Nodes > 0 {
			prepare = r.toFakeNodes
		}
		if err := prepare(ctx, l.open[0]); err != nil {
			return err
		}
	}
	return nil
}

// close ends the recording of the namespaces.
func (r *loadRun) close() {
	for _, l := range r.lanes {
		l.end()
	}
}

// meanwhile is what is done once all of a load was sent; nil: nothing. limited ends when the load's time is over, which
// is no error of it.
type meanwhile func(ctx, limited context.Context, r *loadRun) error

// through drives what is not there yet by the schedule, and does meanwhile what is to be done.
func (r *loadRun) through(ctx context.Context, schedule scenarios.Schedule, also meanwhile) error {
	lives := schedule.Lives(r.scenario.Steps)
	for i, life := range lives {
		number := r.held + i
		sample := r.lanes[number%len(r.lanes)].sample(r.scenario)
		sample.Rate, sample.Stage, sample.Held = r.rate, r.stage, r.held
		if sample.OfStep() && r.stage != record.StageFill {
			sample.Window = 0 // it ends once all is written
		}
		if life.Result() == nil {
			sample.Size = nil
		}
		if sample.Shared = schedule.Namespaces > 0; sample.Shared {
			sample.Name = fmt.Sprintf("%s-%05d", sample.Name, number+1)
		}
		m := &member{sampleRun: r.sampleRun(r.style, sample)}
		m.moved = func() time.Duration { return r.Judge.LastEvent(m.sample.Place()) }
		r.members = append(r.members, m)
	}
	for _, m := range r.members {
		if err := r.began(m.sample); err != nil {
			return err
		}
	}
	begins := r.Recorder.Now()
	if r.stage != record.StageNewcomer { // who comes while others are handled, and is one of few
		begins += headStart
	}
	var last time.Duration
	for _, life := range lives {
		last = max(last, life.Due[len(life.Due)-1])
	}
	limited, cancel := context.WithTimeout(ctx, headStart+last+schedule.Within)
	defer cancel()
	var sending sync.WaitGroup
	for i, m := range r.members {
		sending.Go(func() {
			m.err = m.follow(limited, lives[i], begins)
		})
	}
	sending.Wait()
	if also != nil {
		if err := also(ctx, limited, r); err != nil {
			return err
		}
	}
	settled, reason := r.settle(limited)
	r.settled = settled
	for _, m := range r.members {
		if err := r.end(ctx, m, settled, reason); err != nil {
			return err
		}
	}
	return ctx.Err()
}

var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// toFakeNodes sends the pods of a namespace to the fake nodes; see package fakenodes.
func (d *Driver) toFakeNodes(ctx context.Context, namespace string) error {
	label := []byte(`{"metadata":{"labels":{"operatorbench/nodes":"fake"}}}`)
	if _, err := d.Client.Resource(namespaces).Patch(ctx, namespace, types.MergePatchType, label, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("label the namespace %s, whose pods go to fake nodes: %w", namespace, err)
	}
	return nil
}

var limitRanges = schema.GroupVersionResource{Version: "v1", Resource: "limitranges"}

// unstartable makes the pods of a namespace ask for what no node has: an operator writes its children as ever, and no
// kubelet competes with it for the machine.
func (d *Driver) unstartable(ctx context.Context, namespace string) error {
	nowhere := map[string]any{"operatorbench/nowhere": "1"}
	limits := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "LimitRange", "metadata": map[string]any{"name": "unstartable", "namespace": namespace},
		"spec": map[string]any{"limits": []any{map[string]any{"type": "Container", "default": nowhere, "defaultRequest": nowhere}}},
	}}
	if _, err := d.Client.Resource(limitRanges).Namespace(namespace).Create(ctx, limits, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create the LimitRange that keeps pods in %s from starting: %w", namespace, err)
	}
	return nil
}

// follow goes through a life that begins at a time: it performs each step when it is due, or when the step before it
// has been replied to, if that is later: requests that overtake each other would leave it to chance which one is the
// last.
func (m *member) follow(ctx context.Context, life scenarios.Life, begins time.Duration) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for i, step := range life.Steps {
		m.due = begins + life.Due[i]
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

// settle waits until every member has come to its end state, and nothing has moved in any of them for the window: an
// operator that is behind may yet write what is out of date.
func (r *loadRun) settle(ctx context.Context) (settled bool, reason string) {
	all := r.sampleRun(r.style, record.Sample{})
	all.moved = r.progress.moved
	r.progress.of(r.members)
	defer r.Recorder.Listen(r.progress.hear)()
	defer all.listen()()
	outcome, reason := all.wait(ctx, func() string { return r.progress.lacks(r.Recorder, r.Judge) }, r.members[0].sample.Window, 0)
	return outcome == record.Settled, reason
}

// progress knows which members may not have come to their end states: those about which something was heard
// since they were looked at. However many there are, an event is a look at one of them.
type progress struct {
	byPlace     map[string]*member
	byNamespace map[string][]*member

	mu    sync.Mutex
	heard []*member
	looks []*member // that are to be looked at, those that lack something among them
	last  time.Duration
}

// of begins with all members: nobody has looked at any.
func (p *progress) of(members []*member) {
	p.byPlace, p.byNamespace = map[string]*member{}, map[string][]*member{}
	for _, m := range members {
		p.byPlace[m.sample.Place()] = m
		p.byNamespace[m.sample.Namespace] = append(p.byNamespace[m.sample.Namespace], m)
		p.heardOf(m)
	}
}

// hear notes which members an entry concerns: nothing elsewhere concerns one. What is
// named after no custom resource may be of any in its namespace.
func (p *progress) hear(e record.Entry) {
	var namespace, name string
	switch {
	case e.Watch != nil:
		namespace, name = e.Watch.Namespace, e.Watch.Name
	case e.Action != nil:
		namespace, name = e.Action.Namespace, e.Action.Name
	case e.Audit != nil:
		namespace, name = e.Audit.Namespace, e.Audit.Name
	}
	for place := range record.Places(namespace, name) {
		if m := p.byPlace[place]; m != nil {
			p.heardOf(m)
			return
		}
	}
	for _, m := range p.byNamespace[namespace] {
		p.heardOf(m)
	}
}

func (p *progress) heardOf(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !m.heard {
		m.heard, p.heard = true, append(p.heard, m)
	}
}

// lacks is what a member that is not there yet waits for. One whose steps failed never comes there.
func (p *progress) lacks(recorder *record.Recorder, judge Judge) string {
	recorder.CatchUp()
	p.mu.Lock()
	heard := p.heard
	p.heard = nil
	for _, m := range heard {
		m.heard = false
	}
	p.mu.Unlock()
	for _, m := range heard {
		if p.last = max(p.last, m.moved()); !m.listed {
			m.listed, p.looks = true, append(p.looks, m)
		}
	}
	for len(p.looks) > 0 {
		m := p.looks[0]
		if m.err == nil {
			if missing := judge.Missing(m.sample.Place()); missing != "" {
				return fmt.Sprintf("%s: %s", m.sample.Place(), missing)
			}
		}
		m.listed, p.looks = false, p.looks[1:]
	}
	return ""
}

// moved is when something last happened to any member, as far as lacks has heard.
func (p *progress) moved() time.Duration { return p.last }

// end records how a member ended. Where the time was over before all were right
// and calm, those that were are told apart.
func (r *loadRun) end(ctx context.Context, m *member, settled bool, reason string) error {
	end := endOf(m.sample)
	end.Outcome = record.Settled
	missing := r.Judge.Missing(m.sample.Place())
	switch {
	case ctx.Err() != nil:
		end.Outcome, end.Reason = record.Interrupted, reason
	case m.err != nil:
		end.Outcome, end.Reason = record.Interrupted, m.err.Error()
	case settled:
	case r.Recorder.Err() != nil:
		return r.Recorder.Err()
	case m.isBlind(m.sample.Window):
		end.Outcome, end.Reason = record.Interrupted, reason
	case missing != "":
		end.Outcome, end.Reason = record.TimedOut, missing
	case r.Recorder.Now()-m.moved() < m.sample.Window:
		end.Outcome, end.Reason = record.TimedOut, fmt.Sprintf("it has not stood still for %v yet", m.sample.Window)
	}
	return r.ended(m.sample, end)
}
