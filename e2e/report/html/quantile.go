package html

import (
	"fmt"
	"slices"

	"operatorbench/e2e/stat"
)

// quantiles lists what the tables of quantiles show, beside the maximum.
func quantiles() []float64 { return []float64{0.5, 0.9, 0.99} }

// quantileTable is a table of a scenario's phases.
type quantileTable struct {
	ID, Title string
	Heads     []string // of the quantiles that some row has
	Beside    string   // head of the column with the floor; empty: there is none
	Notes     []string
	Groups    []*phaseGroup
}

// Columns is how many the table has.
func (t *quantileTable) Columns() int {
	n := 6 + len(t.Heads)
	if t.Beside != "" {
		n++
	}
	return n
}

// phaseGroup are the rows of one phase: a style each.
type phaseGroup struct {
	Phase string
	Rows  []*quantileRow
}

// quantileRow are the figures of one style in one phase.
type quantileRow struct {
	Style   *style
	Series  *series
	Figures []figure // one for each of the table's heads
	Max     string
	Beside  string   // the median to the floor's, or the floor's
	Apart   []string // what is not counted
}

// figure is a quantile with its interval; Low and High are empty where none can
// be had.
type figure struct{ Value, Low, High string }

// tables are a scenario's: the phases that all styles have, then inner ones.
func (s *study) tables(in *scene) (common, inner *quantileTable) {
	common = s.table(in, "phases that all styles have", in.Common)
	if s.thrift < 3 {
		inner = s.table(in, "inner phases", in.Inner)
	}
	return common, inner
}

func (s *study) table(in *scene, title string, phases []string) *quantileTable {
	t := &quantileTable{ID: s.ids.of("quantiles", in.Name, title), Title: title}
	load := slices.ContainsFunc(in.Cells, func(c *cell) bool { return c.Load() })
	switch {
	case in.floor() != nil && load:
		t.Beside = "floor’s p50, same run"
	case in.floor() != nil:
		t.Beside = "p50 to floor"
	}
	var all []*series
	for _, phase := range phases {
		for _, c := range in.Cells {
			if one := c.series[phase]; one != nil {
				all = append(all, one)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	var shown []float64
	for _, p := range quantiles() {
		if slices.ContainsFunc(all, func(one *series) bool { return p == 0.5 || one.Shows(p) }) {
			shown, t.Heads = append(shown, p), append(t.Heads, fmt.Sprintf("p%g", 100*p))
		}
	}
	for _, phase := range phases {
		g := &phaseGroup{Phase: phase}
		for _, c := range in.Cells {
			if one := c.series[phase]; one != nil {
				g.Rows = append(g.Rows, row(c, one, shown))
			}
		}
		if len(g.Rows) > 0 {
			t.Groups = append(t.Groups, g)
		}
	}
	t.Notes = lacking(all)
	return t
}

func row(c *cell, one *series, shown []float64) *quantileRow {
	r := &quantileRow{Style: c.Style, Series: one, Max: "–", Beside: "–"}
	for _, p := range shown {
		r.Figures = append(r.Figures, one.figure(p))
	}
	if one.N > 0 {
		r.Max = one.Max.String()
	}
	if floor, there := c.Floor(one.Phase); there && c.Load() {
		r.Beside = floor.P50.String()
	} else if there {
		r.Beside = ratio(c, one)
	}
	for _, part := range []struct {
		n    int
		what string
	}{{one.Interrupted, "interrupted"}, {one.Warmups, "warm-up"}} {
		if part.n > 0 {
			r.Apart = append(r.Apart, count(part.n)+" "+part.what)
		}
	}
	return r
}

// figure is a quantile; a dash where there are too few samples for it.
func (s *series) figure(p float64) figure {
	if !s.Shows(p) {
		return figure{Value: "–"}
	}
	f := figure{Value: s.Ordered.Quantile(p).String()}
	if i := map[float64]*stat.Interval{0.5: s.CI50, 0.9: s.CI90, 0.99: s.CI99}[p]; i != nil {
		f.Low, f.High = i.Low.String(), i.High.String()
	}
	return f
}

// ratio is how many times the floor's median a median is.
func ratio(c *cell, one *series) string {
	n, known := c.ToFloor(one.Summary)
	switch {
	case !known:
		return "–"
	case one.P50.Censored:
		return ">" + times(n)
	}
	return times(n)
}

// lacking says which quantiles some rows have too few samples for, and whether
// they have too few rounds for intervals.
func lacking(all []*series) []string {
	var notes []string
	for _, p := range quantiles()[1:] {
		if slices.ContainsFunc(all, func(s *series) bool { return !s.Shows(p) }) {
			notes = append(notes, fmt.Sprintf("p%g takes n = %d", 100*p, stat.Needed(p)))
		}
	}
	if slices.ContainsFunc(all, func(s *series) bool { return s.Rounds < stat.MinRounds }) {
		notes = append(notes, fmt.Sprintf("an interval takes %d rounds", stat.MinRounds))
	}
	return notes
}
