package timeline

import (
	"cmp"
	"slices"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline/wire"
)

// Entity is an object as it was last seen; deleted ones are kept, because their owners say whose the others are.
type Entity struct {
	*wire.Object
	live   bool
	seq    int    // order of appearance
	Owner  string // the controller that it first had
	effort *effort
}

// controlledBy reports whether an object is the controller: the one that it first had,
// since a reference may be lost, or the one that has taken it over.
func (e *Entity) controlledBy(uid string) bool {
	return uid != "" && (e.Owner == uid || e.Controller == uid)
}

// world is the state of a sample's objects after some of its events.
type world struct {
	workload    *Workload
	seq         int
	customs     map[string]*Entity // by uid, as all of these
	Mains       map[string]*Entity
	ReplicaSets map[string]*Entity
	Pods        map[string]*Entity
	works       map[string]*WorkObject        // nil until there is one
	others      map[string]map[string]*Entity // of other children, by resource

	byName  roster[nameKey] // custom resources and main children
	byOwner roster[string]  // main children, by their controllers' uids
	effort  *effort
}

func newWorld(w *Workload, effort *effort) world {
	is := world{
		workload: w, customs: map[string]*Entity{}, Mains: map[string]*Entity{},
		ReplicaSets: map[string]*Entity{}, Pods: map[string]*Entity{},
		others: map[string]map[string]*Entity{}, byName: roster[nameKey]{}, byOwner: roster[string]{}, effort: effort,
	}
	for _, resource := range w.Others {
		is.others[resource] = map[string]*Entity{}
	}
	if w.Child.Many {
		is.Pods = is.Mains // the same objects
	}
	return is
}

type nameKey struct{ resource, namespace, name string }

// roster lists entities by what they have in common, in their order of appearance. Those that have gone may be missing.
type roster[K comparable] map[K][]*Entity

func (r roster[K]) add(key K, e *Entity) {
	list := r[key]
	i, there := slices.BinarySearchFunc(list, e.seq, func(o *Entity, seq int) int { return cmp.Compare(o.seq, seq) })
	if !there && e.effort.spend(len(list)-i) {
		r[key] = slices.Insert(list, i, e)
	}
}

// first is the living entity that appeared first of those that still have the key; nil:
// none. One that does not is left out from now on: it is added again with its next event.
func (r roster[K]) first(key K, has func(*Entity) bool) *Entity {
	list := r[key]
	gone := 0
	for gone < len(list) && !(list[gone].live && has(list[gone])) {
		gone++
	}
	if gone > 0 {
		list = list[gone:]
		r[key] = list
	}
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// ownedBy is the first living main child that an object controls; nil: none.
func (w *world) ownedBy(uid string) *Entity {
	return w.byOwner.first(uid, func(d *Entity) bool { return d.controlledBy(uid) })
}

// named is the first living object of a name; nil: none.
func (w *world) named(resource, namespace, name string) *Entity {
	return w.byName.first(nameKey{resource, namespace, name}, func(o *Entity) bool { return o.Namespace == namespace && o.Name == name })
}

// object is what was last seen of an entity; nil: there is none.
func (e *Entity) object() *wire.Object {
	if e == nil {
		return nil
	}
	return e.Object
}

func (w *world) of(resource string) map[string]*Entity {
	switch resource {
	case w.workload.Customs:
		return w.customs
	case w.workload.Mains:
		return w.Mains
	case spec.ReplicaSets:
		return w.ReplicaSets
	case spec.Pods:
		return w.Pods
	}
	return w.others[resource]
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
		known = &Entity{seq: w.seq, effort: w.effort}
		objects[e.Object.UID] = known
	}
	known.Object, known.live = e.Object, e.Watch.Event != spec.Deleted
	if known.Owner == "" {
		known.Owner = e.Object.Controller
	}
	if known.live {
		w.enlist(e.Watch.Resource, known)
	}
}

// enlist sees that an entity is found by its name, and by its controllers.
func (w *world) enlist(resource string, e *Entity) {
	switch resource {
	case w.workload.Mains:
		w.byOwner.add(e.Owner, e)
		if e.Controller != e.Owner {
			w.byOwner.add(e.Controller, e)
		}
		w.byName.add(nameKey{resource, e.Namespace, e.Name}, e)
	case w.workload.Customs:
		w.byName.add(nameKey{resource, e.Namespace, e.Name}, e)
	}
}

// PodsOf are the living pods of the main children that match.
func (w *world) PodsOf(match func(*Entity) bool) []*wire.Object {
	return Living(w.Pods, w.isPodOf(match))
}

// IsPodOf reports whether an object, by its uid, is a pod of a main child that matches; it may have gone.
func (w *world) IsPodOf(uid string, match func(*Entity) bool) bool {
	pod := w.Pods[uid]
	return pod != nil && w.isPodOf(match)(pod)
}

func (w *world) isPodOf(match func(*Entity) bool) func(*Entity) bool {
	if w.workload.Child.Many {
		return match
	}
	return func(p *Entity) bool {
		if set := w.ReplicaSets[p.Owner]; set != nil {
			return w.setIs(set, match)
		}
		d := w.Mains[p.Owner]
		return d != nil && match(d)
	}
}

// setIs reports whether a ReplicaSet is of a main child that matches.
func (w *world) setIs(set *Entity, match func(*Entity) bool) bool {
	d := w.Mains[set.Owner]
	return d != nil && match(d)
}

// First returns the living entity that appeared first among those that match.
func First(objects map[string]*Entity, match func(*Entity) bool) *wire.Object {
	var found *Entity
	for _, o := range objects {
		if !o.effort.spend(objectEffort) {
			break
		}
		if o.live && match(o) && (found == nil || o.seq < found.seq) {
			found = o
		}
	}
	return found.object()
}

// Living returns the living entities that match, in their order of appearance.
func Living(objects map[string]*Entity, match func(*Entity) bool) []*wire.Object {
	var found []*Entity
	for _, o := range objects {
		if !o.effort.spend(objectEffort) {
			break
		}
		if o.live && match(o) {
			found = append(found, o)
		}
	}
	slices.SortFunc(found, func(a, b *Entity) int { return cmp.Compare(a.seq, b.seq) })
	return plain.Map(found, (*Entity).object)
}
