package gate

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Marker is in every comment of the gate, hidden, so that the next one is found
// by it and by nothing else.
const Marker = "<!-- operatorbench gate -->"

// context is what the comment is of: the revisions, the command that repeats it,
// and where it was run.
func (r *Result) context() []string {
	c := r.comparison()
	if c == nil {
		return nil
	}
	list := []string{cell(revisions(r.Base.Recording.Environment, r.Head.Recording.Environment)[0])}
	if c.Command != "" {
		list = append(list, "to repeat it: `"+strings.NewReplacer("`", "'", "\n", " ").Replace(clean(c.Command))+"`")
	}
	if strings.HasPrefix(c.Link, "https://") && !strings.ContainsAny(c.Link, " <>()\n\"`") {
		list = append(list, "[the run and its recording]("+c.Link+")")
	}
	return list
}

// Markdown prints the comparison as a comment on a pull request: the conclusion
// first, then what is not fine, and the rest folded.
func (r *Result) Markdown(out io.Writer) error {
	var b strings.Builder
	mark := map[Verdict]string{Regression: "❌", Inconclusive: "❔", Improvement: "✅", Pass: "✅"}
	fmt.Fprintf(&b, "%s\n## operatorbench gate: %s %s\n\n%s\n\n", Marker, mark[r.Verdict], r.Verdict, cell(r.Conclusion()))
	context := r.context()
	for _, line := range context {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	b.WriteString("\n")
	for _, forced := range r.Forced {
		fmt.Fprintf(&b, "> ⚠️ **Forced**: %s\n", cell(forced))
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "> ⚠️ %s\n", cell(warning))
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
		markdownRows(&b, bad, mark)
		for _, row := range bad {
			if row.why != "" {
				fmt.Fprintf(&b, "- **%s**: %s\n", cell(row.name), cell(row.why))
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "<details><summary>%d of %d lines fine; %s</summary>\n\n", len(fine), len(fine)+len(bad), cell(r.same()))
	if len(fine) > 0 {
		markdownRows(&b, fine, mark)
	}
	for _, fact := range r.Facts {
		if slices.Contains(context, cell(fact)) {
			continue
		}
		fmt.Fprintf(&b, "- %s\n", cell(fact))
	}
	fmt.Fprintf(&b, "- %s\n- %s\n\n</details>\n", cell(r.title()), cell(r.rules()))
	_, err := io.WriteString(out, b.String())
	return err
}

func markdownRows(b *strings.Builder, rows []row, mark map[Verdict]string) {
	b.WriteString("| " + strings.Join(header(), " | ") + " |\n| --- | --- |" + strings.Repeat(" --: |", len(header())-2) + "\n")
	for _, row := range rows {
		cells := row.cells()
		for i := range cells {
			cells[i] = cell(cells[i])
		}
		cells[0] = mark[row.verdict] + " " + cells[0]
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	b.WriteString("\n")
}

// cell makes a foreign text harmless in Markdown, in a table too.
func cell(text string) string {
	text = strings.Join(strings.Fields(clean(text)), " ")
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "@", "@\u200b").Replace(text)
}
