package cost

import (
	"slices"
	"time"

	"operatorbench/e2e/plain"
)

// busyFor is over how long the most requests are counted: a client's burst is over by then.
const busyFor = 10 * time.Second

// Busiest is the most that the style's pods asked of the API server in a load, in requests a second over ten seconds. A
// client that holds itself back stays at its own limit. Events are left out: programs send them by a client of their
// own.
type Busiest struct {
	Load     string `json:"load"` // the scenario
	Requests Figure `json:"requests"`
}

// busiest is the highest rate of these moments over busyFor, in one second; 0: there are none. They are sorted.
func busiest(moments []time.Time) float64 {
	slices.SortFunc(moments, time.Time.Compare)
	most, first := 0, 0
	for i, at := range moments {
		for at.Sub(moments[first]) >= busyFor {
			first++
		}
		most = max(most, i-first+1)
	}
	return float64(most) / busyFor.Seconds()
}

// busy adds what the pods asked for in a load that is over.
func (b *beside) busy() {
	if b.load == "" || len(b.sent) == 0 {
		return
	}
	one := plain.FindOrAdd(&b.busiest, func(o Busiest) bool { return o.Load == b.load }, Busiest{Load: b.load, Requests: Figure{Unit: "1/s"}})
	one.Requests.Values = append(one.Requests.Values, Value{Round: b.round, Value: busiest(b.sent)})
}
