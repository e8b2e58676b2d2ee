package judge

import (
	"time"

	"operatorbench/e2e/record"
)

// The ways in which a sample comes back from its faults.
const (
	ByItself = "by itself"
	Nudged   = "only after a nudge"
	Never    = "never"
)

// recovery is how the wanted state came back, once what was broken was whole again.
type recovery struct {
	how string // one of the above
	// after is the time from the end of the last fault, or from the nudge,
	// until the wanted state stood, which it did until the sample's end; 0: it
	// stood before.
	after time.Duration
	lacks string // what was lacking at the sample's end
}

// recovered says how the sample came back from its faults; false: it had none,
// or the last was not over when it ended.
func (t *Timeline) recovered() (recovery, bool) {
	over := t.faultsAt(record.Over)
	if len(over) == 0 {
		return recovery{}, false
	}
	whole, lacks := t.wholeSince()
	if lacks != "" {
		return recovery{how: Never, lacks: lacks}, true
	}
	r := recovery{how: ByItself}
	from := over[len(over)-1].From
	for i := range t.Events {
		if e := &t.Events[i]; e.Kind == record.KindAction && e.Action.Nudge && e.Action.From <= whole {
			r.how, from = Nudged, e.Action.From
		}
	}
	r.after = max(whole-from, 0)
	return r, true
}

// wholeSince is the time from which nothing of the wanted state was lacking, or
// what was lacking at the sample's end.
func (t *Timeline) wholeSince() (since time.Duration, lacks string) {
	since, lacks = t.Began, t.stateAt(t.Began).stateLacks()
	t.replay(func(now *Timeline, e *Event) {
		if e.Kind != record.KindWatch {
			return
		}
		was := lacks
		if lacks = now.stateLacks(); lacks == "" && was != "" {
			since = e.Time
		}
	})
	return since, lacks
}
