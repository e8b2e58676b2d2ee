package gate

import (
	"fmt"
	"slices"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// Scenario is whether a style handled a scenario correctly, on both sides. Base
// once more is base.
type Scenario struct {
	Style    string   `json:"style"`
	Scenario string   `json:"scenario"`
	Verdict  Verdict  `json:"verdict"`
	Base     Tally    `json:"base"`
	Head     Tally    `json:"head"`
	P        float64  `json:"p"` // Fisher's exact probability of so many failures at head by chance
	Why      string   `json:"-"`
	Failure  *Failure `json:"-"` // the first one at head

	rounds int // of head, those in which it only warmed up included
}

// Name is the scenario's name.
func (s *Scenario) Name() string { return s.Style + " " + s.Scenario }

// Tally is what a cell's samples come to, those that warm up included: correctness
// counts from the first.
type Tally struct {
	Passed   int `json:"passed"`
	Failed   int `json:"failed"`             // and what was not done in time
	Unjudged int `json:"unjudged,omitempty"` // interrupted, or not watched without a gap
}

func tallyOf(c *result.Cell) Tally { return Tally{c.Passed, c.Failed + c.Late, c.Invalid} }

func (t Tally) judged() int { return t.Passed + t.Failed }

func (t Tally) share() float64 { return float64(t.Failed) / float64(max(t.judged(), 1)) }

// Failure is a sample that was not handled correctly.
type Failure struct {
	Round           int
	Warmup          bool
	Oracle, Message string
}

// compareScenarios lists the scenarios that both sides drove a style through.
func (r *Result) compareScenarios() {
	head := handled(r.Head)
	for _, was := range handled(r.Base, r.Again) {
		for _, is := range head {
			if was.Style != is.Style || was.Scenario != is.Scenario {
				continue
			}
			one := Scenario{Style: was.Style.Name, Scenario: was.Scenario, Base: tallyOf(was), Head: tallyOf(is), Failure: failureOf(is), rounds: roundsOf(is)}
			if (one.Base != Tally{} || one.Head != Tally{}) { // else no oracle applies
				r.Scenarios = append(r.Scenarios, one)
			}
		}
	}
	for i := range r.Scenarios {
		s, n := &r.Scenarios[i], float64(len(r.Scenarios))
		rounds := float64(s.rounds) // it is looked at after each: Σ 1 ÷ k(k+1) = 1
		s.decide(r.Alpha / 2 / n / (rounds * (rounds + 1)))
	}
	slices.SortStableFunc(r.Scenarios, func(a, b Scenario) int { return rank(a.Verdict) - rank(b.Verdict) })
}

// handled is how styles handled scenarios on some sides, which count together.
func handled(sides ...Side) []*result.Cell {
	var cells result.Cells
	for _, side := range sides {
		for one := range side.compared() {
			sample := *one
			sample.Variant = ""
			cells.Add(side.Recording.Judgement.Header.Run, sample)
		}
	}
	return cells.Sum()
}

// roundsOf is in how many rounds a cell was driven.
func roundsOf(c *result.Cell) int {
	rounds := map[int]bool{}
	for _, sample := range c.Results {
		rounds[sample.Round] = true
	}
	return len(rounds)
}

// failureOf is what the first oracle said that failed, in the first sample in which one
// did or that was late; of what is late none did. Nil: there is no such sample.
func failureOf(c *result.Cell) *Failure {
	for _, sample := range c.Results {
		if outcome := sample.Outcome(); outcome != spec.Fail && outcome != spec.Late {
			continue
		}
		f := &Failure{Round: sample.Round, Warmup: sample.Warmup, Message: "not done in time: " + sample.Reason}
		if i := slices.IndexFunc(sample.Verdicts, func(v judge.Verdict) bool { return v.Outcome == spec.Fail }); i >= 0 {
			f.Oracle, f.Message = sample.Verdicts[i].Oracle, sample.Verdicts[i].Message
		}
		return f
	}
	return nil
}

// decide: what never failed at base and does at head is broken, after however
// many rounds. Where base fails now and then, head must fail more often than
// chance explains.
func (s *Scenario) decide(alpha float64) {
	base, head := s.Base, s.Head
	s.Verdict, s.P = Pass, stat.Fisher(base.Failed, base.judged(), head.Failed, head.judged())
	mended := stat.Fisher(base.Passed, base.judged(), head.Passed, head.judged())
	switch {
	case base.judged() == 0 || head.judged() == 0:
		s.Verdict, s.Why = Inconclusive, "no sample of one side could be judged"
	case base.Failed == 0 && head.Failed > 0:
		s.Verdict = Regression
	case s.P <= alpha:
		s.Verdict, s.Why = Regression, "it fails at base too, but less often; the difference is significant: p = "+probability(s.P)
	case base.Passed == 0 && head.Failed == 0, mended <= alpha:
		s.Verdict = Improvement
	case base.Passed == 0 && head.Passed == 0:
		s.Why = "it fails on both sides"
	case head.share() > base.share():
		s.Verdict, s.Why = Inconclusive, fmt.Sprintf("it failed at base too, in %d of %d: it is flaky, and so many failures at head can be chance (p = %s)",
			base.Failed, base.judged(), probability(s.P))
	case base.Failed > 0:
		s.Why = fmt.Sprintf("flaky at base, where %d of %d failed", base.Failed, base.judged())
	}
	if moreLost(base.Unjudged, base.judged(), head.Unjudged, head.judged()) && (s.Verdict == Pass || s.Verdict == Improvement) && head.judged() > 0 {
		s.Verdict, s.Why = Inconclusive, fmt.Sprintf("%d of %d samples of head were interrupted or could not be judged, and %d of %d of base",
			head.Unjudged, head.Unjudged+head.judged(), base.Unjudged, base.Unjudged+base.judged())
	}
}
