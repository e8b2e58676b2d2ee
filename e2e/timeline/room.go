package timeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline/wire"
)

// Excuse makes a sample that ended because its time was over, while the cluster had no node for a pod of it, one that
// was interrupted: a cluster that is too small says nothing of the operator.
func (t *Timeline) Excuse() {
	if t.End == nil || t.End.Outcome != record.TimedOut {
		return
	}
	if full := t.NoRoom(); full != "" {
		end := *t.End
		end.Outcome, end.Reason, end.Await = record.Interrupted, full, ""
		t.End = &end
	}
}

// NoRoom says that the cluster keeps a custom resource from being ready: the operator has made the main child as it is
// asked for and no pod beside, one of the child's pods finds no node, and it asks for nothing but what the custom
// resource, or the reference, asks for. "": it is not so.
func (t *Timeline) NoRoom() string {
	t.Settle()
	for _, s := range t.Subjects {
		pod, child := t.unplaced(s), t.ChildOf(s)
		if pod != nil && s.present != nil && child != nil && child.Replicas == *s.present && !t.Sample.Unmeetable && t.ownDoing(s, pod) == "" {
			return "the cluster has no node for what the custom resource asks for: " + t.noNode(pod)
		}
	}
	return ""
}

// unplaced is the first pod of a custom resource that finds no node; nil: none.
func (t *Timeline) unplaced(s *Subject) *wire.Object {
	of := t.World.isPodOf(s.IsChild)
	return First(t.World.Pods, func(p *Entity) bool { return p.Unplaced != "" && !p.Deleting && of(p) })
}

// Unplaced says, as the end of a message, that a pod of a custom resource finds no node; "": none is without.
func (t *Timeline) Unplaced(s *Subject) string {
	pod := t.unplaced(s)
	if pod == nil {
		return ""
	}
	return "; " + t.noNode(pod) + t.ownDoing(s, pod)
}

// noNode says of a pod that it finds no node, and since when.
func (t *Timeline) noNode(pod *wire.Object) string {
	since := time.Duration(-1)
	for e := range t.Watched() {
		switch {
		case e.Object.UID != pod.UID:
		case e.Object.Unplaced == "":
			since = -1
		case since < 0:
			since = e.Time
		}
	}
	return fmt.Sprintf("pod %s cannot be scheduled since %s: %s", pod.Name, t.Since(since), plain.Clip(pod.Unplaced, MostOfAMessage))
}

// ownDoing says, as the end of a message, why it may be the operator that leaves a pod without a node: the pod asks of
// one what neither its custom resource nor the reference asks for, or there are pods that nobody asks for; "": neither.
func (t *Timeline) ownDoing(s *Subject, pod *wire.Object) string {
	text := ""
	asked := wire.Asks(map[string]any(t.Style.Reference))
	if custom := t.CustomOf(s); custom != nil {
		asked = append(asked, custom.Asks...)
	}
	own := slices.DeleteFunc(slices.Clone(pod.Asks), func(one string) bool { return slices.Contains(asked, one) })
	if len(own) > 0 {
		text = "; it asks for " + plain.Clip(strings.Join(own, ", "), MostOfAMessage) + ", which the custom resource does not"
	}
	if more := t.unasked(); len(more) > 0 {
		text += "; no custom resource asks for " + plain.Noun(len(more), "pod") + " " + plain.Some(more, 3)
	}
	return text
}

// unasked names the pods that are to stay though none of the custom resources that are present asks for them. Of each of
// its other children that run pods, a custom resource asks for as many pods as of its main child. What a main child that
// asks for no more than its custom resource has beside is a rollout's.
func (t *Timeline) unasked() []string {
	asked, others := map[*wire.Object]bool{}, 0
	aside := len(plain.Where(t.Spec.Children, func(c spec.ChildKind) bool { return !c.Main && c.RunsPods() }))
	for _, s := range t.Subjects {
		child := t.ChildOf(s)
		if s.present == nil || child == nil {
			continue
		}
		pods := plain.Where(t.World.PodsOf(func(d *Entity) bool { return d.UID == child.UID || d.controlledBy(child.UID) }), Stays)
		if child.Replicas > *s.present {
			pods = pods[:min(*s.present, len(pods))]
		}
		for _, p := range pods {
			asked[p] = true
		}
		others += *s.present * aside
	}
	more := Living(t.World.Pods, func(p *Entity) bool { return Stays(p.Object) && !asked[p.Object] })
	return plain.Map(more[min(others, len(more)):], func(p *wire.Object) string { return p.Name })
}
