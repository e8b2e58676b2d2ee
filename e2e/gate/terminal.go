package gate

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"operatorbench/e2e/spec"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/table"
)

// Terminal prints the comparison for a person: a line for each gated thing, the
// worst first, and what that means at the end, where a terminal shows it.
func (r *Result) Terminal(out io.Writer, colour bool) error {
	var b, rows strings.Builder
	fmt.Fprintf(&b, "gate: %s\n", r.title())
	for _, fact := range r.Facts {
		fmt.Fprintf(&b, "  %s\n", fact)
	}
	for _, forced := range r.Forced {
		fmt.Fprintf(&b, "FORCED: %s\n", forced)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", warning)
	}
	above := clean(b.String())
	r.table(&rows, colour)
	b.Reset()
	fmt.Fprintf(&b, "\n%s.\n", r.same())
	fmt.Fprintf(&b, "Rules:\n- %s\n\n%s\n", strings.Join(r.rules(), "\n- "), r.Conclusion())
	_, err := io.WriteString(out, above+"\n"+rows.String()+clean(b.String()))
	return err
}

// table prints the rows in columns, and beneath each why.
func (r *Result) table(b *strings.Builder, colour bool) {
	rows := r.rows()
	lines := [][]table.Cell{table.Texts(header()...)}
	for _, row := range rows {
		cells := table.Texts(row.cells()...)
		if colour {
			cells[0].Outcome = outcome(row.verdict)
		}
		lines = append(lines, cells)
	}
	columns := make([]table.Column, len(header()))
	for i := range columns {
		columns[i] = table.Column{Gap: "  ", Left: i < 2}
		for _, cells := range lines {
			columns[i].Width = max(columns[i].Width, utf8.RuneCountInString(cells[i].Text))
		}
	}
	columns[0].Gap = ""
	for n, cells := range lines {
		fmt.Fprintln(b, table.Line(columns, cells, table.Paint))
		if n > 0 && rows[n-1].why != "" {
			fmt.Fprintf(b, "    %s\n", clean(rows[n-1].why))
		}
	}
}

// outcome is the one that looks as a verdict does.
func outcome(v Verdict) spec.Outcome {
	return map[Verdict]spec.Outcome{Regression: spec.Fail, Inconclusive: spec.Invalid, Improvement: spec.Pass, Pass: spec.Pass}[v]
}

// clean makes foreign texts harmless for a terminal.
func clean(text string) string { return plain.Text(text) }
