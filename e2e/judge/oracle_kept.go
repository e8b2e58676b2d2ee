package judge

import (
	"slices"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/workloads"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

var podsKeptOracle = Named{Name: "pods-kept", Needs: onChildren, Judge: podsKept}

// podsKept judges that the workload outlives what is done to its operator: the pods that ran when the first fault began
// (without one: when the steps began) run at the end, too, with the same uids. Where fewer are wanted, be it for a while,
// as many of them are left as were wanted at the least. Where a knob is turned that rolls them, they are replaced, but
// never so many at once that the workload's quorum is lost.
func podsKept(t *timeline.Timeline) Verdict {
	if t.Sample.Size == nil {
		return notApplicable("the custom resource is to be gone")
	}
	if _, knob, rolled := t.Rolled(); rolled {
		return quorumKept(t, knob)
	}
	from, when := t.StepsBegan(), "the steps began"
	if faults := t.FaultsBegun(); len(faults) > 0 {
		from, when = faults[0].From, "the fault began"
	}
	before := running(t.StateAt(from), t.IsChild)
	if len(before) == 0 {
		return notApplicable("no pod ran when %s", when)
	}
	lost := missingFrom(running(t, t.IsChild), before)
	if may := max(len(before)-fewestWanted(t, t.Subjects[0], from), 0); len(lost) > may {
		return fail(evidenceOf(t, func(e *timeline.Event) bool {
			return e.Object != nil && e.Watch.Resource == spec.Pods && slices.ContainsFunc(lost, func(p *wire.Object) bool { return p.UID == e.Object.UID })
		}),
			"expected %s that ran when %s (%s) to run on, but for %d; %s did not at %s: %s",
			plain.Plural(len(before), "pod"), when, t.Since(from), may, plain.Plural(len(lost), "pod"), t.Since(t.EndedAt), timeline.Names(lost))
	}
	return pass("%s of the %s that ran when %s ran at %s", plain.Plural(len(before)-len(lost), "pod"), plain.Plural(len(before), "pod"), when, t.Since(t.EndedAt))
}

// fewestWanted is the least size that a custom resource, which is to stay, asked for since a time. Below zero is none, nor is
// what was taken back before the main child could be written.
func fewestWanted(t *timeline.Timeline, s *timeline.Subject, since time.Duration) int {
	fewest := *s.Size
	all := slices.Collect(t.AcceptedOn(s))
	for i, a := range all {
		switch {
		case a.From < since:
		case a.Deletes() && !a.Orphan:
			return 0
		case i+1 < len(all) && denied(t, a.From, all[i+1].From):
		case a.Reply.UID != "" && a.Reply.Size >= 0:
			fewest = min(fewest, a.Reply.Size)
		}
	}
	return fewest
}

// denied reports whether a fault kept the operator from writing the main child all along between two times.
func denied(t *timeline.Timeline, from, to time.Duration) bool {
	main := workloads.GVR(t.Mains).GroupResource().String()
	since := time.Duration(-1)
	for _, e := range t.Faults {
		switch f := e.Fault; {
		case f.What != main || f.Error != "" || !scenarios.KindOfFault(f.Kind).Denies:
		case f.Stage == record.Begun:
			since = e.Time
		case since >= 0 && since <= from && to <= f.From:
			return true
		default:
			since = -1
		}
	}
	return since >= 0 && since <= from
}

// running are the pods of the main children that match that run and are to run on.
func running(t *timeline.Timeline, match func(*timeline.Entity) bool) []*wire.Object {
	return slices.DeleteFunc(t.World.PodsOf(match), func(p *wire.Object) bool { return p.Phase != "Running" || p.Deleting })
}

// quorumKept judges that enough pods are ready all along while a knob rolls them.
func quorumKept(t *timeline.Timeline, knob string) Verdict {
	if t.Spec.Quorum == "" {
		return notApplicable("the knob %s rolls the pods, and the workload %s has no quorum", knob, t.Spec.Name)
	}
	from, _, _ := t.Rolled()
	size := *t.Sample.Size
	need, fewest, at := size/2+1, size, from
	if need >= size {
		return notApplicable("a majority of %s is all of them: none may be replaced", plain.Plural(size, "pod"))
	}
	ready := map[string]bool{} // of the pods that are there, by uid
	var gap, since time.Duration
	for e := range t.Watched() {
		if e.Watch.Resource != spec.Pods || e.Watch.Namespace != t.Sample.Namespace || !t.World.IsPodOf(e.Object.UID, t.Subjects[0].IsChild) {
			continue
		}
		if delete(ready, e.Object.UID); e.Watch.Event != spec.Deleted && !e.Object.Deleting && timeline.IsReady(e.Object) {
			ready[e.Object.UID] = true
		}
		if e.Time < from {
			continue
		}
		if len(ready) < fewest {
			fewest, at = len(ready), e.Time
		}
		switch {
		case len(ready) < need && since == 0:
			since = e.Time
		case len(ready) >= need && since > 0:
			gap, since = max(gap, e.Time-since), 0
		}
	}
	if fewest < need {
		if since > 0 {
			gap = max(gap, t.EndedAt-since)
		}
		return fail(nil, "expected at least %d of %s to be ready all along while the knob %s rolled them; at %s %d were, and for up to %s fewer than %d",
			need, plain.Plural(size, "pod"), knob, t.Since(at), fewest, timeline.Round(gap), need)
	}
	return pass("at least %d of %s were ready all along while the knob %s rolled them", fewest, plain.Plural(size, "pod"), knob)
}
