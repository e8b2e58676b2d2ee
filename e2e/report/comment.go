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

// A comment on a pull request is read at a glance. GitHub takes up to 65,536
// characters.
const (
	commentBytes    = 8000 // the most that Comment prints
	commentProblems = 12
	commentWarnings = 3
	commentMessage  = 300 // characters of a foreign text
)

// commentCut ends a comment that would be longer.
const commentCut = "\n… and more, which does not fit here: summary.md and report.json have all of it.\n"

// Comment prints the report as Markdown that fits a comment on a pull request:
// what did not pass first, then a row for each style.
func (r *Report) Comment(out io.Writer) error {
	m := &markdown{}
	outcome, short := r.InShort()
	m.line("### operatorbench: %s%s\n", table.Emoji(outcome), short)
	m.failures(r)
	m.commentMatrix(r)
	for i, warning := range r.Warnings {
		if i == commentWarnings {
			m.line("\n> and %s; summary.md has all", plain.Plural(len(r.Warnings)-i, "more warning"))
			break
		}
		m.line("\n> **Warning:** %s", text(plain.Clip(warning, commentMessage)))
	}
	for _, one := range r.Tables() {
		if len(one.Cells) == 0 {
			continue
		}
		t := one.stylesTable()
		m.line("")
		if heading := one.Heading(r); heading != "" {
			m.line("**%s**\n", text(heading))
		}
		m.rows(t)
		m.line("\n%s.", strings.Join(t.Short, ". "))
	}
	if e := r.Environment; e != nil {
		m.line("\n%s", text(plain.Clip(strings.Join(e.Lines()[:2], "; "), commentMessage)))
	}
	_, err := io.WriteString(out, cut(m.text.String(), commentBytes))
	return err
}

// failures has a row for each style and scenario that did not pass, the worst
// first, with the first reason.
func (m *markdown) failures(r *Report) {
	var cells []*result.Cell
	for _, c := range r.Cells {
		if v := c.Verdict; v != spec.Pass && v != spec.NotApplicable {
			cells = append(cells, c)
		}
	}
	if len(cells) == 0 {
		return
	}
	order := []spec.Outcome{spec.Fail, spec.Flaky, spec.Late, spec.Invalid}
	slices.SortStableFunc(cells, func(a, b *result.Cell) int { return slices.Index(order, a.Verdict) - slices.Index(order, b.Verdict) })
	t := table.Table{Header: []string{"not passed", "style", "scenario", "the first reason"}, Left: 4}
	for i, c := range cells {
		if i == commentProblems {
			t.Row("…", "", "", fmt.Sprintf("and %d more; junit.xml tells of all", len(cells)-i))
			break
		}
		reason := ""
		for _, p := range c.Problems {
			if p.Outcome == c.Verdict || c.Verdict == spec.Flaky {
				reason = p.Message
				if len(p.Oracles) > 0 {
					reason = strings.Join(p.Oracles, ", ") + ": " + reason
				}
				break
			}
		}
		row := table.Texts(c.VerdictText(), c.Style.Label, c.Scenario, plain.Clip(reason, commentMessage))
		row[0].Outcome = c.Verdict
		t.Rows = append(t.Rows, row)
	}
	m.rows(t)
}

// commentMatrix has a line for each style, and what is not as expected.
func (m *markdown) commentMatrix(r *Report) {
	if !r.HasMatrix() {
		return
	}
	m.line("\n**Correctness**\n")
	for _, s := range r.Matrix.Styles {
		_, tally := r.Tally(s.Label)
		m.line("- %s: %s", text(s.Label), tally)
	}
	for _, d := range r.Differences() {
		m.line("- **%s**", text(plain.Clip(d.String(), commentMessage)))
	}
}

// cut shortens a text to a size in bytes, at the end of a line, and says so.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	kept := text[:size-len(commentCut)]
	return kept[:strings.LastIndexByte(kept, '\n')+1] + commentCut
}
