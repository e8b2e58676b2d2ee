package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/stat"
)

// markdownProblems is how many failures the summary tells of: GitHub shows job
// summaries of at most 1 MiB.
const markdownProblems = 25

// Markdown prints the report as GitHub-flavoured Markdown, for a job summary.
func (r *Report) Markdown(out io.Writer) error {
	m := &markdown{}
	m.line("## operatorbench: run %s", text(strings.Join(r.Runs, ", ")))
	m.line("")
	m.overview(r)
	m.matrix(r)
	for _, t := range []table{r.costTable(), r.ownedTable(), r.securityTable(), r.claimsTable()} {
		if len(t.rows) > 0 {
			m.table(t)
		}
	}
	if r.Environment != nil {
		m.line("")
		for _, line := range r.Environment.Lines() {
			m.line("- %s", text(line))
		}
	}
	for _, warning := range r.Warnings {
		m.line("")
		m.line("> **Warning:** %s", text(warning))
	}
	m.problems(r.Problems())
	m.details(r)
	_, err := io.WriteString(out, m.text.String())
	return err
}

type markdown struct{ text strings.Builder }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.text, format+"\n", args...) }

func (m *markdown) row(cells ...string) { m.line("| %s |", strings.Join(cells, " | ")) }

// table prints a table with its title and notes.
func (m *markdown) table(t table) {
	m.line("\n**%s**\n", text(t.title))
	marks := make([]string, len(t.header))
	for i := range marks {
		marks[i] = "--:"
		if i < t.left || i == len(marks)-1 && t.tail {
			marks[i] = "---"
		}
	}
	m.row(t.header...)
	m.row(marks...)
	for _, row := range t.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = text(cell)
		}
		m.row(cells...)
	}
	for _, note := range t.notes {
		m.line("\n%s %s", unknown, text(note))
	}
}

// text escapes what Markdown would take for its own.
func text(s string) string {
	var b strings.Builder
	for _, r := range clean(s) {
		switch r {
		case '\\', '|', '*', '_', '`', '[':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// overview has one line for each style and scenario.
func (m *markdown) overview(r *Report) {
	if len(r.Cells) == 0 {
		if !r.HasMatrix() {
			m.line("The recording holds no sample.")
		}
		return
	}
	m.row("style", "scenario", "verdict", "n", "child written (delete: gone), p50 / p90 / max", "ready (delete: pods gone), p50 / p90 / max", "× floor", "")
	m.row("---", "---", "---", "--:", "--:", "--:", "--:", "---")
	for _, label := range r.Styles {
		for c := range r.By(label) {
			written, ready := c.Outcome()
			m.row(text(c.Label), text(c.Scenario), c.markdownVerdict(), strconv.Itoa(ready.N), join(written), join(ready), text(r.times(ready)), notes(ready))
		}
	}
	if note := r.warmupNote(); note != "" {
		m.line("\n%s", note)
	}
}

func join(s stat.Summary) string {
	f := figures(s)
	if s.N == 0 {
		return f[0]
	}
	return text(strings.Join(f[:], " / "))
}

func (c *Cell) markdownVerdict() string {
	verdict, _, _ := c.Verdict()
	if n := c.Warmups(); n > 0 {
		return fmt.Sprintf("%s%s (%s)", emoji(verdict), c.VerdictText(), plural(n, "warm-up"))
	}
	return emoji(verdict) + c.VerdictText()
}

// problems explains what failed, with its evidence.
func (m *markdown) problems(all []Problem) {
	if len(all) == 0 {
		return
	}
	m.line("")
	m.line("### What failed")
	for i, p := range all {
		m.line("")
		if i == markdownProblems {
			m.line("… and %d more; junit.xml tells of all.", len(all)-i)
			return
		}
		m.line("**%s** (namespace %s)<br>", text(p.Title()), text(p.Namespace))
		m.line("%s", text(p.Message))
		m.evidence(p.Evidence)
	}
}

// evidence prints events as they are.
func (m *markdown) evidence(lines []string) {
	if len(lines) == 0 {
		return
	}
	fence := fenceFor(strings.Join(lines, "\n"))
	m.line("\n%stext", fence)
	for _, line := range lines {
		m.line("%s", clean(line))
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

// details has every phase, with confidence intervals, and what does not apply.
func (m *markdown) details(r *Report) {
	if len(r.Cells) == 0 {
		return
	}
	m.line("\n<details><summary>All phases</summary>\n")
	m.line("From the intent, just before the request, to the watch event that shows the phase. Square brackets: %.0f%% confidence interval, where n allows one.\n", 100*stat.Level)
	m.row("scenario", "phase", "style", "n", "p50", "p90", "p99", "max", "× floor", "")
	m.row("---", "---", "---", "--:", "--:", "--:", "--:", "--:", "--:", "---")
	for _, scenario := range r.Scenarios {
		for _, phase := range r.Phases(scenario) {
			for c := range r.Of(scenario) {
				if s, there := c.Phase(phase); there {
					m.row(text(scenario), text(phase), text(c.Label), strconv.Itoa(s.N), bounded(s, s.P50, s.CI50), bounded(s, s.P90, s.CI90),
						bounded(s, s.P99, s.CI99), bounded(s, s.Max, nil), text(r.times(s)), notes(s))
				}
			}
		}
	}
	for _, line := range r.notApplicable() {
		m.line("\n%s", text(line))
	}
	m.line("\n</details>")
}

// bounded is an order statistic with its interval; a dash where nothing counts.
func bounded(s stat.Summary, o stat.Observation, ci *stat.Interval) string {
	switch {
	case s.N == 0:
		return unknown
	case ci == nil:
		return text(Latency(o))
	}
	return fmt.Sprintf("%s \\[%s, %s]", text(Latency(o)), text(Latency(ci.Low)), text(Latency(ci.High)))
}

// notApplicable says once for each style and oracle why it was not asked.
func (r *Report) notApplicable() []string {
	var lines []string
	for _, c := range r.Cells {
		for i := range c.Results {
			for _, v := range c.Results[i].Verdicts {
				if v.Outcome == judge.NotApplicable {
					lines = addNew(lines, fmt.Sprintf("%s, oracle %s not applicable: %s", c.Label, v.Oracle, v.Message))
				}
			}
		}
	}
	return lines
}
