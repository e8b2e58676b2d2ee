// Package timeline makes of recorded entries the state of each sample over time: which entries are a sample's, how its
// objects stand after each of them, and which conditions hold then. It does not say what is right or wrong.
package timeline

import (
	"fmt"
	"slices"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/timeline/wire"
)

// Event is one entry of a Timeline.
type Event struct {
	record.Entry
	// Object is what a watch event shows of its object; nil for other entries.
	Object *wire.Object

	Inner   []PhaseEvent // the style's inner phases that this event brings about
	Outside *Outside     // of an event outside of the sample's namespaces, in the correctness matrix
}

// Timeline is everything that was seen of one sample. It is made by a
// Splitter, which adds to it while the sample is open.
type Timeline struct {
	Run    string // the recording's run id
	Group  string // of the sample's scenario; empty where the recording does not say
	Sample record.Sample
	Began  time.Duration
	// End is nil while the sample is open, and stays nil when the recording stops in its midst.
	End     *record.End
	EndedAt time.Duration // of the last entry, where End is nil
	// Before holds the last event of each object in the sample's namespace that was known when the sample began.
	Before []Event
	// Events are in the recording's order: the sample's actions and faults, the watch events in its namespaces, those
	// elsewhere that are given to it, and gaps. Events elsewhere are its style's inner phases; in the correctness matrix,
	// where samples overlap, also those of the objects that work on its custom resources, and of the operator's own pods
	// and the Events about them.
	Events []Event

	Scope
	Actions     Actions
	Subjects    []*Subject // the sample's custom resources, its own first
	matchers    map[*work][]*bounds.Pattern
	jobs        map[*job]*Subject
	Phases      []Phase
	Marks       []mark // parallel to phases
	World       world
	stepped     int  // events that the state has taken in
	stale       bool // the state must be built anew, from the first event on
	known       int  // events whose uids are known
	Gaps        []Event
	Faults      []Event
	sent        []sent          // writes of the harness that a watch must show, in the correctness matrix
	added       map[string]bool // uids of objects whose ADDED came since the intent
	last        time.Duration   // of the last watch event on an object of the sample
	held        int             // about how many bytes it holds
	refusals    map[refusal]refusedSoFar
	tried       time.Duration // when the style last asked for a write of a main child, as the audit log says; in the correctness matrix
	Inventories []Inventory   // in order; in the correctness matrix
	Audited     bool          // the recording has the audit log; known once the sample has ended
	audits      int           // entries of it before the sample
	roll        roll          // the last turn of a knob that rolls the pods; none: its knob is empty
	effort      *effort       // of the recording
	causes      *causes       // of the recording
	cause       *Cause        // the sample's; nil: it was not asked for yet
	Looks       []Look        // at what the style's pods take, where the sample judges that
	Vain        []Vain        // what the style's accounts asked for in vain in the sample's namespaces, in the correctness matrix
	doubled     bool          // a fault has given the operator a second pod
	Turns       []Request     // since then, in the log's order: what the style's accounts asked to write in the sample's namespaces, and of Leases anywhere
	Requests    []Request     // what the style's accounts asked to write in the sample's namespaces, in the last of its quiescence windows
	Reads       []Request     // the same of what they asked to get or list; not in a load
	ReadBefore  int           // how often they did before the sample's first action
}

// Growth is the oracle that judges what the style's pods take.
const Growth = "growth"

// Memory is what a Look sees of every pod: its working set, in bytes.
const Memory = "memory"

// Look is what one of the style's pods took at a time.
type Look struct {
	At     time.Duration
	Pod    string // namespace/name
	What   string // Memory, a metric of the pod's own, or its open watches of a resource
	Amount float64
}

// mostLooks bounds what is kept of them.
const mostLooks = 20_000

// Actions is what the harness did, as the rest must know it.
type Actions struct {
	any       bool
	Measured  bool
	Intent    time.Duration // of the first measured action, or when a load's last one was due; before one comes: of the first action, or else fault
	Acked     time.Duration // that action's reply
	Late      time.Duration // how long after it was due that action was sent, of a load
	wanted    time.Duration // when the size that the sample of the matrix wants at its end was asked for last, after another
	refused   *record.Action
	Reconcile bool            // some action changed the custom resource
	Versions  map[string]bool // uid/resourceVersion of what the harness wrote
	Life                      // of the sample's own custom resource
}

// mark is whether and when a phase was reached.
type mark struct {
	Holds   bool // the phase's condition, after the last event
	reached bool
	at      time.Duration
}

func newTimeline(s *Splitter, style *style, sample record.Sample, began time.Duration) (*Timeline, error) {
	t := &Timeline{
		Run: s.run, Group: s.groups[sample.Scenario], Sample: sample, Began: began, EndedAt: began,
		Scope: scopeOf(&sample, style, s.workload), last: began, stale: true, audits: s.audits, effort: s.effort, causes: &s.causes,
	}
	t.Actions.Versions = map[string]bool{}
	t.Phases = style.phases(&t.Sample)
	if err := t.newSubjects(); err != nil {
		return nil, err
	}
	if t.Matrix {
		if err := t.newMatchers(); err != nil {
			return nil, err
		}
	}
	t.Before = s.before(t)
	for e := range Each(t.Before) {
		t.inherit(e)
	}
	return t, nil
}

