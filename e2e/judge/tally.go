package judge

import "operatorbench/e2e/spec"

// Tally counts samples by their outcomes.
type Tally struct{ Passed, Failed, Late, Invalid, NotApplicable int }

// Add counts one more.
func (t *Tally) Add(o spec.Outcome) {
	switch o {
	case spec.Pass:
		t.Passed++
	case spec.Late:
		t.Late++
	case spec.Invalid:
		t.Invalid++
	case spec.NotApplicable:
		t.NotApplicable++
	default:
		t.Failed++
	}
}

// Join adds what another one counted.
func (t *Tally) Join(other Tally) {
	t.Passed += other.Passed
	t.Failed += other.Failed
	t.Late += other.Late
	t.Invalid += other.Invalid
	t.NotApplicable += other.NotApplicable
}

// All is how many were counted.
func (t Tally) All() int { return t.Passed + t.Failed + t.Late + t.Invalid + t.NotApplicable }

// Verdict sums them up: Flaky where some passed and some failed; else the worst
// counts, and what is not applicable does not, unless nothing else is there.
func (t Tally) Verdict() spec.Outcome {
	switch {
	case t.Failed > 0 && t.Passed > 0:
		return spec.Flaky
	case t.Failed > 0:
		return spec.Fail
	case t.Late > 0:
		return spec.Late
	case t.Invalid > 0:
		return spec.Invalid
	case t.Passed > 0:
		return spec.Pass
	}
	return spec.NotApplicable
}
