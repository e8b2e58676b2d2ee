// Package judge turns a recording into latencies and verdicts. It is a pure
// function of recorded entries: it needs no cluster and never asks one.
package judge

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"time"

	"operatorbench/e2e/record"
)

// Event is one entry of a Timeline.
type Event struct {
	record.Entry
	// Object is what a watch event shows of its object; nil for other entries.
	Object *Object

	inner []brought // the style's inner phases that this event brings about
	aside *aside    // of an event outside of the sample's namespaces, in the correctness matrix
}

// Timeline is everything that was seen of one sample. It is made by a
// Splitter, which adds to it while the sample is open.
type Timeline struct {
	Run    string // the recording's run id
	Group  string // of the sample's scenario; empty where the recording does not say
	Sample record.Sample
	Began  time.Duration
	// End is nil while the sample is open, and stays nil when the recording
	// stops in its midst.
	End     *record.End
	EndedAt time.Duration // of the last entry, where End is nil
	// Before holds the last event of each object in the sample's namespace
	// that was known when the sample began.
	Before []Event
	// Events are in the recording's order: the sample's actions and faults, the
	// watch events in its namespaces, those elsewhere that it is told of, and
	// gaps. Elsewhere it is told of its style's inner phases; in the correctness
	// matrix, where others overlap, of what its custom resources are worked on
	// by, and of the operator's own pods and the Events about them.
	Events []Event

	scope
	acts        actions
	subjects    []*subject // the sample's custom resources, its own first
	matchers    map[*work][]*regexp.Regexp
	jobs        map[*job]*subject
	phases      []phase
	marks       []mark // parallel to phases
	world       world
	stepped     int  // events that the state has taken in
	stale       bool // the state must be built anew, from the first event on
	known       int  // events whose uids are known
	gaps        []Event
	faults      []Event
	sent        []sent          // writes of the harness that a watch must show, in the correctness matrix
	added       map[string]bool // uids of objects whose ADDED came since the intent
	last        time.Duration   // of the last watch event on an object of the sample
	held        int             // about how many bytes it holds
	refusals    map[refusal]refusedSoFar
	tried       time.Duration // when the style last asked for a write of a Deployment, as the audit log says; in the correctness matrix
	inventories []taken       // in order; in the correctness matrix
	audited     bool          // the recording has the audit log
	asked       []asked       // what the style's accounts asked to write in the sample's namespaces, in the last of its quiescence windows
}

// actions is what the harness did, as the rest must know it.
type actions struct {
	any       bool
	measured  bool
	intent    time.Duration // of the first measured action, or when a load's last one was due; before one comes: of the first action, or else fault
	acked     time.Duration // that action's reply
	refused   *record.Action
	reconcile bool            // some action changed the custom resource
	versions  map[string]bool // uid/resourceVersion of what the harness wrote
	life                      // of the sample's own custom resource
}

// mark is whether and when a phase was reached.
type mark struct {
	holds   bool // the phase's condition, after the last event
	reached bool
	at      time.Duration
}

func newTimeline(s *Splitter, style *style, sample record.Sample, began time.Duration) (*Timeline, error) {
	t := &Timeline{
		Run: s.run, Group: s.groups[sample.Scenario], Sample: sample, Began: began, EndedAt: began,
		scope: scopeOf(&sample, style), last: began, stale: true,
	}
	t.acts.versions = map[string]bool{}
	t.phases = style.phases(&t.Sample)
	if err := t.newSubjects(); err != nil {
		return nil, err
	}
	if t.matrix {
		if err := t.newMatchers(); err != nil {
			return nil, err
		}
	}
	t.Before = s.before(t)
	for i := range t.Before {
		t.inherit(&t.Before[i])
	}
	return t, nil
}

// inherit takes up what an earlier sample left.
func (t *Timeline) inherit(e *Event) {
	t.knowLife(e)
	if s := t.subjectOf(e); s != nil && !e.Object.Deleting {
		s.present = &e.Object.Size
	}
}

// begun tells whether the harness has done anything yet.
func (t *Timeline) begun() bool { return t.acts.any || len(t.faults) > 0 }

