package judge

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

// evidenceOf prints the events that match. Of more than six it leaves some out: it
// prints the first two, the last four, and what was broken on purpose or nudged.
func evidenceOf(t *timeline.Timeline, match func(*timeline.Event) bool) []string {
	const head, tail = 2, 4
	var found []*timeline.Event
	for e := range t.All() {
		if match(e) {
			found = append(found, e)
		}
	}
	var lines []string
	left := 0
	for i, e := range found {
		if len(found) > head+tail && i >= head && i < len(found)-tail && !always(e) {
			left++
			continue
		}
		if left > 0 {
			lines, left = append(lines, fmt.Sprintf("… %d more", left)), 0
		}
		lines = append(lines, line(t, e))
	}
	return lines
}

// always reports whether an event stands in evidence however long that is: a fault, or a nudge.
func always(e *timeline.Event) bool {
	return e.Kind == record.KindFault || e.Kind == record.KindAction && e.Action.Nudge
}

// of matches actions, faults, what brings an inner phase about, and watch events on any of these resources in the
// sample's namespaces. Outside of them, for a sample of the matrix, it matches only the begin and the end of a work
// object: there can be very many inner phases.
func of(t *timeline.Timeline, roles ...timeline.Role) func(*timeline.Event) bool {
	resources := t.Resources(roles...)
	return func(e *timeline.Event) bool {
		switch {
		case e.Kind != record.KindWatch:
			return e.Kind == record.KindAction || e.Kind == record.KindFault
		case e.Outside != nil:
			return e.Outside.Work != nil && (e.Outside.Work.Ended || e.Watch.Event != spec.Modified)
		}
		return len(e.Inner) > 0 || slices.Contains(resources, e.Watch.Resource)
	}
}

// line prints one event with its time since the sample's intent.
func line(t *timeline.Timeline, e *timeline.Event) string {
	at := t.Since(e.Time)
	switch e.Kind {
	case record.KindAction:
		a := e.Action
		what := fmt.Sprintf("%s harness: %s %s", at, a.Verb, timeline.Title(a.Resource, a.Name))
		if a.Nudge {
			what += ", a nudge"
		}
		if a.Wrong != "" {
			what += " to " + a.Wrong
		}
		if a.Error != "" {
			what += ": refused: " + a.Error
		}
		return what
	case record.KindGap:
		return fmt.Sprintf("%s gap: nothing heard of %s for %s: %s", at, timeline.Kind(e.Gap.Resource), timeline.Round(e.Time-e.Gap.From), e.Gap.Reason)
	case record.KindFault:
		what := fmt.Sprintf("%s fault %s: %s %s", at, e.Fault.Stage, e.Fault.Kind, e.Fault.What)
		if e.Fault.Error != "" {
			what += ": " + e.Fault.Error
		}
		return what
	case record.KindWatch:
		shown := strings.Trim(state(t, e.Object)+", "+innerState(t, e), ", ")
		if e.Outside != nil && e.Outside.Work != nil {
			shown = workState(e.Outside)
		}
		return strings.TrimRight(fmt.Sprintf("%s %s %s %s", at, e.Watch.Event, timeline.Title(e.Watch.Resource, e.Watch.Name), shown), " ")
	}
	return at + " " + string(e.Kind)
}

// innerState names the inner phases that an event brings about, with the value that shows it.
func innerState(t *timeline.Timeline, e *timeline.Event) string {
	var words []string
	for _, b := range e.Inner {
		p := &t.Style.Phases[b.Phase]
		word := p.Name
		if p.Path != "" {
			word += fmt.Sprintf(" (%s %s)", p.Path, b.Value)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// workState says whom a work object is for, and whether anything more comes of it.
func workState(a *timeline.Outside) string {
	if a.Work.Ended {
		return fmt.Sprintf("for %s/%s, ended", a.Subject.Namespace, a.Subject.Name)
	}
	return fmt.Sprintf("for %s/%s", a.Subject.Namespace, a.Subject.Name)
}

// state is what an object's state is judged by, in a few words.
func state(t *timeline.Timeline, o *wire.Object) string {
	var words []string
	switch o.Resource {
	case t.Mains:
		words = append(words, fmt.Sprintf("generation %d observed %d, asks for %d, has %d, ready %d",
			o.Generation, o.ObservedGeneration, o.Replicas, o.StatusReplicas, o.ReadyReplicas))
	case spec.ReplicaSets:
		words = append(words, fmt.Sprintf("asks for %d, has %d, ready %d", o.Replicas, o.StatusReplicas, o.ReadyReplicas))
	case t.Customs:
		words = append(words, fmt.Sprintf("generation %d, size %d", o.Generation, o.Size))
		if o.ObservedGeneration != 0 || len(o.Nodes) > 0 {
			words = append(words, fmt.Sprintf("status observed %d, %d nodes", o.ObservedGeneration, len(o.Nodes)))
		}
	case spec.Pods:
		words = append(words, o.Phase)
	}
	if o.Deleting {
		words = append(words, "terminating")
	}
	return strings.Join(words, ", ")
}
