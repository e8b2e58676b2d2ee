package timeline

import (
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline/wire"
)

// Write is a change that somebody wrote to the child or the custom resource.
type Write struct {
	At      time.Duration
	Event   *Event
	Created bool
	Deleted bool
}

// Writes lists the writes to the sample's children and custom resource that the harness did not make itself: an object
// that came or went, a new generation of a main child, a new resource version of the custom resource. A main child's
// status is its controller's own and does not count.
func (t *Timeline) Writes() []Write {
	seen := map[string]*wire.Object{}
	for e := range Each(t.Before) {
		seen[e.Object.UID] = e.Object
	}
	var list []Write
	deletions := t.Deletions()
	for e := range t.All() {
		if e.Kind != record.KindWatch {
			continue
		}
		o, prev := e.Object, seen[e.Object.UID]
		seen[o.UID] = o
		if !t.written(e, prev) || t.Actions.Versions[o.UID+"/"+o.ResourceVersion] {
			continue
		}
		if e.Watch.Event == spec.Deleted && deletions.Took(e) {
			continue
		}
		list = append(list, Write{At: e.Time, Event: e, Created: e.Watch.Event == spec.Added, Deleted: e.Watch.Event == spec.Deleted})
	}
	return list
}

func (t *Timeline) written(e *Event, prev *wire.Object) bool {
	came := prev == nil || e.Watch.Event == spec.Deleted
	switch e.Watch.Resource {
	case t.Mains:
		d := t.World.Mains[e.Object.UID]
		return d != nil && t.IsChild(d) && e.Watch.Event != spec.Listed && (came || e.Object.Generation != prev.Generation)
	case t.Customs:
		// That it is to be deleted is what somebody asked for, not the operator.
		deletion := e.Object.Deleting && (prev == nil || !prev.Deleting)
		return e.Watch.Name == t.Sample.Name && e.Watch.Namespace == t.Sample.Namespace && e.Watch.Event == spec.Modified &&
			!deletion && (came || e.Object.ResourceVersion != prev.ResourceVersion)
	}
	return false
}

// Deletions are the harness's own deletions of main children: their requests, of
// which the watch tells later or even before the reply.
type Deletions map[string][]time.Duration // by namespace/name

// Deletions lists those that the API server accepted.
func (t *Timeline) Deletions() Deletions {
	list := Deletions{}
	for e := range t.All() {
		if a := e.Action; e.Kind == record.KindAction && a.Verb == "delete" && a.Resource == t.Mains && a.Error == "" {
			key := a.Namespace + "/" + a.Name
			list[key] = append(list[key], a.From)
		}
	}
	return list
}

// Took reports whether an event shows one of the deletions, and takes it off the list.
func (d Deletions) Took(e *Event) bool {
	key := e.Watch.Namespace + "/" + e.Watch.Name
	list := d[key]
	if len(list) == 0 || e.Time < list[0] {
		return false
	}
	d[key] = list[1:]
	return true
}
