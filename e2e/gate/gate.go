// Package gate says of a change whether it made an operator slower or broke it,
// from recordings of both sides. It is pure: recordings in, verdicts out.
//
// A latency is a regression only if the 95% interval of the ratio of the
// medians, head over base, lies above 1 + Tolerance and the p-value, corrected
// by Holm over all gated latencies of the comparison, is below Alpha. It passes
// only if the interval lies below 1 + Effect: what could hide a slowdown that
// the gate must see is inconclusive, never a pass.
//
// Holm's correction, and not a weaker one, because the promise is about the gate
// as a whole: of changes that change nothing, at most Alpha ÷ 2 may be called
// slower anywhere, and that has to hold although the latencies of one sample
// depend on each other. (A false discovery rate would allow more wrong lines
// the more right ones there are; Hochberg's step-up gains little and does not
// hold under every dependence.) What is reported but not gated is not in the
// family, so that further phases cost no power. Alpha is 0.02 and not 0.05 so
// that the half of it that is on the slow side is 1%, on machines of any noise.
package gate

import (
	"fmt"

	"operatorbench/e2e/report"
	"operatorbench/e2e/stat"
)

// Verdict is what is said of one thing, and of all.
type Verdict string

// The verdicts.
const (
	Pass         Verdict = "pass"
	Regression   Verdict = "regression"
	Inconclusive Verdict = "inconclusive"
	Improvement  Verdict = "improvement"
)

// Status is the exit status that belongs to a verdict. That of a comparison
// that cannot be made is StatusInvalid.
func (v Verdict) Status() int {
	switch v {
	case Regression:
		return 1
	case Inconclusive:
		return 2
	case Pass, Improvement:
	}
	return 0
}

// StatusInvalid is the exit status where there is nothing to judge.
const StatusInvalid = 3

// Options are the gate's parameters.
type Options struct {
	Tolerance float64 // a ratio of up to 1 + Tolerance is no change
	Effect    float64 // a slowdown to 1 + Effect must not pass
	Alpha     float64 // bound of the corrected two-sided p-value
	Seed      uint64  // of the bootstrap
	// Planned is how many rounds of each style the budget gives, fixed before the
	// first look at what they show. Where a style has none, Compare takes it from
	// the recording's environment.json, and if there is none either, the rounds
	// are judged once, all together.
	Planned map[string]int
	Force   bool // compare what should not be compared, and mark it
}

// DefaultOptions are those that `make gate-selftest` measures.
func DefaultOptions() Options {
	return Options{Tolerance: 0.05, Effect: 0.2, Alpha: 0.02, Seed: 1}
}

// Check explains every parameter that makes no sense.
func (o Options) Check() error {
	switch {
	case !(o.Tolerance >= 0 && o.Tolerance < 10):
		return fmt.Errorf("the tolerance is %v: expected a share such as 5%%", o.Tolerance)
	case !(o.Effect > o.Tolerance && o.Effect < 100):
		return fmt.Errorf("the effect that must be seen is %v: expected more than the tolerance of %v, such as 20%%", o.Effect, o.Tolerance)
	case !(o.Alpha > 0 && o.Alpha < 1):
		return fmt.Errorf("alpha is %v: expected a probability such as 0.02", o.Alpha)
	}
	return nil
}

// Result is a comparison and its verdict.
type Result struct {
	Options
	Base, Head, Again Side // Again is empty where there is no second base
	// Paired tells that base and head took turns in the rounds of one run.
	Paired bool
	// Rounds is the largest number of rounds that any metric has.
	Rounds int

	Verdict   Verdict
	Scenarios []Scenario // correctness
	Metrics   []Metric   // latencies: the gated ones first; worst first
	Counters  []Counter  // worst first

	// Warnings are what a reader must know, those first that would have made
	// the comparison invalid, had it not been forced.
	Forced, Warnings []string
	Facts            []string // how the sides differ
}

// Side is one side of a comparison.
type Side struct {
	Name      string // as a reader knows it: the folder, or the variant
	Recording report.Recording
	Variant   string // what belongs to it are the recording's styles of this variant
}

func (s Side) there() bool { return s.Recording.Judgement != nil }

// InvalidError is why a comparison was not made.
type InvalidError struct{ Reasons []string }

func (e *InvalidError) Error() string {
	text := "the comparison is not valid: " + e.Reasons[0]
	for _, further := range e.Reasons[1:] {
		text += "; " + further
	}
	return text
}

// Compare judges head against base. The error is an *InvalidError where the
// recordings do not compare.
func Compare(o Options, base, head, again Side) (*Result, error) {
	r := &Result{Options: o, Base: base, Head: head, Again: again}
	r.Paired = base.Recording.Judgement == head.Recording.Judgement
	if err := r.validate(); err != nil {
		return nil, err
	}
	r.Scenarios = compareScenarios(base, head)
	r.compareLatencies()
	r.Counters = compareCounters(base, head)
	r.Facts = facts(base, head)
	r.conclude()
	return r, nil
}

// conclude sums up: what is worse decides, then what cannot be told.
func (r *Result) conclude() {
	count := map[Verdict]int{}
	for _, s := range r.Scenarios {
		count[s.Verdict]++
	}
	for _, m := range r.Metrics {
		r.Rounds = max(r.Rounds, m.Ratio.Rounds)
		if m.Gated {
			count[m.Verdict]++
		}
	}
	for _, c := range r.Counters {
		if c.Gated {
			count[c.Verdict]++
		}
	}
	r.Verdict = Pass
	for _, v := range []Verdict{Improvement, Inconclusive, Regression} {
		if count[v] > 0 {
			r.Verdict = v
		}
	}
}

func (o Options) aim(metrics int) stat.Aim {
	return stat.Aim{Tolerance: o.Tolerance, Effect: o.Effect, Alpha: o.Alpha, Metrics: metrics}
}

// The design that `make gate-selftest` measures: how often base and head take
// turns, and how often each goes through the scenarios in its turn. A slow style
// scatters little, so that it needs fewer rounds and no passes.
const (
	DefaultRounds     = 12
	DefaultPasses     = 10
	DefaultSlowRounds = 7
)
