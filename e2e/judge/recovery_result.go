package judge

import (
	"slices"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

// Recovery is how a sample came back from what was broken in it.
type Recovery struct {
	By string // Itself, Nudge or Never
	// After is the time from when the mending of the last fault began (of a
	// fault that lasts no time: from when it had happened; see record.Fault)
	// until the event with which the wanted state stood, which it then did until
	// the sample's end. 0: it stood before, or was never lost. After a nudge it
	// includes the time for which the nudge was held back. What the harness
	// asked for only after the fault is a part of the wanted state. Of Never, 0.
	After time.Duration
}

// By whom a sample came back; Never is the third.
const (
	Itself = "itself"
	Nudge  = "nudge"
)

// recovery is how the sample came back; nil: nothing was broken, or it is not known.
func recoveryOf(t *timeline.Timeline) *Recovery {
	begun, over := t.FaultsAt(record.Begun), t.FaultsAt(record.Over)
	failed := func(f *record.Fault) bool { return f.Error != "" }
	switch {
	case len(begun) == 0 || len(over) < len(begun) || slices.ContainsFunc(begun, failed) || slices.ContainsFunc(over, failed):
		return nil
	case t.End == nil || t.End.Outcome == record.Interrupted || t.StoppedAt() != "" || t.Unheard([]string{wire.CustomResources, wire.Deployments}) != "":
		return nil
	}
	how, _ := recovered(t)
	if how.how == Never {
		return &Recovery{By: Never}
	}
	whole, _ := wholeSince(t)
	r := &Recovery{By: Itself, After: max(whole-over[len(over)-1].From, 0)}
	if how.how == Nudged {
		r.By = Nudge
	}
	return r
}
