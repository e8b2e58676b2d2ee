package gate

import (
	"fmt"
	"slices"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/restarts"
)

// Health is the name under which restarts are compared. It counts blocks: turns in which
// a style was measured. One without a restart has passed.
const Health = "health"

// compareHealth adds to Scenarios whether the operators' own pods ran on.
func (r *Result) compareHealth() {
	base, head := append(r.Base.blocks(), r.Again.blocks()...), r.Head.blocks()
	for _, b := range base {
		if slices.ContainsFunc(r.Scenarios, func(s Scenario) bool { return s.Style == b.Style && s.Scenario == Health }) {
			continue
		}
		one := Scenario{Style: b.Style, Scenario: Health}
		for _, was := range base {
			one.Base.block(was, b.Style)
		}
		for _, is := range head {
			if one.Head.block(is, b.Style) && one.Failure == nil {
				one.Failure = &Failure{Round: is.Round, Oracle: Health, Message: fmt.Sprintf("%s (%s in this block)", is.First, plain.Plural(is.Ends, "end"))}
			}
		}
		if one.rounds = one.Head.judged(); one.rounds > 0 {
			r.Scenarios = append(r.Scenarios, one)
		}
	}
}

// block adds a style's block; failed: with a restart.
func (t *Tally) block(b restarts.Block, style string) (failed bool) {
	switch {
	case b.Style != style:
	case b.Ends > 0:
		t.Failed++
		return true
	default:
		t.Passed++
	}
	return false
}

// blocks are those of a side in which something was measured.
func (s Side) blocks() []restarts.Block {
	return slices.DeleteFunc(slices.Clone(s.Recording.Restarts), func(b restarts.Block) bool { return b.Variant != s.Variant })
}
