package judge

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

var othersKeptOracle = Named{Name: "others-kept", Needs: onMains, Judge: othersKept}

// othersKept judges that the operator leaves in its main child what somebody else has put there: labels, annotations,
// those of the pods' template (as kubectl rollout restart writes one), finalizers, and further owners. The harness
// marks them by the beginning of their names. Whoever owns a field keeps it until it takes it away (Kubernetes'
// documentation of server-side apply, "Field management"); an operator that replaces the whole object loses what it
// does not know.
func othersKept(t *timeline.Timeline) Verdict {
	was := map[string]*timeline.Event{} // by uid, the event before
	marks := map[string]bool{}
	for e := range t.Watched() {
		if e.Watch.Resource != t.Mains || e.Object.Detail == nil {
			continue
		}
		s, owned := plain.Find(t.Subjects, func(s *timeline.Subject) bool { return s.Owns(t.World.Mains[e.Object.UID]) })
		if !owned {
			continue
		}
		before := was[e.Object.UID]
		was[e.Object.UID] = e
		has := marksOf(e.Object)
		for _, mark := range has {
			marks[mark] = true
		}
		if e.Watch.Event == spec.Deleted {
			if len(has) > 0 && !deletedSince(t, s, e.Object, 0) {
				return fail([]string{line(t, e)}, "expected the operator to leave in %s what others have put there; it was deleted with the %s at %s",
					timeline.Title(e.Watch.Resource, e.Watch.Name), has[0], t.Since(e.Time))
			}
			continue
		}
		if before == nil || patchedBetween(t, before, e) {
			continue
		}
		for _, mark := range marksOf(before.Object) {
			if !slices.Contains(has, mark) {
				return fail([]string{line(t, before), line(t, e)}, "expected the operator to leave in %s what others have put there; it lost the %s at %s",
					timeline.Title(e.Watch.Resource, e.Watch.Name), mark, t.Since(e.Time))
			}
		}
	}
	if len(marks) == 0 {
		return notApplicable("nobody else has put anything into the %s", t.Child.Kind)
	}
	return pass("the %s kept what others have put there: %s", t.Child.Kind, strings.Join(slices.Sorted(maps.Keys(marks)), ", "))
}

// patchedBetween reports whether the harness wrote the main child itself between two events of it. Where the watch was not
// made anew, each write is an event of its own.
func patchedBetween(t *timeline.Timeline, before, e *timeline.Event) bool {
	if e.Watch.Event != spec.Listed {
		return t.Actions.Versions[e.Object.UID+"/"+e.Object.ResourceVersion]
	}
	for a := range t.All() {
		if a.Kind == record.KindAction && a.Action.Resource == t.Mains && a.Action.From <= e.Time && a.Time >= before.Time {
			return true
		}
	}
	return false
}

// marksOf names what the harness has put into a main child, each with its place.
func marksOf(o *wire.Object) []string {
	var in struct {
		Template struct {
			Metadata struct {
				Labels      map[string]string `json:"labels"`
				Annotations map[string]string `json:"annotations"`
			} `json:"metadata"`
		} `json:"template"`
	}
	_ = json.Unmarshal([]byte(o.Detail.Spec), &in) // what cannot be read has no marks
	var all []string
	for _, owner := range o.Detail.Owners {
		if owner.Name == spec.OtherOwner && !owner.Controller {
			all = append(all, "owner reference to "+owner.Kind+" "+owner.Name)
		}
	}
	for _, place := range []struct {
		what string
		keys []string
	}{
		{"label", slices.Sorted(maps.Keys(o.Detail.Labels))},
		{"annotation", slices.Sorted(maps.Keys(o.Detail.Notes))},
		{"annotation of its pods' template:", slices.Sorted(maps.Keys(in.Template.Metadata.Annotations))},
		{"label of its pods' template:", slices.Sorted(maps.Keys(in.Template.Metadata.Labels))},
		{"finalizer", o.Finalizers},
	} {
		for _, key := range place.keys {
			if strings.HasPrefix(key, ours) {
				all = append(all, place.what+" "+key)
			}
		}
	}
	return all
}
