package judge

// entity is an object as it was last seen; the dead are kept, because their
// owners say whose the living are.
type entity struct {
	*Object
	live  bool
	seq   int    // order of appearance
	owner string // the controller that it first had
}

// world is the state of a sample's objects after some of its events.
type world struct {
	seq         int
	customs     map[string]*entity // by uid, as all of these
	deployments map[string]*entity
	replicaSets map[string]*entity
	pods        map[string]*entity
	works       map[string]*workObject // nil until there is one
}

func newWorld() world {
	return world{
		customs: map[string]*entity{}, deployments: map[string]*entity{},
		replicaSets: map[string]*entity{}, pods: map[string]*entity{},
	}
}

func (w *world) of(resource string) map[string]*entity {
	switch resource {
	case CustomResources:
		return w.customs
	case Deployments:
		return w.deployments
	case ReplicaSets:
		return w.replicaSets
	case Pods:
		return w.pods
	}
	return nil
}

// apply brings the world up to a watch event.
func (w *world) apply(e *Event) {
	if e.aside != nil && e.aside.work != nil {
		w.work(e)
	}
	objects := w.of(e.Watch.Resource)
	if objects == nil {
		return
	}
	known := objects[e.Object.UID]
	if known == nil {
		w.seq++
		known = &entity{seq: w.seq}
		objects[e.Object.UID] = known
	}
	known.Object, known.live = e.Object, e.Watch.Event != "DELETED"
	if known.owner == "" {
		known.owner = e.Object.Controller
	}
}

// first returns the living entity that appeared first among those that match.
func first(objects map[string]*entity, match func(*entity) bool) *Object {
	var found *entity
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

// living returns the living entities that match, in their order of appearance.
func living(objects map[string]*entity, match func(*entity) bool) []*Object {
	var found []*entity
	for _, o := range objects {
		if o.live && match(o) {
			found = append(found, o)
		}
	}
	return inOrder(found)
}
