package timeline

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline/wire"
)

// A condition says in one short sentence what it lacks; "" when it holds.

// unmet is what the first condition lacks that does not hold.
func unmet(conditions ...func() string) string {
	for _, condition := range conditions {
		if lacks := condition(); lacks != "" {
			return lacks
		}
	}
	return ""
}

const notAcknowledged = "the API server has not acknowledged the sample's action"

// Missing says what the sample still waits for; "" once everything has been seen: the harness's action acknowledged,
// the wanted state reached, the status written where the style declares it, and the inner phases that end a reconcile,
// where the action causes one. In the correctness matrix the style's work for the sample's custom resources must have
// ended, instead; and where what is asked for cannot be brought about, a message must say so. Steps and stages of a
// load wait for the main child alone.
func (t *Timeline) Missing() string {
	t.Settle()
	if a := t.Actions.refused; a != nil {
		return fmt.Sprintf("%s of %s %s was refused: %s", a.Verb, a.Resource, a.Name, a.Error)
	}
	if !t.Begun() {
		return notAcknowledged
	}
	if t.Sample.OfStep() {
		return unmet(t.unseen, t.writtenLacks)
	}
	conditions := []func() string{t.unseen, t.StateLacks}
	if t.Sample.Unmeetable {
		conditions = append(conditions, t.causeLacks)
	}
	return unmet(append(conditions, t.underWay)...)
}

// Lacks says what the sample still lacks for a point of the reconcile, which concerns
// the size that the custom resource asks for at present.
func (t *Timeline) Lacks(point string) string {
	t.Settle()
	own, size := t.Subjects[0], t.Actions.present
	if !t.Actions.any && (size == nil || point == spec.PointWorking) {
		return notAcknowledged
	}
	switch point {
	case spec.PointWorking:
		return t.workingLacks()
	case spec.PointStuck:
		return t.causeLacks()
	case spec.PointDenied:
		return t.deniedLacks()
	case spec.PointRetried:
		return t.retriedLacks()
	}
	lacks := unmet(t.unseen, func() string {
		switch point {
		case spec.PointWritten:
			return t.writtenLacks()
		case spec.PointReady, spec.PointRested: // who waits sees whether anything moves
			return t.rolloutLacks(own, size)
		case spec.PointHandled:
			return unmet(func() string { return t.stateLacks(own, size) }, func() string { return t.workLacks(own) }, func() string { return t.busyLacks(own) })
		case spec.PointUnready:
			return t.unreadyLacks(own, size)
		case spec.PointGone:
			return t.GoneLacks(own)
		case spec.PointCollected:
			return t.collectedLacks()
		case spec.PointAnswered:
			return t.answerLacks()
		}
		return fmt.Sprintf("there is no point %q of a reconcile", point)
	})
	if lacks != "" {
		lacks += t.Denied()
	}
	return lacks
}

// StateLacks says what the wanted state of the sample's custom resources lacks.
// If the size cannot be brought about, the last one that could is wanted.
func (t *Timeline) StateLacks() string {
	for i, s := range t.Subjects {
		lacks := ""
		switch {
		case i > 0 || !t.Sample.Unmeetable:
			lacks = t.stateLacks(s, s.Size)
		case s.Size != nil:
			lacks = t.SizeLacks(s, *s.Size)
		}
		switch {
		case lacks == "":
		case i > 0:
			return fmt.Sprintf("of %s: %s", s, lacks) + t.Denied()
		default:
			return lacks + t.Denied()
		}
	}
	return ""
}

// stateLacks says what a custom resource lacks to have a size, its status included; nil: to be gone.
func (t *Timeline) stateLacks(s *Subject, size *int) string {
	lacks := t.rolloutLacks(s, size)
	if lacks == "" && size != nil && t.Style.Declares.Status.Supported {
		lacks = t.statusLacks(s, *size)
	}
	return lacks
}

// rolloutLacks is the same without the status.
func (t *Timeline) rolloutLacks(s *Subject, size *int) string {
	if size == nil {
		return t.GoneLacks(s)
	}
	lacks := t.SizeLacks(s, *size)
	if lacks != "" {
		lacks += t.Waiting(s)
	}
	return lacks
}

// SizeLacks says what a custom resource lacks to be ready with a size.
func (t *Timeline) SizeLacks(s *Subject, size int) string {
	return t.readyLacks(s, t.ChildOf(s), size)
}

