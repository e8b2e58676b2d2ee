package report

import (
	"fmt"
	"strings"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
)

// mostFindings is how many cells that did not pass the summary tells of with
// their evidence: GitHub shows job summaries of at most 1 MiB.
const mostFindings = 100

// matrix prints the verdicts of all scenarios, what is not as expected, and why
// the rest did not pass.
func (m *markdown) matrix(r *Report) {
	if !r.HasMatrix() {
		return
	}
	m.line("\n### Correctness\n")
	for _, s := range r.Matrix.Styles {
		_, tally := r.Tally(s.Label)
		m.line("- %s: %s", text(s.Label), tally)
	}
	m.failed(r)
	m.line("\n<details><summary>All verdicts: %s</summary>\n", plain.Plural(len(r.Matrix.Rows()), "scenario"))
	header, marks := []string{"scenario"}, []string{"---"}
	for _, s := range r.Matrix.Styles {
		header, marks = append(header, text(s.Label)), append(marks, "---")
	}
	m.row(header...)
	m.row(marks...)
	for _, g := range r.Matrix.Groups {
		m.row(append([]string{"**" + text(g.Name) + "**"}, make([]string, len(r.Matrix.Styles))...)...)
		for _, row := range g.Rows {
			cells := []string{text(row.Name)}
			for _, c := range row.Cells {
				cells = append(cells, r.markdownCell(c))
			}
			m.row(cells...)
		}
	}
	m.line("\n</details>")
	m.differences(r.Differences())
	m.findings(r)
}

// failed lists what did not pass, in a line each, with its reason.
func (m *markdown) failed(r *Report) {
	first := true
	for _, s := range r.Matrix.Styles {
		for _, f := range r.Findings(s.Label) {
			if first {
				first = false
				m.line("")
				m.row("not passed", "style", "scenario", "oracles", "reason")
				m.row("---", "---", "---", "---", "---")
			}
			m.row(emoji(f.Verdict)+text(f.Word()), text(s.Label), text(f.Scenario), text(strings.Join(f.FailedNames(), ", ")), text(plain.Clip(f.Reason(), commentMessage)))
		}
	}
}

// emoji are the marks of verdicts.
func emoji(o judge.Outcome) string {
	return map[judge.Outcome]string{judge.Pass: "✅ ", judge.Fail: "❌ ", judge.Flaky: "❌ ", judge.Late: "❌ ", judge.Invalid: "⚠️ "}[o]
}

func (r *Report) markdownCell(c *result.Cell) string {
	if c == nil {
		return "not run"
	}
	parts := []string{emoji(c.Verdict) + text(c.Word())}
	if names := c.FailedNames(); len(names) > 0 {
		parts = append(parts, text(strings.Join(names, ", ")))
	}
	if c.Recovery != nil {
		parts = append(parts, text(c.Recovery.String()))
	}
	if e := r.Expectation(c); e.Surprise() {
		parts = append(parts, "**expected "+text(e.Want)+"**")
	}
	return strings.Join(parts, "<br>")
}

func (m *markdown) differences(all []result.Difference) {
	if len(all) == 0 {
		return
	}
	m.line("\n**Not as expected**\n")
	for _, d := range all {
		m.line("- %s", text(d.String()))
	}
}

// findings explains every cell that did not pass, folded away.
func (m *markdown) findings(r *Report) {
	told := 0
	for _, s := range r.Matrix.Styles {
		all := r.Findings(s.Label)
		if len(all) == 0 {
			continue
		}
		m.line("\n<details><summary>%s: what did not pass, and why</summary>", text(s.Label))
		before := teller{}
		for _, f := range all {
			if told++; told > mostFindings {
				m.line("\n… and more; junit.xml and report.html tell of all.")
				break
			}
			m.finding(f, before)
		}
		m.line("\n</details>")
	}
	for _, line := range r.Inapplicable() {
		m.line("\n%s %s", unknown, text(line))
	}
}

func (m *markdown) finding(f result.Finding, before teller) {
	title := f.Scenario + ": " + f.String()
	if standing := f.Standing(); standing != "" {
		title += ", " + standing
	}
	m.line("\n**%s**", text(title))
	if f.Same && f.Why != "" {
		why := text(f.Why)
		if f.Upstream != "" {
			why += fmt.Sprintf(" ([upstream](<%s>))", escapeURL(f.Upstream))
		}
		m.line("\n%s", why)
	}
	for _, o := range before.told(f.Cell) {
		m.line("\n%s: %s", text(o.Name), text(o.Message))
		m.evidence(o.Evidence)
	}
}

// escapeURL keeps a URL within the angle brackets that Markdown puts around it.
func escapeURL(url string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", " ", "%20", "|", "%7C").Replace(plain.Line(url))
}
