package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

var noNeedlessWorkOracle = Named{Name: "no-needless-work", Needs: onWritten, Shows: onWritten, Judge: noNeedlessWork}

// noNeedlessWork judges writes to the custom resource that ask for nothing new
// (annotations, finalizers): the operator neither writes to a main child that is
// right already, nor makes more objects to work by than there are changes, nor an Event for each look.
func noNeedlessWork(t *timeline.Timeline) Verdict {
	asked := noops(t)
	if len(asked) == 0 {
		return notApplicable("each write to the custom resource asked for something new")
	}
	writes := rightAlready(t, asked[0])
	if len(writes) > 0 {
		return fail(nil, "expected no write to the %s on account of %s to the custom resource that asked for nothing new; seen %d, the first at %s",
			t.Child.Kind, plain.Plural(len(asked), "write"), len(writes), t.Since(writes[0].At))
	}
	asks := len(changes(t, given(t)))
	if made := eventsMade(t); len(made) > eventsOfNothing+eventsOfAChange*asks {
		return fail(made, "expected no Event on account of %s to the custom resource that asked for nothing new; seen %d new ones about it: "+
			"they grow with the reconciles, and push those that tell something out of sight", plain.Plural(len(asked), "write"), len(made))
	}
	if works := worksMade(t); len(works) > asks {
		names := timeline.Some(plain.Map(works, func(w *timeline.WorkObject) string { return w.Name }), 3)
		return fail(evidenceOf(t, of(t, timeline.RoleCustom)), "expected no work on account of %s to the custom resource that asked for nothing new; seen %s, for %s: %s",
			plain.Plural(len(asked), "write"), plain.Plural(len(works), "work object"), plain.Plural(asks, "change"), strings.Join(names, ", "))
	}
	return pass("no write to the %s, and no work, on account of %s to the custom resource that asked for nothing new", t.Child.Kind, plain.Plural(len(asked), "write"))
}

// Events about the custom resource grow with reconciles if there are more than changes are worth. Writes in quick
// succession may be one reconcile, and an Event may be told late: one is no growth.
const (
	eventsOfNothing = 1
	eventsOfAChange = 5
)

// eventsMade lists the Events about the custom resource that were made in the sample. Those that count on are one.
func eventsMade(t *timeline.Timeline) []string {
	var list []string
	for e := range t.Watched() {
		if e.Watch.Resource == spec.Events && e.Watch.Event == spec.Added && e.Time >= t.StepsBegan() && e.Object.Detail != nil &&
			slices.Contains(t.Actions.UIDs, e.Object.Detail.Regarding.UID) {
			list = append(list, fmt.Sprintf("%s Event %s: %s", t.Since(e.Time), e.Watch.Name, plain.Clip(e.Object.Detail.Text(), timeline.MostOfAMessage)))
		}
	}
	return list
}

// noops lists when the harness wrote to the custom resource and asked for nothing new.
func noops(t *timeline.Timeline) []time.Duration {
	var list []time.Duration
	generations := map[string]int64{}
	for e := range timeline.Each(t.Before) {
		if e.Watch.Resource == t.Customs {
			generations[e.Object.UID] = e.Object.Generation
		}
	}
	for a := range t.AcceptedOn(t.Subjects[0]) {
		if a.Deletes() || a.Reply.UID == "" {
			continue
		}
		known := generations[a.Reply.UID]
		if known > 0 && (a.Reply.Generation <= known || a.Reply.Deleting) {
			list = append(list, a.From)
		}
		generations[a.Reply.UID] = max(known, a.Reply.Generation)
	}
	return list
}

// worksMade lists the objects that the style made in the sample to work by, for the sample's own custom resource.
func worksMade(t *timeline.Timeline) []*timeline.WorkObject {
	t.Settle()
	return slices.DeleteFunc(t.WorksOf(t.Subjects[0]), func(w *timeline.WorkObject) bool { return w.Listed || w.Made < t.StepsBegan() })
}

// rightAlready lists the operator's writes since a time to a main child that had what the
// custom resource asked for, and that nobody else had written to.
func rightAlready(t *timeline.Timeline, since time.Duration) []childWrite {
	return plain.Where(childWrites(t), func(w childWrite) bool {
		return w.At >= since && w.before != nil && !w.drifted && askedFor(t, t.Subjects[0], w.At, w.before.Replicas)
	})
}