// inherit takes up what an earlier sample left.
func (t *Timeline) inherit(e *Event) {
	t.knowLife(e)
	if s := t.SubjectOf(e); s != nil && !e.Object.Deleting {
		s.present = &e.Object.Size
	}
}

// Begun reports whether the harness has done anything yet.
func (t *Timeline) Begun() bool { return t.Actions.any || len(t.Faults) > 0 }

// add appends an event that the Splitter found to be this sample's.
func (t *Timeline) add(e Event) error {
	t.Events = append(t.Events, e)
	t.EndedAt = max(t.EndedAt, e.Time)
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
		t.Gaps = append(t.Gaps, e)
	case record.KindFault:
		if !t.Begun() {
			t.Actions.Intent, t.stale = e.Fault.From, true
		}
		t.Faults = append(t.Faults, e)
		t.doubled = t.doubled || e.Fault.Kind == spec.FaultDouble
	}
	return nil
}

func (t *Timeline) close(e record.Entry) {
	t.End, t.EndedAt = e.End, e.Time
	t.Settle()
}

// note takes up an action.
func (t *Timeline) note(e Event) error {
	act, a := &t.Actions, e.Action
	if a.Verb == record.ReadScale {
		return nil // nothing is asked for
	}
	switch {
	case a.Measured && a.Intended > 0: // the last of a schedule counts
		act.Intent, act.Acked, act.Late = a.Intended, e.Time, max(a.From-a.Intended, 0)
	case !act.any || a.Measured && !act.Measured:
		act.Intent, act.Acked = a.From, e.Time
	}
	act.any, act.Measured = true, act.Measured || a.Measured
	if a.Error != "" {
		if !t.mayFail(a) {
			act.refused = a
		}
		return nil
	}
	reply, err := t.ReplyOf(a)
	if err != nil {
		return err
	}
	if reply.UID != "" {
		act.Versions[reply.UID+"/"+reply.ResourceVersion] = true
	}
	if t.Matrix {
		t.send(a, reply)
	}
	if a.Resource != t.Customs {
		return nil
	}
	s := t.Subject(a.Namespace, a.Name)
	if s == nil {
		return nil
	}
	was := s.asksFor(t.Sample.Size)
	s.asked(a, reply)
	if t.Matrix && s.Life == &act.Life && !was && s.asksFor(t.Sample.Size) {
		act.wanted = a.From
	}
	t.turn(a)
	if s.Life == &act.Life && !t.noop(a, reply) {
		act.Reconcile = true
	}
	return nil
}

// mayFail reports whether the sample comes to its end though an action was refused: one that must be, one that sets a
// wrong value, or a nudge of an object that is not there.
func (t *Timeline) mayFail(a *record.Action) bool {
	return a.Nudge || a.Wrong != "" || t.Matrix && slices.Contains(t.Sample.Expect, "refused")
}

// ReplyOf reads the API's reply to an action; a delete's may be absent.
func (s *Scope) ReplyOf(a *record.Action) (*wire.Object, error) {
	reply := &wire.Object{Resource: a.Resource, Namespace: a.Namespace, Name: a.Name}
	if len(a.Object) == 0 {
		return reply, nil
	}
	read := s.Read
	scale := a.Verb == record.Scale || a.Verb == record.ReadScale
	if scale {
		read = s.ReadScale
	}
	if err := read(reply, a.Object); err != nil {
		return nil, fmt.Errorf("reply to %s of %s %s/%s: read the recorded object: %w", a.Verb, a.Resource, a.Namespace, a.Name, err)
	}
	if scale {
		reply.Generation = a.Generation // a Scale has none of its own
	}
	return reply, nil
}

// noop reports whether a patch changed nothing: the API then replies with the
// resource version that was there before, and no watch hears of it.
func (t *Timeline) noop(a *record.Action, reply *wire.Object) bool {
	if a.Verb == "create" || a.Verb == "delete" || reply.ResourceVersion == "" {
		return false
	}
	for _, events := range [][]Event{t.Events, t.Before} {
		for i := len(events) - 1; i >= 0 && t.effort.spend(1); i-- { // the last that was heard of it is the newest version
			if e := &events[i]; e.Kind == record.KindWatch && e.Time < a.From && e.Object.UID == reply.UID {
				return e.Object.ResourceVersion == reply.ResourceVersion
			}
		}
	}
	return false
}

