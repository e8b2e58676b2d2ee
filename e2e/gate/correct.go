package gate

import (
	"fmt"
	"slices"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/restarts"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// Scenario is whether a style handled a scenario correctly, on both sides. Base once more is base.
type Scenario struct {
	Style    string  `json:"style"`
	Scenario string  `json:"scenario"`
	Verdict  Verdict `json:"verdict"`
	Base     Tally   `json:"base"`
	Head     Tally   `json:"head"`
	P        float64 `json:"p"` // Fisher's exact probability of so many failures at head by chance
	// Flaky: base's verdicts.yaml says that it passes or fails from run to run.
	Flaky   bool     `json:"flaky,omitempty"`
	Why     string   `json:"-"`
	Failure *Failure `json:"-"` // the first one at head

	// newly are the oracles that never failed at base, which failed by others, and do at head.
	newly []newly

	rounds int  // of head, those in which it only warmed up included
	matrix bool // it is driven again only where it differs
	load   bool // its samples share a fate: what is counted are rounds
}

// newly is what an oracle said at base and at head.
type newly struct {
	oracle     string
	base, head judge.Tally
}

// newOracles are the oracles that judged at base without a failure, and fail at head.
func newOracles(was, is *result.Cell) []newly {
	var all []newly
	for _, now := range is.Oracles {
		before, there := plain.Find(was.Oracles, func(o result.Oracle) bool { return o.Name == now.Name })
		if now.Failed > 0 && there && before.Failed == 0 && before.Passed > 0 {
			all = append(all, newly{now.Name, before.Tally, now.Tally})
		}
	}
	return all
}

// Name is the scenario's name.
func (s *Scenario) Name() string { return s.Style + " " + s.Scenario }

// Tally is what a cell's samples come to, those that warm up included: correctness counts from the first.
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
			one := Scenario{Style: was.Style.Name, Scenario: was.Scenario, Base: tallyOf(was), Head: tallyOf(is), Failure: failureOf(is), rounds: roundsOf(is), matrix: is.Results[0].Matrix}
			if one.newly = newOracles(was, is); was.Load() {
				one.newly = nil // its samples fail together, and are no repeats
				one.load, one.Base, one.Head = true, r.Base.loads(was).and(r.Again.loads(was)), r.Head.loads(is)
			}
			if facts := r.Base.facts(one.Style); facts != nil {
				one.Flaky = slices.Contains(facts.Flaky, one.Scenario)
			}
			if (one.Base != Tally{} || one.Head != Tally{}) { // else no oracle applies
				r.Scenarios = append(r.Scenarios, one)
			}
		}
	}
	r.compareHealth()
	failing := 0 // of a scenario that never fails nothing is tested
	for i := range r.Scenarios {
		failing += number(r.Scenarios[i].Base.Failed+r.Scenarios[i].Head.Failed > 0)
	}
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		s.decide(s.alpha(r.Alpha / 2 / float64(max(failing, 1))))
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

// loads are the rounds of a side in a load: one has passed if all of its custom resources have.
func (s Side) loads(of *result.Cell) Tally {
	worst := map[int]spec.Outcome{}
	for one := range s.compared() {
		if one.Style != of.Style.Name || one.Scenario != of.Scenario || one.Warmup {
			continue
		}
		switch outcome := one.Outcome(); {
		case outcome == spec.Fail || outcome == spec.Late:
			worst[one.Round] = spec.Fail
		case worst[one.Round] != spec.Fail && (outcome == spec.Invalid || worst[one.Round] == ""):
			worst[one.Round] = outcome
		}
	}
	var t Tally
	for _, outcome := range worst {
		t.Passed, t.Failed, t.Unjudged = t.Passed+number(outcome == spec.Pass), t.Failed+number(outcome == spec.Fail), t.Unjudged+number(outcome == spec.Invalid)
	}
	return t
}

func (t Tally) and(other Tally) Tally {
	return Tally{t.Passed + other.Passed, t.Failed + other.Failed, t.Unjudged + other.Unjudged}
}

// roundsOf is in how many rounds a cell was driven.
func roundsOf(c *result.Cell) int {
	rounds := plain.Set(c.Results, func(sample result.Judged) int { return sample.Round })
	return len(rounds)
}

// failureOf returns what the first failing oracle said in the first sample that failed or was late (where no oracle
// fails); nil if there is no such sample.
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

// Repeats is how often a scenario of the matrix is driven at base and at head where it differs: of six to six, Fisher's
// exact test tells apart what always passes and what fails in five.
const Repeats = 6

// alpha is what a look at the scenario may spend of its error probability. A measured one is looked at after each
// round: Σ 1 ÷ k(k+1) = 1. One of the matrix is when it has been driven as often as it will be.
func (s *Scenario) alpha(all float64) float64 {
	switch rounds := float64(s.rounds); {
	case !s.matrix:
		return all / (rounds * (rounds + 1))
	case s.repeated():
		return all
	}
	return 0
}

// suspect is the p-value up to which what is known to be flaky may have become worse.
const suspect = 0.1

func (s *Scenario) repeated() bool { return min(s.Base.judged(), s.Head.judged()) >= Repeats }

// again reports whether head fails in what base never failed in, where it was driven again:
// a measured scenario is in each round, one of the matrix and a load must have failed each
// time, or more often than chance explains. What is known to be flaky needs the test of all.
func (s *Scenario) again() bool {
	if s.Flaky || s.Base.Failed > 0 || s.Head.Failed == 0 {
		return false
	}
	return s.broken(s.Head.Passed, s.Head.Failed, s.P)
}

