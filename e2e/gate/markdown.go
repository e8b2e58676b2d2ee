package gate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"operatorbench/e2e/table"
)

// Marker is in every comment of the gate, hidden, so that the next one is found by it and by nothing else.
const Marker = "<!-- operatorbench gate -->"

// context is what the comment is of: the revisions, the command that repeats it, and where it was run.
func (r *Result) context() []string {
	c := r.comparison()
	if c == nil {
		return nil
	}
	var list []string
	linked := strings.HasPrefix(c.Link, "https://") && !strings.ContainsAny(c.Link, " <>()\n\"`")
	repository, _, known := strings.Cut(c.Link, "/actions/runs/")
	if linked && known && r.Verdict != Pass && r.Verdict != Improvement {
		list = append(list, "[what to do next]("+repository+"/blob/HEAD/docs/gate.md#red-find-out-why)")
	}
	list = append(list, table.Escape(revisions(r.Base.Recording.Environment, r.Head.Recording.Environment)[0]))
	if c.Command != "" {
		list = append(list, "run it again locally: `"+strings.NewReplacer("`", "'", "\n", " ").Replace(clean(c.Command))+"`")
	}
	if linked {
		list = append(list, "[the run and its recording]("+c.Link+")")
	}
	return list
}

// Markdown prints the comparison as a comment on a pull request: the conclusion
// first, then what is not fine, and the rest folded.
func (r *Result) Markdown(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n## operatorbench gate: %s %s\n\n%s\n\n", Marker, mark(r.Verdict), r.InWords(), table.Escape(r.Conclusion()))
	context := r.context()
	for _, line := range context {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	b.WriteString("\n")
	for _, forced := range r.Forced {
		fmt.Fprintf(&b, "> ⚠️ **Forced**: %s\n", table.Escape(forced))
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "> ⚠️ %s\n", table.Escape(warning))
	}
	if len(r.Forced)+len(r.Warnings) > 0 {
		b.WriteString("\n")
	}
	var bad, fine []row
	for _, row := range r.rows() {
		if row.verdict == Regression || row.verdict == Inconclusive {
			bad = append(bad, row)
		} else {
			fine = append(fine, row)
		}
	}
	if len(bad) > 0 {
		b.WriteString(markdownTable(bad))
		for _, row := range bad {
			if row.why != "" {
				fmt.Fprintf(&b, "- **%s**: %s\n", table.Escape(row.name), table.Escape(row.why))
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "<details><summary>%d of %d rows fine; %s</summary>\n\n", len(fine), len(fine)+len(bad), table.Escape(r.same()))
	if len(fine) > 0 {
		b.WriteString(markdownTable(fine))
	}
	for _, fact := range r.Facts {
		if slices.Contains(context, table.Escape(fact)) {
			continue
		}
		fmt.Fprintf(&b, "- %s\n", table.Escape(fact))
	}
	for _, line := range append([]string{r.title()}, r.rules()...) {
		fmt.Fprintf(&b, "- %s\n", table.Escape(line))
	}
	b.WriteString("\n</details>\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// markdownTable is the rows as GitHub takes them.
func markdownTable(rows []row) string {
	t := table.Table{Header: header(), Left: 2}
	for _, row := range rows {
		cells := row.cells()
		cells[0] = mark(row.verdict) + " " + cells[0]
		t.Row(cells...)
	}
	return t.Markdown() + "\n"
}

// mark is a verdict at a glance.
func mark(v Verdict) string {
	if v == Inconclusive {
		return "❔"
	}
	return strings.TrimSpace(table.Emoji(outcome(v)))
}
