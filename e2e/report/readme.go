package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/stat"
	"operatorbench/e2e/table"
)

// Place is where a README finds what its block of results shows: paths with
// slashes, from the README's folder.
type Place struct {
	Folder         string // of the results: the recording, report.html, summary.md
	Made           string // the command that makes the block
	Light, Dark    string // pictures in it
	Page, Markdown string // reports in it
}

// Figures prints all figures of a report: what meets which need, and a table for each run, as Ranking orders its styles.
func (r *Report) Figures(out io.Writer, at Place) error {
	m := &markdown{}
	m.line("%s\n", words)
	m.needs(r)
	for _, one := range r.Tables() {
		m.line("\n**%s**\n", text(cmp.Or(one.Heading(r), "How quick, at what cost?")))
		m.rows(one.readmeTable())
		for _, note := range one.measuredNotes(r) {
			m.line("\n%s", note)
		}
	}
	if t := r.ownTable(); len(t.Header) > 1 {
		m.line("\n**What fails, and what there is to maintain?**\n")
		m.rows(t)
	}
	m.line("\n<details><summary>What the columns are</summary>\n")
	for _, note := range append(r.columnNotes(), r.olderNotes()...) {
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
	m.line("\nMade by `%s` from published runs: "+
		"[every phase, with intervals](%s), and [a page](%s) for a browser (GitHub shows its source).", at.Made, path.Join(at.Folder, at.Markdown), path.Join(at.Folder, at.Page))
	_, err := io.WriteString(out, m.text.String())
	return err
}

// words says what the words of the figures mean; the notes below the table say what its
// columns are.
const words = "In a *round* each style is installed, measured and removed once. *n* counts the measured changes; *p50* is their median; in brackets is its 95% interval over the rounds of that run. " +
	"A *rank* of 2–4 means second, third or fourth: the rounds do not tell more. A *scenario* is a test of correctness; `burst-…` changes many custom resources at once. " +
	"The *floor* is a baseline without an operator: the harness itself writes what the custom resource asks for, which shows what the cluster alone takes."

// needs is the table of what styles meet which need.
func (m *markdown) needs(r *Report) {
	needs := r.Needs()
	if len(r.Contestants()) < 2 || len(needs) == 0 {
		return
	}
	m.line("**%s?** All styles that meet a need are listed; what orders them is in brackets, and those with the same figure are in alphabetical order.\n", choicesHead)
	t := table.Table{Header: []string{"what you need", "what meets it", "when it is met; by what ordered"}, Left: 3}
	for _, need := range needs {
		if len(need.Met) > 0 {
			t.Row(need.Name, r.matches(need.Met), need.Criterion+"; "+need.Order)
		}
	}
	m.rows(t)
}

// matches are styles with the figures that order them.
func (r *Report) matches(all []result.Match) string {
	var texts []string
	for _, one := range all {
		text := one.Label
		if year := r.Dated(one.Label); year != "" {
			text += ", of " + year
		}
		texts = append(texts, text+" ("+one.Figure+")")
	}
	return strings.Join(texts, ", ")
}

// writtenIn is when a style had done its part in a scenario; N is 0: it was not measured.
func (r *Report) writtenIn(label, scenario string) stat.Summary {
	if c := r.Cell(label, scenario); c != nil {
		written, _ := c.Outcome()
		return written
	}
	return stat.Summary{}
}

// olderNotes name the styles that are not built on the newest version of their framework.
func (r *Report) olderNotes() []string {
	var older []string
	for _, label := range r.Contestants() {
		header := r.Header(label)
		if header == nil || header.Framework == nil || !strings.ContainsAny(header.Framework.Newest, "0123456789") { // else: not known
			continue
		}
		f := header.Framework
		version := f.Version
		if f.Date != "" {
			version += " of " + f.Date
		}
		older = append(older, fmt.Sprintf("%s is built on %s %s (newest: %s)", label, f.Name, version, f.Newest))
	}
	if len(older) == 0 {
		return nil
	}
	return []string{text("Not on the newest version of their framework: " + strings.Join(older, "; ") + ".")}
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
	for _, label := range r.Tables()[0].ByLatency(r.Headline()) {
		if written := r.writtenIn(label, r.Headline()); written.N > 0 {
			parts = append(parts, label+" "+figures(written)[0])
		}
	}
	return fmt.Sprintf("Median time from the request until the %s is written or gone (%s), on a logarithmic scale: %s", r.Child(), r.Headline(), strings.Join(parts, ", "))
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
