package gate

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"operatorbench/e2e/plain"
)

// Terminal prints the comparison for a person: a line for each gated thing, the
// worst first, and what that means at the end, where a terminal shows it.
func (r *Result) Terminal(out io.Writer, colour bool) error {
	var b, table strings.Builder
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
	r.table(&table, colour)
	b.Reset()
	fmt.Fprintf(&b, "\n%s.\n", r.same())
	fmt.Fprintf(&b, "Rules: %s.\n\n%s\n", r.rules(), r.Conclusion())
	_, err := io.WriteString(out, above+"\n"+table.String()+clean(b.String()))
	return err
}

// table prints the rows in columns, and beneath each why.
func (r *Result) table(b *strings.Builder, colour bool) {
	rows := r.rows()
	lines := [][]string{header()}
	for _, row := range rows {
		lines = append(lines, row.cells())
	}
	var width [9]int
	for _, cells := range lines {
		for i, cell := range cells {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for n, cells := range lines {
		var line strings.Builder
		for i, cell := range cells {
			cell = clean(cell)
			if i < 2 {
				cell = plain.Left(cell, width[i])
			} else {
				cell = plain.Right(cell, width[i])
			}
			if i == 0 && n > 0 && colour {
				cell = paint(rows[n-1].verdict, cell)
			}
			line.WriteString(cell + "  ")
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		if n > 0 && rows[n-1].why != "" {
			fmt.Fprintf(b, "    %s\n", clean(rows[n-1].why))
		}
	}
}

// paint colours a text as terminals do (ECMA-48).
func paint(v Verdict, text string) string {
	code := map[Verdict]string{Regression: "31", Inconclusive: "33", Improvement: "32", Pass: "32"}[v]
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// clean makes foreign texts harmless for a terminal.
func clean(text string) string { return plain.Text(text) }