// statusLacks says what a custom resource's status lacks for a size.
func (t *Timeline) statusLacks(s *Subject, size int) string {
	custom := t.CustomOf(s)
	if custom == nil {
		return fmt.Sprintf("the custom resource %s has not been seen", s.Name)
	}
	want := max(s.Want, custom.Generation)
	switch ready := custom.Condition(t.Style.Declares.Status.Ready); {
	case t.Style.Says("observedGeneration") && custom.ObservedGeneration != want:
		return fmt.Sprintf("%s of %s is %d, wanted %d", t.Spec.Status.ObservedGeneration, custom.Name, custom.ObservedGeneration, want)
	case t.Style.Says("nodes") && len(custom.Nodes) != size:
		return fmt.Sprintf("%s of %s names %d of %d pods", t.Spec.Status.Nodes, custom.Name, len(custom.Nodes), size)
	case t.Style.Declares.Status.Ready != "" && (!ready.True() || ready.ObservedGeneration > 0 && ready.ObservedGeneration != want):
		return fmt.Sprintf("the status of %s has no condition %s that is True for generation %d", custom.Name, t.Style.Declares.Status.Ready, want)
	}
	return ""
}

// unreadyLacks says that a custom resource's pods are ready, or that its status still says so.
func (t *Timeline) unreadyLacks(s *Subject, size *int) string {
	custom, kind := t.CustomOf(s), t.Style.Declares.Status.Ready
	switch {
	case size == nil || custom == nil:
		return "there is no custom resource whose pods could be ready"
	case t.SizeLacks(s, *size) == "":
		return fmt.Sprintf("the pods of %s are ready", s.Name)
	case custom.Condition(kind).True():
		return fmt.Sprintf("the status of %s still has condition %s, which is True", custom.Name, kind)
	}
	return ""
}

// GoneLacks says what of a deleted custom resource is still there.
func (t *Timeline) GoneLacks(s *Subject) string {
	if c := t.CustomOf(s); c != nil {
		if c.Deleting && len(c.Finalizers) > 0 {
			return fmt.Sprintf("the custom resource %s waits for its finalizers: %s", c.Name, strings.Join(c.Finalizers, ", ")) + t.refused()
		}
		return fmt.Sprintf("the custom resource %s is still there", c.Name)
	}
	return unmet(func() string { return t.Leftovers(s) }, func() string { return t.RemainsLack(s) })
}

// Leftovers says what is left of a deleted custom resource's main child, and of others of that kind that it owned. What
// is another's too, which is to stay, or what the harness has put in its place, is not left over.
func (t *Timeline) Leftovers(s *Subject) string {
	mine := func(d *Entity) bool {
		return s.Owns(d) && !t.occupies(t.Mains, d) && !slices.ContainsFunc(t.Subjects, func(o *Subject) bool {
			return o != s && o.Size != nil && o.IsChild(d)
		})
	}
	for _, left := range []struct {
		kind    string
		objects []*wire.Object
	}{
		{t.Child.Kind, Living(t.World.Mains, mine)},
		{"ReplicaSet", Living(t.World.ReplicaSets, func(set *Entity) bool { return t.World.setIs(set, mine) })},
		{"pod", t.World.PodsOf(mine)},
	} {
		switch n := len(left.objects); {
		case n == 1:
			return fmt.Sprintf("%s %s is still there", left.kind, left.objects[0].Name)
		case n > 1:
			return fmt.Sprintf("%d %ss are still there: %s", n, left.kind, Names(left.objects))
		}
	}
	return ""
}

// RolloutLacks says in one sentence what a main child still needs to be rolled out
// with size replicas; it is empty when nothing is missing.
func (t *Timeline) RolloutLacks(o *wire.Object, size int) string {
	kind := t.Child.Kind
	if t.Child.Many {
		return podsLack(o, size)
	}
	switch {
	case o.Replicas != size:
		return fmt.Sprintf("%s %s asks for %d replicas, wanted %d", kind, o.Name, o.Replicas, size)
	case o.ObservedGeneration < o.Generation:
		return fmt.Sprintf("the %s controller has seen generation %d of %s %s, not yet %d", kind, o.ObservedGeneration, kind, o.Name, o.Generation)
	case o.ReadyReplicas != size:
		return fmt.Sprintf("%s %s has %d of %d ready replicas", kind, o.Name, o.ReadyReplicas, size)
	case o.UpdatedReplicas != size:
		return fmt.Sprintf("%s %s has %d of %d replicas of the current template", kind, o.Name, o.UpdatedReplicas, size)
	case o.StatusReplicas != size:
		return fmt.Sprintf("%s %s still has %d replicas, wanted %d", kind, o.Name, o.StatusReplicas, size)
	}
	return ""
}

