package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/table"
)

// sheet is a table with a row for each style, whose columns are chosen from result.Set.Columns by their ids.
type sheet struct {
	title     string
	labels    []string
	ids       []string
	intervals bool // figures have theirs beside them
	whys      bool // notes say why a figure is not known
}

// of makes the table. A column without any known value is left out, and so is a style without one.
func (s sheet) of(r *Report) table.Table {
	t := table.Table{Title: s.title, Header: []string{"style"}, Words: []bool{true}}
	var columns [][]result.Value
	var out reasons
	for _, c := range r.Choose(s.ids...) {
		values := plain.Map(s.labels, c.Of)
		if !slices.ContainsFunc(values, func(v result.Value) bool { return v.Text != "" }) {
			continue
		}
		t.Header, t.Words, columns = append(t.Header, c.Head), append(t.Words, c.Better == result.Words), append(columns, values)
		for i, v := range values {
			if v.Note != "" && (v.Text == "" || c.Better == result.Words) {
				out.Add([2]string{c.Head, v.Note}, s.labels[i])
			}
		}
	}
	for i, label := range s.labels {
		row, known := table.Texts(label), false
		for _, values := range columns {
			row = append(row, s.cell(values[i]))
			known = known || values[i].Text != ""
		}
		if known {
			t.Rows = append(t.Rows, row)
		}
	}
	if s.whys {
		t.Notes = linesOf(out)
	}
	return t
}

// cell is a value as it stands in a table.
func (s sheet) cell(v result.Value) table.Cell {
	if v.Text == "" {
		return table.Cell{Text: unknown}
	}
	cell := table.Cell{Text: v.Text, Outcome: v.Outcome}
	if s.intervals && v.Low != "" {
		cell.Text += " " + v.Interval()
	}
	if v.N > 0 && v.Note != "" {
		cell.Text += " (" + v.Note + ")"
	}
	return cell
}

// figuresTable has the few figures of a first look at one run, in the order of the headline: how quick one change is,
// and many at once, beside the reference, and the memory that it takes.
func (r *Report) figuresTable() table.Table {
	headline, load := r.Headline(), r.Heaviest()
	ids := []string{result.Written(headline), result.Ready(headline), result.Last(headline), result.Status(headline)}
	if load != headline {
		ids = append(ids, result.Last(load), result.Status(load))
	}
	ids = append(ids, "rank", "n", result.Times(headline), "calls-before", "memory")
	return sheet{labels: r.ByLatency(headline), ids: ids, intervals: true}.of(r)
}

// ownTable has what hangs on no run: what fails, and what there is to maintain.
func (r *Report) ownTable() table.Table {
	return sheet{labels: r.Contestants(), ids: []string{"fails", "causes", "loses", "language", "lines", "images"}}.of(r)
}

// costTable is what styles use for each change, and while they are installed.
func (r *Report) costTable() table.Table {
	s := sheet{title: "Cost of a change, and of the operator while it is there (medians over rounds; CPU net: beyond what is used idle)", labels: r.Styles, whys: true}
	s.ids = plain.Map(result.Prices()[:9], func(p result.Priced) string { return p.ID })
	return s.of(r)
}

// Tables say what styles do and are, beside latencies; those that have no row are left out.
func (r *Report) tables() []table.Table {
	all := []table.Table{sheet{
		title:  "What every operator is held to: owner reference with its flags; observedGeneration, conditions and nodes of the status; scale subresource; drift repair; no needless writes",
		labels: r.Contestants(), ids: result.ConformanceNames(), whys: true,
	}.of(r)}
	all = append(all, r.byRun(func(one *Report) []table.Table { return []table.Table{one.costTable()} })...)
	security := sheet{
		title:  "What a style's service accounts may do, and what of it they did (RBAC against the audit log)",
		labels: r.Contestants(), ids: []string{"rights", "cluster-wide", "unused", "wildcards", "refused", "secrets", "secrets-read", "pod-security"}, whys: true,
	}.of(r)
	for _, u := range r.Grants {
		for _, finding := range u.Findings {
			security.Notes = append(security.Notes, u.Style+" should not: "+finding)
		}
	}
	all = append(all, r.byRun(func(one *Report) []table.Table {
		held, byStep := one.rampTables()
		return slices.Concat(held, byStep, one.growthTables(), []table.Table{one.RatesTable()}, one.countedTables())
	})...)
	all = append(all,
		sheet{title: "Starting, keeping many, and finding nothing to do (medians)", labels: r.Styles, ids: []string{"cold-start", "memory-at-100", "unchanged-calls", "log-lines"}}.of(r),
		sheet{title: "What there is to maintain", labels: r.Styles, ids: []string{"language", "lines", "logic", "images", "framework", "dependencies"}}.of(r),
		security)
	return slices.DeleteFunc(all, func(t table.Table) bool { return len(t.Rows) == 0 })
}

