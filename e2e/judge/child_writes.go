package judge

import (
	"fmt"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

// childWrite is the operator's write to a main child of the custom resource.
type childWrite struct {
	timeline.Write
	before  *wire.Object // nil: it is created
	after   *wire.Object // nil: it is deleted
	drifted bool         // the harness had written to it since the operator last did
	beside  bool         // it is created, and another of the custom resource's main children is there
}

func (w childWrite) String() string {
	switch {
	case w.after == nil:
		return "a deletion"
	case w.before == nil:
		return fmt.Sprintf("a creation with size %d", w.after.Replicas)
	}
	return fmt.Sprintf("a write of size %d", w.after.Replicas)
}

// again reports whether the write brought nothing new about: a second child beside the first, or what was there. A
// Deployment's generation rises, too, when a write takes the annotations away that its controller has put there.
func (w childWrite) again() bool {
	switch {
	case w.after == nil:
		return false
	case w.before == nil:
		return w.beside
	}
	return !w.drifted && w.before.Replicas == w.after.Replicas && specOf(w.before) == specOf(w.after)
}

func specOf(o *wire.Object) string {
	if o.Detail == nil {
		return ""
	}
	return o.Detail.Spec
}

// childWrites lists the operator's writes to main children of the custom resource.
func childWrites(t *timeline.Timeline) []childWrite {
	t.Settle()
	byOperator := map[*timeline.Event]timeline.Write{}
	for _, w := range t.Writes() {
		byOperator[w.Event] = w
	}
	var list []childWrite
	was, drifted := map[string]*wire.Object{}, map[string]bool{}
	for e := range t.Watched() {
		if d := t.World.Mains[e.Object.UID]; e.Watch.Resource != t.Mains || d == nil || !t.IsChild(d) {
			continue
		}
		uid, deleted := e.Object.UID, e.Watch.Event == spec.Deleted
		prev := was[uid]
		w, operator := byOperator[e]
		if operator {
			one := childWrite{Write: w, before: prev, after: e.Object, drifted: drifted[uid], beside: prev == nil && len(was) > 0}
			if deleted {
				one.after = nil
			}
			list = append(list, one)
		}
		drifted[uid] = !operator && (drifted[uid] || prev != nil && prev.Generation != e.Object.Generation)
		if was[uid] = e.Object; deleted {
			delete(was, uid)
		}
	}
	return list
}
