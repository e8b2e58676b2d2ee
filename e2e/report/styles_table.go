package report

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
	"operatorbench/e2e/stat"
	"operatorbench/e2e/table"
)

// styleColumn is a column of a table of the styles; of the zero Cell nothing is known: it is shown as a dash.
type styleColumn struct {
	head string
	of   func(label string) table.Cell
}

// textColumn is a column of texts; empty: nothing is known.
func textColumn(head string, of func(label string) string) styleColumn {
	return styleColumn{head, func(label string) table.Cell { return table.Cell{Text: of(label)} }}
}

// stylesTable has a row for each style, and every column of which something is known.
func (r *Report) stylesTable() table.Table {
	columns := append(r.sizeColumns(), r.latencyColumns()...)
	columns = append(columns, r.correctColumn())
	columns = append(columns, r.costColumns()...)
	return r.byStyle(r.ByLatency(r.Headline()), append(columns, r.linesColumn())...)
}

// readmeTable has the few columns of a first look at one run: how quick one change is and how
// quick many at once, beside the reference, and the memory that it takes.
func (r *Report) readmeTable() table.Table {
	var columns []styleColumn
	headline, load := r.Headline(), r.Heaviest()
	if headline != load {
		columns = append(columns, styleColumn{headline + ", p50 [95% interval]", func(label string) table.Cell {
			c := r.Cell(label, headline)
			if c == nil {
				return table.Cell{}
			}
			written, _ := c.Outcome()
			return failing(c, counted(written, bounded(&written, 0.5, written.P50, written.CI50)))
		}})
	}
	if load != "" {
		columns = append(columns, r.latencyColumn(load), r.statusColumn(load))
	}
	columns = append(append(columns, r.sizeColumns()...), textColumn("× "+result.Reference, func(label string) string {
		return r.RatioText(label, headline)
	}), r.memoryColumn())
	return r.linked(r.ByLatency(headline), columns...)
}

// ownTable has what does not hang on the run: what fails, and what a maintainer owns.
func (r *Report) ownTable() table.Table {
	named := r.namedColumn()
	say := named.of
	named.of = func(label string) table.Cell {
		cell := say(label)
		if r.Fails(label).Failed > 0 {
			cell.Link = r.folder(label) + "/" + verdicts.File
		}
		return cell
	}
	return r.linked(r.Contestants(), named, r.linesColumn())
}

// linked is byStyle with a link from each style's name to its folder.
func (r *Report) linked(labels []string, columns ...styleColumn) table.Table {
	t := r.byStyle(labels, columns...)
	for i, label := range labels {
		t.Rows[i][0].Link = r.folder(label) + "/README.md"
	}
	return t
}

// folder is a style's, as a link.
func (r *Report) folder(label string) string {
	name, _ := r.Named(label)
	return "operators/" + url.PathEscape(name)
}

// memoryColumn is the most memory that a style took, with its interval.
func (r *Report) memoryColumn() styleColumn {
	return textColumn(peakMemory+" [95% interval]", func(label string) string {
		used := r.Used(label, func(c result.Cost) cost.Figure { return c.PeakMemory })
		if used.N == 0 {
			return ""
		}
		text := Amount(used.Unit, used.P50.Value)
		if ci := used.CI50; ci != nil && ci.Low != ci.High {
			text += fmt.Sprintf(" [%s, %s]", Amount(used.Unit, ci.Low.Value), Amount(used.Unit, ci.High.Value))
		}
		return text
	})
}

// linesColumn is what a maintainer owns.
func (r *Report) linesColumn() styleColumn {
	return textColumn("lines owned", func(label string) string {
		if facts, _ := r.Facts(label); facts != nil && facts.Owned != nil {
			return LinesText(facts.Owned)
		}
		return ""
	})
}

