package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/table"
)

// width is the most columns that a line takes.
const width = table.Width

// terminalProblems is how many failures a terminal is told of; summary.md and junit.xml have more.
const terminalProblems = 5

// fewStyles is how many styles can be read side by side in a terminal phase by phase: of more, each scenario is a table
// of its own, without phases.
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
	t.matrix(r)
	for _, one := range r.Tables() {
		t.heading(one.Heading(r))
		t.overview(one)
	}
	for _, one := range r.tables() {
		t.table(one)
	}
	t.failures(r)
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

// scenario prints a scenario's verdicts, and below them its phases, each with the floor first and the styles beside it.
// Inner phases are shown of one style alone.
func (t *terminal) scenario(r *Report, scenario string) {
	t.gap()
	t.verdicts(r, scenario)
	all := r.phasesTable(scenario, false)
	for i := range all.Rows { // a phase is named once
		for k := i + 1; k < len(all.Rows) && all.Rows[k][0].Text == all.Rows[i][0].Text; k++ {
			all.Rows[k][0].Text = ""
		}
	}
	if len(all.Rows) > 0 { // else it only warmed styles up, for another one
		t.lines(all)
	}
	if n := len(slices.DeleteFunc(r.Phases(scenario), func(p string) bool { return !spec.Inner(p) })); n > 0 && len(r.Contestants()) > 1 {
		t.line("  and %s of single styles: see summary.md", plain.Plural(n, "inner phase"))
	}
}

// overview has one line for each style and scenario. It comes last of the tables, where a terminal still shows it.
func (t *terminal) overview(r *Report) {
	if len(r.Cells) == 0 {
		return
	}
	t.gap()
	outcome, short := r.InShort()
	t.line("%s; %s", t.paint(outcome, short), r.RoundsText())
	t.wrapped("", "rank \"2–4\": second, third or fourth, as far as these rounds tell; × floor: the p50 (median) as a multiple of the floor's, where no operator "+
		"is and the harness itself writes; verdict: samples that are right, of all")
	t.line("")
	many := len(r.Contestants()) > fewStyles
	if many {
		for _, scenario := range r.Scenarios {
			t.lines(r.ranked(scenario))
			t.gap()
		}
	} else {
		all := r.overview()
		last := len(all.Header) - 1 // it stands above
		all.Header = all.Header[:last]
		for i := range all.Rows {
			all.Rows[i] = all.Rows[i][:last]
		}
		t.lines(all)
	}
	t.wrapped("", "r: rounds; "+result.RankNote())
	if many {
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

// verdicts prints a scenario's name and each style's verdict, in as many lines as they need.
func (t *terminal) verdicts(r *Report, scenario string) {
	const gap = "   "
	line, used := plain.Line(scenario), utf8.RuneCountInString(scenario)
	for c := range r.Of(scenario) {
		style := plain.Clip(plain.Line(c.Style.Label), 20)
		plain := style + " " + c.VerdictText()
		if used+len(gap)+utf8.RuneCountInString(plain) > width {
			t.line("%s", line)
			line, used = " ", 1
		}
		line += gap + style + " " + t.paint(c.Verdict, c.VerdictText())
		used += len(gap) + utf8.RuneCountInString(plain)
	}
	t.line("%s", line)
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

func (t *terminal) failures(r *Report) {
	all := r.failures()
	for i, f := range all {
		t.line("")
		if i == terminalProblems {
			t.line("… and %d more; summary.md and junit.xml tell of them", len(all)-i)
			return
		}
		t.line("%s", t.paint(f.Outcome, plain.Line(f.title)))
		t.wrapped("  ", f.where+": "+f.Message)
		for _, e := range f.Evidence {
			t.wrapped("    ", e)
		}
	}
}
