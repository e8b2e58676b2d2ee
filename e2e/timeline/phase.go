package timeline

import (
	"slices"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline/wire"
)

// Reached returns when a phase was reached, on the recording's clock.
func (t *Timeline) Reached(name string) (time.Duration, bool) {
	for i, p := range t.Phases {
		if p.Name != name {
			continue
		}
		switch {
		case p.Name == PhaseAcknowledged:
			return t.Actions.Acked, t.Actions.any
		case p.Name == PhaseQuiet:
			settled := t.End != nil && t.End.Outcome == record.Settled
			return t.last, settled && t.Actions.any && t.last >= t.Actions.Intent
		}
		return t.Marks[i].at, t.Marks[i].reached
	}
	return 0, false
}

// The phases that every style has, in their order; a style's inner phases
// follow.
const (
	PhaseAcknowledged  = "acknowledged"   // the API server's reply to the first measured action
	PhaseChildWritten  = "child written"  // the Deployment asks for the wanted replicas
	PhaseReady         = "ready"          // exactly these replicas exist, up to date and ready
	PhaseStatusWritten = "status written" // status is of the current generation, names as many pods and says that they are ready; as far as declared
	PhaseQuiet         = "quiet"          // the last event before the quiescence window passed
	PhaseGone          = "CR gone"        // the custom resource was removed
	PhaseChildGone     = "child gone"     // no Deployment of it is left
	PhasePodsGone      = "pods gone"      // nor any pod of that Deployment
)

// Phase is one step of a reconcile. Either holds or inner decides it, but for
// acknowledged and quiet, which are read from the actions and the last event.
type Phase struct {
	Name  string
	Needs []string // resources that must have been watched without a gap
	Holds func(*Timeline) bool
	Inner int  // index into Style.Phases; -1: none
	last  bool // the last time that it came true counts, not the first
}

// concerned tells whether an event on a resource can change what holds says:
// one that it needs, or on the custom resource, by which children are known.
func (p *Phase) concerned(resource string) bool {
	return resource == wire.CustomResources || slices.Contains(p.Needs, resource)
}

// withInner appends a style's inner phases.
func withInner(phases []Phase, inner []spec.Phase) []Phase {
	for i, p := range inner {
		phases = append(phases, Phase{Name: p.Name, Needs: []string{p.Resource}, Inner: i})
	}
	return phases
}

// writePhases are the phases of a sample that wants a size.
func writePhases(s record.Style) []Phase {
	phases := []Phase{
		{Name: PhaseAcknowledged, Inner: -1},
		{Name: PhaseChildWritten, Inner: -1, Needs: []string{wire.Deployments}, Holds: func(t *Timeline) bool {
			child := t.Child()
			return child != nil && child.Replicas == *t.Sample.Size
		}},
		{Name: PhaseReady, Inner: -1, Needs: []string{wire.Deployments}, Holds: func(t *Timeline) bool {
			child := t.Child()
			return child != nil && Lacks(child, *t.Sample.Size) == ""
		}},
	}
	if s.Declares.Status.Supported {
		phases = append(phases, Phase{Name: PhaseStatusWritten, Inner: -1, Needs: []string{wire.CustomResources}, Holds: func(t *Timeline) bool {
			return t.statusLacks(*t.Sample.Size) == ""
		}})
	}
	return append(phases, Phase{Name: PhaseQuiet, Inner: -1, Needs: []string{wire.CustomResources, wire.Deployments, wire.ReplicaSets, wire.Pods}})
}

// loadPhases are the phases of a sample of a load. An operator that is behind
// can be right by chance, and then replay what is out of date: what counts is
// since when it was right for good.
func loadPhases(s record.Style) []Phase {
	phases := writePhases(s)
	for i := range phases {
		phases[i].last = true
	}
	return phases
}

// deletePhases are the phases of a sample that wants the custom resource gone.
func deletePhases() []Phase {
	return []Phase{
		{Name: PhaseAcknowledged, Inner: -1},
		{Name: PhaseGone, Inner: -1, last: true, Needs: []string{wire.CustomResources}, Holds: func(t *Timeline) bool {
			return t.Custom() == nil
		}},
		{Name: PhaseChildGone, Inner: -1, last: true, Needs: []string{wire.Deployments}, Holds: func(t *Timeline) bool {
			return !t.HasChildren()
		}},
		{Name: PhasePodsGone, Inner: -1, last: true, Needs: []string{wire.Deployments, wire.ReplicaSets, wire.Pods}, Holds: func(t *Timeline) bool {
			return !t.HasChildren() && len(t.ChildPods()) == 0
		}},
	}
}

// Phases lists the phases that every style has, in their order.
func Phases() []string {
	return []string{
		PhaseAcknowledged, PhaseChildWritten, PhaseReady, PhaseStatusWritten,
		PhaseGone, PhaseChildGone, PhasePodsGone, PhaseQuiet,
	}
}
