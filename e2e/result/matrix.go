package result

import (
	"slices"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
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

// Row is a scenario with a cell for each of Matrix.Styles; nil: the style was not driven through it.
type Row struct {
	record.Scenario
	Cells []*Cell

	// partial: this program does not have the scenario, and some style was not driven through it. It counts for none.
	partial bool
}

// Tests are the rows that styles' tests are counted by: nobody's count is of what others are not asked.
func (m *Matrix) Tests() []*Row {
	return plain.Where(m.Rows(), func(row *Row) bool { return !row.partial })
}

// MatrixOf joins judged recordings: repeats of one run, and the shards of one, all count alike. Samples that only warm
// up count too: correctness counts from the first. Loads are left out: how far a style is behind is a figure.
func MatrixOf(judgements ...*judge.Judgement) *Matrix { return matrixOf(judgements, "") }

// matrixOf is the same without the columns of a style.
func matrixOf(judgements []*judge.Judgement, without string) *Matrix {
	b := builder{rows: map[string]*Row{}}
	for _, j := range judgements {
		for _, s := range j.Header.Scenarios {
			if s.Group != spec.GroupLoad {
				b.row(s)
			}
		}
	}
	for _, j := range judgements {
		for _, result := range j.Results {
			if result.Group == spec.GroupLoad {
				continue
			}
			result.Group = b.row(record.Scenario{Name: result.Scenario, Group: result.Group}).Group
			result.Samples = nil // latencies are not the matrix's business, and they are many
			if result.Style != without {
				b.cells.Add(j.Header.Run, result)
			}
		}
	}
	b.cells.Sum()
	return b.matrix(judgements)
}

type builder struct {
	rows  map[string]*Row
	order []*Row
	cells Cells
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

// matrix puts the cells in their places.
func (b *builder) matrix(judgements []*judge.Judgement) *Matrix {
	m := &Matrix{Styles: b.styles(judgements)}
	for _, row := range b.order {
		row.Cells = plain.Map(m.Styles, func(s Style) *Cell { return b.cells.at[key{s.Label, row.Name}] })
		i := slices.IndexFunc(m.Groups, func(g Group) bool { return g.Name == row.Group })
		if i < 0 {
			i, m.Groups = len(m.Groups), append(m.Groups, Group{Name: row.Group})
		}
		m.Groups[i].Rows = append(m.Groups[i].Rows, row)
	}
	slices.SortStableFunc(m.Groups, func(a, b Group) int { return place(spec.Groups(), a.Name) - place(spec.Groups(), b.Name) })
	rows := plain.Where(b.order, func(r *Row) bool { return r.Group != spec.GroupLatency })
	for column := range m.Styles {
		if !slices.ContainsFunc(rows, func(r *Row) bool { return r.Cells[column] != nil }) {
			continue
		}
		for _, row := range rows {
			row.partial = row.partial || row.Cells[column] == nil && !scenarios.Known(row.Name)
		}
	}
	return m
}

// styles lists those that have a cell, as the headers do.
func (b *builder) styles(judgements []*judge.Judgement) []Style {
	var all []Style
	take := func(style, variant string) {
		s := Style{record.Label(style, variant), style, variant}
		driven := func(r *Row) bool { return b.cells.at[key{s.Label, r.Name}] != nil }
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

// Labels are those of the styles.
func (m *Matrix) Labels() []string {
	return plain.Map(m.Styles, func(s Style) string { return s.Label })
}

// Rows are those of all groups, in their order.
func (m *Matrix) Rows() []*Row {
	return plain.Flat(m.Groups, func(g Group) []*Row { return g.Rows })
}

// Correctness reports whether a sample was made for the matrix alone, and not only to be measured.
func (m *Matrix) Correctness() bool {
	driven := func(c *Cell) bool { return c != nil }
	return slices.ContainsFunc(m.Rows(), func(r *Row) bool { return r.Group != spec.GroupLatency && slices.ContainsFunc(r.Cells, driven) })
}

// applies reports whether the scenario applied to some style that was driven through it.
func (r *Row) applies() bool {
	return slices.ContainsFunc(r.Cells, func(c *Cell) bool { return c != nil && c.Verdict != spec.NotApplicable })
}

// cell is that of a style, by its label; nil: it was not driven through the scenario.
func (r *Row) cell(label string) *Cell {
	found, _ := plain.Find(r.Cells, func(c *Cell) bool { return c != nil && c.Style.Label == label })
	return found
}

// Cells are a style's, by its label, in the order of the rows.
func (m *Matrix) Cells(label string) []*Cell {
	return plain.Pick(m.Rows(), func(r *Row) (*Cell, bool) { c := r.cell(label); return c, c != nil })
}

// Cell returns that of a style, by its label, in a scenario; nil: it was not driven through it.
func (m *Matrix) Cell(label, scenario string) *Cell {
	found, _ := plain.Find(m.Cells(label), func(c *Cell) bool { return c.Scenario == scenario })
	return found
}