// byRun are tables of each run by itself: what styles took, and the floor beside, is never that of several. Their titles
// name the run where there is another.
func (r *Report) byRun(of func(*Report) []table.Table) []table.Table {
	return plain.Flat(r.Tables(), func(one *Report) []table.Table {
		all := of(one)
		for i := range all {
			if heading := one.Heading(r); heading != "" {
				all[i].Title += ". " + heading
			}
		}
		return all
	})
}

// reasons are why figures of styles are not known: the styles, by the column's head and the reason.
type reasons = plain.Groups[[2]string, string]

// linesOf tell of each reason once, for all figures that lack for the same styles.
func linesOf(all reasons) []string {
	var merged reasons // columns, by the reason and the styles
	for _, k := range all.Keys {
		merged.Add([2]string{k[1], strings.Join(all.Of[k], ", ")}, k[0])
	}
	return plain.Map(merged.Keys, func(k [2]string) string {
		return fmt.Sprintf("%s: %s (%s)", strings.Join(merged.Of[k], ", "), k[0], k[1])
	})
}

// CSV prints every column of every style as comma-separated values, a row for each style and run: numbers in seconds,
// bytes, cores or counts, and words where a column has these.
func (r *Report) CSV(out io.Writer) error {
	w := csv.NewWriter(out)
	heads := []string{"run", "style"}
	ids := plain.Map(r.Columns(), func(c result.Column) string { return c.ID })
	_ = w.Write(append(heads, ids...)) // the writer keeps the first error
	for _, one := range r.Tables() {
		for _, label := range one.Styles {
			row := []string{strings.Join(one.Runs, " "), plain.Line(label)}
			for _, id := range ids {
				v := one.Value(label, id)
				text := plain.Line(v.Text)
				if v.Known && !v.Bound && v.Text != "" {
					text = strconv.FormatFloat(v.Number, 'g', -1, 64)
				}
				row = append(row, text)
			}
			_ = w.Write(row)
		}
	}
	w.Flush()
	return w.Error()
}

// ranked is one scenario, the quickest style first, and the columns by their worth.
func (r *Report) ranked(scenario string) table.Table {
	done, seen := "written", "ready"
	t := table.Table{Words: []bool{true, false, false, false, false, true}}
	for _, label := range r.ByLatency(scenario) {
		c := r.Cell(label, scenario)
		if c == nil {
			continue
		}
		if _, there := c.Phase(spec.PhaseChildGone); there {
			done, seen = "gone", "pods gone"
		}
		written, ready := c.Outcome()
		one, most := figures(written)
		other, mostOther := figures(ready)
		row := table.Texts(label, r.RankOf(label, scenario).String(), one, other, c.BesideFloor(written), c.VerdictText(), most, mostOther,
			strconv.Itoa(written.N), strconv.Itoa(written.Rounds))
		row[5].Outcome = c.Verdict
		t.Rows = append(t.Rows, row)
	}
	t.Header = []string{scenario, "rank", done + " p50", seen + " p50", "× floor", "verdict", "max " + done, "max " + seen, "n", "r"}
	return t
}

// phasesTable has the phases of a scenario: those that all styles have and, of one style alone, its inner ones too; or
// all phases, with intervals.
func (r *Report) phasesTable(scenario string, all bool) table.Table {
	t := table.Table{Header: []string{"phase", "style", "n", "r", "p50", "p90", "max", "× floor", ""}, Left: 2, Tail: true}
	quantiles := []float64{0.5, 0.9}
	if all {
		t.Header, quantiles = slices.Insert(t.Header, 6, "p99"), append(quantiles, 0.99)
	}
	for _, phase := range r.Phases(scenario) {
		if !all && spec.Inner(phase) && len(r.Contestants()) > 1 {
			continue
		}
		for _, c := range r.Of(scenario) {
			s, there := c.Phase(phase)
			if !there {
				continue
			}
			row := []string{phase, c.Style.Label, strconv.Itoa(s.N), strconv.Itoa(s.Rounds)}
			for _, p := range quantiles {
				value, interval := result.Quantile(s, p)
				if all && interval != "" {
					value += " " + interval
				}
				row = append(row, value)
			}
			_, most := figures(s)
			t.Row(append(row, most, c.BesideFloor(s), result.Uncounted(s))...)
		}
	}
	return t
}