// byStyle is a table of columns, without those of which nothing is known.
func (r *Report) byStyle(labels []string, columns ...styleColumn) table.Table {
	t := table.Table{Header: []string{"style"}, Left: 1}
	for _, label := range labels {
		t.Row(label)
	}
	for _, column := range columns {
		var cells []table.Cell
		for _, label := range labels {
			cells = append(cells, column.of(label))
		}
		if !slices.ContainsFunc(cells, func(cell table.Cell) bool { return cell != table.Cell{} }) {
			continue
		}
		t.Header = append(t.Header, column.head)
		for i, cell := range cells {
			cell.Text = cmp.Or(cell.Text, unknown)
			t.Rows[i] = append(t.Rows[i], cell)
		}
	}
	t.Notes, t.Short = r.stylesNotes(), []string{text(r.RoundsText()), text(result.RankNote())}
	return t
}

// sizeColumns are how much the figures rest on, and what order they allow.
func (r *Report) sizeColumns() []styleColumn {
	return []styleColumn{
		textColumn("rank", func(label string) string {
			rank := r.RankOf(label, r.Headline())
			if rank.Place == 0 {
				return ""
			}
			return rank.String()
		}),
		textColumn(r.Headline()+" n (rounds)", func(label string) string {
			c := r.Cell(label, r.Headline())
			if c == nil {
				return ""
			}
			written, _ := c.Outcome()
			if written.N == 0 {
				return ""
			}
			return fmt.Sprintf("%d (%d)", written.N, written.Rounds)
		}),
	}
}

// latencyColumns are the scenarios that were measured: when the operator had
// done its part, of a load when it had done the last one. Scaling down is so much
// like scaling up that one of them does.
func (r *Report) latencyColumns() []styleColumn {
	var columns []styleColumn
	for _, scenario := range r.Scenarios {
		if scenario == "scale-down" && slices.Contains(r.Scenarios, "scale-up") {
			continue
		}
		columns = append(columns, r.latencyColumn(scenario))
	}
	return columns
}

// latencyColumn is one scenario that was measured.
func (r *Report) latencyColumn(scenario string) styleColumn {
	tail := "p90"
	if r.short(scenario) {
		tail = "max" // of all, so that a column holds one kind of figure
	}
	head := scenario + " p50 / " + tail
	cell := func(c *result.Cell) table.Cell { return latencyCell(c, tail) }
	if r.IsLoad(scenario) {
		head, cell = scenario+", until the last is written", lastCell
	}
	return styleColumn{head, func(label string) table.Cell {
		if c := r.Cell(label, scenario); c != nil {
			return cell(c)
		}
		return table.Cell{}
	}}
}

// loadSize says how many latencies of a load each style has, in how many rounds.
func (r *Report) loadSize(scenario string) string {
	var n, rounds []int
	for c := range r.Of(scenario) {
		if written, _ := c.Outcome(); !c.IsFloor() || len(r.Styles) == 1 {
			n, rounds = append(n, written.N), append(rounds, written.Rounds)
		}
	}
	if len(n) == 0 {
		return "n is 0"
	}
	return fmt.Sprintf("n is %s in %s rounds", plain.Span(slices.Min(n), slices.Max(n)), plain.Span(slices.Min(rounds), slices.Max(rounds)))
}

// latencyCell is p50 and p90, or the maximum, with what does not count.
func latencyCell(c *result.Cell, tail string) table.Cell {
	written, _ := c.Outcome()
	f := figures(written)
	if tail == "max" {
		f[1] = f[2]
	}
	return failing(c, counted(written, f[0]+" / "+f[1]))
}

// lastCell is when the last one of a load was written, the median over rounds. Where some
// were not written in time, it counts those that were.
func lastCell(c *result.Cell) table.Cell {
	written, _ := c.Outcome()
	inTime, of := c.Written()
	var cell table.Cell
	if inTime < of {
		cell.Outcome = spec.Late
	}
	if written.Max.Censored || inTime == 0 {
		cell.Text = fmt.Sprintf("%d of %d within %s", inTime, of, plain.Duration(written.Max.Value))
		if written.Wrong > 0 {
			cell.Text += fmt.Sprintf(" (%d wrong)", written.Wrong)
		}
		return cell
	}
	last := result.Lasts(written)
	cell.Text = counted(written, bounded(&last, 0.5, last.P50, last.CI50))
	return cell
}

