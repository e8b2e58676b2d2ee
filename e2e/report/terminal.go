package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/table"
)

// width is the most columns that a line takes.
const width = table.Width

// terminalProblems is how many failures a terminal is told of; summary.md and
// junit.xml have more.
const terminalProblems = 5

// Terminal prints the report for a person, at most 100 columns wide. With
// colour, verdicts are coloured by ANSI escapes.
func (r *Report) Terminal(out io.Writer, colour bool) error {
	t := &terminal{colour: colour}
	for _, one := range r.Tables() {
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
	t.problems(r.Problems())
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

// scenario prints a scenario's verdicts, and below them its phases, each with
// the floor first and the styles beside it. Inner phases are shown of one style alone.
func (t *terminal) scenario(r *Report, scenario string) {
	t.gap()
	t.verdicts(r, scenario)
	phaseWidth, styleWidth := len("phase"), len("style")
	phases := r.Phases(scenario)
	if len(phases) == 0 {
		return // it only warmed styles up, for another one
	}
	inner := 0
	if len(r.Contestants()) > 1 { // which are compared by what all of them have
		all := len(phases)
		phases = slices.DeleteFunc(slices.Clone(phases), spec.Inner)
		inner = all - len(phases)
	}
	for _, phase := range phases {
		phaseWidth = min(max(phaseWidth, utf8.RuneCountInString(phase)), 31)
	}
	for c := range r.Of(scenario) {
		styleWidth = min(max(styleWidth, utf8.RuneCountInString(c.Style.Label)), 18)
	}
	beside := "× floor"
	if r.IsLoad(scenario) {
		beside = "floor" // its p50, in the style's own run
	}
	figure := table.Column{Gap: " ", Width: 8}
	columns := []table.Column{
		{Gap: "  ", Width: phaseWidth, Most: phaseWidth, Left: true},
		{Gap: "  ", Width: styleWidth, Most: styleWidth, Left: true},
		{Width: 5},
		{Width: 7},
		figure, figure, figure,
		{Gap: " ", Width: 7},
	}
	t.row(columns, "", "phase", "style", "n", "rounds", "p50", "p90", "max", beside)
	for _, phase := range phases {
		name := phase
		for c := range r.Of(scenario) {
			s, there := c.Phase(phase)
			if !there {
				continue
			}
			f := figures(s)
			t.row(columns, notes(s), name, c.Style.Label, strconv.Itoa(s.N), strconv.Itoa(s.Rounds), f[0], f[1], f[2], c.FloorFigure(s))
			name = ""
		}
	}
	if inner > 0 {
		t.line("  and %s of single styles: see summary.md", plain.Plural(inner, "inner phase"))
	}
}

// overview has one line for each style and scenario. It comes last of the
// tables, where a terminal still shows it.
func (t *terminal) overview(r *Report) {
	if len(r.Cells) == 0 {
		return
	}
	w := r.overviewWidths()
	columns := []table.Column{
		{Width: w.style, Most: w.style, Left: true},
		{Gap: " ", Width: w.scenario, Most: w.scenario, Left: true},
		{Gap: " ", Width: w.verdict, Left: true},
		{Width: 4},
		{Width: 3},
		{Gap: " ", Width: 5, Left: true},
	}
	for range 4 {
		columns = append(columns, table.Column{Gap: " ", Width: w.figure})
	}
	t.gap()
	outcome, short := r.InShort()
	t.line("%s; %s", t.paint(outcome, short), r.RoundsText())
	t.line("%s", plain.Left("", w.style+w.scenario+w.verdict+10)+plain.Right("written (gone)", w.figures()/2+1)+plain.Right("ready (gone)", w.figures()/2+1))
	t.row(columns, "", "style", "scenario", "verdict", "n", "r", "rank", "p50", "max", "p50", "max")
	for _, style := range r.Styles {
		for c := range r.By(style) {
			written, ready := c.Outcome()
			one, other := figures(written), figures(ready)
			row := table.Texts(c.Style.Label, c.Scenario, c.VerdictText(), strconv.Itoa(written.N), strconv.Itoa(written.Rounds),
				plain.Right(r.RankOf(style, c.Scenario).String(), 2), one[0], one[2], other[0], other[2])
			row[2].Outcome = c.Verdict
			t.line("%s", table.Line(columns, row, t.paint))
		}
	}
	t.wrapped("", "r: rounds; "+result.RankNote())
	if note := r.warmupNote(); note != "" {
		t.line("%s", note)
	}
}

// overviewWidths are how wide the overview's columns are.
type overviewWidths struct{ style, scenario, verdict, figure int }

// figures is how wide all four figures are.
func (w overviewWidths) figures() int { return 4 * (1 + w.figure) }

// overviewWidths gives a style's name what the other columns leave.
func (r *Report) overviewWidths() overviewWidths {
	w := overviewWidths{style: len("style"), scenario: len("scenario"), verdict: len("verdict"), figure: len("10.0 ms")}
	for _, c := range r.Cells {
		w.style = max(w.style, utf8.RuneCountInString(c.Style.Label))
		w.scenario = min(max(w.scenario, utf8.RuneCountInString(c.Scenario)), 12)
		w.verdict = max(w.verdict, utf8.RuneCountInString(c.VerdictText()))
		written, ready := c.Outcome()
		for _, three := range [][3]string{figures(written), figures(ready)} {
			for _, f := range three {
				w.figure = max(w.figure, utf8.RuneCountInString(f))
			}
		}
	}
	w.style = min(w.style, max(width-w.scenario-w.verdict-w.figures()-len("    9999 99 99 ~"), len("style")))
	return w
}

// table prints a table with its title and notes.
func (t *terminal) table(all table.Table) {
	t.line("")
	t.wrapped("", all.Title)
	for _, line := range all.Lines() {
		t.line("%s", line)
	}
	for _, note := range all.Notes {
		t.wrapped("  ", unknown+" "+note)
	}
}

// verdicts prints a scenario's name and each style's verdict, in as many lines
// as they need.
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

// row prints cells, and a note behind them, or below them where it has no room.
func (t *terminal) row(columns []table.Column, note string, texts ...string) {
	line := table.Line(columns, table.Texts(texts...), nil)
	if note != "" {
		if utf8.RuneCountInString(line+"  "+note) > width {
			t.line("%s", line)
			line = plain.Right("", 2+columns[0].Width)
		}
		line += "  " + note
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

func (t *terminal) problems(all []result.Problem) {
	for i, p := range all {
		t.line("")
		if i == terminalProblems {
			t.line("… and %d more; summary.md and junit.xml tell of them", len(all)-i)
			return
		}
		t.line("%s", t.paint(p.Outcome, plain.Line(p.Title())))
		t.wrapped("  ", p.Message)
		for _, e := range p.Evidence {
			t.wrapped("    ", e)
		}
	}
}
