package gate

import (
	"fmt"
	"slices"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/report"
)

// Scenario is whether a style handled a scenario correctly, on both sides.
type Scenario struct {
	Style, Scenario string
	Base, Head      Tally
	Verdict         Verdict
	Why             string
	Failure         *Failure // the first one at head
}

// Name is the scenario's name.
func (s *Scenario) Name() string { return s.Style + " " + s.Scenario }

// Tally counts samples, those that warm up included: correctness counts from
// the first.
type Tally struct {
	Passed, Failed int
	Unjudged       int // interrupted, or not watched without a gap
}

// Failure is a sample that was not handled correctly.
type Failure struct {
	Round           int
	Warmup          bool
	Oracle, Message string
}

// compareScenarios lists the scenarios that both sides drove a style through.
func compareScenarios(base, head Side) []Scenario {
	var list []Scenario
	for _, was := range tallies(base) {
		for _, is := range tallies(head) {
			if was.Style != is.Style || was.Scenario != is.Scenario || was.Style == report.Floor {
				continue
			}
			s := Scenario{Style: was.Style, Scenario: was.Scenario, Base: was.Head, Head: is.Head, Failure: is.Failure}
			s.decide()
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b Scenario) int { return rank(a.Verdict) - rank(b.Verdict) })
	return list
}

// tallies counts one side, as Head.
func tallies(side Side) []*Scenario {
	var list []*Scenario
	for _, result := range side.Recording.Judgement.Results {
		if result.Variant != side.Variant || result.Matrix {
			continue
		}
		i := slices.IndexFunc(list, func(s *Scenario) bool { return s.Style == result.Style && s.Scenario == result.Scenario })
		if i < 0 {
			i, list = len(list), append(list, &Scenario{Style: result.Style, Scenario: result.Scenario})
		}
		s := list[i]
		switch result.Outcome() {
		case judge.Pass:
			s.Head.Passed++
		case judge.Fail:
			s.Head.Failed++
			if s.Failure == nil {
				s.Failure = failure(result)
			}
		case judge.Invalid:
			s.Head.Unjudged++
		case judge.Late: // not handled, although no oracle says why
			s.Head.Failed++
			if s.Failure == nil {
				s.Failure = &Failure{Round: result.Round, Warmup: result.Warmup, Message: "not done in time: " + result.Reason}
			}
		default:
		}
	}
	return list
}

func failure(result judge.Result) *Failure {
	for _, v := range result.Verdicts {
		if v.Outcome == judge.Fail {
			return &Failure{Round: result.Round, Warmup: result.Warmup, Oracle: v.Oracle, Message: v.Message}
		}
	}
	return nil
}

// decide: what always passed and does not any more is broken, after however
// many rounds. What already failed now and then at base proves nothing.
func (s *Scenario) decide() {
	base, head := s.Base, s.Head
	s.Verdict = Pass
	switch {
	case base.Passed+base.Failed == 0 || head.Passed+head.Failed == 0:
		s.Verdict, s.Why = Inconclusive, "no sample of one side could be judged"
	case base.Failed == 0 && head.Failed > 0:
		s.Verdict = Regression
	case base.Passed == 0 && head.Failed == 0:
		s.Verdict = Improvement
	case base.Passed == 0 && head.Passed == 0:
		s.Why = "it fails on both sides"
	case base.Failed > 0 && head.Failed > 0:
		s.Verdict, s.Why = Inconclusive, fmt.Sprintf("it failed at base too, in %d of %d: it is flaky, and a failure at head proves nothing",
			base.Failed, base.Failed+base.Passed)
	case base.Failed > 0:
		s.Why = fmt.Sprintf("flaky at base, where %d of %d failed", base.Failed, base.Failed+base.Passed)
	}
}
