package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/table"
)

// What the matrix needs on a terminal, in columns: a cell at least, and the name of a scenario at least and at most.
const (
	cellWidth   = 20
	leastOfName = 30
	mostOfName  = 46
)

// matrix prints the verdicts of all scenarios, in as many tables as the styles need, and below them what did not pass.
func (t *terminal) matrix(r *Report) {
	if !r.HasMatrix() {
		return
	}
	nameWidth := len("scenario")
	for _, row := range r.Matrix.Rows() {
		nameWidth = min(max(nameWidth, utf8.RuneCountInString(row.Name)), mostOfName)
	}
	nameWidth = max(min(nameWidth, width-2-len(r.Matrix.Styles)*(cellWidth+2)), min(nameWidth, leastOfName))
	fit := max((width-2-nameWidth)/(cellWidth+2), 1)
	t.gap()
	legend := "Correctness: ✓ pass, ✗ fail, ≈ flaky, ! invalid, – not applicable"
	if r.AnyExpected() {
		legend += "; * is not as expected"
	}
	t.line("%s", legend)
	for _, s := range r.Matrix.Styles { // what fails comes first
		t.findings(r, s.Label)
	}
	for from := 0; from < len(r.Matrix.Styles); from += fit {
		to := min(from+fit, len(r.Matrix.Styles))
		t.matrixTable(r, nameWidth, from, to)
	}
	for i, line := range r.Inapplicable() {
		if i == 0 {
			t.line("")
		}
		t.wrapped("", unknown+" "+line)
	}
}

// matrixTable prints the styles from (inclusive) to (exclusive).
func (t *terminal) matrixTable(r *Report, nameWidth, from, to int) {
	each := (width-2-nameWidth)/(to-from) - 2
	columns := []table.Column{{Gap: "  ", Width: nameWidth, Most: nameWidth, Left: true}}
	labels, tallies := []table.Cell{{}}, []table.Cell{{}}
	for _, s := range r.Matrix.Styles[from:to] {
		columns = append(columns, table.Column{Gap: "  ", Width: each, Most: each, Left: true})
		short, _ := r.Tally(s.Label)
		labels, tallies = append(labels, table.Cell{Text: s.Label}), append(tallies, table.Cell{Text: short})
	}
	columns[len(columns)-1].Width = 0 // nothing is behind it
	line := func(cells []table.Cell) { t.line("%s", table.Line(columns, cells, t.paint)) }
	t.line("")
	line(labels)
	for _, g := range r.Matrix.Groups {
		t.line("%s", plain.Clip(plain.Line(g.Name), width))
		for _, one := range g.Rows {
			cells := table.Texts(one.Name)
			for _, c := range one.Cells[from:to] {
				cell := table.Cell{}
				if c != nil {
					cell = table.Cell{Text: r.cellText(c), Outcome: c.Verdict}
				}
				cells = append(cells, cell)
			}
			line(cells)
		}
	}
	line(tallies)
}

// cellText is a cell in a few characters: what matters most comes first, since the end may be cut off.
func (r *Report) cellText(c *result.Cell) string {
	text := table.Sign(c.Verdict)
	if r.Expectation(c).Surprise() {
		text += "*"
	}
	var parts []string
	switch c.Verdict {
	case spec.Flaky:
		parts = append(parts, fmt.Sprintf("%d/%d", c.Passed, len(c.Results)))
	case spec.Invalid:
		parts = append(parts, c.Word())
	}
	if c.Recovery != nil {
		if median, known := c.Recovery.Median(); known {
			parts = append(parts, plain.Duration(median.Seconds()))
		} else {
			parts = append(parts, c.Recovery.By())
		}
	}
	if c.Service != nil && c.Service.Gap > 0 {
		parts = append(parts, "no answer for "+plain.Duration(c.Service.Gap.Seconds()))
	}
	if names := c.FailedNames(); len(names) > 0 {
		parts = append(parts, strings.Join(names, ", "))
	}
	return strings.TrimSpace(text + " " + strings.Join(parts, "; "))
}

// findings lists what did not pass of a style: what is as expected with its reason, what is not with what was seen.
func (t *terminal) findings(r *Report, label string) {
	all := r.Findings(label)
	slices.SortStableFunc(all, func(a, b result.Finding) int { return rankOf(a) - rankOf(b) })
	listed, before := 0, teller{}
	for _, f := range all {
		if listed == 0 {
			_, text := r.Tally(label)
			t.line("")
			t.line("%s: %s", plain.Line(label), text)
		}
		if listed++; listed > terminalFindings {
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

// terminalFindings is how many failures of one style a terminal is told of.
const terminalFindings = 40

// rankOf puts what is not as expected first.
func rankOf(f result.Finding) int {
	if f.Surprise() {
		return 0
	}
	return 1
}