// add appends an event that the Splitter found to be this sample's.
func (t *Timeline) add(e Event) error {
	t.Events = append(t.Events, e)
	t.EndedAt = e.Time
	switch e.Kind {
	case record.KindAction:
		for ; t.known < len(t.Events); t.known++ {
			t.knowLife(&t.Events[t.known])
		}
		// What is waited for follows from the actions, and events that an
		// action caused can stand before its reply: look at all of them again.
		t.stale = true
		return t.note(e)
	case record.KindGap:
		t.gaps = append(t.gaps, e)
	case record.KindFault:
		if !t.begun() {
			t.acts.intent, t.stale = e.Fault.From, true
		}
		t.faults = append(t.faults, e)
	}
	return nil
}

func (t *Timeline) close(e record.Entry) {
	t.End, t.EndedAt = e.End, e.Time
	t.settle()
}

// note takes up an action.
func (t *Timeline) note(e Event) error {
	act, a := &t.acts, e.Action
	if a.Verb == record.ReadScale {
		return nil // nothing is asked for
	}
	switch {
	case a.Measured && a.Intended > 0: // the last of a schedule counts
		act.intent, act.acked = a.Intended, e.Time
	case !act.any || a.Measured && !act.measured:
		act.intent, act.acked = a.From, e.Time
	}
	act.any, act.measured = true, act.measured || a.Measured
	if a.Error != "" {
		if !t.mayFail(a) {
			act.refused = a
		}
		return nil
	}
	reply, err := replyOf(a)
	if err != nil {
		return err
	}
	if reply.UID != "" {
		act.versions[reply.UID+"/"+reply.ResourceVersion] = true
	}
	if t.matrix {
		t.send(a, reply)
	}
	if a.Resource != CustomResources {
		return nil
	}
	s := t.subject(a.Namespace, a.Name)
	if s == nil {
		return nil
	}
	s.asked(a, reply)
	if s.life == &act.life && !t.noop(a, reply) {
		act.reconcile = true
	}
	return nil
}

// mayFail tells whether the sample comes to its end though an action was refused:
// one that must be, or a nudge of what is not there.
func (t *Timeline) mayFail(a *record.Action) bool {
	return a.Nudge || t.matrix && slices.Contains(t.Sample.Expect, "refused")
}

// replyOf reads the API's reply to an action; a delete's may be absent.
func replyOf(a *record.Action) (*Object, error) {
	reply := &Object{Resource: a.Resource, Namespace: a.Namespace, Name: a.Name}
	if len(a.Object) == 0 {
		return reply, nil
	}
	if err := reply.read(a.Object); err != nil {
		return nil, fmt.Errorf("reply to %s of %s %s/%s: read the recorded object: %w", a.Verb, a.Resource, a.Namespace, a.Name, err)
	}
	if a.Verb == record.Scale || a.Verb == record.ReadScale {
		reply.Size, reply.Generation = reply.Replicas, a.Generation // a Scale has none of its own
	}
	return reply, nil
}

// noop tells whether a patch changed nothing: the API then replies with the
// resource version that was there before, and no watch hears of it.
func (t *Timeline) noop(a *record.Action, reply *Object) bool {
	if a.Verb == "create" || a.Verb == "delete" || reply.ResourceVersion == "" {
		return false
	}
	for _, events := range [][]Event{t.Events, t.Before} {
		for i := len(events) - 1; i >= 0; i-- { // the last that was heard of it is the newest version
			if e := &events[i]; e.Kind == record.KindWatch && e.Time < a.From && e.Object.UID == reply.UID {
				return e.Object.ResourceVersion == reply.ResourceVersion
			}
		}
	}
	return false
}

// settle brings the state of the sample up to its last event. It is done only
// when somebody asks, so that many actions do not mean as many replays.
func (t *Timeline) settle() {
	if t.stale {
		t.stale, t.stepped = false, 0
		t.world, t.added = newWorld(), map[string]bool{}
		t.marks = make([]mark, len(t.phases))
		for i := range t.sent {
			t.sent[i].seen = false
		}
		for i := range t.Before {
			t.apply(&t.Before[i])
		}
		t.settleMarks()
	}
	for ; t.stepped < len(t.Events); t.stepped++ {
		if e := &t.Events[t.stepped]; e.Kind == record.KindWatch {
			t.step(e)
		}
	}
}

func (t *Timeline) apply(e *Event) {
	t.knowLife(e)
	t.world.apply(e)
	for i := range t.sent {
		t.sent[i].see(e)
	}
}

