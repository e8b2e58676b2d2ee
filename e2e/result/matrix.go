package result

import (
	"slices"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Matrix has a row for each scenario, by groups, and a column for each style.
type Matrix struct {
	Styles []Style // the columns, in the order of the recordings' headers
	Groups []Group // in the order of spec.Groups
}

// Group is a group of scenarios.
type Group struct {
	Name string
	Rows []*Row // in the order of the recordings' headers
}

// Row is a scenario with a cell for each of Matrix.Styles; nil: the style was
// not driven through it.
type Row struct {
	record.Scenario
	Cells []*Cell
}

// MatrixOf joins judged recordings: repeats of one run, and the shards of one, all
// count alike. Samples that only warm up count too: correctness counts from the
// first. Loads are left out: how far a style is behind is a figure.
func MatrixOf(judgements ...*judge.Judgement) *Matrix {
	b := builder{rows: map[string]*Row{}, cells: map[key]*Cell{}}
	for _, j := range judgements {
		for _, s := range j.Header.Scenarios {
			if s.Group != spec.GroupLoad {
				b.row(s)
			}
		}
	}
	for _, j := range judgements {
		for i := range j.Results {
			if j.Results[i].Group != spec.GroupLoad {
				b.add(j.Header.Run, &j.Results[i])
			}
		}
	}
	return b.matrix(judgements)
}

type key struct{ label, scenario string }

type builder struct {
	rows  map[string]*Row
	order []*Row
	cells map[key]*Cell
}

// row returns a scenario's row, which is new where there was none.
func (b *builder) row(s record.Scenario) *Row {
	if b.rows[s.Name] == nil {
		if s.Group == "" { // recordings had no groups when all scenarios were measured
			s.Group = spec.GroupLatency
		}
		b.rows[s.Name] = &Row{Scenario: s}
		b.order = append(b.order, b.rows[s.Name])
	}
	return b.rows[s.Name]
}

func (b *builder) add(run string, result *judge.Result) {
	row := b.row(record.Scenario{Name: result.Scenario, Group: result.Group})
	at := key{record.Label(result.Style, result.Variant), result.Scenario}
	c := b.cells[at]
	if c == nil {
		c = &Cell{Style: Style{at.label, result.Style, result.Variant}, Scenario: row.Name, Group: row.Group}
		b.cells[at] = c
	}
	kept := *result
	kept.Samples = nil // latencies are not the matrix's business, and they are many
	c.add(run, kept)
}

// matrix puts the cells in their places.
func (b *builder) matrix(judgements []*judge.Judgement) *Matrix {
	m := &Matrix{Styles: b.styles(judgements)}
	for _, row := range b.order {
		for _, s := range m.Styles {
			c := b.cells[key{s.Label, row.Name}]
			if c != nil {
				c.sum()
			}
			row.Cells = append(row.Cells, c)
		}
		i := slices.IndexFunc(m.Groups, func(g Group) bool { return g.Name == row.Group })
		if i < 0 {
			i, m.Groups = len(m.Groups), append(m.Groups, Group{Name: row.Group})
		}
		m.Groups[i].Rows = append(m.Groups[i].Rows, row)
	}
	slices.SortStableFunc(m.Groups, func(a, b Group) int { return rank(a.Name) - rank(b.Name) })
	return m
}

// rank is a group's place; one that is not known comes last.
func rank(group string) int {
	if i := slices.Index(spec.Groups(), group); i >= 0 {
		return i
	}
	return len(spec.Groups())
}

// styles lists those that have a cell, as the headers do.
func (b *builder) styles(judgements []*judge.Judgement) []Style {
	var all []Style
	take := func(style, variant string) {
		s := Style{record.Label(style, variant), style, variant}
		driven := func(r *Row) bool { return b.cells[key{s.Label, r.Name}] != nil }
		if !slices.Contains(all, s) && slices.ContainsFunc(b.order, driven) {
			all = append(all, s)
		}
	}
	for _, j := range judgements {
		for _, s := range j.Header.Styles {
			take(s.Name, s.Variant)
		}
		for i := range j.Results { // those that the header does not have
			take(j.Results[i].Style, j.Results[i].Variant)
		}
	}
	return all
}

// Rows are those of all groups, in their order.
func (m *Matrix) Rows() []*Row {
	var all []*Row
	for _, g := range m.Groups {
		all = append(all, g.Rows...)
	}
	return all
}

// Correctness tells whether a sample was made for the matrix alone, and not
// only to be measured.
func (m *Matrix) Correctness() bool {
	return slices.ContainsFunc(m.Rows(), func(r *Row) bool {
		return r.Group != spec.GroupLatency && slices.ContainsFunc(r.Cells, func(c *Cell) bool { return c != nil })
	})
}

// Without is the matrix without the columns of a style.
func (m *Matrix) Without(style string) *Matrix {
	rest := &Matrix{}
	var kept []int
	for i, s := range m.Styles {
		if s.Name != style {
			kept, rest.Styles = append(kept, i), append(rest.Styles, s)
		}
	}
	for _, g := range m.Groups {
		group := Group{Name: g.Name}
		for _, r := range g.Rows {
			row := &Row{Scenario: r.Scenario}
			for _, i := range kept {
				row.Cells = append(row.Cells, r.Cells[i])
			}
			group.Rows = append(group.Rows, row)
		}
		rest.Groups = append(rest.Groups, group)
	}
	return rest
}

// Cells are a style's, by its label, in the order of the rows.
func (m *Matrix) Cells(label string) []*Cell {
	var all []*Cell
	for _, r := range m.Rows() {
		for _, c := range r.Cells {
			if c != nil && c.Style.Label == label {
				all = append(all, c)
			}
		}
	}
	return all
}

// Cell returns that of a style, by its label, in a scenario; nil: it was not
// driven through it.
func (m *Matrix) Cell(label, scenario string) *Cell {
	for _, c := range m.Cells(label) {
		if c.Scenario == scenario {
			return c
		}
	}
	return nil
}
