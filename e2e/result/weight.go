package result

import (
	"slices"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// weight is what a failure costs the style's user.
type weight struct {
	name  string
	holds func(*Cell) bool
}

// weights are all, the heaviest first. A failure has the first that holds.
func weights() []weight {
	return []weight{
		{"never recovers", func(c *Cell) bool { return c.Recovery != nil && c.Recovery.Nudge+c.Recovery.Never > 0 }},
		{"lost", func(c *Cell) bool { return c.failsBy(func(o judge.Named) bool { return o.Losing }) }},
		{"otherwise wrong", func(c *Cell) bool { return c.failsBy(func(o judge.Named) bool { return !o.Timely && !o.Told }) }},
		{"late", func(c *Cell) bool {
			return c.Verdict == spec.Late || c.failsBy(func(o judge.Named) bool { return o.Timely })
		}},
		{"untold", func(*Cell) bool { return true }},
	}
}

// failsBy reports whether an oracle of a kind failed.
func (c *Cell) failsBy(kind func(judge.Named) bool) bool {
	failed := c.FailedNames()
	return slices.ContainsFunc(judge.Oracles(), func(o judge.Named) bool { return slices.Contains(failed, o.Name) && kind(o) })
}

// weightColumn counts a style's failures by their weights.
func (r *Set) weightColumn() Column {
	text := "what these failures cost: after a fault nothing is put right without help (never recovers); a change is not carried out (lost); " +
		"something else is wrong; it is done late; only what is told is wrong or missing (untold)"
	return Column{"weights", "by weight", text, GroupCorrect, Words, func(label string) Value {
		if !r.Recorded(label) {
			return Value{}
		}
		counted := map[string]int{}
		for _, c := range r.counted(label) {
			if c.Failing() {
				counted[weightOf(c)]++
			}
		}
		parts := plain.Map(weights(), func(w weight) count { return count{counted[w.name], w.name} })
		return Value{Text: strings.Join(counts(parts...), ", ")}
	}}
}

// Weights are what the failures of a cause cost, the heaviest first.
func (c Cause) Weights() []string {
	return plain.Pick(weights(), func(w weight) (string, bool) {
		return w.name, slices.ContainsFunc(c.Cells, func(cell *Cell) bool { return weightOf(cell) == w.name })
	})
}

// weightOf is the weight of a cell that fails.
func weightOf(c *Cell) string {
	all := weights()
	return all[slices.IndexFunc(all, func(w weight) bool { return w.holds(c) })].name
}
