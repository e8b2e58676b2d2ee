package timeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Answer is what became of a wrong value that the API server took.
type Answer struct {
	Lacks string   // what the custom resource lacks to be as it asks; "": nothing
	Told  *Message // what the operator says of that to a person, and did not say before; nil: nothing
}

// AnswerTo is what became of an accepted action on the sample's own custom resource until a time.
func (t *Timeline) AnswerTo(a Accepted, until time.Duration) Answer {
	return t.answer(t.StateAt(until), a, until)
}

// answer is the same, of the sample as it stood then.
func (t *Timeline) answer(then *Timeline, a Accepted, until time.Duration) Answer {
	own, life := *t.Subjects[0], *t.Subjects[0].Life
	own.Life, life.Want = &life, a.Reply.Generation
	lacks := then.stateLacks(&own, &a.Reply.Size)
	if lacks == "" {
		return Answer{}
	}
	return Answer{lacks, t.announced(a.From, until)}
}

// answerLacks says that the last wrong value that the API server took has no answer yet.
func (t *Timeline) answerLacks() string {
	var last *Accepted
	for a := range t.AcceptedOn(t.Subjects[0]) {
		if last = nil; a.Wrong != "" {
			last = &a
		}
	}
	if last == nil {
		return ""
	}
	is := t.answer(t, *last, t.EndedAt)
	if is.Lacks == "" || is.Told != nil {
		return ""
	}
	return fmt.Sprintf("neither its status nor an Event tells a person that %s", is.Lacks)
}

// announced is what the operator says, at the second of two times, of the sample's own custom resource that it did not
// say at the first, but for figures: in a condition or the message of its status, or between them in a Warning about it.
func (t *Timeline) announced(from, to time.Duration) *Message {
	own := t.Subjects[0]
	var before, after []Message // what its status said
	var warning *Message
	for e := range t.Watched() {
		switch {
		case e.Time > to || e.Watch.Event == spec.Deleted:
		case t.SubjectOf(e) == own:
			if after = t.status(e); e.Time < from {
				before = after
			}
		case warning == nil && e.Time >= from && e.Watch.Resource == spec.Events && e.Object.Detail != nil && e.Object.Detail.Type != "Normal":
			if d := e.Object.Detail; slices.Contains(own.UIDs, d.Regarding.UID) {
				warning = &Message{e, fmt.Sprintf("an Event about %s %s", d.Regarding.Kind, d.Regarding.Name), d.Text(), true, true}
			}
		}
	}
	for _, m := range after {
		if !slices.ContainsFunc(before, func(b Message) bool { return b.Where == m.Where && shapeOf(b.Text) == shapeOf(m.Text) }) {
			return &m
		}
	}
	return warning
}

// status is what the status of a custom resource says to a person: its conditions and its message.
func (t *Timeline) status(e *Event) []Message {
	what := Title(e.Watch.Resource, e.Watch.Name)
	var list []Message
	for _, c := range e.Object.Conditions {
		list = append(list, Message{e, "condition " + c.Type + " of " + what, strings.TrimSuffix(c.Status+", "+c.Text(), ", "), true, true})
	}
	if e.Object.Message != "" {
		list = append(list, Message{e, t.Spec.Status.Message + " of " + what, e.Object.Message, true, true})
	}
	return list
}

// WrongValues are the actions that set a wrong value of the sample's own custom resource, each with when the harness
// next wrote it.
func (t *Timeline) WrongValues() []WrongValue {
	var list []WrongValue
	for e := range t.All() {
		if e.Kind != record.KindAction || e.Action.Resource != t.Customs || t.Subject(e.Action.Namespace, e.Action.Name) != t.Subjects[0] {
			continue
		}
		if n := len(list); n > 0 && list[n-1].Until > e.Action.From {
			list[n-1].Until = e.Action.From
		}
		if e.Action.Wrong != "" {
			list = append(list, WrongValue{e, t.EndedAt})
		}
	}
	return list
}

// WrongValue is an action that sets a wrong value.
type WrongValue struct {
	Event *Event
	Until time.Duration
}
