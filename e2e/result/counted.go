package result

import (
	"fmt"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
)

// Counted is what a style's own metrics count in a load, beside what the API server's audit log has of it.
type Counted struct {
	Style, Run string
	cost.Counted
}

// Counted are those of all styles whose metrics were read, by style, then by load.
func (r *Set) Counted() []Counted {
	return plain.Flat(r.Beside, func(c Cost) []Counted {
		return plain.Map(c.Counted, func(one cost.Counted) Counted { return Counted{Style: c.Label(), Run: c.Run, Counted: one} })
	})
}

// Each is how much of a figure there is for each change of a custom resource.
func (c *Counted) Each(f cost.Figure) float64 {
	return f.Median() / max(c.Changes.Median(), 1)
}

// Text says in a sentence what both saw. A reconcile that wrote something sent one write at least.
func (c *Counted) Text() string {
	n := func(f cost.Figure) int { return int(f.Median()) }
	text := fmt.Sprintf("%s for %s; %s and %s reached the API server", plain.Plural(n(c.Reconciles), "reconcile"), plain.Plural(n(c.Changes), "change"),
		plain.Plural(n(c.Writes), "write"), plain.Plural(n(c.Requests)-n(c.Writes), "other request"))
	if idle := n(c.Reconciles) - n(c.Writes); idle > 0 {
		text += fmt.Sprintf("; at least %s wrote nothing", plain.Plural(idle, "reconcile"))
	}
	return text
}

// countedColumn is how many reconciles a style's own metrics count in a load.
func (r *Set) countedColumn(load string) Column {
	return Column{load + ".reconciles", load + ", reconciles", "that the operator's own metrics count, for each change of a custom resource", GroupMany, Less, func(label string) Value {
		for _, c := range r.Counted() {
			if c.Style == label && c.Load == load {
				n := c.Reconciles
				return Value{Text: Amount("1", c.Each(n)), Number: c.Each(n), Known: true, N: int(c.Changes.Median()), Rounds: len(n.Values), Run: c.Run}
			}
		}
		return Value{}
	}}
}
