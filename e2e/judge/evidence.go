package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/record"
)

// evidence prints the events that match. Of more than six it leaves some out: it
// prints the first two, the last four, and what was broken on purpose or nudged.
func (t *Timeline) evidence(match func(*Event) bool) []string {
	const head, tail = 2, 4
	var found []*Event
	for i := range t.Events {
		if e := &t.Events[i]; match(e) {
			found = append(found, e)
		}
	}
	var lines []string
	left := 0
	for i, e := range found {
		if len(found) > head+tail && i >= head && i < len(found)-tail && !e.told() {
			left++
			continue
		}
		if left > 0 {
			lines, left = append(lines, fmt.Sprintf("… %d more", left)), 0
		}
		lines = append(lines, t.line(e))
	}
	return lines
}

// told tells whether an event stands in evidence however long that is: a fault,
// or a nudge.
func (e *Event) told() bool {
	return e.Kind == record.KindFault || e.Kind == record.KindAction && e.Action.Nudge
}

// of matches actions, faults, what brings an inner phase about, and watch events
// on any of these resources in the sample's namespaces. Of what happens elsewhere
// to a sample of the matrix it matches where a work object begins and ends: there
// can be very many inner phases.
func of(resources ...string) func(*Event) bool {
	return func(e *Event) bool {
		switch {
		case e.Kind != record.KindWatch:
			return e.Kind == record.KindAction || e.Kind == record.KindFault
		case e.aside != nil:
			return e.aside.work != nil && (e.aside.work.ended || e.Watch.Event != "MODIFIED")
		}
		return len(e.inner) > 0 || slices.Contains(resources, e.Watch.Resource)
	}
}

// line prints one event with its time since the sample's intent.
func (t *Timeline) line(e *Event) string {
	at := t.since(e.Time)
	switch e.Kind {
	case record.KindAction:
		a := e.Action
		what := fmt.Sprintf("%s harness: %s %s", at, a.Verb, title(a.Resource, a.Name))
		if a.Nudge {
			what += ", a nudge"
		}
		if a.Error != "" {
			what += ": refused: " + a.Error
		}
		return what
	case record.KindGap:
		return fmt.Sprintf("%s gap: nothing heard of %s for %s: %s", at, kind(e.Gap.Resource), round(e.Time-e.Gap.From), e.Gap.Reason)
	case record.KindFault:
		what := fmt.Sprintf("%s fault %s: %s %s", at, e.Fault.Stage, e.Fault.Kind, e.Fault.What)
		if e.Fault.Error != "" {
			what += ": " + e.Fault.Error
		}
		return what
	case record.KindWatch:
		shown := strings.Trim(e.Object.state()+", "+t.innerState(e), ", ")
		if e.aside != nil && e.aside.work != nil {
			shown = e.aside.state()
		}
		return strings.TrimRight(fmt.Sprintf("%s %s %s %s", at, e.Watch.Event, title(e.Watch.Resource, e.Watch.Name), shown), " ")
	}
	return at + " " + string(e.Kind)
}

// innerState names the inner phases that an event brings about, with the value
// that shows it.
func (t *Timeline) innerState(e *Event) string {
	var words []string
	for _, b := range e.inner {
		p := &t.style.Phases[b.phase]
		word := p.Name
		if p.Path != "" {
			word += fmt.Sprintf(" (%s %s)", p.Path, b.value)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// state says whom a work object is for, and whether anything more comes of it.
func (a *aside) state() string {
	if a.work.ended {
		return fmt.Sprintf("for %s/%s, ended", a.subject.namespace, a.subject.name)
	}
	return fmt.Sprintf("for %s/%s", a.subject.namespace, a.subject.name)
}

// state is what an object's state is judged by, in a few words.
func (o *Object) state() string {
	var words []string
	switch o.Resource {
	case Deployments:
		words = append(words, fmt.Sprintf("generation %d observed %d, asks for %d, has %d, ready %d",
			o.Generation, o.ObservedGeneration, o.Replicas, o.StatusReplicas, o.ReadyReplicas))
	case ReplicaSets:
		words = append(words, fmt.Sprintf("asks for %d, has %d, ready %d", o.Replicas, o.StatusReplicas, o.ReadyReplicas))
	case CustomResources:
		words = append(words, fmt.Sprintf("generation %d, size %d", o.Generation, o.Size))
		if o.ObservedGeneration != 0 || len(o.Nodes) > 0 {
			words = append(words, fmt.Sprintf("status observed %d, %d nodes", o.ObservedGeneration, len(o.Nodes)))
		}
	case Pods:
		words = append(words, o.Phase)
	}
	if o.Deleting {
		words = append(words, "terminating")
	}
	return strings.Join(words, ", ")
}

// kind is a resource's plural without version and group.
func kind(resource string) string {
	plural, _, _ := strings.Cut(resource, ".")
	return plural
}

func title(resource, name string) string { return kind(resource) + "/" + name }

// write is a change that somebody wrote to the child or the custom resource.
type write struct {
	at      time.Duration
	event   *Event
	created bool
	deleted bool
}

// writes lists the writes to the sample's children and custom resource that
// the harness did not make itself: an object that came or went, a new
// generation of a Deployment, a new resource version of the custom resource.
// A Deployment's status is the Deployment controller's own and does not count.
func (t *Timeline) writes() []write {
	seen := map[string]*Object{}
	for i := range t.Before {
		seen[t.Before[i].Object.UID] = t.Before[i].Object
	}
	var list []write
	deletions := t.deletions()
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != record.KindWatch {
			continue
		}
		o, prev := e.Object, seen[e.Object.UID]
		seen[o.UID] = o
		if !t.written(e, prev) || t.acts.versions[o.UID+"/"+o.ResourceVersion] {
			continue
		}
		if e.Watch.Event == "DELETED" && deletions.took(e) {
			continue
		}
		list = append(list, write{at: e.Time, event: e, created: e.Watch.Event == "ADDED", deleted: e.Watch.Event == "DELETED"})
	}
	return list
}

func (t *Timeline) written(e *Event, prev *Object) bool {
	came := prev == nil || e.Watch.Event == "DELETED"
	switch e.Watch.Resource {
	case Deployments:
		d := t.world.deployments[e.Object.UID]
		return d != nil && t.isChild(d) && e.Watch.Event != "LISTED" && (came || e.Object.Generation != prev.Generation)
	case CustomResources:
		// That it is to be deleted is what somebody asked for, not the operator.
		doomed := e.Object.Deleting && (prev == nil || !prev.Deleting)
		return e.Watch.Name == t.Sample.Name && e.Watch.Namespace == t.Sample.Namespace && e.Watch.Event == "MODIFIED" &&
			!doomed && (came || e.Object.ResourceVersion != prev.ResourceVersion)
	}
	return false
}

// deletions are the harness's own deletions of Deployments: their requests, of
// which the watch tells later or even before the reply.
type deletions map[string][]time.Duration // by namespace/name

func (t *Timeline) deletions() deletions {
	list := deletions{}
	for i := range t.Events {
		if a := t.Events[i].Action; t.Events[i].Kind == record.KindAction && a.Verb == "delete" && a.Resource == Deployments && a.Error == "" {
			key := a.Namespace + "/" + a.Name
			list[key] = append(list[key], a.From)
		}
	}
	return list
}

// took tells whether an event shows one of the deletions, and takes it off the list.
func (d deletions) took(e *Event) bool {
	key := e.Watch.Namespace + "/" + e.Watch.Name
	list := d[key]
	if len(list) == 0 || e.Time < list[0] {
		return false
	}
	d[key] = list[1:]
	return true
}