// statusColumn counts how many custom resources of a load had their status in time, of those styles that write one.
func (r *Report) statusColumn(load string) styleColumn {
	return textColumn(load+", status in time", func(label string) string {
		c := r.Cell(label, load)
		if c == nil {
			return ""
		}
		status, there := c.Phase(spec.PhaseStatusWritten)
		if !there || status.N == 0 {
			return ""
		}
		return fmt.Sprintf("%d of %d", status.N-status.Censored, status.N+status.Wrong)
	})
}

// failing marks what did not pass.
func failing(c *result.Cell, text string) table.Cell {
	cell := table.Cell{Text: text}
	if v := c.Verdict; v == spec.Fail || v == spec.Flaky || v == spec.Late {
		cell.Outcome = v
	}
	return cell
}

// counted is a figure with what does not count; empty: there is neither.
func counted(s stat.Summary, figure string) string {
	switch notes := notes(s); {
	case s.N > 0:
		return strings.TrimSpace(figure + " " + notes)
	case notes != "":
		return unknown + " " + notes
	}
	return ""
}

// FailColumn heads how many scenarios of the correctness matrix a style fails.
const FailColumn = "scenarios that fail"

// scenarioColumn says something of the scenarios that were recorded of a style.
func (r *Report) scenarioColumn(of func(label string) string) styleColumn {
	return textColumn(FailColumn, func(label string) string {
		switch style, _ := r.Named(label); {
		case style == spec.Floor:
			return ""
		case !r.Recorded(label):
			return result.NotRecorded
		}
		return of(label)
	})
}

// correctColumn counts a style's scenarios that fail.
func (r *Report) correctColumn() styleColumn {
	return r.scenarioColumn(r.Counts)
}

// mostFailing is how many failing scenarios a README names of a style.
const mostFailing = 2

// namedColumn counts the scenarios that a style fails, and names them where they are few.
func (r *Report) namedColumn() styleColumn {
	return r.scenarioColumn(func(label string) string {
		failing := r.Fails(label)
		text := fmt.Sprintf("%d of %d", failing.Failed, failing.Of)
		var names []string
		for _, f := range r.Findings(label) {
			if f.Verdict == spec.Fail || f.Verdict == spec.Flaky || f.Verdict == spec.Late {
				names = append(names, f.Scenario+often(f))
			}
		}
		if n := len(names); n > 0 && n <= mostFailing {
			text += ": " + strings.Join(names, ", ")
		}
		return text + failing.Rest()
	})
}

// often says in how many of several runs a scenario failed, where it did not in all.
func often(f result.Finding) string {
	if f.Cell.Verdict != spec.Flaky {
		return ""
	}
	return fmt.Sprintf(" (in %d of %d rounds)", f.Cell.All()-f.Cell.Passed, f.Cell.All())
}

// peakMemory heads the most memory that a style took.
const peakMemory = "peak memory"

// costColumns are what a change takes, as result.Used sums it up.
func (r *Report) costColumns() []styleColumn {
	var columns []styleColumn
	for _, one := range []struct {
		head string
		of   func(result.Cost) cost.Figure
		used func(label string, of func(result.Cost) cost.Figure) result.Used
	}{
		{"pods / change", func(c result.Cost) cost.Figure { return c.PerChange(cost.Pods) }, r.Used},
		{"API calls / change", func(c result.Cost) cost.Figure { return c.PerChange(cost.Calls) }, r.Used},
		{"CPU / change", func(c result.Cost) cost.Figure { return c.BusyCPU }, r.Used},
		{"idle CPU", func(c result.Cost) cost.Figure { return c.IdleCPU }, r.Used},
		{peakMemory, func(c result.Cost) cost.Figure { return c.PeakMemory }, r.Used},
		{"memory at 100", func(c result.Cost) cost.Figure { return c.ManyMemory }, r.UsedBeside},
		{"cold start", func(c result.Cost) cost.Figure { return c.ColdStart }, r.UsedBeside},
		{"calls without a change", func(c result.Cost) cost.Figure { return c.UnchangedCalls }, r.UsedBeside},
	} {
		columns = append(columns, textColumn(one.head, func(label string) string {
			used := one.used(label, one.of)
			if used.N == 0 {
				return ""
			}
			return Amount(used.Unit, used.P50.Value)
		}))
	}
	return columns
}

