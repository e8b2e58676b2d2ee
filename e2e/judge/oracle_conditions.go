package judge

import (
	"regexp"
	"slices"
	"strconv"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

// conditionsAtOnce is how soon after a turn its time may still be written again: lastTransitionTime has whole seconds,
// and an operator whose cache does not have its own last write yet computes the same turn once more.
const conditionsAtOnce = 2 * time.Second

var conditionsOracle = Named{Name: "conditions", Needs: onCustoms, Judge: conditions, Told: true}

// reasonForm is the form of a condition's reason (the pattern of Reason in metav1.Condition).
var reasonForm = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)

// conditions judges every status that a custom resource has had by the form that Kubernetes' API conventions give to
// conditions ("Typical status properties", and metav1.Condition): one of each type, with a status, a reason that a
// program can read, a generation that there is, and a time that moves when the status does, and only then. Messages are
// free.
func conditions(t *timeline.Timeline) Verdict {
	if !t.Style.Says(spec.StatusConditions) {
		return notApplicable("the style declares to write no conditions")
	}
	seen := map[string]*timeline.Event{} // by uid, the event before
	since := map[string]time.Duration{}  // by uid and type, when its present status was first seen
	count := 0
	for e := range t.Watched() {
		if t.SubjectOf(e) == nil || e.Watch.Event == spec.Deleted {
			continue
		}
		before := seen[e.Object.UID]
		if before != nil && unseen(t, before.Time, e.Time) {
			before = nil
		}
		seen[e.Object.UID] = e
		if wrong := malformed(e.Object); wrong != "" {
			return fail([]string{line(t, e)}, "expected %s (%s at %s)", wrong, timeline.Title(e.Watch.Resource, e.Watch.Name), t.Since(e.Time))
		}
		for i, c := range e.Object.Conditions {
			count++
			key := e.Object.UID + "/" + c.Type
			wrong := badForm(e.Object, i)
			var was wire.Condition
			if before != nil {
				was = before.Object.Condition(c.Type)
			}
			switch {
			case wrong != "":
			case was.Status != c.Status:
				if was.Type != "" && was.LastTransitionTime == c.LastTransitionTime && e.Time-since[key] > conditionsAtOnce {
					wrong = "its status turned from " + was.Status + " to " + c.Status + ", and its lastTransitionTime is still " + c.LastTransitionTime
				}
				since[key] = e.Time
			case was.LastTransitionTime != c.LastTransitionTime && e.Time-since[key] > conditionsAtOnce:
				wrong = "its lastTransitionTime moved from " + was.LastTransitionTime + " to " + c.LastTransitionTime + ", and its status stayed " + c.Status
			}
			if wrong == "" {
				continue
			}
			evidence := []string{line(t, e)}
			if before != nil {
				evidence = append([]string{line(t, before)}, evidence...)
			}
			return fail(evidence, "expected conditions as the API conventions have them; of condition %s of %s at %s: %s",
				c.Type, timeline.Title(e.Watch.Resource, e.Watch.Name), t.Since(e.Time), wrong)
		}
	}
	if count == 0 {
		return notApplicable("no condition was written")
	}
	return pass("every condition had the form of the API conventions")
}

// unseen reports whether custom resources were not watched between two times: their conditions may have turned there, and
// turned back.
func unseen(t *timeline.Timeline, from, to time.Duration) bool {
	return slices.ContainsFunc(t.Gaps, func(e timeline.Event) bool {
		return e.Gap.Resource == t.Customs && e.Gap.From < to && e.Time > from
	})
}

// badForm says what is wrong with a condition by itself, beside what malformed says; "": nothing.
func badForm(o *wire.Object, i int) string {
	c := o.Conditions[i]
	switch {
	case slices.ContainsFunc(o.Conditions[:i], func(other wire.Condition) bool { return other.Type == c.Type }):
		return "there are two of its type"
	case !reasonForm.MatchString(c.Reason):
		return "its reason is " + plain.Clip(strconv.Quote(c.Reason), timeline.MostOfAMessage) + ", expected one word in CamelCase"
	case c.LastTransitionTime == "":
		return "it has no lastTransitionTime"
	}
	return ""
}