// broken reports whether it was driven again, and failed so often that what never failed at base is broken.
func (s *Scenario) broken(passed, failed int, p float64) bool {
	if !s.matrix && !s.load {
		return s.rounds > 1
	}
	return failed > 1 && (passed == 0 || p <= beta)
}

// otherwise names an oracle by which head fails, where base fails by others alone, and reports whether that is broken.
func (s *Scenario) otherwise() (oracle string, broken bool) {
	if s.Flaky || s.Base.Failed == 0 {
		return "", false
	}
	for _, n := range s.newly {
		if s.broken(n.head.Passed, n.head.Failed, stat.Fisher(0, n.base.Passed, n.head.Failed, n.head.Passed+n.head.Failed)) {
			return n.oracle, true
		}
		oracle = n.oracle
	}
	return oracle, false
}

// decide: what never failed at base and does at head when it is driven again is broken. Where base fails now and then,
// or is known to, head must fail more often than chance explains.
func (s *Scenario) decide(alpha float64) {
	base, head := s.Base, s.Head
	s.Verdict, s.P = Pass, stat.Fisher(base.Failed, base.judged(), head.Failed, head.judged())
	mended := stat.Fisher(base.Passed, base.judged(), head.Passed, head.judged())
	oracle, broken := s.otherwise()
	switch {
	case base.judged() == 0 || head.judged() == 0:
		s.Verdict, s.Why = Inconclusive, "no sample of one side could be judged"
	case s.again():
		s.Verdict = Regression
	case broken:
		s.Verdict, s.Why = Regression, "it fails at base too, but never by "+oracle
	case oracle != "" && s.P > alpha:
		s.Verdict, s.Why = Inconclusive, "it fails at base too, but never by "+oracle+": it is broken if it fails so again"
	case s.P <= alpha:
		s.Verdict, s.Why = Regression, s.known()+", but less often; the difference is significant: p = "+probability(s.P)
	case base.Passed == 0 && head.Failed == 0 && !s.Flaky, mended <= alpha:
		s.Verdict = Improvement
	case base.Passed == 0 && head.Passed == 0:
		s.Why = "it fails on both sides"
	case s.Flaky && s.repeated() && s.P > suspect && head.Failed > 0:
		s.Why = fmt.Sprintf("flaky, as base's verdicts.yaml says: %d of %d failed at base and %d of %d at head, which can be chance (p = %s)",
			base.Failed, base.judged(), head.Failed, head.judged(), probability(s.P))
	case head.share() > base.share():
		s.Verdict, s.Why = Inconclusive, s.open()
	case base.Failed > 0:
		s.Why = fmt.Sprintf("flaky at base, where %d of %d failed", base.Failed, base.judged())
	}
	if moreLost(base.Unjudged, base.judged(), head.Unjudged, head.judged()) && (s.Verdict == Pass || s.Verdict == Improvement) && head.judged() > 0 {
		s.Verdict, s.Why = Inconclusive, fmt.Sprintf("%d of %d samples of head were interrupted or could not be judged, and %d of %d of base",
			head.Unjudged, head.Unjudged+head.judged(), base.Unjudged, base.Unjudged+base.judged())
	}
}

// known says why a failure at head is no news.
func (s *Scenario) known() string {
	if s.Base.Failed == 0 {
		return "base's verdicts.yaml calls it flaky"
	}
	return "it fails at base too"
}

// open says why it cannot be told whether head fails more often.
func (s *Scenario) open() string {
	chance := fmt.Sprintf("so many failures at head can be chance (p = %s)", probability(s.P))
	switch {
	case s.Base.Failed > 0:
		return fmt.Sprintf("it failed at base too, in %d of %d: it is flaky, and %s", s.Base.Failed, s.Base.judged(), chance)
	case s.Flaky:
		return fmt.Sprintf("base's verdicts.yaml calls it flaky, and %s", chance)
	}
	return fmt.Sprintf("it never failed at base, in %d, but %s: it is broken if it fails again", s.Base.judged(), chance)
}

// Health is the name under which restarts are compared. It counts blocks: turns in which
// a style was measured. One without a restart has passed.
const Health = "health"

// compareHealth adds to Scenarios whether the operators' own pods ran on.
func (r *Result) compareHealth() {
	base, head := append(r.Base.blocks(), r.Again.blocks()...), r.Head.blocks()
	for _, style := range plain.Once(nil, plain.Map(base, func(b restarts.Block) string { return b.Style })...) {
		one := Scenario{Style: style, Scenario: Health, Base: restarted(base, style), Head: restarted(head, style)}
		if is, there := plain.Find(head, func(b restarts.Block) bool { return b.Style == style && b.Ends > 0 }); there {
			one.Failure = &Failure{Round: is.Round, Oracle: Health, Message: fmt.Sprintf("%s (%s in this block)", is.First, plain.Plural(is.Ends, "end"))}
		}
		if one.rounds = one.Head.judged(); one.rounds > 0 {
			r.Scenarios = append(r.Scenarios, one)
		}
	}
}

// restarted counts a style's blocks; failed are those with a restart.
func restarted(blocks []restarts.Block, style string) (t Tally) {
	for _, b := range blocks {
		t.Passed += number(b.Style == style && b.Ends == 0)
		t.Failed += number(b.Style == style && b.Ends > 0)
	}
	return t
}

// blocks are those of a side in which something was measured.
func (s Side) blocks() []restarts.Block {
	return slices.DeleteFunc(slices.Clone(s.Recording.Restarts), func(b restarts.Block) bool { return b.Variant != s.Variant })
}
