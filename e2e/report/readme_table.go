package report

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/matrix"
	"operatorbench/e2e/stat"
)

// readmeColumn is a column of the README's table; a style of which nothing is
// known has a dash.
type readmeColumn struct {
	head string
	of   func(label string) string
}

// readmeTable has a row for each style. A column of which nothing is known is
// left out.
func (r *Report) readmeTable() table {
	columns := r.latencyColumns()
	columns = append(columns, r.correctColumn())
	columns = append(columns, r.costColumns()...)
	columns = append(columns, readmeColumn{"lines owned", func(label string) string {
		if facts, _ := r.facts(label); facts != nil && facts.Owned != nil {
			return facts.Owned.LinesText()
		}
		return unknown
	}})
	t := table{header: []string{"style"}, left: 1}
	labels := r.ByLatency(r.Headline())
	for _, label := range labels {
		t.rows = append(t.rows, []string{"**" + text(label) + "**"})
	}
	for _, column := range columns {
		var cells []string
		for _, label := range labels {
			cells = append(cells, text(column.of(label)))
		}
		if !slices.ContainsFunc(cells, func(cell string) bool { return cell != unknown }) {
			continue
		}
		t.header = append(t.header, column.head)
		for i := range t.rows {
			t.rows[i] = append(t.rows[i], cells[i])
		}
	}
	t.notes = r.readmeNotes()
	return t
}

// latencyColumns are the scenarios that were measured: when the operator had
// done its part, of a load when it had done the last one. Scaling down is so much
// like scaling up that one of them does.
func (r *Report) latencyColumns() []readmeColumn {
	var columns []readmeColumn
	for _, scenario := range r.Scenarios {
		if scenario == "scale-down" && slices.Contains(r.Scenarios, "scale-up") {
			continue
		}
		head, cell := text(scenario)+" p50 / p90", latencyCell
		if r.isLoad(scenario) {
			head, cell = text(scenario)+" max", lastCell
		}
		columns = append(columns, readmeColumn{head, func(label string) string {
			for c := range r.By(label) {
				if c.Scenario == scenario {
					written, _ := c.Outcome()
					return cell(written)
				}
			}
			return unknown
		}})
	}
	return columns
}

// isLoad tells whether a scenario changes many custom resources at once.
func (r *Report) isLoad(scenario string) bool {
	for c := range r.Of(scenario) {
		if c.load() {
			return true
		}
	}
	return false
}

// latencyCell is p50 / p90 with what does not count.
func latencyCell(s stat.Summary) string {
	f := figures(s)
	return counted(s, f[0]+" / "+f[1])
}

// lastCell is the maximum with what does not count.
func lastCell(s stat.Summary) string { return counted(s, figures(s)[2]) }

// counted is a cell with what does not count; a dash, if nothing does.
func counted(s stat.Summary, cell string) string {
	if s.N == 0 {
		cell = unknown
	}
	return strings.TrimSpace(cell + " " + notes(s))
}

// correctColumn counts a style's scenarios of the correctness matrix.
func (r *Report) correctColumn() readmeColumn {
	return readmeColumn{"scenarios: pass / fail / n. a.", func(label string) string {
		count, _ := r.verdicts(label)
		if count == nil {
			return unknown
		}
		text := fmt.Sprintf("%d / %d / %d", count[judge.Pass], count[judge.Fail], count[judge.NotApplicable])
		for _, o := range []judge.Outcome{matrix.Flaky, judge.Invalid} {
			if count[o] > 0 {
				text += fmt.Sprintf(", %d %s", count[o], o)
			}
		}
		return text
	}}
}

// verdicts counts a style's scenarios by their verdicts: those that were seen
// where the report has a matrix, else those that its file expects; nil: neither
// is known.
func (r *Report) verdicts(label string) (count map[judge.Outcome]int, seen bool) {
	if r.HasMatrix() {
		for _, c := range r.Matrix.Cells(label) {
			if count == nil {
				count = map[judge.Outcome]int{}
			}
			count[c.Verdict]++
		}
		return count, true
	}
	style, _ := r.named(label)
	if style == Floor {
		return nil, false
	}
	for _, entry := range r.expected[style].Entries {
		if count == nil {
			count = map[judge.Outcome]int{}
		}
		count[entry.Verdict]++
	}
	return count, false
}

// costColumns are what a change takes. Of several runs the first that knows it
// counts.
func (r *Report) costColumns() []readmeColumn {
	var columns []readmeColumn
	for _, one := range []struct {
		head string
		of   func(Cost) cost.Figure
	}{
		{"pods / change", func(c Cost) cost.Figure { return c.PerChange(cost.Pods) }},
		{"API calls / change", func(c Cost) cost.Figure { return c.PerChange(cost.Calls) }},
		{"CPU / change", func(c Cost) cost.Figure { return c.CPU }},
		{"peak memory", func(c Cost) cost.Figure { return c.PeakMemory }},
	} {
		columns = append(columns, readmeColumn{one.head, func(label string) string {
			for _, c := range r.Costs {
				if f := one.of(c); c.Label() == label && f.Known() {
					return figure(f)
				}
			}
			return unknown
		}})
	}
	return columns
}

// readmeNotes say what the figures are and where they come from.
func (r *Report) readmeNotes() []string {
	first := "Latency runs from just before the request to the watch event that shows the Deployment written with the wanted size (delete: gone)."
	if slices.Contains(r.Styles, Floor) {
		first += " `" + Floor + "` is the floor: the harness writes the Deployment itself, no operator is there."
	}
	if note := r.warmupNote(); note != "" {
		first += " Warm-up samples are left out."
	}
	if slices.ContainsFunc(r.Scenarios, r.isLoad) {
		first += " A `burst-…` changes many custom resources at once; its maximum is when the last of them was done."
	}
	notes := []string{first}
	if e := r.Environment; e != nil {
		notes = append(notes, fmt.Sprintf("Measured in %s on one machine (%s; %s).", plural(len(r.Runs), "run"), text(e.Host.String()), text(e.cluster())))
	}
	if slices.ContainsFunc(r.Styles, func(label string) bool { count, seen := r.verdicts(label); return count != nil && !seen }) {
		notes = append(notes, "Scenarios are counted as each style's `"+matrix.File+"` expects them; a run of the matrix fails at any difference.")
	}
	if n := r.fewest(); n > 0 {
		if _, _, _, bounded := stat.Ranks(n, 0.5, stat.Level); !bounded {
			notes = append(notes, "With "+plural(n, "sample")+" for a style the figures show orders of magnitude, not small differences.")
		}
	}
	return notes
}

// fewest is the least number of latencies that a style has in the main scenario,
// the floor apart, which no style is compared by.
func (r *Report) fewest() int {
	fewest := 0
	for c := range r.Of(r.Headline()) {
		if written, _ := c.Outcome(); c.Style != Floor && (fewest == 0 || written.N < fewest) {
			fewest = written.N
		}
	}
	return fewest
}