// stylesNotes say what the figures are and where they come from.
func (r *Report) stylesNotes() []string { return append(r.columnNotes(), r.measuredNotes(r)...) }

// measuredNotes say of a run on which machine it was made, if its heading in the whole report does not, and what it
// handled wrongly.
func (r *Report) measuredNotes(whole *Report) []string {
	var notes, wrong []string
	if e := r.Environment; e != nil && r.Heading(whole) == "" {
		notes = append(notes, fmt.Sprintf("Measured in one run (%s) on %s; %s. %s", r.RoundsText(), text(e.Host.String()), text(e.Place()), record.MachineNote))
	}
	for _, label := range r.Contestants() {
		if text := r.Mishandled(label); text != "" {
			wrong = append(wrong, text)
		}
	}
	if len(wrong) > 0 {
		notes = append(notes, "Measured changes that were handled wrongly or late: "+text(strings.Join(wrong, "; "))+".")
	}
	return notes
}

// columnNotes say what is in the columns.
func (r *Report) columnNotes() []string {
	notes := []string{"Latency runs from just before the request to the watch event that shows the " + r.Child() + " written with the wanted size (delete: gone)."}
	if note := r.warmupNote(); note != "" {
		notes[0] += " Warm-up samples are left out."
	}
	var loads []string
	for _, scenario := range r.Scenarios {
		if r.IsLoad(scenario) {
			loads = append(loads, fmt.Sprintf("of %s, %s", text(scenario), r.loadSize(scenario)))
		}
	}
	if len(loads) > 0 {
		notes = append(notes, "A `burst-…` changes many custom resources at once: the figure is the time until the last of them was written, the median over rounds; "+strings.Join(loads, "; ")+". ❌: some were not written in time, or wrong. Its status is counted in a column of its own.")
	}
	notes = append(notes, strings.ToUpper(result.RankNote()[:1])+result.RankNote()[1:]+".")
	if slices.ContainsFunc(r.Costs, func(c result.Cost) bool { return c.PeakMemory.Known() }) {
		notes = append(notes, "Peak memory is that of all pods of the operator during single changes, the median over rounds: with many custom resources an operator may need more.")
	}
	if slices.ContainsFunc(r.Styles, func(label string) bool { facts, _ := r.Facts(label); return facts != nil && facts.Owned != nil }) {
		notes = append(notes, "Lines owned are the lines of code, manifests and build files that a maintainer of the operator keeps, without blank lines and comments. Scaffold is what a generator wrote and nobody has changed.")
	}
	if slices.ContainsFunc(r.Styles, r.Recorded) {
		note := "Scenarios are those of the correctness matrix that were recorded and apply to the style: more apply to one with more parts that can be broken, such as an event bus. The measured ones are among them" + text(r.judgedOn()) +
			". The reason of each failure is in the style's `verdicts.yaml`."
		if slices.ContainsFunc(r.Styles, func(label string) bool { return r.Fails(label).Unjudged > 0 }) {
			note += " Could not be judged: the test environment or the recording failed."
		}
		notes = append(notes, note)
	}
	return notes
}

// judgedOn says on which machines the runs took place that were made for verdicts alone.
func (r *Report) judgedOn() string {
	var machines []string
	n := 0
	for _, one := range r.RunFacts() {
		if !one.Measured {
			n, machines = n+1, plain.Once(machines, one.Machine)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; the others were recorded in %s (%s)", plain.Plural(n, "run"), strings.Join(machines, "; "))
}

// short tells whether some style has too few latencies for a p90.
func (r *Report) short(scenario string) bool {
	for c := range r.Of(scenario) {
		if written, _ := c.Outcome(); !c.IsFloor() && written.N > 0 && !written.Shows(0.9) {
			return true
		}
	}
	return false
}
