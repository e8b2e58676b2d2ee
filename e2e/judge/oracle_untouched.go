package judge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/normal"
)

var untouchedOracle = Named{Name: "untouched", Needs: onCustoms, Judge: untouched}

// untouched judges whose the custom resource's spec and the finalizers of others are: a user's. A generation that the
// harness did not bring about, by a write or a deletion, is somebody else's change of it, and the operator's, as nobody
// else is there; so is a finalizer of the harness's that it has not taken away itself.
func untouched(t *timeline.Timeline) Verdict {
	caused, deletions := causedGenerations(t)
	was := map[string]*timeline.Event{}
	for e := range t.Watched() {
		if t.SubjectOf(e) == nil {
			continue
		}
		before := was[e.Object.UID]
		if taken := taken(t, before, e); taken != "" {
			return fail([]string{line(t, before), line(t, e)}, "expected the operator to leave the finalizers of others; %s lost %s at %s, before the harness removed it",
				timeline.Title(e.Watch.Resource, e.Watch.Name), taken, t.Since(e.Time))
		}
		if e.Watch.Event == spec.Deleted {
			continue
		}
		was[e.Object.UID] = e
		if before == nil || e.Object.Generation <= before.Object.Generation {
			continue
		}
		if t.Spec.WholeStatus && (len(changed(before, e)) == 0 || anyBetween(caused, before, e)) {
			continue // a status was written, with the whole object
		}
		for g := before.Object.Generation + 1; g <= e.Object.Generation; g++ {
			if caused[generation{e.Object.UID, g}] || g == e.Object.Generation && t.Actions.Versions[e.Object.UID+"/"+e.Object.ResourceVersion] {
				continue
			}
			// To be deleted is a change of its own, which the reply does not show.
			if e.Object.Deleting && !before.Object.Deleting && deletions && g == e.Object.Generation && len(changed(before, e)) == 0 {
				continue
			}
			return fail([]string{line(t, before), line(t, e)}, "expected only the user to change the custom resource's spec; %s reached generation %d at %s without an action of the harness: %s",
				timeline.Title(e.Watch.Resource, e.Watch.Name), g, t.Since(e.Time), whatChanged(before, e))
		}
	}
	if len(was) == 0 {
		return notApplicable("there was no custom resource")
	}
	return pass("every generation of the custom resource was brought about by the harness")
}

// ours begins the finalizers of the harness.
const ours = "operatorbench/"

// taken is a finalizer of the harness that a custom resource had before an event and
// has no more, although the harness has not asked for that; "": none.
func taken(t *timeline.Timeline, before, e *timeline.Event) string {
	if before == nil {
		return ""
	}
	for _, f := range before.Object.Finalizers {
		gone := e.Watch.Event == spec.Deleted || !slices.Contains(e.Object.Finalizers, f)
		if gone && strings.HasPrefix(f, ours) && !tookAway(t, f, e) {
			return f
		}
	}
	return ""
}

// tookAway reports whether the harness asked, before an event, for a custom resource
// without a finalizer that it had put in.
func tookAway(t *timeline.Timeline, finalizer string, e *timeline.Event) bool {
	put := false
	for a := range t.Accepted() {
		if a.From > e.Time || a.Reply.UID != e.Object.UID {
			continue
		}
		has := slices.Contains(a.Reply.Finalizers, finalizer)
		if put && !has {
			return true
		}
		put = put || has
	}
	return false
}

type generation struct {
	uid    string
	number int64
}

// anyBetween reports whether a custom resource reached one of some generations between two events.
func anyBetween(caused map[generation]bool, before, after *timeline.Event) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(caused)), func(g generation) bool {
		return g.uid == after.Object.UID && before.Object.Generation < g.number && g.number <= after.Object.Generation
	})
}

// causedGenerations are those that the harness's writes brought about, and whether it deleted a custom resource.
func causedGenerations(t *timeline.Timeline) (caused map[generation]bool, deletions bool) {
	caused = map[generation]bool{}
	for a := range t.Accepted() {
		deletions = deletions || a.Deletes()
		if a.Reply.UID != "" {
			caused[generation{a.Reply.UID, max(a.Reply.Generation, a.Generation)}] = true
		}
	}
	return caused, deletions
}

// changed lists where two specs of a custom resource differ.
func changed(before, after *timeline.Event) []normal.Difference {
	var specs [2]any
	for i, e := range []*timeline.Event{before, after} {
		if e.Object.Detail == nil || e.Object.Detail.Spec == "" {
			continue
		}
		decoder := json.NewDecoder(strings.NewReader(e.Object.Detail.Spec))
		decoder.UseNumber()
		if err := decoder.Decode(&specs[i]); err != nil {
			return []normal.Difference{{Path: "spec", Want: "nothing that can be read", Got: err.Error()}}
		}
	}
	return shortDifferences(specs[0], specs[1])
}

// whatChanged names the fields, with old and new values.
func whatChanged(before, after *timeline.Event) string {
	fields := plain.Map(changed(before, after), func(u normal.Difference) string { return fmt.Sprintf("%s from %s to %s", u.Path, u.Want, u.Got) })
	if len(fields) == 0 {
		return "no field of its spec is otherwise than before"
	}
	return strings.Join(fields, "; ")
}
