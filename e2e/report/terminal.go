package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/table"
)

// width is the most columns that a line takes.
const width = table.Width

// terminalFindings is how many failures of one style a terminal is told of; summary.md has more.
const terminalFindings = 40

// fewStyles is how many styles can be read side by side in a terminal, phase by phase and test by test.
const fewStyles = 4

// Terminal prints the report for a person, at most 100 columns wide. With
// colour, verdicts are coloured by ANSI escapes.
func (r *Report) Terminal(out io.Writer, colour bool) error {
	t := &terminal{colour: colour}
	for _, one := range r.Tables() {
		if len(one.Contestants()) > fewStyles {
			continue
		}
		t.heading(one.Heading(r))
		for _, scenario := range one.Scenarios {
			t.scenario(one, scenario)
		}
	}
	if len(r.Scenarios) == 0 && !r.HasMatrix() {
		t.line("The recording holds no sample.")
	}
	if r.HasMatrix() {
		t.matrix(r)
	}
	for _, one := range r.Tables() {
		t.heading(one.Heading(r))
		t.overview(one)
	}
	for _, one := range r.tables() {
		t.table(one)
	}
	t.notPassed(r)
	for _, warning := range r.Warnings {
		t.line("")
		t.line("%s: %s", t.paint(spec.Invalid, "warning"), plain.Line(warning))
	}
	_, err := io.WriteString(out, t.text.String())
	return err
}

type terminal struct {
	text   strings.Builder
	colour bool
}

func (t *terminal) line(format string, args ...any) { fmt.Fprintf(&t.text, format+"\n", args...) }

// gap parts what follows from what stands above.
func (t *terminal) gap() {
	if t.text.Len() > 0 {
		t.line("")
	}
}

// heading names what follows, where there are several.
func (t *terminal) heading(text string) {
	if text != "" {
		t.gap()
		t.wrapped("", text)
	}
}

// paint colours a text by an outcome, where colours are wanted.
func (t *terminal) paint(outcome spec.Outcome, text string) string {
	if !t.colour {
		return text
	}
	return table.Paint(outcome, text)
}

// scenario prints the phases of a scenario, each with the floor first and the styles beside it. Inner phases are shown of
// one style alone.
func (t *terminal) scenario(r *Report, scenario string) {
	all := r.phasesTable(scenario, false)
	if len(all.Rows) == 0 { // it only warmed styles up, for another one
		return
	}
	for i := range all.Rows { // a phase is named once
		for k := i + 1; k < len(all.Rows) && all.Rows[k][0].Text == all.Rows[i][0].Text; k++ {
			all.Rows[k][0].Text = ""
		}
	}
	t.gap()
	t.line("%s", plain.Line(scenario))
	t.lines(all)
}

// notPassed says of each style what did not pass, and why. It comes last, where a terminal still shows it.
func (t *terminal) notPassed(r *Report) {
	if !slices.ContainsFunc(r.Styles, func(label string) bool { return len(r.Findings(label)) > 0 }) {
		return
	}
	t.gap()
	t.line("What did not pass, and why")
	for _, label := range r.Styles {
		t.findings(r, label)
	}
}

// matrix prints the verdicts of all scenarios, and what does not apply, if the styles can be read side by side.
func (t *terminal) matrix(r *Report) {
	t.gap()
	if len(r.Matrix.Styles) > fewStyles {
		t.line("The verdicts of all scenarios: report.html and summary.md, which --format=html and markdown make.")
		return
	}
	t.verdictTable(r)
	for i, line := range r.Inapplicable() {
		if i == 0 {
			t.line("")
		}
		t.wrapped("", unknown+" "+line)
	}
}

// verdictTable has a row for each scenario, and a column for each style.
func (t *terminal) verdictTable(r *Report) {
	labels := r.Matrix.Labels()
	all := table.Table{Header: append([]string{"scenario"}, labels...), Left: 1 + len(labels)}
	for _, row := range r.Matrix.Rows() {
		all.Rows = append(all.Rows, append(table.Texts(row.Name), plain.Map(row.Cells, func(c *result.Cell) table.Cell {
			if c == nil { // it was not driven
				return table.Cell{}
			}
			return table.Cell{Text: c.Word(), Outcome: c.Verdict}
		})...))
	}
	t.lines(all)
}

// findings lists what did not pass of a style, what is not as expected first: that with what was seen, the rest with its
// reason.
func (t *terminal) findings(r *Report, label string) {
	foreseen := func(f result.Finding) bool { return !f.Surprise() }
	all := append(plain.Where(r.Findings(label), result.Finding.Surprise), plain.Where(r.Findings(label), foreseen)...)
	if len(all) > 0 {
		t.gap()
		heading := plain.Line(label)
		if _, tally := r.Tally(label); r.Recorded(label) {
			heading += ": " + tally
		}
		t.line("%s", heading)
	}
	before := teller{}
	for i, f := range all {
		if i == terminalFindings {
			t.line("  … and %d more; summary.md and report.html tell of them", len(all)-terminalFindings)
			return
		}
		for i, line := range plain.Wrap(plain.Line(f.Title()), width-4) {
			if i > 0 {
				line = "  " + line
			}
			t.line("  %s", t.paint(f.Verdict, line))
		}
		if f.Same && f.Why != "" {
			t.wrapped("    ", f.Why)
			continue
		}
		for _, o := range before.reasons(f.Cell) {
			t.wrapped("    ", o.Name+": "+o.Message)
			for _, e := range o.Evidence {
				t.wrapped("      ", e)
			}
		}
	}
}

// overview has a table for each scenario, the quickest style first.
func (t *terminal) overview(r *Report) {
	if len(r.Cells) == 0 {
		return
	}
	t.gap()
	outcome, short := r.InShort()
	t.line("%s; %s", t.paint(outcome, short), r.RoundsText())
	t.wrapped("", "rank \"2–4\": second, third or fourth, as far as these rounds tell; × floor: the p50 (median) as a multiple of the floor's, where no operator "+
		"is and the harness itself writes; verdict: samples that are right, of all")
	for _, scenario := range r.Scenarios {
		t.line("")
		t.lines(r.ranked(scenario))
	}
	t.wrapped("", "r: rounds; "+result.RankNote())
	if len(r.Contestants()) > fewStyles {
		t.wrapped("", "Each phase of each scenario: report.html and summary.md, which --format=html and markdown make.")
	}
	if note := r.warmupNote(); note != "" {
		t.line("%s", note)
	}
}

func (t *terminal) lines(all table.Table) {
	for _, line := range all.Lines(t.paint) {
		t.line("%s", line)
	}
}

// table prints a table with its title and notes.
func (t *terminal) table(all table.Table) {
	t.line("")
	t.wrapped("", all.Title)
	t.lines(all)
	for _, note := range all.Notes {
		t.wrapped("  ", unknown+" "+note)
	}
}

// wrapped prints a foreign text, its further lines indented deeper.
func (t *terminal) wrapped(indent, text string) {
	for i, line := range plain.Wrap(plain.Line(text), width-len(indent)-2) {
		if i > 0 {
			line = "  " + line
		}
		t.line("%s%s", indent, line)
	}
}
