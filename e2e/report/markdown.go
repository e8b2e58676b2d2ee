package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/stat"
	"operatorbench/e2e/table"
)

// Markdown prints the report as GitHub-flavoured Markdown, for a job summary.
func (r *Report) Markdown(out io.Writer) error {
	m := &markdown{}
	m.line("## operatorbench: run %s", text(strings.Join(r.Runs, ", ")))
	outcome, short := r.InShort()
	m.line("\n%s%s%s.\n", table.Emoji(outcome), strings.ToUpper(short[:1])+short[1:], r.measuredIn())
	if len(r.Tables()) > 1 {
		m.line("%s\n", SeveralNote)
	}
	if r.Recommends() {
		m.needs(r)
		m.line("")
	}
	for _, one := range r.Tables() {
		if heading := one.Heading(r); heading != "" {
			m.line("\n### %s\n", text(heading))
		}
		if t := one.figuresTable(); len(t.Rows) > 0 && len(one.Contestants()) > 1 {
			m.rows(t)
			m.line("")
		}
		m.overview(one)
	}
	if t := r.ownTable(); len(t.Rows) > 1 {
		m.line("")
		m.rows(t)
	}
	m.matrix(r)
	for _, t := range r.tables() {
		m.table(t)
	}
	for _, one := range r.Tables() {
		if one.Environment == nil {
			continue
		}
		m.line("\n%s\n", text(one.Heading(r)))
		for _, line := range one.Environment.Lines() {
			m.line("- %s", text(line))
		}
	}
	m.line("")
	for _, one := range r.Parts {
		if e := one.Environment; e != nil {
			m.line("- %s", text(fmt.Sprintf("run %s: seed %d, %s, on %s", one.Header.Run, one.Header.Seed, flagsText(e.Flags), e.Machine())))
		}
	}
	if len(r.Warnings) > 0 {
		m.line("\n### %s", warningsHead)
	}
	for _, warning := range r.Warnings {
		m.line("\n- %s", text(warning))
	}
	for _, one := range r.Tables() {
		m.details(one, one.Heading(r))
	}
	_, err := io.WriteString(out, m.text.String())
	return err
}

// warningsHead is a heading that a README links to.
const warningsHead = "What to know of these runs"

// anchor is where GitHub puts a heading.
func anchor(heading string) string { return strings.ReplaceAll(strings.ToLower(heading), " ", "-") }

type markdown struct{ text strings.Builder }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.text, format+"\n", args...) }

// table prints a table with its title and notes.
func (m *markdown) table(t table.Table) {
	m.line("\n**%s**\n", text(t.Title))
	m.rows(t)
	for _, note := range t.Notes {
		m.line("\n%s %s", unknown, text(note))
	}
}

// rows prints a table's header and rows.
func (m *markdown) rows(t table.Table) { m.text.WriteString(t.Markdown()) }

// text escapes a foreign text.
func text(s string) string { return table.Escape(s) }

// measuredIn says in how many rounds, or in how many runs.
func (r *Report) measuredIn() string {
	if len(r.Cells) == 0 {
		return ""
	}
	if n := len(r.Tables()); n > 1 {
		return ". In " + plain.Plural(n, "run")
	}
	return ". " + r.RoundsText()
}

// overview has a table for each scenario, the quickest style first.
func (m *markdown) overview(r *Report) {
	if len(r.Cells) == 0 {
		return
	}
	for _, scenario := range r.Scenarios {
		m.rows(r.ranked(scenario))
		m.line("")
	}
	m.line("%s", text(r.legend()))
	if note := r.warmupNote(); note != "" {
		m.line("\n%s", note)
	}
}

// legend says what is in tables of latencies.
func (r *Report) legend() string {
	return "n: latencies, in r rounds; a dash is a quantile that n is too small for (p90: " + strconv.Itoa(stat.Needed(0.9)) + "); " + result.RankNote() +
		"; × floor: p50 by the floor's, in the same runs; loads are shown with the floor of their own run; " + result.RatioNote()
}

// evidence prints events as they are.
func (m *markdown) evidence(lines []string) {
	if len(lines) == 0 {
		return
	}
	fence := fenceFor(strings.Join(lines, "\n"))
	m.line("\n%stext", fence)
	for _, line := range lines {
		m.line("%s", plain.Line(line))
	}
	m.line("%s", fence)
}

// fenceFor is a code fence longer than any run of backticks in a text.
func fenceFor(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence
}

// flagsText is how a run was asked for, the empty flags left out.
func flagsText(flags map[string]string) string {
	given := plain.Pick(slices.Sorted(maps.Keys(flags)), func(name string) (string, bool) { return "--" + name + "=" + flags[name], flags[name] != "" })
	return strings.Join(given, " ")
}

// details has every phase, with confidence intervals.
func (m *markdown) details(r *Report, heading string) {
	if len(r.Cells) == 0 {
		return
	}
	m.line("\n<details><summary>All phases%s</summary>\n", text(strings.TrimSuffix(". "+heading, ". ")))
	m.line("From the intent, just before the request, to the watch event that shows the phase. Square brackets: %.0f%% confidence interval over rounds, from %d rounds on.\n", 100*stat.Level, stat.MinRounds)
	for _, scenario := range r.Scenarios {
		if t := r.phasesTable(scenario, true); len(t.Rows) > 0 {
			m.line("\n%s\n", text(scenario))
			m.rows(t)
		}
	}
	m.line("\n</details>")
}
