package judge

import (
	"slices"
	"time"

	"operatorbench/e2e/record"
	expect "operatorbench/e2e/spec/verdicts"
	"operatorbench/e2e/timeline"
)

// Recovery is how a sample came back from what was broken in it.
type Recovery struct {
	By string // one of expect.Recoveries
	// After is the time from when the mending of the last fault began (of a fault that lasts no time: from when it had
	// happened; see record.Fault) until the event with which the wanted state stood, which it then did until the
	// sample's end. 0: it stood before, or was never lost. After a nudge it includes the time for which the nudge was
	// held back. What the harness asked for only after the fault is a part of the wanted state. Of expect.Never, 0.
	After time.Duration
}

// recovery is how the wanted state came back, once what was broken was whole again.
type recovery struct {
	by    string
	over  time.Duration // when the last fault ended
	from  time.Duration // that, or when the nudge was made
	stood time.Duration // since when the wanted state stood, until the sample's end
	lacks string        // what was lacking at the sample's end; the times are then of no use
}

// recovered says how the sample came back from its faults; false: it had none, or the last was not over when it ended.
func recovered(t *timeline.Timeline) (recovery, bool) {
	over := t.FaultsAt(record.Over)
	if len(over) == 0 || len(over) < len(t.FaultsBegun()) {
		return recovery{}, false
	}
	r := recovery{by: expect.Itself, over: over[len(over)-1].From}
	r.from = r.over
	if r.stood, r.lacks = wholeSince(t); r.lacks != "" {
		return recovery{by: expect.Never, lacks: r.lacks}, true
	}
	for e := range t.All() {
		if e.Kind == record.KindAction && e.Action.Nudge && e.Action.From <= r.stood {
			r.by, r.from = expect.Nudge, e.Action.From
		}
	}
	return r, true
}

// recoveryOf is how the sample came back; nil: nothing was broken, the scenario does not ask for it (a definition may
// be replaced only so that wrong input can be sent), or it is not known.
func recoveryOf(t *timeline.Timeline) *Recovery {
	begun, over := t.FaultsBegun(), t.FaultsAt(record.Over)
	failed := func(f *record.Fault) bool { return f.Error != "" }
	switch {
	case !slices.Contains(t.Sample.Expect, "recovers"):
		return nil
	case len(begun) == 0 || len(over) < len(begun) || slices.ContainsFunc(begun, failed) || slices.ContainsFunc(over, failed):
		return nil
	case t.End == nil || t.End.Outcome == record.Interrupted || t.Stopped() || t.Unheard(t.Written()) != "":
		return nil
	}
	r, _ := recovered(t)
	return &Recovery{By: r.by, After: max(r.stood-r.over, 0)}
}

// wholeSince is the time from which nothing of the wanted state was lacking, or what was lacking at the sample's end.
func wholeSince(t *timeline.Timeline) (since time.Duration, lacks string) {
	since, lacks = t.Began, t.StateAt(t.Began).StateLacks()
	t.Replay(func(now *timeline.Timeline, e *timeline.Event) {
		if e.Kind != record.KindWatch {
			return
		}
		was := lacks
		if lacks = now.StateLacks(); lacks == "" && was != "" {
			since = e.Time
		}
	})
	return since, lacks
}
