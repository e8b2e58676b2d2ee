package judge

import (
	"fmt"
	"slices"

	"operatorbench/e2e/record"
)

// The points of a reconcile that can be awaited in the midst of a sample. They
// concern the size that the custom resource asks for at that time, which need
// not be what is wanted at the sample's end.
const (
	PointWorking = "working" // the operator has begun: a first inner phase, a work object, a write to the Deployment or the custom resource, even one that is refused, or an Event about that
	PointWritten = "written" // the Deployment asks for the size; of a deleted custom resource, there is none
	PointReady   = "ready"   // and exactly so many pods are ready; of a deleted custom resource, all is gone
	PointHandled = "handled" // and nothing is under way: the status is written where it is declared, work objects have ended
	PointStuck   = "stuck"   // a message names the cause
	PointGone    = "gone"    // the custom resource and all that was made for it are gone
)

// Points lists the points that can be awaited.
func Points() []string {
	return []string{PointWorking, PointWritten, PointReady, PointHandled, PointStuck, PointGone}
}

// Lacks says in one short sentence what the sample still lacks for a point;
// it is empty once the point is reached.
func (t *Timeline) Lacks(point string) string {
	t.settle()
	if !t.acts.any && (t.acts.present == nil || point == PointWorking) {
		return notAcknowledged
	}
	if missing := t.unseen(); missing != "" && point != PointWorking && point != PointStuck {
		return missing
	}
	switch point {
	case PointWorking:
		return t.workingLacks()
	case PointWritten:
		return t.writtenLacks()
	case PointReady:
		return t.readyLacks()
	case PointHandled:
		return t.handledLacks()
	case PointStuck:
		return t.toldLacks()
	case PointGone:
		return t.goneLacks()
	case PointCollected:
		return t.collectedLacks()
	}
	return fmt.Sprintf("there is no point %q of a reconcile", point)
}

// workingLacks says that there is no sign yet of the operator's having begun.
func (t *Timeline) workingLacks() string {
	for i, p := range t.phases {
		if p.inner >= 0 && t.marks[i].reached {
			return ""
		}
	}
	for _, w := range t.worksOf(t.subjects[0]) {
		if !w.listed && w.made >= t.acts.intent {
			return ""
		}
	}
	for _, w := range t.writes() {
		if w.at >= t.acts.intent {
			return ""
		}
	}
	if t.tried > 0 && t.tried >= t.acts.intent || t.mentioned() {
		return ""
	}
	return "the operator has not begun: no inner phase, no work object, no write, no Event has been seen"
}

// mentioned tells whether an Event about the custom resource came since the intent.
func (t *Timeline) mentioned() bool {
	return slices.ContainsFunc(t.Events, func(e Event) bool {
		return e.Kind == record.KindWatch && e.Watch.Event == "ADDED" && e.Time >= t.acts.intent &&
			e.Object.Detail != nil && slices.Contains(t.acts.uids, e.Object.Detail.Regarding.UID)
	})
}

// writtenLacks says what the Deployment lacks to ask for the present size.
func (t *Timeline) writtenLacks() string {
	child := t.child()
	switch {
	case t.acts.present == nil && t.hasChildren():
		return fmt.Sprintf("Deployment %s is still there", names(t.children()))
	case t.acts.present == nil:
		return ""
	case child == nil:
		return t.noChild(t.subjects[0])
	case child.Replicas != *t.acts.present:
		return fmt.Sprintf("Deployment %s asks for %d replicas, wanted %d", child.Name, child.Replicas, *t.acts.present)
	}
	return ""
}

func (t *Timeline) readyLacks() string {
	if t.acts.present == nil {
		return t.goneLacks()
	}
	if missing := t.writtenLacks(); missing != "" {
		return missing
	}
	return t.child().lacks(*t.acts.present)
}

func (t *Timeline) handledLacks() string {
	missing := t.readyLacks()
	if missing == "" && t.acts.present != nil && t.Style.Declares.Status.Supported {
		missing = t.statusLacks(*t.acts.present)
	}
	if missing == "" {
		missing = t.workLacks(t.subjects[0])
	}
	return missing
}

// toldLacks says that no message names the cause.
func (t *Timeline) toldLacks() string {
	if _, told := t.told(); told {
		return ""
	}
	return fmt.Sprintf("no message names the cause (%s)", t.Sample.Cause)
}
