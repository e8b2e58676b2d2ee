// Package gate says of a change whether it made an operator slower or broke it,
// from recordings of both sides. It is pure: recordings in, verdicts out.
//
// All that a style has is gated: every phase of every scenario by its middle and
// its tail, loads, installing, memory, CPU time, exact counters, and correctness.
//
// The replicate is a round, in which base, base again and head took turns in random order. Were head nothing but base,
// its label could as well be at any of the three turns: each p-value is the exact share of such deals in which head
// looks as bad as it does, or worse (stat.PermutationAbove). It needs no shape of the noise, base against itself is in
// it, and drift from round to round is not.
//
// The p-values of a style are corrected by Holm's procedure, weighted: groups of
// metrics have a part of the error probability each, and hand on what they do not
// need (stat.WeightedHolm). That holds however the metrics depend on each other.
//
// It may be looked at while it is being driven: the error probabilities are spent
// over a few looks, most at the last (stat.Spent, stat.Looks).
package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/result"
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
// that cannot be made is StatusInvalid. None is 2, with which Go ends a panic.
func (v Verdict) Status() int {
	switch v {
	case Regression:
		return 1
	case Inconclusive:
		return 10
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
	Alpha     float64 // twice the probability with which unchanged code is called worse anywhere
	Force     bool    // compare what should not be compared, and mark it
	// Planned is how many rounds of each style the budget gives, fixed before the first look at what they show. Where a
	// style has none, Compare takes it from the recording's environment.json, and if there is none either, the rounds
	// are judged once, all together.
	Planned map[string]int
}

// DefaultOptions are those that `make gate-selftest` measures.
func DefaultOptions() Options {
	return Options{Tolerance: 0.05, Effect: 0.2, Alpha: 0.02}
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
	Lacks     []Lack     // what base had and head has not
	Rights    []Lack     // what head may do and base may not
	Scenarios []Scenario // correctness, worst first
	Metrics   []Metric   // worst first

	// Warnings are what a reader must know, those first that would have made
	// the comparison invalid, had it not been forced.
	Forced, Warnings []string
	Facts            []string // how the sides differ, and what was driven
	Reasons          []string // what the recording says of why head is slower
	round            float64  // seconds that one takes; 0: not known
	head             *values
}

// Side is one side of a comparison.
type Side struct {
	Name      string // as a reader knows it: the folder, or the variant
	Recording result.Recording
	Variant   string // what belongs to it are the recording's styles of this variant
}

func (s Side) there() bool { return s.Recording.Judgement != nil }

// InvalidError is why a comparison was not made.
type InvalidError struct{ Reasons []string }

func (e *InvalidError) Error() string {
	return "the comparison is not valid: " + strings.Join(e.Reasons, "; ")
}

// Compare judges head against base. The error is an *InvalidError where the recordings do not compare.
func Compare(o Options, base, head, again Side) (*Result, error) {
	r, err := decide(o, base, head, again, false)
	if err != nil {
		return nil, err
	}
	r.describe()
	return r, nil
}

// decide is Compare without what is only for people. While it is being driven,
// only the planned looks count; afterwards the last round is one, too.
func decide(o Options, base, head, again Side, driving bool) (*Result, error) {
	r := &Result{Options: o, Base: base, Head: head, Again: again}
	r.Paired = base.Recording.Judgement == head.Recording.Judgement
	if r.Planned == nil && head.Recording.Environment != nil {
		r.Planned = head.Recording.Environment.Planned
	}
	if err := r.validate(); err != nil {
		return nil, err
	}
	r.compareScenarios()
	r.compareMetrics(driving)
	r.compareLacks()
	r.compareRights()
	r.conclude()
	return r, nil
}

// conclude sums up: what is worse decides, then what cannot be told.
func (r *Result) conclude() {
	for _, m := range r.Metrics {
		r.Rounds = max(r.Rounds, m.Rounds)
	}
	r.Verdict = Pass
	for _, one := range r.judged() {
		if rank(one.Verdict) < rank(r.Verdict) {
			r.Verdict = one.Verdict
		}
	}
}

// judged is one thing of which there is a verdict.
type judged struct {
	Verdict
	style, name string // no style: it is lacking, or a right
	worse       string // what a regression of it is called
	metric      *Metric
	brief       bool // it needs no row while it is fine
	row         func() row
}

// judged are all things that the verdict depends on.
func (r *Result) judged() []judged {
	var all []judged
	lacks := func(worse string, list []Lack) {
		for _, l := range list {
			all = append(all, judged{Verdict: l.Verdict, name: l.What, worse: worse, row: func() row {
				return row{verdict: l.Verdict, word: l.word(worse), name: l.What, why: l.Why}
			}})
		}
	}
	lacks(missing, r.Lacks)
	lacks(mayMore, r.Rights)
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		all = append(all, judged{Verdict: s.Verdict, style: s.Style, name: s.Name(), worse: broken, brief: s.Why == "", row: s.row})
	}
	for i := range r.Metrics {
		m, worse := &r.Metrics[i], slower
		if !m.late() {
			worse = costlier
		}
		all = append(all, judged{
			Verdict: m.Verdict, style: m.Style, name: m.Name(), worse: worse, metric: m, brief: m.brief(), row: func() row { return m.row(r.round) },
		})
	}
	return all
}

// describe fills in what people want to know beside the verdicts.
func (r *Result) describe() {
	if c := r.comparison(); c != nil && r.Rounds > 0 {
		r.round = c.Driven / float64(r.Rounds) // without the correctness matrix, which comes on top of a budget
	}
	for i := range r.Metrics {
		r.Metrics[i].describe(r)
	}
	slices.SortStableFunc(r.Metrics, func(a, b Metric) int { return a.order(&b) })
	for i := range r.Metrics {
		if m := &r.Metrics[i]; m.Verdict == Regression && m.phase() && !m.inner() {
			m.First = r.first(m)
		}
	}
	r.Facts = append(facts(r.Base, r.Head), r.covered()...)
	r.Reasons = r.throttled()
}

// The design that `make gate-selftest` measures. DefaultSlowRounds are those from which
// on all that is gated can be told; with DefaultRounds there is a look before the last
// one. MostRounds and DefaultPasses are the most that a budget is spent on.
const (
	DefaultSlowRounds = 9
	DefaultRounds     = 12
	MostRounds        = 36
	DefaultPasses     = 10
)

// LeastLoads is how many rounds of a load it takes to tell that it is slower: each has one
// value, when the last custom resource was done.
const LeastLoads = 8

// blocksApart is how far blocks of a quick style differ, beyond what the passes of each
// scatter, as a share of how far passes do: the median over latencies of recordings.
const blocksApart = 0.6

// Passes is how often each block goes through the scenarios, where it takes fixed and so many times pass, and all
// blocks of one side together may take as long as all: with so many rounds, as often as there is time for. Without (0),
// as often as leaves a mean over blocks the least variance for the time: √(fixed ÷ pass) ÷ blocksApart times (W.
// Cochran, "Sampling Techniques", 3rd edition, 1977, section 10.6); more where MostRounds leave time, and fewer where
// there is none for DefaultRounds.
func Passes(all, fixed, pass time.Duration, rounds int) int {
	fit := func(rounds int) int {
		return int(min(max((all/time.Duration(rounds)-fixed)/max(pass, 1), 1), DefaultPasses))
	}
	switch {
	case pass <= 0:
		return 1
	case rounds > 0:
		return fit(rounds)
	}
	best := int(math.Round(math.Sqrt(float64(fixed)/float64(pass)) / blocksApart))
	return max(min(best, fit(DefaultRounds)), fit(MostRounds))
}
