package run

import (
	"fmt"
	"strings"
	"time"
)

// Cost is how long a style is expected to take, for planning alone.
type Cost struct {
	Style  string        // its label
	Wanted int           // rounds
	Round  time.Duration // one block: install, warm up, go through the scenarios, uninstall
}

// Plan is how many rounds each style gets.
type Plan struct {
	Rounds  map[string]int // by style
	Wanted  map[string]int
	Budget  time.Duration // 0: no limit
	Planned time.Duration // what the plan is expected to take
}

// NewPlan fits rounds into a budget of time: one for every style first, then a
// further one each in turn, where it still fits. Without a budget (0) every
// style gets all rounds. It is an error if not even one round each fits.
func NewPlan(budget time.Duration, costs []Cost) (Plan, error) {
	p := Plan{Rounds: map[string]int{}, Wanted: map[string]int{}, Budget: budget}
	most := 0
	for _, c := range costs {
		p.Wanted[c.Style], most = c.Wanted, max(most, c.Wanted)
		p.Planned += c.Round
		p.Rounds[c.Style] = 1
	}
	if budget > 0 && p.Planned > budget {
		return p, fmt.Errorf("one round of each style takes about %v, but only %v remain before go test's -timeout: give a longer one (go test -timeout %v …), fewer styles or fewer scenarios",
			p.Planned.Round(time.Second), budget.Round(time.Second), (p.Planned+p.Planned/4+Reserve).Round(time.Minute)+time.Minute)
	}
	for n := 2; n <= most; n++ {
		for _, c := range costs {
			if n <= c.Wanted && p.Rounds[c.Style] == n-1 && (budget == 0 || p.Planned+c.Round <= budget) {
				p.Rounds[c.Style] = n
				p.Planned += c.Round
			}
		}
	}
	return p, nil
}

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
	return fmt.Sprintf("planned fewer rounds to end before go test's -timeout (%v remain): %s; a longer -timeout gives more",
		p.Budget.Round(time.Second), strings.Join(fewer, ", "))
}
