package timeline

import (
	"slices"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Reached returns when a phase was reached, on the recording's clock.
func (t *Timeline) Reached(name string) (time.Duration, bool) {
	for i, p := range t.Phases {
		if p.Name != name {
			continue
		}
		switch {
		case p.Name == spec.PhaseAcknowledged:
			return t.Actions.Acked, t.Actions.any
		case p.Name == spec.PhaseQuiet:
			settled := t.End != nil && t.End.Outcome == record.Settled
			return t.last, settled && t.Actions.any && t.last >= t.Actions.Intent
		}
		return t.Marks[i].at, t.Marks[i].reached
	}
	return 0, false
}

// Phase is one step of a reconcile. Either holds or inner decides it, but for
// acknowledged and quiet, which are read from the actions and the last event.
type Phase struct {
	Name  string
	Needs []string // resources that must have been watched without a gap
	Holds func(*Timeline) bool
	Inner int  // index into Style.Phases; -1: none
	last  bool // the last time that it came true counts, not the first
}

// concerned reports whether an event on a resource can change what holds says:
// one that it needs, or on the custom resource, by which children are known.
func (p *Phase) concerned(w *Workload, resource string) bool {
	return resource == w.Customs || slices.Contains(p.Needs, resource)
}

// withInner appends a style's inner phases.
func withInner(phases []Phase, inner []spec.Phase) []Phase {
	for i, p := range inner {
		phases = append(phases, Phase{Name: p.Name, Needs: []string{p.Resource}, Inner: i})
	}
	return phases
}

// writePhases are the phases of a sample that wants a size.
func writePhases(s record.Style, w *Workload) []Phase {
	phases := []Phase{
		{Name: spec.PhaseAcknowledged, Inner: -1},
		{Name: spec.PhaseChildWritten, Inner: -1, Needs: []string{w.Mains}, Holds: func(t *Timeline) bool {
			child := t.MainChild()
			return child != nil && child.Replicas == *t.Sample.Size
		}},
		{Name: spec.PhaseReady, Inner: -1, Needs: w.readyNeeds(), Holds: func(t *Timeline) bool {
			child := t.MainChild()
			return child != nil && t.readyLacks(t.Subjects[0], child, *t.Sample.Size) == ""
		}},
	}
	if s.Declares.Status.Supported {
		phases = append(phases, Phase{Name: spec.PhaseStatusWritten, Inner: -1, Needs: []string{w.Customs}, Holds: func(t *Timeline) bool {
			return t.statusLacks(t.Subjects[0], *t.Sample.Size) == ""
		}})
	}
	return append(phases, Phase{Name: spec.PhaseQuiet, Inner: -1, Needs: w.Resources(RoleCustom, RoleMain, RoleSets, RolePods)})
}

// loadPhases are the phases of a sample of a load. An operator that is behind can be right by chance, and then replay
// what is out of date: what counts is since when it was right for good.
func loadPhases(s record.Style, w *Workload) []Phase {
	phases := writePhases(s, w)
	for i := range phases {
		phases[i].last = true
	}
	return phases
}

// stepPhases is how many of them a sample of a load's step or stage has: acknowledged and written, with which it ends.
const stepPhases = 2

// deletePhases are the phases of a sample that wants the custom resource gone.
func deletePhases(w *Workload) []Phase {
	phases := []Phase{
		{Name: spec.PhaseAcknowledged, Inner: -1},
		{Name: spec.PhaseGone, Inner: -1, last: true, Needs: []string{w.Customs}, Holds: func(t *Timeline) bool {
			return t.Custom() == nil
		}},
		{Name: spec.PhaseChildGone, Inner: -1, last: true, Needs: []string{w.Mains}, Holds: func(t *Timeline) bool {
			return !t.HasChildren()
		}},
		{Name: spec.PhasePodsGone, Inner: -1, last: true, Needs: w.Resources(RoleMain, RoleSets, RolePods), Holds: func(t *Timeline) bool {
			return !t.HasChildren() && First(t.World.Pods, t.World.isPodOf(t.IsChild)) == nil
		}},
	}
	if w.gone != nil || len(w.named) > 0 {
		phases = append(phases, Phase{Name: spec.PhaseAllGone, Inner: -1, last: true, Needs: w.goneNeeds(), Holds: func(t *Timeline) bool {
			return t.GoneLacks(t.Subjects[0]) == ""
		}})
	}
	return phases
}
