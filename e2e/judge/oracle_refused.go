package judge

import (
	"time"

	"operatorbench/e2e/record"
)

// refused judges wrong custom resources that the API server must not take: it
// refuses, with a message that names what is wrong (Sample.Cause), and the
// operator does nothing on account of it.
func refused(t *Timeline) Verdict {
	cause, err := t.cause()
	if err != nil {
		return Verdict{Outcome: Invalid, Message: err.Error()}
	}
	evidence := func() []string { return t.evidence(of(CustomResources, Deployments)) }
	var refusals []*Event
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != record.KindAction || e.Action.Error == "" || e.Action.Nudge {
			continue
		}
		if cause != nil && !cause.said(e.Action.Error) {
			return fail(evidence(), "expected a refusal that says %q; the API server said at %s: %s", t.Sample.Cause, t.since(e.Time), e.Action.Error)
		}
		refusals = append(refusals, e)
	}
	if len(refusals) == 0 {
		return fail(evidence(), "expected the API server to refuse the custom resource; it took it at %s", t.since(t.acts.acked))
	}
	for _, e := range refusals {
		until := t.nextAccepted(e.Time)
		for _, w := range t.writes() {
			if w.at > e.Time && w.at < until {
				return fail(evidence(), "expected nothing to change by what was refused at %s; at %s the operator wrote %s",
					t.since(e.Time), t.since(w.at), title(w.event.Watch.Resource, w.event.Watch.Name))
			}
		}
	}
	return pass("refused at %s: %s", t.since(refusals[0].Time), refusals[0].Action.Error)
}

// nextAccepted is when the harness next asked for something that was accepted.
func (t *Timeline) nextAccepted(after time.Duration) time.Duration {
	for i := range t.Events {
		if e := &t.Events[i]; e.Kind == record.KindAction && e.Action.From >= after && e.Action.Error == "" {
			return e.Action.From
		}
	}
	return t.EndedAt + 1
}
