package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/spec/scenarios"
)

// Cost is how long a style is expected to take, for planning alone.
type Cost struct {
	Style  string        // its label
	Wanted int           // rounds
	Round  time.Duration // one block: install, warm up, go through the scenarios, uninstall
}

// Plan is how many rounds each style gets.
type Plan struct {
	Rounds  map[string]int // by style; of a style that is left out 0
	Wanted  map[string]int
	Left    []Cost        // the styles for which there is no time, the quickest first
	Budget  time.Duration // 0: no limit
	Planned time.Duration // what the plan is expected to take
}

// NewPlan fits rounds into a budget of time: one for every style first, the
// quickest style first, then a further one each in turn, where it still fits. A
// style of which not even one round fits is left out. Without a budget (0)
// every style gets all rounds.
func NewPlan(budget time.Duration, costs []Cost) Plan {
	p := Plan{Rounds: map[string]int{}, Wanted: map[string]int{}, Budget: budget}
	most := 0
	for _, c := range slices.SortedStableFunc(slices.Values(costs), byRound) {
		p.Wanted[c.Style], most = c.Wanted, max(most, c.Wanted)
		if budget > 0 && p.Planned+c.Round > budget {
			p.Left = append(p.Left, c)
			continue
		}
		p.Planned += c.Round
		p.Rounds[c.Style] = 1
	}
	for n := 2; n <= most; n++ {
		for _, c := range costs {
			if n <= c.Wanted && p.Rounds[c.Style] == n-1 && (budget == 0 || p.Planned+c.Round <= budget) {
				p.Rounds[c.Style] = n
				p.Planned += c.Round
			}
		}
	}
	return p
}

func byRound(a, b Cost) int { return cmp.Compare(a.Round, b.Round) }

// Longest is how many rounds there are.
func (p Plan) Longest() int {
	longest := 0
	for _, rounds := range p.Rounds {
		longest = max(longest, rounds)
	}
	return longest
}

// Shortened says which styles get fewer rounds than wanted, and why; "" where
// none does.
func (p Plan) Shortened(order []string) string {
	var fewer []string
	for _, style := range order {
		if p.Rounds[style] < p.Wanted[style] {
			fewer = append(fewer, fmt.Sprintf("%s %d of %d", style, p.Rounds[style], p.Wanted[style]))
		}
	}
	if len(fewer) == 0 {
		return ""
	}
	return fmt.Sprintf("planned fewer rounds to end before go test's -timeout (%v remain), the quickest style first: %s; a longer -timeout gives more",
		p.Budget.Round(time.Second), strings.Join(fewer, ", "))
}

// newPlan plans with what remains now. Where not even the quickest style has
// time for one round of all measured scenarios, the last scenarios are left
// out, one after the other; it is an error if the first one alone does not fit.
func (s *Session) newPlan() (Plan, error) {
	if len(s.measured()) == 0 {
		return Plan{}, nil // the matrix has as many rounds as were asked for
	}
	for {
		plan := NewPlan(s.budget(), s.costs())
		if s.worthwhile(plan) {
			return plan, nil
		}
		measured := s.measured()
		if len(measured) == 1 || s.base != nil {
			least := plan.Planned
			for _, c := range plan.Left {
				least += c.Round
				if s.base == nil && c.Style != s.participants[0].label() {
					break // the quickest of them
				}
			}
			least += s.around()
			return plan, fmt.Errorf("nothing was driven: %s takes about %v with set-up and teardown, and %v remain before go test's -timeout; give a longer one: go test -timeout %v …",
				s.least(plan), least.Round(time.Second), time.Until(s.deadline).Round(time.Second), (least+least/4).Round(time.Minute)+time.Minute)
		}
		last := measured[len(measured)-1].Name
		s.dropped = append(s.dropped, last)
		s.scenarios = slices.DeleteFunc(s.scenarios, func(scenario scenarios.Scenario) bool { return scenario.Name == last })
	}
}

// worthwhile tells whether a plan has a style that was asked for. A comparison
// needs all of its sides.
func (s *Session) worthwhile(plan Plan) bool {
	if s.base != nil {
		return len(plan.Left) == 0
	}
	return slices.ContainsFunc(s.asked(), func(p *participant) bool { return plan.Rounds[p.label()] > 0 })
}

// least names what a plan could not even begin with.
func (s *Session) least(p Plan) string {
	if s.base != nil {
		return "one round of base, base again and head"
	}
	for _, c := range p.Left {
		if c.Style != s.participants[0].label() {
			return fmt.Sprintf("one round of %s with the scenario %s alone", c.Style, s.measured()[0].Name)
		}
	}
	return "one round of the floor"
}

// budget is what remains for the measured scenarios before go test's -timeout;
// 0 where there is none.
func (s *Session) budget() time.Duration {
	if s.deadline.IsZero() {
		return 0
	}
	budget := time.Until(s.deadline) - s.around()
	rest := s.typicalLoads() // which come after all rounds, as does the matrix
	for _, w := range s.waves() {
		rest += time.Duration(s.matrixRounds()) * s.typicalWave(&w)
	}
	for _, c := range s.costs() {
		rest += c.Round
	}
	if rest <= budget { // else one round each comes first
		budget -= rest
		for _, c := range s.costs() {
			budget += c.Round
		}
	}
	return max(budget, time.Second)
}

// around is how long everything but driving is expected to take from now on.
func (s *Session) around() time.Duration {
	if s.provider == nil {
		return typicalEnvironment + typicalCollector + s.Reserve()
	}
	return typicalCollector + s.Reserve()
}

// remains is the time until the teardown must begin; it is not limited where
// there is no -timeout.
func (s *Session) remains() time.Duration {
	if s.deadline.IsZero() {
		return 1<<63 - 1
	}
	return time.Until(s.deadline) - s.Reserve()
}

func (s *Session) costs() []Cost {
	var costs []Cost
	for _, p := range s.participants {
		costs = append(costs, s.cost(p))
	}
	return costs
}

// What planning expects where nothing has been measured yet.
const (
	typicalPods        = 2 * time.Second  // until pods are ready or gone
	typicalUninstall   = 15 * time.Second // until nothing of a style is left
	typicalCollector   = 30 * time.Second // until the garbage collector knows a new definition
	typicalEnvironment = 45 * time.Second // cluster, custom resource, images loaded
)

// cost is how long one block of a participant is expected to take, and how many are
// wanted: what its last block here took, else what one took in an earlier run on
// this machine, else what its style.yaml says.
func (s *Session) cost(p *participant) Cost {
	cost := Cost{Style: p.label(), Wanted: s.rounds(), Round: p.took}
	if cost.Round == 0 {
		cost.Round = s.history.block(p.name(), s)
	}
	if cost.Round > 0 {
		return cost
	}
	changes := len(s.measured()) * s.passes(p)
	typical := p.typical()
	if p.operator != nil {
		cost.Round = typical.Install + typicalUninstall
		changes += 2 * len(s.warmupOf(p))
	}
	cost.Round += time.Duration(changes) * s.change(typical)
	return cost
}

// enough tells whether there is time for a further part of a participant's work, and
// keeps that there was not.
func (s *Session) enough(p *participant, what string, expected time.Duration) bool {
	remains := s.remains()
	if expected <= remains {
		return true
	}
	left := fmt.Sprintf("%s: %s was not driven: it takes about %v, and %v remained before go test's -timeout",
		p.label(), what, expected.Round(time.Second), max(remains, 0).Round(time.Second))
	s.say("%s", left)
	s.remark(left)
	s.left = append(s.left, left)
	return false
}
