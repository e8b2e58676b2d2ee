package spec

import "time"

// Ramp asks how many changes a second are held: the rate doubles until one is not, then the gap is halved.
type Ramp struct {
	From int `yaml:"from" json:"from"` // changes a second of the first step
	Most int `yaml:"most" json:"most"` // and of the last, where all are held
	// Hold is for how long changes are due in a step, and P99 what 99 of 100 of them may
	// take until they are written; nanoseconds in a recording.
	Hold time.Duration `yaml:"hold" json:"hold"`
	P99  time.Duration `yaml:"p99" json:"p99"`
}

// Changes is how many are due in a step of a rate.
func (r Ramp) Changes(rate int) int { return max(int(float64(rate)*r.Hold.Seconds()), 1) }

// Tried is a step that is over.
type Tried struct {
	Rate int
	Held bool
}

// fine is the share of the rate held, as its inverse, that the next one above is known to.
const fine = 4

// Next is the rate of the step after those that were tried; 0: the answer is known.
func (r Ramp) Next(tried []Tried) int {
	held, failed := 0, 0
	for _, step := range tried {
		switch {
		case step.Held:
			held = max(held, step.Rate)
		case failed == 0 || step.Rate < failed:
			failed = step.Rate
		}
	}
	switch {
	case len(tried) == 0:
		return r.From
	case failed == 0 && held < r.Most:
		return min(2*held, r.Most)
	case failed-held > max(held/fine, 1):
		return held + (failed-held)/2
	}
	return 0
}

// Steps is how many there are at most, where the first rate is held.
func (r Ramp) Steps() int {
	n := 1 + fine/2 // twice halved, a gap as wide as the rate held is a quarter of it
	for rate := r.From; rate < r.Most; rate *= 2 {
		n++
	}
	return n
}
