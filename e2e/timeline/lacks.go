package timeline

import (
	"fmt"
	"slices"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Lacks says in one short sentence what the sample still lacks for a point;
// it is empty once the point is reached.
func (t *Timeline) Lacks(point string) string {
	t.Settle()
	if !t.Actions.any && (t.Actions.present == nil || point == spec.PointWorking) {
		return notAcknowledged
	}
	if missing := t.unseen(); missing != "" && point != spec.PointWorking && point != spec.PointStuck {
		return missing
	}
	switch point {
	case spec.PointWorking:
		return t.workingLacks()
	case spec.PointWritten:
		return t.writtenLacks()
	case spec.PointReady:
		return t.readyLacks()
	case spec.PointHandled:
		return t.handledLacks()
	case spec.PointStuck:
		return t.causeLacks()
	case spec.PointGone:
		return t.GoneLacks(t.Subjects[0])
	case spec.PointCollected:
		return t.collectedLacks()
	}
	return fmt.Sprintf("there is no point %q of a reconcile", point)
}

// workingLacks says that there is no sign yet of the operator's having begun.
func (t *Timeline) workingLacks() string {
	for i, p := range t.Phases {
		if p.Inner >= 0 && t.Marks[i].reached {
			return ""
		}
	}
	for _, w := range t.WorksOf(t.Subjects[0]) {
		if !w.Listed && w.Made >= t.Actions.Intent {
			return ""
		}
	}
	for _, w := range t.Writes() {
		if w.At >= t.Actions.Intent {
			return ""
		}
	}
	if t.tried > 0 && t.tried >= t.Actions.Intent || t.mentioned() {
		return ""
	}
	return "the operator has not begun: no inner phase, no work object, no write, no Event has been seen"
}

// mentioned tells whether an Event about the custom resource came since the intent.
func (t *Timeline) mentioned() bool {
	for e := range t.All() {
		if e.Kind == record.KindWatch && e.Watch.Event == spec.Added && e.Time >= t.Actions.Intent &&
			e.Object.Detail != nil && slices.Contains(t.Actions.UIDs, e.Object.Detail.Regarding.UID) {
			return true
		}
	}
	return false
}

// writtenLacks says what the Deployment lacks to ask for the present size.
func (t *Timeline) writtenLacks() string {
	child := t.Child()
	switch {
	case t.Actions.present == nil && t.HasChildren():
		return fmt.Sprintf("Deployment %s is still there", Names(t.Children()))
	case t.Actions.present == nil:
		return ""
	case child == nil:
		return t.NoChild(t.Subjects[0])
	case child.Replicas != *t.Actions.present:
		return fmt.Sprintf("Deployment %s asks for %d replicas, wanted %d", child.Name, child.Replicas, *t.Actions.present)
	}
	return ""
}

func (t *Timeline) readyLacks() string {
	if t.Actions.present == nil {
		return t.GoneLacks(t.Subjects[0])
	}
	return t.SizeLacks(t.Subjects[0], *t.Actions.present)
}

func (t *Timeline) handledLacks() string {
	missing := t.stateLacks(t.Subjects[0], t.Actions.present)
	if missing == "" {
		missing = t.workLacks(t.Subjects[0])
	}
	return missing
}

// causeLacks says that no message names the cause.
func (t *Timeline) causeLacks() string {
	if t.CauseMessage() != nil {
		return ""
	}
	return fmt.Sprintf("no message names the cause (%s)", t.Sample.Cause)
}
