package judge

import (
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
	if t.End.Outcome == record.TimedOut && t.stateLacks() != "" {
		return notApplicable("it never converged")
	}
	if stood, cut := t.stoodFor(); cut {
		return notApplicable("the wanted state had stood for %s only when the timeout came, not for the window of %s", round(stood), t.Sample.Window)
	}
	opens := t.EndedAt - t.Sample.Window
	var within []write
	for _, w := range writes {
		if w.at > opens {
			within = append(within, w)
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

// stoodFor is how long the wanted state had stood when the timeout came; cut: it
// came before that was a whole window, in which nobody can tell yet.
func (t *Timeline) stoodFor() (stood time.Duration, cut bool) {
	if t.End.Outcome != record.TimedOut || t.stateLacks() != "" {
		return 0, false
	}
	whole, _ := t.wholeSince()
	stood = t.EndedAt - whole
	return stood, stood < t.Sample.Window
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
