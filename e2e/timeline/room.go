package timeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/record"
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

// NoRoom says that it is the cluster that keeps a custom resource from being ready: the operator has made of its main
// child what is asked for, and a pod of that finds no node, of which it asks for nothing that the custom resource, or
// the reference, does not ask for. "": it is not so.
func (t *Timeline) NoRoom() string {
	t.Settle()
	for _, s := range t.Subjects {
		pod, child := t.unplaced(s), t.ChildOf(s)
		if pod != nil && s.present != nil && child != nil && child.Replicas == *s.present && !t.Sample.Unmeetable && t.asksMore(s, pod) == "" {
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
	return "; " + t.noNode(pod) + t.asksMore(s, pod)
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
	return fmt.Sprintf("pod %s cannot be scheduled since %s: %s", pod.Name, t.Since(since), Cut(pod.Unplaced, MostOfAMessage))
}

// asksMore says, as the end of a message, what a pod asks of a node though neither its custom resource nor the reference
// asks for it; "": nothing.
func (t *Timeline) asksMore(s *Subject, pod *wire.Object) string {
	asked := wire.Asks(map[string]any(t.Style.Reference))
	if custom := t.CustomOf(s); custom != nil {
		asked = append(asked, custom.Asks...)
	}
	own := slices.DeleteFunc(slices.Clone(pod.Asks), func(one string) bool { return slices.Contains(asked, one) })
	if len(own) == 0 {
		return ""
	}
	return "; it asks for " + Cut(strings.Join(own, ", "), MostOfAMessage) + ", which the custom resource does not"
}
