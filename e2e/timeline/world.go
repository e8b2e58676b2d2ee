package timeline

import (
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline/wire"
)

// Entity is an object as it was last seen; deleted ones are kept, because their
// owners say whose the others are.
type Entity struct {
	*wire.Object
	live  bool
	seq   int    // order of appearance
	Owner string // the controller that it first had
}

// controlledBy tells whether an object is the controller: the one that it first had,
// since a reference may be lost, or the one that has taken it over.
func (e *Entity) controlledBy(uid string) bool {
	return uid != "" && (e.Owner == uid || e.Controller == uid)
}

// world is the state of a sample's objects after some of its events.
type world struct {
	seq         int
	customs     map[string]*Entity // by uid, as all of these
	Deployments map[string]*Entity
	ReplicaSets map[string]*Entity
	Pods        map[string]*Entity
	works       map[string]*WorkObject // nil until there is one
}

func newWorld() world {
	return world{
		customs: map[string]*Entity{}, Deployments: map[string]*Entity{},
		ReplicaSets: map[string]*Entity{}, Pods: map[string]*Entity{},
	}
}

func (w *world) of(resource string) map[string]*Entity {
	switch resource {
	case spec.CustomResources:
		return w.customs
	case spec.Deployments:
		return w.Deployments
	case spec.ReplicaSets:
		return w.ReplicaSets
	case spec.Pods:
		return w.Pods
	}
	return nil
}

// apply brings the world up to a watch event.
func (w *world) apply(e *Event) {
	if e.Outside != nil && e.Outside.Work != nil {
		w.work(e)
	}
	objects := w.of(e.Watch.Resource)
	if objects == nil {
		return
	}
	known := objects[e.Object.UID]
	if known == nil {
		w.seq++
		known = &Entity{seq: w.seq}
		objects[e.Object.UID] = known
	}
	known.Object, known.live = e.Object, e.Watch.Event != spec.Deleted
	if known.Owner == "" {
		known.Owner = e.Object.Controller
	}
}

// PodsOf are the living pods of the Deployments that match.
func (w *world) PodsOf(match func(*Entity) bool) []*wire.Object {
	return Living(w.Pods, func(p *Entity) bool {
		set := w.ReplicaSets[p.Owner]
		return set != nil && w.setIs(set, match)
	})
}

// setIs tells whether a ReplicaSet is of a Deployment that matches.
func (w *world) setIs(set *Entity, match func(*Entity) bool) bool {
	d := w.Deployments[set.Owner]
	return d != nil && match(d)
}

// First returns the living entity that appeared first among those that match.
func First(objects map[string]*Entity, match func(*Entity) bool) *wire.Object {
	var found *Entity
	for _, o := range objects {
		if o.live && match(o) && (found == nil || o.seq < found.seq) {
			found = o
		}
	}
	if found == nil {
		return nil
	}
	return found.Object
}

// Living returns the living entities that match, in their order of appearance.
func Living(objects map[string]*Entity, match func(*Entity) bool) []*wire.Object {
	var found []*Entity
	for _, o := range objects {
		if o.live && match(o) {
			found = append(found, o)
		}
	}
	return inOrder(found)
}
