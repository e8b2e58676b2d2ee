package judge

import (
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
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
func recovered(t *timeline.Timeline) (recovery, bool) {
	over := t.FaultsAt(record.Over)
	if len(over) == 0 {
		return recovery{}, false
	}
	whole, lacks := wholeSince(t)
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
