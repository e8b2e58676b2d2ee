package timeline

import (
	"iter"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline/wire"
)

// Each yields events in their order.
func Each(events []Event) iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		for i := range events {
			if !yield(&events[i]) {
				return
			}
		}
	}
}

// Spend reports whether so many steps may be taken to judge the sample, beside those that its
// methods take: once they may not, nothing that is found counts.
func (t *Timeline) Spend(steps int) bool { return t.effort.spend(steps) }

// All yields the events since the sample began.
func (t *Timeline) All() iter.Seq[*Event] { return t.Each(t.Events) }

// Each yields events of the sample, as long as steps may be taken (see Spend).
func (t *Timeline) Each(events []Event) iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		for i := range events {
			if !t.effort.spend(1) || !yield(&events[i]) {
				return
			}
		}
	}
}

// Watched yields what the watches showed of the sample, beginning with what was there before.
func (t *Timeline) Watched() iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		for _, events := range [][]Event{t.Before, t.Events} {
			for e := range t.Each(events) {
				if e.Kind == record.KindWatch && !yield(e) {
					return
				}
			}
		}
	}
}

// Accepted is an action of the harness that asks something of a custom resource, and that the API server accepted.
type Accepted struct {
	*record.Action
	On    *Subject     // nil: it is none of the sample's
	Reply *wire.Object // a deletion's has no uid
}

// Deletes reports whether it asks for the custom resource to be gone.
func (a Accepted) Deletes() bool { return a.Verb == "delete" }

// Accepted yields all of them, in their order.
func (t *Timeline) Accepted() iter.Seq[Accepted] {
	return func(yield func(Accepted) bool) {
		for e := range t.All() {
			if a, is := t.AcceptedIn(e); is && !yield(a) {
				return
			}
		}
	}
}

// AcceptedOn yields those on one of the sample's custom resources.
func (t *Timeline) AcceptedOn(s *Subject) iter.Seq[Accepted] {
	return func(yield func(Accepted) bool) {
		for a := range t.Accepted() {
			if a.On == s && !yield(a) {
				return
			}
		}
	}
}

// AcceptedIn reports whether an event is one.
func (t *Timeline) AcceptedIn(e *Event) (Accepted, bool) {
	if e.Kind != record.KindAction || e.Action.Error != "" || e.Action.Verb == record.ReadScale || e.Action.Resource != t.Customs {
		return Accepted{}, false
	}
	if !t.effort.spend(len(e.Action.Object)) {
		return Accepted{}, false
	}
	reply, err := t.ReplyOf(e.Action)
	if err != nil {
		return Accepted{}, false // no timeline is made of it
	}
	return Accepted{e.Action, t.Subject(e.Action.Namespace, e.Action.Name), reply}, true
}

// Replay goes through the sample once more, and calls visit with each event and the state that it led to. What is known
// of the sample as a whole (its lives, its actions) is known from the beginning.
func (t *Timeline) Replay(visit func(now *Timeline, e *Event)) {
	t.Settle()
	past := t.beginning()
	for e := range t.All() {
		if e.Kind == record.KindWatch {
			past.World.apply(e)
		}
		visit(past, e)
	}
}

// beginning is the sample as it stood when it began.
func (t *Timeline) beginning() *Timeline {
	past := *t
	past.World = newWorld(t.Workload, t.effort)
	for e := range t.Each(t.Before) {
		past.World.apply(e)
	}
	return &past
}

// StateAt is the sample as it stood at a time.
func (t *Timeline) StateAt(at time.Duration) *Timeline {
	past := t.beginning()
	past.Events = nil
	for e := range t.All() {
		if e.Kind == record.KindWatch && e.Time <= at {
			past.World.apply(e)
		}
	}
	return past
}

// StepsBegan is when the harness first did something to the sample: its first
// action or its first fault, whichever was before.
func (t *Timeline) StepsBegan() time.Duration {
	faults := t.FaultsBegun()
	switch {
	case len(faults) > 0 && (!t.Actions.any || faults[0].From < t.Actions.Intent):
		return faults[0].From
	case t.Actions.any:
		return t.Actions.Intent
	}
	return t.Began
}

// FaultsBegun lists the faults of the sample, as they began.
func (t *Timeline) FaultsBegun() []*record.Fault { return t.FaultsAt(record.Begun) }

// FaultsAt lists the faults of the sample at a stage.
func (t *Timeline) FaultsAt(stage string) []*record.Fault {
	return plain.Pick(t.Faults, func(e Event) (*record.Fault, bool) { return e.Fault, e.Fault.Stage == stage })
}
