package judge

import (
	"slices"
	"time"

	"operatorbench/e2e/record"
)

// staysConverged is oracle 2: in the quiescence window that ends the sample
// the operator writes neither to the child nor to the custom resource, and a
// size once ready is not written away again. A sample that times out although
// it had converged a window before fails when the writes never stopped for one.
func staysConverged(t *Timeline) Verdict {
	writes := t.writes()
	if w, lost := t.lost(writes); lost {
		return fail(t.evidence(of(Deployments)), "expected the wanted state to stay once it was reached; it was written away at %s", t.since(w.at))
	}
	opens := t.EndedAt - t.Sample.Window
	within := slices.DeleteFunc(writes, func(w write) bool { return w.at <= opens })
	if t.End.Outcome == record.TimedOut && !t.rewrites(within) {
		if t.stateLacks() != "" {
			return notApplicable("it never converged")
		}
		whole, _ := t.wholeSince()
		if stood := t.EndedAt - whole; stood < t.Sample.Window {
			return notApplicable("the wanted state had stood for %s only when the timeout came, not for the window of %s", round(stood), t.Sample.Window)
		}
	}
	if len(within) == 0 {
		return pass("no write in the %s up to %s", t.Sample.Window, t.since(t.EndedAt))
	}
	events := map[*Event]bool{}
	for _, w := range within {
		events[w.event] = true
	}
	return fail(t.evidence(func(e *Event) bool { return events[e] }),
		"expected no write by the operator in the quiescence window of %s (from %s to %s); seen %d, the first at %s, to %s",
		t.Sample.Window, t.since(opens), t.since(t.EndedAt), len(within), t.since(within[0].at),
		title(within[0].event.Watch.Resource, within[0].event.Watch.Name))
}

// rewrites tells whether one of the last writes is to a Deployment that was ready
// a window before: each write makes its status lag, so that it may not seem to
// stand at any time.
func (t *Timeline) rewrites(last []write) bool {
	at, reached := t.reached(PhaseReady)
	return reached && at <= t.EndedAt-t.Sample.Window &&
		slices.ContainsFunc(last, func(w write) bool { return w.event.Watch.Resource == Deployments })
}

// lost finds the write that took the wanted state away after it was reached.
func (t *Timeline) lost(writes []write) (write, bool) {
	if t.Sample.Size == nil {
		return t.resurrected(writes)
	}
	at, reached := t.reached(PhaseReady)
	if !reached {
		return write{}, false
	}
	for _, w := range writes {
		if w.event.Watch.Resource != Deployments || w.at <= at {
			continue
		}
		if w.deleted || w.event.Object.Replicas != *t.Sample.Size {
			return w, true
		}
	}
	return write{}, false
}

// resurrected finds a Deployment that was written after the last one had gone.
func (t *Timeline) resurrected(writes []write) (write, bool) {
	var gone time.Duration
	for _, w := range writes {
		switch {
		case w.event.Watch.Resource != Deployments:
		case w.deleted:
			gone = w.at
		case w.created && gone > 0:
			return w, true
		}
	}
	return write{}, false
}
