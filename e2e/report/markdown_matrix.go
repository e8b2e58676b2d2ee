package report

import (
	"fmt"
	"net/url"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/table"
)

// mostFindings is how many cells that did not pass the summary tells of with
// their evidence: GitHub shows job summaries of at most 1 MiB.
const mostFindings = 100

// mostReason is how many letters of a foreign text stand in a table.
const mostReason = 300

// matrix prints the verdicts of all scenarios, what is not as expected, and why the rest did not pass.
func (m *markdown) matrix(r *Report) {
	if r.HasMatrix() {
		m.line("\n### Correctness\n")
		for _, label := range r.Matrix.Labels() {
			_, tally := r.Tally(label)
			m.line("- %s: %s", text(label), tally)
		}
	}
	m.failed(r)
	if r.HasMatrix() {
		m.line("\n<details><summary>All verdicts: %s</summary>\n", plain.Plural(len(r.Matrix.Rows()), "scenario"))
		m.rows(r.verdictTable())
		m.line("\n</details>")
	}
	m.differences(r.Differences())
	m.findings(r)
}

// failed lists what did not pass, in a line each, with its reason.
func (m *markdown) failed(r *Report) {
	t := table.Table{Header: []string{"not passed", "style", "scenario", "oracles", "reason"}, Left: 5}
	for _, label := range r.Styles {
		for _, f := range r.Findings(label) {
			row := table.Texts(f.Word(), label, f.Scenario, strings.Join(f.FailedNames(), ", "), plain.Clip(f.Reason(), mostReason))
			row[0].Outcome = f.Verdict
			t.Rows = append(t.Rows, row)
		}
	}
	if len(t.Rows) > 0 {
		m.line("")
		m.rows(t)
	}
}

// verdictTable has the verdicts of all scenarios.
func (r *Report) verdictTable() table.Table {
	labels := r.Matrix.Labels()
	t := table.Table{Header: append([]string{"scenario"}, labels...), Left: 1 + len(labels)}
	for _, g := range r.Matrix.Groups {
		heading := make([]table.Cell, len(t.Header))
		heading[0].Strong = g.Name
		t.Rows = append(t.Rows, heading)
		for _, row := range g.Rows {
			t.Rows = append(t.Rows, append(table.Texts(row.Name), plain.Map(row.Cells, r.verdictCell)...))
		}
	}
	return t
}

func (r *Report) verdictCell(c *result.Cell) table.Cell {
	if c == nil {
		return table.Cell{Text: "not run"}
	}
	lines := []string{c.Word()}
	if names := c.FailedNames(); len(names) > 0 {
		lines = append(lines, strings.Join(names, ", "))
	}
	if c.Recovery != nil {
		lines = append(lines, c.Recovery.String())
	}
	if c.Service != nil {
		lines = append(lines, c.Service.String())
	}
	cell := table.Cell{Text: strings.Join(lines, "\n"), Outcome: c.Verdict}
	if e := r.Expectation(c); e.Surprise() {
		cell.Strong = "expected " + e.Want
	}
	return cell
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

// failedAnchor is where findings begin with a style.
func failedAnchor(label string) string { return "failed-" + url.PathEscape(label) }

// findings explains every cell that did not pass, folded away.
func (m *markdown) findings(r *Report) {
	listed := 0
	for _, label := range r.Styles {
		all := r.Findings(label)
		if len(all) == 0 {
			continue
		}
		m.line("\n<a id=\"%s\"></a>\n<details><summary>%s: what did not pass, and why</summary>", failedAnchor(label), text(label))
		before := teller{}
		for _, f := range all {
			if listed++; listed > mostFindings {
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
	m.line("\n**%s**", text(f.Title()))
	if f.Same && f.Why != "" {
		why := text(f.Why)
		if f.Upstream != "" {
			why += fmt.Sprintf(" ([upstream](<%s>))", escapeURL(f.Upstream))
		}
		m.line("\n%s", why)
	}
	for _, o := range before.reasons(f.Cell) {
		m.line("\n%s: %s", text(o.Name), text(o.Message))
		m.evidence(o.Evidence)
	}
}

// escapeURL keeps a URL within the angle brackets that Markdown puts around it.
func escapeURL(url string) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", " ", "%20", "|", "%7C").Replace(plain.Line(url))
}
