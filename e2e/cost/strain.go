package cost

import (
	"slices"

	"operatorbench/e2e/record"
)

// Strain is how busy machine and API server were while a load, or a step of a ramp, was under way, by all that was
// there.
type Strain struct {
	Load     string  `json:"load"`           // the scenario
	Rate     int     `json:"rate,omitempty"` // of a ramp's step, in changes a second
	Round    int     `json:"round"`
	Busy     float64 `json:"busy"`               // the share of the time in which the machine's CPUs were not idle
	Stolen   float64 `json:"stolen"`             // and in which the hypervisor took them
	Running  int     `json:"running"`            // processes that ran or waited for a CPU, in the median of the looks
	Waiting  int64   `json:"waiting,omitempty"`  // requests in the API server's queues, at most in a look
	Rejected int64   `json:"rejected,omitempty"` // requests that its API Priority and Fairness rejected
}

// spell is what the looks tell since a step's first sample began.
type spell struct {
	rate        int
	first, last *record.Usage
	running     []int
	waiting     int64 // at most
}

// look takes a look.
func (s *spell) look(u *record.Usage) {
	if s.first == nil {
		s.first = u
	}
	s.last, s.running = u, append(s.running, u.Machine.Running)
	if u.Fairness != nil {
		s.waiting = max(s.waiting, u.Fairness.Waiting)
	}
}

// strain ends a step of a load, or the load, and tells of it where there were two looks.
func (b *beside) strain() {
	s := b.spell
	if b.spell = nil; s == nil || len(s.running) < 2 || b.load == "" {
		return
	}
	one := Strain{Load: b.load, Rate: s.rate, Round: b.round, Waiting: s.waiting}
	one.Busy, one.Stolen = s.last.Machine.Since(s.first.Machine)
	slices.Sort(s.running)
	one.Running = s.running[(len(s.running)-1)/2]
	if s.first.Fairness != nil && s.last.Fairness != nil {
		one.Rejected = s.last.Fairness.Rejected - s.first.Fairness.Rejected
	}
	b.strains = append(b.strains, one)
}
