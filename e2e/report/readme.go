package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/table"
)

// Place is where a README finds what its block of results shows: paths with
// slashes, from the README's folder.
type Place struct {
	Folder         string // of the results: the recording, report.html, summary.md
	Light, Dark    string // pictures in it
	Page, Markdown string // reports in it
}

// README prints what a README shows of a report: the finding, the picture, what to
// choose, and one table of all styles, as Ranking orders them.
func (r *Report) README(out io.Writer, at Place) error {
	m := &markdown{}
	if finding := r.Finding(); finding != "" {
		m.line("**In short:** %s\n", text(finding))
	}
	m.line("<picture>")
	m.line(`  <source media="(prefers-color-scheme: dark)" srcset="%s">`, attribute(path.Join(at.Folder, at.Dark)))
	m.line(`  <img src="%s" width="820" alt="%s">`, attribute(path.Join(at.Folder, at.Light)), attribute(r.inWords()))
	m.line("</picture>\n")
	m.line("%s\n", words)
	older := m.needs(r, path.Join(at.Folder, at.Markdown)+"#"+anchor(choicesHead))
	m.rows(r.readmeTable())
	for _, note := range r.measuredNotes() {
		m.line("\n%s", note)
	}
	m.line("\n<details><summary>What the columns are</summary>\n")
	for _, note := range append(r.columnNotes(), older...) {
		m.line("- %s", note)
	}
	m.line("\n</details>")
	switch n := len(r.Warnings); n {
	case 0:
	case 1:
		m.line("\n> **Warning:** %s", text(r.Warnings[0]))
	default:
		m.line("\n> **%s**: see [the summary](%s#%s).", plain.Plural(n, "warning"), path.Join(at.Folder, at.Markdown), anchor(warningsHead))
	}
	m.line("\nMade by `go run ./e2e/cmd/opbench report --format=readme --out=README.md %s` from recordings that are committed: "+
		"[every phase, with intervals](%s), and [a page](%s) for a browser (GitHub shows its source).", at.Folder, path.Join(at.Folder, at.Markdown), path.Join(at.Folder, at.Page))
	_, err := io.WriteString(out, m.text.String())
	return err
}

// words says what the words of the figures mean; the notes below the table say what its
// columns are.
const words = "In a *round* each style is installed, measured and removed once. *n* counts the measured changes; *p50* is their median; in brackets is its 95% interval. A *rank* of 2–4 means second, third or fourth: the rounds do not tell more. " +
	"A *scenario* is a test of correctness; `burst-…` changes many custom resources at once. The *floor* is a baseline without an operator: the harness itself writes the Deployment, which shows what the cluster alone takes."

// needs is the table of what styles are recommended for what, and what decided first. It
// returns a note on those that are not built on the newest version of their framework.
func (m *markdown) needs(r *Report, rules string) (notes []string) {
	if len(r.Contestants()) < 2 {
		return nil
	}
	t := table.Table{Header: []string{"what you need", "use", "because"}, Left: 2, Tail: true}
	var older, wrong []string
	for _, label := range r.Contestants() {
		if mishandled, _ := r.Mishandled(label); mishandled != "" {
			wrong = append(wrong, mishandled)
		}
	}
	for _, need := range r.Needs() {
		for _, c := range need.Candidates {
			if c.Note != "" {
				older = plain.Once(older, c.Label+" is "+c.Note)
			}
		}
		use, because := picks(need), decided(need)
		if use == "" {
			use, because = "no recommendation", need.Open
		}
		t.Row(need.Name, use, because)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	m.line("**%s?** The fewest failing scenarios come first, then the lowest median. Styles between which no difference is shown are named together. A scenario that is known to vary counts only in the rows on correctness, unless it failed in most of its rounds. "+
		"A style on an old version of its framework is named last, beside a current one if there is one. [Each rule, and the figures of all that were compared](%s).%s\n", choicesHead, rules, leftOut(wrong))
	m.rows(t)
	m.line("\n**How quick, how right, at what cost?**\n")
	if len(older) > 0 {
		notes = append(notes, text("Of the recommended styles, these are not on the newest version of their framework: "+strings.Join(older, "; ")+"."))
	}
	return notes
}

// picks are the recommended styles; empty: there is none.
func picks(need result.Need) string {
	var labels []string
	for _, c := range need.Candidates {
		if !c.Picked {
			continue
		}
		if c.Dated != "" {
			c.Label += " (its version is of " + c.Dated + ")"
		}
		labels = append(labels, c.Label)
	}
	return strings.Join(labels, ", ")
}

// decided is the figure that decided first, of each recommended style; what several of
// them share is said once. The other figures are in the table of all styles.
func decided(need result.Need) string {
	var texts []string
	of := map[string][]string{} // labels, by text
	for _, c := range need.Candidates {
		if c.Picked && len(c.Figures) > 0 {
			texts = plain.Once(texts, c.Figures[0])
			of[c.Figures[0]] = append(of[c.Figures[0]], c.Label)
		}
	}
	if len(texts) > 1 {
		for i, text := range texts {
			texts[i] = strings.Join(of[text], ", ") + ": " + text
		}
	}
	return strings.Join(texts, "; ")
}

// leftOut says who is not recommended where there is another one.
func leftOut(wrong []string) string {
	if len(wrong) == 0 {
		return ""
	}
	return " Styles that handled a measured change wrongly are named only where all in the row did: " + text(strings.Join(wrong, "; ")) + "."
}

// attribute escapes a text for an HTML attribute.
func attribute(s string) string {
	return strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;").Replace(plain.Line(s))
}

// ByLatency are the styles' labels: the floor first, then as Ranking orders them.
// Those that have no latency come last, in the order of Styles.
func (r *Report) ByLatency(scenario string) []string {
	var labels []string
	for _, k := range r.Ranking(scenario) {
		labels = append(labels, k.Label)
	}
	for _, label := range r.Styles {
		labels = plain.Once(labels, label)
	}
	return labels
}

// inWords is the picture for those who do not see it.
func (r *Report) inWords() string {
	var parts []string
	for _, label := range r.ByLatency(r.Headline()) {
		if c := r.Cell(label, r.Headline()); c != nil && !r.Apart(label) {
			if written, _ := c.Outcome(); written.N > 0 {
				parts = append(parts, label+" "+figures(written)[0])
			}
		}
	}
	return fmt.Sprintf("Median time from the request until the Deployment is written or gone (%s), on a logarithmic scale: %s", r.Headline(), strings.Join(parts, ", "))
}

// The lines between which a README has its block of results.
const (
	resultsBegin = "<!-- results:begin -->\n"
	resultsEnd   = "<!-- results:end -->\n"
)

// Splice puts a block of results into a README, in the place of the one that is
// there.
func Splice(readme, block []byte) ([]byte, error) {
	if bytes.Count(readme, []byte(resultsBegin)) != 1 || bytes.Count(readme, []byte(resultsEnd)) != 1 {
		return nil, fmt.Errorf("it does not have each of the lines %s and %s once, between which the results belong", strings.TrimSpace(resultsBegin), strings.TrimSpace(resultsEnd))
	}
	before, rest, _ := bytes.Cut(readme, []byte(resultsBegin))
	_, after, in := bytes.Cut(rest, []byte(resultsEnd))
	if !in {
		return nil, errors.New("its block of results ends before it begins")
	}
	return slices.Concat(before, []byte(resultsBegin), block, []byte(resultsEnd), after), nil
}
