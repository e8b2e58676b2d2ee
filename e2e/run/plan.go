package run

import (
	"cmp"
	"fmt"
	"slices"
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
	Rounds  map[string]int // by style; of a style that is left out 0
	Wanted  map[string]int
	Left    []Cost        // the styles for which there is no time, the quickest first
	Budget  time.Duration // 0: no limit
	Planned time.Duration // what the plan is expected to take
}

// NewPlan fits rounds into a budget of time: one for every style first, the quickest style first, then a further one
// each in turn, where it still fits. A style of which not even one round fits is left out. Without a budget (0) every
// style gets all rounds.
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

// Shortened says which styles get fewer rounds than wanted, and why; "" where none does.
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
