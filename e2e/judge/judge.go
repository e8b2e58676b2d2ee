// Package judge turns a recording into latencies and verdicts. It is a pure function of recorded entries: it needs no
// cluster and never asks one. The oracles, one file each, are functions of a sample's timeline.
package judge

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

// Result is what is known of one sample once it is judged.
type Result struct {
	Style, Variant, Scenario string
	Group                    string // of the scenario; empty where the recording does not say
	Round                    int    // from 1
	Warmup                   bool
	Matrix                   bool   // of the correctness matrix
	Rate                     int    `json:",omitempty"` // of the ramp's step, changes a second; 0: it is of none
	Stage                    string `json:",omitempty"` // of a growth, and how many custom resources were there by then; empty: it is of none
	Held                     int    `json:",omitempty"`
	Namespace                string

	Began, Ended time.Duration // on the recording's clock
	// End is the driver's outcome (record.Settled and so on), with its reason;
	// record.Interrupted where the recording stops in the sample.
	End, Reason string
	// Unready: the steps never began, since the state that the scenario is given was not reached.
	Unready bool `json:",omitempty"`

	Verdicts []Verdict // in the order in which the scenario names them
	// Samples are in the order of the phases. The correctness matrix has none:
	// other samples were driven at the same time.
	Samples []Sample
	// Recovery is how the sample came back from what was broken; nil: nothing was, no oracle asks for it, or it is not
	// known, because the sample was interrupted, or ended before the last fault did.
	Recovery *Recovery

	// Service is how the managed system answered; nil: no oracle asks for it, or it was not asked.
	Service *Service `json:",omitempty"`

	where   timeline.Scope
	outages []timeline.Outage
	phases  []timeline.Phase
	facts   facts
}

// Outcome sums up the verdicts: the worst counts, and what is not applicable does not, unless nothing else is there. A
// sample that ended because its time was over never passes: it is late, unless an oracle failed. (What scenarios await
// in vain, a message that names the cause, is judged by diagnosable: it fails then.)
func (r Result) Outcome() spec.Outcome {
	worst := spec.NotApplicable
	for _, v := range r.Verdicts {
		switch {
		case v.Outcome == spec.Fail:
			return spec.Fail
		case v.Outcome == spec.Invalid:
			worst = spec.Invalid
		case v.Outcome == spec.Pass && worst == spec.NotApplicable:
			worst = spec.Pass
		}
	}
	if r.End == record.TimedOut && worst != spec.Invalid {
		return spec.Late
	}
	return worst
}

// One judges one sample.
func One(t *timeline.Timeline) Result {
	t.Excuse()
	t.Curtail()
	t.Settle()
	r := Result{
		Style: t.Style.Name, Variant: t.Sample.Variant, Scenario: t.Sample.Scenario, Group: t.Group, Round: t.Sample.Round,
		Warmup: t.Sample.Warmup, Matrix: t.Sample.Matrix, Rate: t.Sample.Rate, Stage: t.Sample.Stage, Held: t.Sample.Held, Namespace: t.Sample.Place(), Began: t.Began, Ended: t.EndedAt,
		End: record.Interrupted, Reason: "the recording stops here",
		where: t.Scope, outages: t.Outages(), phases: t.Phases, facts: facts{slowest: slowestReaction(t)},
	}
	if t.End != nil {
		r.End, r.Reason, r.Unready = t.End.Outcome, t.End.Reason, t.End.Outcome != record.Settled && !t.Begun()
	}
	r.Verdicts = verdicts(t)
	r.Recovery = recoveryOf(t)
	if slices.Contains(t.Sample.Expect, spec.OracleServes) {
		r.Service, _ = serviceOf(t)
	}
	if !t.Matrix {
		r.Samples = latencies(t, r.Verdicts)
	}
	return r
}

// Judgement is a whole recording, judged.
type Judgement struct {
	Header  record.Header
	Results []Result // in the order in which the samples ended
	// Warnings are what a reader of the results must know: a recording that is
	// cut off, a given state that was not reached.
	Warnings []string

	given map[string]reaction // of given states, by namespace
}

// Finished is the judgement without the samples that were interrupted: the end of a
// run before all was driven is nothing that a style did.
func (j *Judgement) Finished() *Judgement {
	finished := *j
	finished.Results = slices.DeleteFunc(slices.Clone(j.Results), func(r Result) bool { return r.End == record.Interrupted })
	return &finished
}

