package result

import (
	"fmt"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/stat"
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

// each is how much of a figure there is for each change of a custom resource.
func (c *Counted) each(f cost.Figure) Value {
	v := observed("1", stat.Observation{Value: f.Median() / max(c.Changes.Median(), 1)}, int(c.Changes.Median()), len(f.Values))
	v.Run = c.Run
	return v
}

// CountedColumns are the figures that a style counts itself in a load, and what the API server saw of it.
func CountedColumns() []ColumnOf[*Counted] {
	const own = ", by its own metrics"
	each := func(head, text string, of func(*Counted) cost.Figure) ColumnOf[*Counted] {
		return ColumnOf[*Counted]{head, text, false, func(c *Counted) Value { return c.each(of(c)) }}
	}
	return []ColumnOf[*Counted]{
		{"load", "", true, func(c *Counted) Value { return Value{Text: c.Load} }},
		{"style", "", true, func(c *Counted) Value { return Value{Text: c.Style} }},
		{"changes", "of custom resources, deletions among them", false, func(c *Counted) Value { return whole(int(c.Changes.Median())) }},
		each("reconciles", "for each change"+own, func(c *Counted) cost.Figure { return c.Reconciles }),
		each("requeues", "to be looked at again later: after an error, or by a timer"+own, func(c *Counted) cost.Figure { return c.Requeues }),
		each("requests", "to the API server, those for leases left out", func(c *Counted) cost.Figure { return c.Requests }),
		each("writes", "of these: create, update, patch and delete", func(c *Counted) cost.Figure { return c.Writes }),
	}
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
				return c.each(c.Reconciles)
			}
		}
		return Value{}
	}}
}
