package cost

import (
	"slices"

	"operatorbench/e2e/record"
)

// Machine is how busy the machine was while a load, or a step of a ramp, was under way: everything on it together.
type Machine struct {
	Load    string  `json:"load"`           // the scenario
	Rate    int     `json:"rate,omitempty"` // of a ramp's step, in changes a second
	Round   int     `json:"round"`
	Busy    float64 `json:"busy"`    // the share of the time in which its CPUs were not idle
	Stolen  float64 `json:"stolen"`  // and in which the hypervisor took them
	Running int     `json:"running"` // processes that ran or waited for a CPU, in the median of the looks
}

// spell is what the looks at the machine tell since a step's first sample began.
type spell struct {
	rate        int
	first, last *record.Machine
	running     []int
}

// look takes a look.
func (s *spell) look(m *record.Machine) {
	if s.first == nil {
		s.first = m
	}
	s.last, s.running = m, append(s.running, m.Running)
}

// strain ends a step of a load, or the load, and tells of it where there were two looks.
func (b *beside) strain() {
	s := b.spell
	if b.spell = nil; s == nil || len(s.running) < 2 || b.load == "" {
		return
	}
	busy, stolen := s.last.Since(s.first)
	slices.Sort(s.running)
	b.machine = append(b.machine, Machine{Load: b.load, Rate: s.rate, Round: b.round, Busy: busy, Stolen: stolen, Running: s.running[(len(s.running)-1)/2]})
}