// knowLife learns of a life of a custom resource.
func (t *Timeline) knowLife(e *Event) {
	if s := t.subjectOf(e); s != nil {
		s.knowUID(e.Object.UID)
	}
}

// subjectOf is the custom resource that a watch event shows; nil: none of the sample's.
func (t *Timeline) subjectOf(e *Event) *subject {
	if e.Kind != record.KindWatch || e.Watch.Resource != CustomResources {
		return nil
	}
	return t.subject(e.Watch.Namespace, e.Watch.Name)
}

// settleMarks takes the conditions as they stand, without reaching a phase.
func (t *Timeline) settleMarks() {
	for i, p := range t.phases {
		if p.holds != nil {
			t.marks[i].holds = p.holds(t)
		}
	}
}

// step takes one watch event: a phase is reached by the event after the intent
// that makes its condition true.
func (t *Timeline) step(e *Event) {
	t.apply(e)
	if e.Watch.Event != "LISTED" && t.stirs(e) {
		t.last = max(t.last, e.Time)
	}
	since := t.begun() && e.Time >= t.acts.intent
	if since && e.Watch.Event == "ADDED" {
		t.added[e.Watch.UID] = true
	}
	for i := range t.phases {
		p, m := &t.phases[i], &t.marks[i]
		held := m.holds
		switch {
		case p.holds != nil && p.concerned(e.Watch.Resource):
			m.holds = p.holds(t)
		case p.inner >= 0 && slices.ContainsFunc(e.inner, func(b brought) bool { return b.phase == p.inner }):
			held, m.holds = false, !t.style.adds[e.Watch.Resource] || t.added[e.Watch.UID]
		default:
			continue
		}
		if p.last && !m.holds {
			m.reached = false // it came back: not the last one yet
		}
		if since && m.holds && !held && !m.reached {
			m.reached, m.at = true, e.Time
		}
	}
}

// stirs tells whether an event keeps the sample from being quiet. Kubernetes' own
// Events about it do not, nor do the operator's pods.
func (t *Timeline) stirs(e *Event) bool {
	if e.aside != nil && e.aside.job == nil {
		return len(e.inner) > 0
	}
	return judged(e.Watch.Resource) || t.style.byResource[e.Watch.Resource] != nil || e.aside != nil && e.aside.work != nil
}

// LastEvent is when something last happened to an object of the sample. The
// quiescence window begins there, at the earliest.
func (t *Timeline) LastEvent() time.Duration {
	t.settle()
	return t.last
}

// Intent is just before the sample's first measured action, or its first
// action if none is measured; of a load it is when the last action was due.
// False before there is any.
func (t *Timeline) Intent() (time.Duration, bool) { return t.acts.intent, t.acts.any }

// isChild tells whether a Deployment belongs to the sample's own custom
// resource, in any of the lives that it had.
func (t *Timeline) isChild(d *entity) bool { return t.subjects[0].isChild(d) }

// child is the Deployment of the custom resource's present life; nil: none.
func (t *Timeline) child() *Object { return t.childOf(t.subjects[0]) }

func (t *Timeline) children() []*Object { return living(t.world.deployments, t.isChild) }

func (t *Timeline) hasChildren() bool { return first(t.world.deployments, t.isChild) != nil }

// custom is the custom resource as last seen; nil: it is not there.
func (t *Timeline) custom() *Object { return t.customOf(t.subjects[0]) }

func (t *Timeline) childPods() []*Object {
	return living(t.world.pods, func(p *entity) bool {
		set := t.world.replicaSets[p.owner]
		return set != nil && t.ofChild(set)
	})
}

func (t *Timeline) ofChild(set *entity) bool {
	d := t.world.deployments[set.owner]
	return d != nil && t.isChild(d)
}

func inOrder(found []*entity) []*Object {
	slices.SortFunc(found, func(a, b *entity) int { return cmp.Compare(a.seq, b.seq) })
	objects := make([]*Object, len(found))
	for i, o := range found {
		objects[i] = o.Object
	}
	return objects
}

// since prints a time of the recording relative to the sample's intent.
func (t *Timeline) since(at time.Duration) string {
	intent := t.acts.intent
	if !t.begun() {
		intent = t.Began
	}
	return fmt.Sprintf("%+.3f s", (at - intent).Seconds())
}

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
