package html

import (
	"fmt"
	"math"
	"slices"

	"operatorbench/e2e/report"
	"operatorbench/e2e/stat"
)

// quantiles lists what the tables of quantiles show, beside the maximum.
func quantiles() []float64 { return []float64{0.5, 0.9, 0.99} }

// quantileTable is a table of a scenario's phases.
type quantileTable struct {
	ID, Title string
	Floor     bool // there is one to compare with
	Notes     []string
	Groups    []*phaseGroup
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
	Figures []figure // one for each of quantiles
	Max     string
	Ratio   string   // of the median to the floor's
	Apart   []string // what is not counted
}

// figure is a quantile with its interval; Low and High are empty where none can
// be had.
type figure struct{ Value, Low, High string }

// tables are a scenario's: the phases that all styles have, then inner ones.
func (s *study) tables(in *scene) (common, inner *quantileTable) {
	return s.table(in, "phases that all styles have", in.Common), s.table(in, "inner phases", in.Inner)
}

func (s *study) table(in *scene, title string, phases []string) *quantileTable {
	t := &quantileTable{ID: s.ids.of("quantiles", in.Name, title), Title: title, Floor: in.floor() != nil}
	var sizes []int
	for _, phase := range phases {
		g := &phaseGroup{Phase: phase}
		for _, c := range in.Cells {
			if one := c.series[phase]; one != nil {
				g.Rows = append(g.Rows, row(in, c, one))
				sizes = append(sizes, one.N())
			}
		}
		if len(g.Rows) > 0 {
			t.Groups = append(t.Groups, g)
		}
	}
	if len(t.Groups) == 0 {
		return nil
	}
	t.Notes = lacking(sizes)
	return t
}

func row(in *scene, c *cell, one *series) *quantileRow {
	r := &quantileRow{Style: c.Style, Series: one, Max: "–", Ratio: "–"}
	for _, p := range quantiles() {
		r.Figures = append(r.Figures, figureOf(one.ordered, p))
	}
	if one.N() > 0 {
		r.Max = report.Latency(one.ordered.Max())
	}
	if floor := in.floor(); floor != nil && !c.Style.Floor {
		r.Ratio = ratio(one, floor.series[one.Phase])
	}
	for _, part := range []struct {
		n    int
		what string
	}{{one.Unknown, "interrupted"}, {one.Warmups, "warm-up"}} {
		if part.n > 0 {
			r.Apart = append(r.Apart, count(part.n)+" "+part.what)
		}
	}
	return r
}

func figureOf(o stat.Ordered, p float64) figure {
	if o.Len() == 0 {
		return figure{Value: "–"}
	}
	f := figure{Value: report.Latency(o.Quantile(p))}
	if i, ok := o.Interval(p, stat.Level); ok {
		f.Low, f.High = report.Latency(i.Low), report.Latency(i.High)
	}
	return f
}

// ratio is how many times the floor's median a median is.
func ratio(one, floor *series) string {
	if one == nil || floor == nil || one.N() == 0 || floor.N() == 0 {
		return "–"
	}
	mine, theirs := one.ordered.Quantile(0.5), floor.ordered.Quantile(0.5)
	if theirs.Censored || theirs.Value <= 0 {
		return "–"
	}
	if mine.Censored {
		return ">" + times(mine.Value/theirs.Value)
	}
	return times(mine.Value / theirs.Value)
}

// lacking says which intervals cannot be had from so few samples, and how many
// it would take.
func lacking(sizes []int) []string {
	var notes []string
	fewest := slices.Min(sizes)
	for _, p := range quantiles() {
		if need := needed(p); fewest < need {
			notes = append(notes, fmt.Sprintf("n = %[2]d for p%[1]g", 100*p, need))
		}
	}
	return notes
}

// needed is the least number of samples from which an interval for a quantile
// can be had at all (stat.Ranks): from the least to the greatest sample, which
// both lie on one side of the quantile with probability pⁿ and (1-p)ⁿ.
func needed(p float64) int {
	tail := (1 - stat.Level) / 2
	return int(math.Ceil(math.Log(tail) / math.Log(max(p, 1-p))))
}
