package judge

import (
	"fmt"

	"operatorbench/e2e/record"
)

// childWrite is the operator's write to a Deployment of the custom resource.
type childWrite struct {
	write
	before  *Object // nil: it is created
	after   *Object // nil: it is deleted
	drifted bool    // the harness had written to it since the operator last did
	beside  bool    // another of the custom resource's Deployments is there
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

// again tells whether the write brought nothing new about: a second Deployment
// beside the first, or the size that it had.
func (w childWrite) again() bool {
	switch {
	case w.after == nil:
		return false
	case w.before == nil:
		return w.beside
	}
	return !w.drifted && w.before.Replicas == w.after.Replicas
}

// childWrites lists the operator's writes to Deployments of the custom resource.
func (t *Timeline) childWrites() []childWrite {
	t.settle()
	byOperator := map[*Event]write{}
	for _, w := range t.writes() {
		byOperator[w.event] = w
	}
	var list []childWrite
	was, drifted := map[string]*Object{}, map[string]bool{}
	note := func(e *Event) {
		if d := t.world.deployments[e.Object.UID]; e.Watch.Resource != Deployments || d == nil || !t.isChild(d) {
			return
		}
		uid, deleted := e.Object.UID, e.Watch.Event == "DELETED"
		prev := was[uid]
		w, operator := byOperator[e]
		if operator {
			one := childWrite{write: w, before: prev, after: e.Object, drifted: drifted[uid], beside: prev == nil && len(was) > 0}
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
	for _, events := range [][]Event{t.Before, t.Events} {
		for i := range events {
			if e := &events[i]; e.Kind == record.KindWatch {
				note(e)
			}
		}
	}
	return list
}