// underWay names what the style still does for the sample. What cannot be brought about
// is tried again for ever, and a load ends when all of it has been written.
func (t *Timeline) underWay() string {
	for _, s := range t.Subjects {
		if lacks := t.busyLacks(s); lacks != "" && !t.Sample.Unmeetable && !t.Load {
			return lacks
		}
	}
	if !t.Matrix || len(t.Style.work) == 0 {
		return t.idleLacks()
	}
	for _, s := range t.Subjects {
		if lacks := t.workLacks(s); lacks != "" {
			return lacks
		}
	}
	return ""
}

// busyLacks says that the status tells of a reconcile that is under way.
func (t *Timeline) busyLacks(s *Subject) string {
	busy, custom := t.Style.Declares.Status.Busy, t.CustomOf(s)
	if busy == nil || custom == nil {
		return ""
	}
	if said := custom.Condition(busy.Type); !said.True() || said.Reason != busy.Reason {
		return ""
	}
	return fmt.Sprintf("the status of %s says that a reconcile is under way: condition %s, reason %s", s.Name, busy.Type, busy.Reason)
}

// workLacks names the work objects of a custom resource that have not ended.
func (t *Timeline) workLacks(s *Subject) string {
	unfinished := plain.Pick(t.WorksOf(s), func(w *WorkObject) (string, bool) { return Title(w.Resource, w.Name), !w.ended })
	switch n := len(unfinished); {
	case n == 1:
		return unfinished[0] + " has not ended"
	case n > 1:
		return fmt.Sprintf("%s and %d more have not ended", unfinished[0], n-1)
	}
	return ""
}

// idleLacks names the inner phases that must still happen before the style is done with this reconcile. A deletion that
// an owner reference leaves to the garbage collector need not be one.
func (t *Timeline) idleLacks() string {
	if !t.Actions.Reconcile || t.Actions.present == nil && t.Style.Declares.OwnerReferences.Supported {
		return ""
	}
	for i, p := range t.Phases {
		if p.Inner >= 0 && !t.Marks[i].reached && slices.Contains(t.Style.Idle, p.Name) {
			return fmt.Sprintf("inner phase %q has not happened", p.Name) + t.lastOf(p.Inner)
		}
	}
	return ""
}

// Waiting says, as the end of a message, why a pod of a custom resource does not start; "": none says why.
func (t *Timeline) Waiting(s *Subject) string {
	if t.Load {
		return "" // its pods are many, and it ends when all has been written
	}
	of := t.World.isPodOf(s.IsChild)
	if pod := First(t.World.Pods, func(p *Entity) bool { return of(p) && p.Object.Waiting != "" }); pod != nil {
		return fmt.Sprintf("; of pod %s %s", pod.Name, pod.Waiting)
	}
	return t.Unplaced(s)
}

// workingLacks says that there is no sign yet of the operator's having begun.
func (t *Timeline) workingLacks() string {
	for i, p := range t.Phases {
		if p.Inner >= 0 && t.Marks[i].reached {
			return ""
		}
	}
	since := t.Actions.Intent
	if slices.ContainsFunc(t.WorksOf(t.Subjects[0]), func(w *WorkObject) bool { return !w.Listed && w.Made >= since }) ||
		slices.ContainsFunc(t.Writes(), func(w Write) bool { return w.At >= since }) ||
		t.tried > 0 && t.tried >= since || t.mentioned() {
		return ""
	}
	return "the operator has not begun: no inner phase, no work object, no write, no Event has been seen"
}

// mentioned reports whether an Event about the custom resource came since the intent.
func (t *Timeline) mentioned() bool {
	for e := range t.All() {
		if e.Kind == record.KindWatch && e.Watch.Event == spec.Added && e.Time >= t.Actions.Intent &&
			e.Object.Detail != nil && slices.Contains(t.Actions.UIDs, e.Object.Detail.Regarding.UID) {
			return true
		}
	}
	return false
}

// writtenLacks says what the main child lacks to ask for the present size.
func (t *Timeline) writtenLacks() string {
	child := t.MainChild()
	switch {
	case t.Actions.present == nil && t.HasChildren():
		return fmt.Sprintf("%s %s is still there", t.Child.Kind, Names(t.Children()))
	case t.Actions.present == nil:
		return ""
	case child == nil:
		return t.NoChild(t.Subjects[0])
	case child.Replicas != *t.Actions.present && t.Child.Many:
		return podsLack(child, *t.Actions.present)
	case child.Replicas != *t.Actions.present:
		return fmt.Sprintf("%s %s asks for %d replicas, wanted %d", t.Child.Kind, child.Name, child.Replicas, *t.Actions.present)
	}
	return ""
}

// causeLacks says that no message names the cause.
func (t *Timeline) causeLacks() string {
	if t.CauseMessage() != nil {
		return ""
	}
	return fmt.Sprintf("no message names the cause (%s)", t.Sample.Cause)
}
