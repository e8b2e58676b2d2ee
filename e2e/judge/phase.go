package judge

import (
	"slices"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

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

// phase is one step of a reconcile. Either holds or inner decides it, but for
// acknowledged and quiet, which are read from the actions and the last event.
type phase struct {
	name  string
	needs []string // resources that must have been watched without a gap
	holds func(*Timeline) bool
	inner int  // index into Style.Phases; -1: none
	last  bool // the last time that it came true counts, not the first
}

// concerned tells whether an event on a resource can change what holds says:
// one that it needs, or on the custom resource, by which children are known.
func (p *phase) concerned(resource string) bool {
	return resource == CustomResources || slices.Contains(p.needs, resource)
}

// withInner appends a style's inner phases.
func withInner(phases []phase, inner []spec.Phase) []phase {
	for i, p := range inner {
		phases = append(phases, phase{name: p.Name, needs: []string{p.Resource}, inner: i})
	}
	return phases
}

// writePhases are the phases of a sample that wants a size.
func writePhases(s record.Style) []phase {
	phases := []phase{
		{name: PhaseAcknowledged, inner: -1},
		{name: PhaseChildWritten, inner: -1, needs: []string{Deployments}, holds: func(t *Timeline) bool {
			child := t.child()
			return child != nil && child.Replicas == *t.Sample.Size
		}},
		{name: PhaseReady, inner: -1, needs: []string{Deployments}, holds: func(t *Timeline) bool {
			child := t.child()
			return child != nil && child.lacks(*t.Sample.Size) == ""
		}},
	}
	if s.Declares.Status.Supported {
		phases = append(phases, phase{name: PhaseStatusWritten, inner: -1, needs: []string{CustomResources}, holds: func(t *Timeline) bool {
			return t.statusLacks(*t.Sample.Size) == ""
		}})
	}
	return append(phases, phase{name: PhaseQuiet, inner: -1, needs: []string{CustomResources, Deployments, ReplicaSets, Pods}})
}

// loadPhases are the phases of a sample of a load. An operator that is behind
// can be right by chance, and then replay what is out of date: what counts is
// since when it was right for good.
func loadPhases(s record.Style) []phase {
	phases := writePhases(s)
	for i := range phases {
		phases[i].last = true
	}
	return phases
}

// deletePhases are the phases of a sample that wants the custom resource gone.
func deletePhases() []phase {
	return []phase{
		{name: PhaseAcknowledged, inner: -1},
		{name: PhaseGone, inner: -1, last: true, needs: []string{CustomResources}, holds: func(t *Timeline) bool {
			return t.custom() == nil
		}},
		{name: PhaseChildGone, inner: -1, last: true, needs: []string{Deployments}, holds: func(t *Timeline) bool {
			return !t.hasChildren()
		}},
		{name: PhasePodsGone, inner: -1, last: true, needs: []string{Deployments, ReplicaSets, Pods}, holds: func(t *Timeline) bool {
			return !t.hasChildren() && len(t.childPods()) == 0
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