// Samples returns the samples of all results, in their order.
func (j *Judgement) Samples() iter.Seq[Sample] {
	return func(yield func(Sample) bool) {
		for i := range j.Results {
			for _, s := range j.Results[i].Samples {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// Judge judges a recording as it is read; it keeps no more of it than the samples that are open. A recording that is
// cut off is judged as far as it goes, with a warning. Any other error means that it cannot be judged.
//
// Every observer is called with every entry that is judged, in order, in the caller's goroutine: what else is to be
// known of a recording (its cost, say) needs no second reading of it. An observer must not keep an entry's raw JSON.
func Judge(entries iter.Seq2[record.Entry, error], observers ...func(record.Entry)) (*Judgement, error) {
	parsed := func(yield func(record.Line, error) bool) {
		for e, err := range entries {
			if !yield(record.Line{Entry: e}, err) {
				return
			}
		}
	}
	return judgeAll("", parsed, observers)
}

// File is Judge for a recording in a file. It parses lines on all processors, which makes it the faster way.
func File(name string, observers ...func(record.Entry)) (*Judgement, error) {
	return judgeAll(name+": ", record.ReadLines(name), observers)
}

// judgeAll judges the lines of a file, or of nobody knows what (""): these are the caller's, those of a file are given
// up once they are judged. Errors of reading name the file already.
func judgeAll(file string, entries iter.Seq2[record.Line, error], observers []func(record.Entry)) (*Judgement, error) {
	g := NewJudging()
	line := 0
	for r, err := range timeline.Read(entries) {
		if errors.Is(err, record.ErrTruncated) {
			g.soFar.Warnings = append(g.soFar.Warnings, fmt.Sprintf("%v; all before it is judged", err))
			break
		}
		if err != nil {
			return nil, err
		}
		for _, observe := range observers {
			observe(r.Entry)
		}
		closed, err := g.splitter.Take(r)
		if line++; err != nil {
			return nil, fmt.Errorf("%sline %d: %w", file, line, err)
		}
		if file != "" && r.Watch != nil {
			r.Watch.Object = nil // timelines share it, and need what was read of it alone
		}
		if _, err := g.follow(r.Entry, closed); err != nil {
			return nil, fmt.Errorf("%sline %d: %w", file, line, err)
		}
	}
	if err := g.End(); err != nil {
		return nil, fmt.Errorf("%sline %d: %w", file, line, err)
	}
	j := g.soFar
	j.conclude()
	return &j, nil
}

// Judging judges a recording entry by entry, each sample once: when it ends. It is not safe for concurrent use.
type Judging struct {
	splitter *timeline.Splitter
	soFar    Judgement
}

// NewJudging expects a recording's header first.
func NewJudging() *Judging {
	return &Judging{splitter: timeline.NewSplitter(), soFar: Judgement{given: map[string]reaction{}}}
}

// Add takes the next entry. It returns what the sample that the entry ends was judged to; nil: it ends none that is
// judged. An error means that this is not the recording of a run, and that there is nothing to be judged any further.
func (g *Judging) Add(e record.Entry) (*Result, error) {
	closed, err := g.splitter.Add(e)
	if err != nil {
		return nil, err
	}
	return g.follow(e, closed)
}

// End judges the samples whose end never came. No entry is to follow.
func (g *Judging) End() error {
	for _, t := range g.splitter.Rest() {
		g.soFar.take(t)
	}
	return g.splitter.Overspent()
}

// SoFar is the judgement of all samples that have ended. It stays as it is, whatever follows.
func (g *Judging) SoFar() *Judgement {
	j := g.soFar
	j.Results, j.Warnings = slices.Clone(j.Results), slices.Clone(j.Warnings)
	j.conclude()
	return &j
}

// follow takes up an entry that the splitter has taken, and the sample that it has ended.
func (g *Judging) follow(e record.Entry, closed *timeline.Timeline) (ended *Result, err error) {
	j, s := &g.soFar, g.splitter
	switch {
	case e.Kind == record.KindHeader:
		j.Header = *e.Header
	case e.Kind == record.KindGap:
		s.Spend(j.missed(e))
	case e.Kind == record.KindHeld:
		s.Spend(len(j.Results))
		j.held(e.Held)
	case e.Kind == record.KindLogs:
		s.Spend(len(j.Results))
		for i := range j.Results {
			if r := &j.Results[i]; r.Style == e.Logs.Style && r.Variant == e.Logs.Variant && r.Round == e.Logs.Round {
				r.facts.logs = append(r.facts.logs, e.Logs)
			}
		}
	case closed != nil:
		ended = j.take(closed)
		closed.Events = nil // the Splitter may know of it for longer
	}
	if err := s.Overspent(); err != nil {
		return nil, err
	}
	if len(j.Results) > timeline.MostResults {
		return nil, fmt.Errorf("more than %d samples: this is no recording of a run", timeline.MostResults)
	}
	return ended, nil
}

// take judges a sample, or checks that the given state that it was to bring about is there; then it returns nil.
func (j *Judgement) take(t *timeline.Timeline) *Result {
	if !t.Sample.Prepare {
		r := One(t)
		r.facts.slowest = r.facts.slowest.slower(j.given[r.Namespace])
		j.Results = append(j.Results, r)
		return &r
	}
	if given := slowestReaction(t); given.took > 0 {
		j.given[t.Sample.Namespace] = given
	}
	if t.End == nil || t.End.Outcome != record.Settled {
		reason := t.Missing()
		if t.End != nil && t.End.Reason != "" {
			reason = t.End.Reason
		}
		j.Warnings = append(j.Warnings, fmt.Sprintf("the given state of %s %s, round %d, was not reached: %s",
			t.Sample.Style, t.Sample.Scenario, t.Sample.Round, reason))
	}
	return nil
}

// missed takes note of a gap that reaches back into samples already judged: a watch can break in one sample and be back
// only in the next. It returns how many texts and objects there are to look at for that.
func (j *Judgement) missed(e record.Entry) (steps int) {
	for i := len(j.Results) - 1; i >= 0 && j.Results[i].Ended > e.Gap.From; i-- {
		steps++
		if r := &j.Results[i]; r.where.Misses(e.Gap) {
			r.facts.gaps = append(r.facts.gaps, gap{&e, timeline.Explained(r.outages, &e)})
			for _, v := range r.Verdicts {
				steps += len(oracles) + len(v.Message) + len(r.facts.gaps)
			}
			steps += len(r.Samples) * len(r.phases)
		}
	}
	return steps
}
