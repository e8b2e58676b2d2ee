package judge

import (
	"fmt"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

var writeHistoryOracle = Named{Name: "write-history", Needs: onMains, Shows: onMains, Judge: writeHistory}

// writeHistory is oracle 4: the child is created once at most, scaling never deletes it, it is not created once the
// custom resource is deleted, and while that is paused nothing is written. What is counted is what the watch shows:
// creations that the API server refused are not seen.
func writeHistory(t *timeline.Timeline) Verdict {
	var created, late, changed, deleted int
	var recreated bool
	deletion, kind := lastDeletion(t), t.Child.Kind
	if v := whilePaused(t); v.Outcome == spec.Fail {
		return v
	}
	for _, w := range t.Writes() {
		switch {
		case w.Event.Watch.Resource != t.Mains:
		case w.Deleted:
			deleted++
		case w.Created:
			recreated = recreated || deleted > 0
			if created++; w.At > deletion {
				late++
			}
		default:
			changed++
		}
	}
	counts := fmt.Sprintf("%s, %s, %s of the %s", plain.Plural(created, "creation"), plain.Plural(changed, "change"), plain.Plural(deleted, "deletion"), kind)
	switch {
	case t.Sample.Size == nil && late > 0:
		return fail(nil, "expected no creation after the custom resource's deletion; seen %s by %s", counts, t.Since(t.EndedAt))
	case t.Sample.Size == nil:
		return pass("%s", counts)
	case t.Child.Many:
		return notApplicable("each of its pods is made and removed by itself: %s", counts)
	case recreated && !recreates(t):
		return fail(nil, "expected the %s to be changed in place; it was deleted and created again: %s by %s", kind, counts, t.Since(t.EndedAt))
	case deleted > 0 && !recreates(t):
		return fail(nil, "expected no deletion of the %s; seen %s by %s", kind, counts, t.Since(t.EndedAt))
	case created > mayCreate(t):
		return fail(nil, "expected at most %s of the %s; seen %s by %s", plain.Plural(mayCreate(t), "creation"), kind, counts, t.Since(t.EndedAt))
	}
	return pass("%s", counts)
}

// whilePaused fails where the operator wrote to the child while the custom resource was paused, or never said that it
// was although the workload knows how it is said.
func whilePaused(t *timeline.Timeline) Verdict {
	for _, pause := range t.Pauses() {
		for _, w := range t.Writes() {
			if w.Event.Watch.Resource == t.Mains && pause.From < w.At && w.At < pause.To {
				return fail(nil, "expected no write to the %s while the custom resource was paused, from %s to %s; seen one to %s at %s",
					t.Child.Kind, t.Since(pause.From), t.Since(pause.To), timeline.Title(w.Event.Watch.Resource, w.Event.Watch.Name), t.Since(w.At))
			}
		}
		then := t.StateAt(pause.To)
		if lacks := then.PausedLacks(then.Subjects[0]); lacks != "" {
			return fail(nil, "expected the custom resource to say by %s that it was paused, since %s; %s", t.Since(pause.To), t.Since(pause.From), lacks)
		}
	}
	return Verdict{Outcome: spec.Pass}
}

// mayCreate is how many main children there is a need to create: one for each life of the custom resource that began in
// the sample, one for a life that had none when the sample began, and one for each that the harness deleted.
func mayCreate(t *timeline.Timeline) int {
	n := len(t.Actions.UIDs)
	if given(t) != nil && t.StateAt(t.Began).HasChildren() {
		n--
	}
	for _, requests := range t.Deletions() {
		n += len(requests)
	}
	return n
}

// lastDeletion is the harness's intent of deleting the custom resource, the last
// time; before the sample if it was not in it.
func lastDeletion(t *timeline.Timeline) time.Duration {
	last := t.Began
	for a := range t.AcceptedOn(t.Subjects[0]) {
		if a.Deletes() {
			last = a.From
		}
	}
	return last
}

// recreates reports whether the sample itself deletes the custom resource before
// it wants it again: then the child may go with it.
func recreates(t *timeline.Timeline) bool { return len(t.Actions.UIDs) > 1 }
