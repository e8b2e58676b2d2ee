package judge

import (
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

var refusedOracle = Named{Name: "refused", Needs: onWritten, Shows: onWritten, Judge: refused, Whole: true}

// refused judges wrong custom resources that the API server must not take: it refuses, with a message that names what
// is wrong (Sample.Cause), and the main child stays as it is. A status tells of reconciles, also of those that began
// before: no operator hears of a request that is refused.
func refused(t *timeline.Timeline) Verdict {
	cause, err := t.Cause()
	if err != nil {
		return Verdict{Outcome: spec.Invalid, Message: err.Error()}
	}
	var refusals []*timeline.Event
	for e := range t.All() {
		if e.Kind != record.KindAction || e.Action.Error == "" || e.Action.Nudge {
			continue
		}
		if cause != nil && !cause.Said(e.Action.Error) {
			return fail(nil, "expected a refusal that says %q; the API server said at %s: %s", t.Sample.Cause, t.Since(e.Time), e.Action.Error)
		}
		refusals = append(refusals, e)
	}
	if len(refusals) == 0 {
		return fail(nil, "expected the API server to refuse the custom resource; it took it at %s", t.Since(t.Actions.Acked))
	}
	for _, e := range refusals {
		until := nextAccepted(t, e.Time)
		for _, w := range t.Writes() {
			if w.Event.Watch.Resource == t.Mains && w.At > e.Time && w.At < until {
				return fail(nil, "expected the %s to stay as it is after what was refused at %s; at %s the operator wrote %s",
					t.Child.Kind, t.Since(e.Time), t.Since(w.At), timeline.Title(w.Event.Watch.Resource, w.Event.Watch.Name))
			}
		}
	}
	return pass("refused at %s: %s", t.Since(refusals[0].Time), refusals[0].Action.Error)
}

// nextAccepted is when the harness next asked for something that was accepted.
func nextAccepted(t *timeline.Timeline, after time.Duration) time.Duration {
	for e := range t.All() {
		if e.Kind == record.KindAction && e.Action.From >= after && e.Action.Error == "" {
			return e.Action.From
		}
	}
	return t.EndedAt + 1
}
