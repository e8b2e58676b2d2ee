package judge

import (
	"fmt"
	"slices"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

var diagnosableOracle = Named{Name: "diagnosable", Needs: append(slices.Clip(onAll), timeline.RoleEvents), Judge: diagnosable, Whole: true, Told: true}

// diagnosable judges whether a person can find out what went wrong with this custom resource: a message that says so
// (Sample.Cause) is to be had from it, or from what was made for it. Otherwise the nearest are told: what was said of
// it without the cause, and of the cause without it.
func diagnosable(t *timeline.Timeline) Verdict {
	cause, err := t.Cause()
	switch {
	case err != nil:
		return Verdict{Outcome: spec.Invalid, Message: err.Error()}
	case cause == nil:
		return notApplicable("nothing goes wrong that a person must be told of")
	}
	if m := t.CauseMessage(); m != nil {
		return pass("%s after it went wrong, %s says: %s", timeline.Round(m.Event.Time-lastAct(t, m.Event.Time)), m.Where, plain.Clip(m.Text, timeline.MostOfAMessage))
	}
	near := slices.Concat(
		nearest(t, "also said where nothing is wrong", func(m timeline.Message) bool { return m.Names && t.Usual(cause, m) }),
		nearest(t, "of this resource, without the cause", func(m timeline.Message) bool { return m.Names && m.Alarm && !cause.Said(m.Text) }),
		nearest(t, "the cause, without this resource", func(m timeline.Message) bool { return !m.Names && cause.Said(m.Text) }))
	said := "nothing near it was said"
	if len(near) > 0 {
		said = "the nearest: " + near[0]
	}
	return fail(near, "expected a message that names this resource and its cause (%s) by %s; %s", t.Sample.Cause, t.Since(t.EndedAt), said)
}

// nearest prints the last of the messages that match.
func nearest(t *timeline.Timeline, what string, match func(timeline.Message) bool) []string {
	const most = 3
	var list []string
	for _, m := range t.Messages() {
		if match(m) {
			list = append(list, fmt.Sprintf("%s %s: %s says: %s", t.Since(m.Event.Time), what, m.Where, plain.Clip(m.Text, timeline.MostOfAMessage)))
		}
	}
	return list[max(len(list)-most, 0):]
}

// lastAct returns when the harness last did something, up to a time, that can be the cause of a message of that time.
func lastAct(t *timeline.Timeline, until time.Duration) time.Duration {
	last := t.StepsBegan()
	for e := range t.All() {
		switch {
		case e.Kind == record.KindFault && e.Fault.Stage == record.Begun && e.Fault.From <= until:
			last = max(last, e.Fault.From)
		case e.Kind == record.KindAction && !e.Action.Nudge && e.Action.From <= until:
			last = max(last, e.Action.From)
		}
	}
	return last
}
