package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

var notTakenOracle = Named{Name: "not-taken", Needs: onMains, Judge: notTaken}

// notTaken judges what somebody else has put in the place of the main child, or of others: it is theirs, by its controller
// or, where it has none, as its selector and labels are not the operator's
// (https://github.com/kubernetes/design-proposals-archive/blob/main/api-machinery/controller-ref.md). Until the harness
// removes it, it is there as it was made: neither deleted nor written, nor given another owner.
func notTaken(t *timeline.Timeline) Verdict {
	var at []string
	from, until := time.Duration(-1), t.EndedAt+1
	for e := range t.All() {
		if e.Kind != record.KindFault || e.Fault.Kind != spec.FaultOccupy {
			continue
		}
		switch {
		case e.Fault.Stage == record.Begun && e.Fault.Error == "" && len(e.Fault.Objects) > 0:
			from, at = e.Fault.From, e.Fault.Objects
		case e.Fault.Stage == record.Over:
			until = e.Fault.From
		}
	}
	if from < 0 {
		return notApplicable("nobody else's %s was in the way", t.Child.Kind)
	}
	first := map[string]*timeline.Event{}
	var titles []string
	for e := range t.Watched() {
		place := timeline.Place(e.Watch.Resource, e.Watch.Namespace, e.Watch.Name)
		if e.Object == nil || e.Time < from || e.Time >= until || !slices.Contains(at, place) {
			continue
		}
		was, title := first[place], timeline.Title(e.Watch.Resource, e.Watch.Name)
		if was == nil {
			if e.Watch.Event != spec.Deleted { // that of the operator was there before
				first[place], titles = e, append(titles, title)
			}
			continue
		}
		if why := takenOver(was.Object, e); why != "" {
			return fail([]string{line(t, was), line(t, e)}, "expected the operator to leave %s as it is, which is somebody else's; at %s %s", title, t.Since(e.Time), why)
		}
	}
	switch {
	case len(first) < len(at):
		return Verdict{Outcome: spec.Invalid, Message: "the watch did not show what was put in the way"}
	case len(first) > 1:
		return pass("%s, which are somebody else's, were as they had been made until the harness removed them", strings.Join(titles, ", "))
	}
	return pass("%s, which is somebody else's, was as it had been made until the harness removed it", titles[0])
}

// notes are the annotations of an object, but for those of Kubernetes' own controllers.
func notes(o *wire.Object) map[string]string {
	all := maps.Clone(o.Detail.Notes)
	maps.DeleteFunc(all, func(key, _ string) bool { return strings.HasPrefix(key, "deployment.kubernetes.io/") })
	return all
}

// takenOver says what has been done to an object; "": nothing but what the cluster's own controllers do.
func takenOver(was *wire.Object, e *timeline.Event) string {
	now := e.Object
	switch {
	case e.Watch.Event == spec.Deleted:
		return "it was deleted"
	case now.UID != was.UID:
		return "another was in its place"
	case now.Deleting:
		return "it was to be deleted"
	case now.Generation != was.Generation:
		return fmt.Sprintf("its spec was another (generation %d)", now.Generation)
	case was.Detail != nil && now.Detail != nil && !slices.Equal(was.Detail.Owners, now.Detail.Owners):
		return "its owner references were others"
	case was.Detail != nil && now.Detail != nil && !maps.Equal(was.Detail.Labels, now.Detail.Labels):
		return "its labels were others"
	case was.Detail != nil && now.Detail != nil && !maps.Equal(notes(was), notes(now)):
		return "its annotations were others"
	case !slices.Equal(was.Finalizers, now.Finalizers):
		return "its finalizers were others"
	case now.Controller != was.Controller:
		return "it had another controller"
	case now.Generation == 0 && now.ResourceVersion != was.ResourceVersion: // nobody else writes to objects of such kinds
		return "it was written"
	}
	return ""
}
