package judge

import (
	"time"

	"operatorbench/e2e/record"
)

// replay goes through the sample once more, and calls visit with each event and
// the state that it led to. What is known of the sample as a whole (its lives,
// its actions) is known from the beginning.
func (t *Timeline) replay(visit func(now *Timeline, e *Event)) {
	t.settle()
	past := *t
	past.world = newWorld()
	for i := range t.Before {
		past.world.apply(&t.Before[i])
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind == record.KindWatch {
			past.world.apply(e)
		}
		visit(&past, e)
	}
}

// stateAt is the sample as it stood at a time.
func (t *Timeline) stateAt(at time.Duration) *Timeline {
	past := *t
	past.Events, past.world = nil, newWorld()
	for i := range t.Before {
		past.world.apply(&t.Before[i])
	}
	for i := range t.Events {
		if e := &t.Events[i]; e.Kind == record.KindWatch && e.Time <= at {
			past.world.apply(e)
		}
	}
	return &past
}

// stepsBegan is when the harness first did something to the sample: its first
// action or its first fault, whichever was before.
func (t *Timeline) stepsBegan() time.Duration {
	began := t.Began
	if t.acts.any {
		began = t.acts.intent
	}
	if faults := t.broken(); len(faults) > 0 && (!t.acts.any || faults[0].From < began) {
		began = faults[0].From
	}
	return began
}

// broken lists the faults of the sample, as they began.
func (t *Timeline) broken() []*record.Fault { return t.faultsAt(record.Begun) }

func (t *Timeline) faultsAt(stage string) []*record.Fault {
	var list []*record.Fault
	for i := range t.Events {
		if f := t.Events[i].Fault; t.Events[i].Kind == record.KindFault && f.Stage == stage {
			list = append(list, f)
		}
	}
	return list
}
