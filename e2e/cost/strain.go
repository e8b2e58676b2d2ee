package cost

import (
	"time"

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
	Waited   *Waited `json:"waited,omitempty"`   // nil: the style's metrics do not say
}

// Waited is for how long a style's client held its requests back by a limit of its own, all of them together, while a
// load, or a step of a ramp, was under way.
type Waited struct {
	Seconds float64 `json:"seconds"`
	Within  float64 `json:"within"` // seconds from the first sample's beginning until the last one's end
}

// AtOnce is how many requests were held back at a time, on average: what all waited, by the time in which they did (J. D.
// C. Little, "A Proof for the Queuing Formula: L = λW", Operations Research 9, 1961).
func (w *Waited) AtOnce() float64 { return w.Seconds / max(w.Within, 1e-9) }

// spell is what the looks tell since a step's first sample began.
type spell struct {
	rate        int
	began       time.Duration
	waited      float64 // by then, as it was last asked; asked: it was
	asked       bool
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

// begins begins a step of a load, or the load.
func (b *beside) begins(at time.Duration, rate int) {
	b.spell, b.over = &spell{rate: rate, began: at}, nil
	b.spell.waited, b.spell.asked = b.inner.waited()
}

// over is a step that is over, but for what the style's metrics say of it, which are asked behind its last sample.
type over struct {
	*spell

	strain int // of the style's
	ended  time.Duration
}

// asked takes what the client has waited by now.
func (b *beside) asked() {
	o := b.over
	now, known := b.inner.waited()
	if o == nil || !o.spell.asked || !known || b.inner.looked < o.ended {
		return
	}
	b.strains[o.strain].Waited = &Waited{Seconds: now - o.waited, Within: (o.ended - o.began).Seconds()}
	b.over = nil
}

// strain ends a step of a load, or the load, and tells of it where there were two looks.
func (b *beside) strain(at time.Duration) {
	s := b.spell
	if b.spell = nil; s == nil || len(s.running) < 2 || b.load == "" {
		return
	}
	one := Strain{Load: b.load, Rate: s.rate, Round: b.round, Waiting: s.waiting}
	one.Busy, one.Stolen = s.last.Machine.Since(s.first.Machine)
	one.Running = middle(s.running)
	if s.first.Fairness != nil && s.last.Fairness != nil {
		one.Rejected = s.last.Fairness.Rejected - s.first.Fairness.Rejected
	}
	b.over = &over{spell: s, strain: len(b.strains), ended: at}
	b.strains = append(b.strains, one)
}
