package judge

import (
	"slices"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

var staysConvergedOracle = Named{Name: "stays-converged", Needs: onWritten, Shows: onMains, Judge: staysConverged}

// staysConverged is oracle 2: in the quiescence window that ends the sample the operator writes neither to the child
// nor to the custom resource, and a size once ready is not written away again. A sample that times out although it had
// converged a window before fails when the writes never stopped for one.
func staysConverged(t *timeline.Timeline) Verdict {
	writes := t.Writes()
	if w, lost := lost(t, writes); lost {
		return fail(nil, "expected the wanted state to stay once it was reached; the operator changed it at %s", t.Since(w.At))
	}
	rested := t.RestedAt()
	opens := rested - t.Sample.Window
	within := slices.DeleteFunc(writes, func(w timeline.Write) bool { return w.At <= opens || w.At > rested })
	if t.End.Outcome == record.TimedOut && !rewrites(t, within) {
		if t.StateLacks() != "" {
			return notApplicable("it never converged")
		}
		whole, _ := wholeSince(t)
		if stood := t.EndedAt - whole; stood < t.Sample.Window {
			return notApplicable("the wanted state had stood for %s only when the timeout came, not for the window of %s", timeline.Round(stood), t.Sample.Window)
		}
	}
	if len(within) == 0 {
		return pass("no write in the %s up to %s", t.Sample.Window, t.Since(rested))
	}
	events := plain.Set(within, func(w timeline.Write) *timeline.Event { return w.Event })
	return fail(evidenceOf(t, func(e *timeline.Event) bool { return events[e] }),
		"expected no write by the operator in the quiescence window of %s (from %s to %s); seen %d, the first at %s, to %s",
		t.Sample.Window, t.Since(opens), t.Since(rested), len(within), t.Since(within[0].At),
		timeline.Title(within[0].Event.Watch.Resource, within[0].Event.Watch.Name))
}

// rewrites reports whether one of the last writes is to a main child that was ready a window before: each write makes
// its status lag, so that it may not seem to stand at any time.
func rewrites(t *timeline.Timeline, last []timeline.Write) bool {
	at, reached := t.Reached(spec.PhaseReady)
	return reached && at <= t.EndedAt-t.Sample.Window &&
		slices.ContainsFunc(last, func(w timeline.Write) bool { return w.Event.Watch.Resource == t.Mains })
}

// lost finds the write that took the wanted state away after it was reached. What becomes of a main child of an earlier
// life, beside that of the present one, takes nothing away.
func lost(t *timeline.Timeline, writes []timeline.Write) (timeline.Write, bool) {
	if t.Sample.Size == nil {
		return resurrected(t, writes)
	}
	at, reached := t.Reached(spec.PhaseReady)
	if !reached {
		return timeline.Write{}, false
	}
	return plain.Find(writes, func(w timeline.Write) bool {
		return w.Event.Watch.Resource == t.Mains && w.At > at && t.Subjects[0].IsPresent(t.World.Mains[w.Event.Object.UID]) && (w.Deleted || !t.Child.Many && w.Event.Object.Replicas != *t.Sample.Size)
	})
}

// resurrected finds a main child that was made after the custom resource had been deleted for the last time, and one had
// gone.
func resurrected(t *timeline.Timeline, writes []timeline.Write) (timeline.Write, bool) {
	var gone time.Duration
	deletion := lastDeletion(t)
	for _, w := range writes {
		switch {
		case w.Event.Watch.Resource != t.Mains:
		case w.Deleted:
			gone = w.At
		case w.Created && gone > 0 && w.At > deletion:
			return w, true
		}
	}
	return timeline.Write{}, false
}