// Settle brings the state of the sample up to its last event. It is done only
// when somebody asks, so that many actions do not mean as many replays.
func (t *Timeline) Settle() {
	if t.stale {
		t.stale, t.stepped = false, 0
		t.World, t.added = newWorld(t.Workload, t.effort), map[string]bool{}
		t.Marks = make([]mark, len(t.Phases))
		for i := range t.sent {
			t.sent[i].seen = false
		}
		for e := range Each(t.Before) {
			t.apply(e)
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
	t.World.apply(e)
	if !t.effort.spend(len(t.sent)) {
		return
	}
	for i := range t.sent {
		t.sent[i].see(e)
	}
}

// knowLife learns of a life of a custom resource.
func (t *Timeline) knowLife(e *Event) {
	if s := t.SubjectOf(e); s != nil && t.effort.spend(len(s.UIDs)) {
		s.knowUID(e.Object.UID)
	}
}

// SubjectOf is the custom resource that a watch event shows; nil: none of the sample's.
func (t *Timeline) SubjectOf(e *Event) *Subject {
	if e.Kind != record.KindWatch || e.Watch.Resource != t.Customs {
		return nil
	}
	return t.Subject(e.Watch.Namespace, e.Watch.Name)
}

// settleMarks takes the conditions as they stand, without reaching a phase.
func (t *Timeline) settleMarks() {
	for i, p := range t.Phases {
		if p.Holds != nil {
			t.Marks[i].Holds = p.Holds(t)
		}
	}
}

// step takes one watch event: a phase is reached by the event after the intent that makes its condition true.
func (t *Timeline) step(e *Event) {
	var before *wire.Object
	if pod := t.World.Pods[e.Watch.UID]; pod != nil {
		before = pod.Object
	}
	t.apply(e)
	if e.Watch.Event != spec.Listed && t.delaysQuiet(e) && (e.Object == nil || !e.Object.OnlyGranted(before)) {
		t.last = max(t.last, e.Time)
	}
	if !t.effort.spend(len(t.Phases) * (1 + len(e.Inner))) {
		return
	}
	since := t.Begun() && e.Time >= t.Actions.Intent
	if since && e.Watch.Event == spec.Added {
		t.added[e.Watch.UID] = true
	}
	for i := range t.Phases {
		p, m := &t.Phases[i], &t.Marks[i]
		held := m.Holds
		switch {
		case p.Holds != nil && p.concerned(t.Workload, e.Watch.Resource):
			m.Holds = p.Holds(t)
		case p.Inner >= 0 && slices.ContainsFunc(e.Inner, func(b PhaseEvent) bool { return b.Phase == p.Inner }):
			held, m.Holds = false, !t.Style.adds[e.Watch.Resource] || t.added[e.Watch.UID]
		default:
			continue
		}
		if p.last && !m.Holds {
			m.reached = false // it came back: not the last one yet
		}
		if since && m.Holds && !held && !m.reached && (p.Inner >= 0 || e.Time >= t.Actions.wanted) {
			m.reached, m.at = true, e.Time
		}
	}
}

// delaysQuiet reports whether an event keeps the sample from being quiet. Kubernetes' own
// Events about it do not, nor do the operator's pods.
func (t *Timeline) delaysQuiet(e *Event) bool {
	if e.Outside != nil && e.Outside.Job == nil {
		return len(e.Inner) > 0
	}
	return t.IsRead(e.Watch.Resource) || t.Style.byResource[e.Watch.Resource] != nil || e.Outside != nil && e.Outside.Work != nil
}

// Moved is when anything happened to an object of the sample, in order.
func (t *Timeline) Moved() []time.Duration {
	return plain.Pick(t.Events, func(e Event) (time.Duration, bool) {
		return e.Time, e.Kind == record.KindWatch && e.Watch.Event != spec.Listed && t.delaysQuiet(&e)
	})
}

// LastEvent is when something last happened to an object of the sample. The
// quiescence window begins there, at the earliest.
func (t *Timeline) LastEvent() time.Duration {
	t.Settle()
	return t.last
}

// RestedAt is when the sample had come to rest, or else ended. To undo what is left of its faults then takes a while,
// in which pods of the operator go.
func (t *Timeline) RestedAt() time.Duration {
	if t.End != nil && t.End.Rested > 0 {
		return t.End.Rested
	}
	return t.EndedAt
}

// Intent is just before the sample's first measured action, or its first action if none is measured; of a load it is
// when the last action was due. False before there is any.
func (t *Timeline) Intent() (time.Duration, bool) { return t.Actions.Intent, t.Actions.any }

// IsChild reports whether a main child belongs to the sample's own custom resource, in any of the lives that it had.
func (t *Timeline) IsChild(d *Entity) bool { return t.Subjects[0].IsChild(d) }

// MainChild is the main child of the custom resource's present life; nil: none.
func (t *Timeline) MainChild() *wire.Object { return t.ChildOf(t.Subjects[0]) }

// Children are the main children of the custom resource, of any of its lives.
func (t *Timeline) Children() []*wire.Object {
	return Living(t.World.Mains, func(d *Entity) bool { return t.IsChild(d) && !t.occupies(t.Mains, d) })
}

// HasChildren reports whether there are any.
func (t *Timeline) HasChildren() bool { return t.hasChildren(t.Subjects[0]) }

// Custom is the custom resource as last seen; nil: it is not there.
func (t *Timeline) Custom() *wire.Object { return t.CustomOf(t.Subjects[0]) }
