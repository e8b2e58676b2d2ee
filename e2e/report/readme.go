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
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/table"
)

// Place is where a README finds what its block of results shows: paths with slashes, from the README's folder.
type Place struct {
	Folder         string // of the results: the recording, report.html, summary.md
	Made           string // the command that makes the block
	Light, Dark    string // pictures in it
	Page, Markdown string // reports in it
	Figures        string // the page with all figures, which may be the README itself; empty: it is
}

// Figures prints all figures of a report: what meets which need, and a table for each run, as Ranking orders its
// styles.
func (r *Report) Figures(out io.Writer, at Place) error {
	m := &markdown{}
	m.line("%s\n", words)
	if r.Recommends() {
		m.needs(r)
	}
	for _, one := range r.Tables() {
		figures := one.linked(one.figuresTable(), at, false)
		if len(figures.Rows) == 0 {
			m.scaled(one)
			continue
		}
		if one.Heading(r) == "" {
			m.line("\n**How quick, at what cost?**\n")
		} else {
			m.line("\n**%s**: %s\n", text(one.Name()), text(one.Made()))
		}
		m.rows(figures)
		for _, note := range one.measuredNotes(r) {
			m.line("\n%s", note)
		}
	}
	own := r.linked(r.ownTable(), at, true)
	if len(own.Rows) > 0 {
		m.line("\n**What fails, and what there is to maintain?**\n")
		m.rows(own)
		m.whys(r)
		m.line("\n<a id=\"versions\"></a>")
		for _, note := range []string{r.severalVersions(), r.older()} {
			if note != "" {
				m.line("\n%s", text(note))
			}
		}
	}
	m.line("\n<details><summary>What the columns are</summary>\n")
	heads := own.Header
	for _, one := range r.Tables() {
		heads = append(heads, one.figuresTable().Header...)
	}
	for _, c := range r.Columns() {
		if slices.Contains(heads, c.Head) {
			m.line("- *%s*: %s.", text(c.Head), text(c.Text))
		}
	}
	m.line("\n</details>")
	switch n := len(r.Warnings); n {
	case 0:
	case 1:
		m.line("\n> To know of these runs: %s", text(r.Warnings[0]))
	default:
		m.line("\n> [What to know of these runs](%s#%s): %s.", path.Join(at.Folder, at.Markdown), anchor(warningsHead), plain.Plural(n, "note"))
	}
	m.line("\nMade by `%s` from published runs: "+
		"[every phase, with intervals](%s), and [a page](%s) for a browser (GitHub shows its source).", at.Made, path.Join(at.Folder, at.Markdown), path.Join(at.Folder, at.Page))
	_, err := io.WriteString(out, m.text.String())
	return err
}

// scaled has what a run of ramps or growths came to, without the single steps.
func (m *markdown) scaled(one *Report) {
	m.line("\n**%s**: %s", text(one.Name()), text(one.Made()))
	held, _ := one.rampTables()
	for _, t := range slices.Concat(held, one.growthTables()) {
		m.line("\n*%s*\n", text(t.Title))
		m.rows(t)
		m.line("\n%s", text(t.Notes[0]))
	}
}

// failed is where it stands what did not pass of a style, and why.
func (p Place) failed(label string) string { return p.Figures + "#" + failedAnchor(label) }

// whys lists what each style fails, with what that costs and why: what fails from one cause in a line.
func (m *markdown) whys(r *Report) {
	failing := plain.Where(r.Contestants(), func(label string) bool { return r.Fails(label).Failed > 0 })
	if len(failing) == 0 {
		return
	}
	m.line("\n**Why do they fail?** Each line is a cause, with the reason of its first test. In brackets is %s.", text(r.Choose("weights")[0].Text))
	for _, label := range failing {
		m.line("\n<a id=\"%s\"></a>**%s**, %s:\n", failedAnchor(label), text(label), r.Value(label, "fails").Text)
		for _, cause := range r.Causes(label) {
			names := plain.Map(cause.Cells, func(c *result.Cell) string { return c.Scenario })
			why := cause.Why
			if why == "" {
				why = r.seen(cause.Cells[0])
			}
			m.line("- **%s** (%s): %s *%s*", text(strings.Join(names, ", ")), text(strings.Join(cause.Weights(), ", ")), text(why), cause.Where())
		}
	}
}

// linked puts a link from each style's name to its folder, and from how many tests it fails to which, and why.
func (r *Report) linked(t table.Table, at Place, fails bool) table.Table {
	for i, row := range t.Rows {
		label := row[0].Text
		t.Rows[i][0].Link = r.folder(label) + "/README.md"
		if fails && r.Fails(label).Failed > 0 {
			t.Rows[i][1].Link = at.failed(label)
		}
	}
	return t
}

// seen says what a test does, and what its oracles said.
func (r *Report) seen(c *result.Cell) string {
	row, _ := plain.Find(r.Matrix.Rows(), func(row *result.Row) bool { return row.Name == c.Scenario })
	said := plain.Map(c.Reasons(), func(o result.Oracle) string { return o.Name + ": " + o.Message + "." })
	return strings.TrimSpace(row.Description + " " + strings.Join(said, " "))
}

// measuredNotes say of a run on which machine it was made, if its heading in the whole report does not, and what was
// handled wrongly in it.
func (r *Report) measuredNotes(whole *Report) []string {
	var notes []string
	if e := r.Environment; e != nil && r.Heading(whole) == "" {
		notes = append(notes, fmt.Sprintf("Measured in one run (%s) on %s; %s. %s", r.RoundsText(), text(e.Host.String()), text(e.Place()), record.MachineNote))
	}
	if wrong := r.wrongly(r.Contestants()); wrong != "" {
		notes = append(notes, "Measured changes that were handled wrongly or late: "+wrong+".")
	}
	return notes
}

// wrongly says of styles which measured changes they handled wrongly or late, and how often; empty: of none.
func (r *Report) wrongly(labels []string) string {
	return strings.Join(plain.Pick(labels, func(label string) (string, bool) {
		wrong := r.Mishandled(label)
		return text(label + " (" + wrong + ")"), wrong != ""
	}), "; ")
}

// words says what the words of the figures mean.
const words = "In a *round* each style is installed, measured and removed once. *n* counts the measured changes, *p50* is their median, and in brackets is its 95% interval over the rounds of that run. " +
	"A *rank* of 2–4 means second, third or fourth: the rounds do not tell more. `burst-…` changes many custom resources at once. " +
	"The *floor* is a baseline without an operator: the harness itself writes what the custom resource asks for, which shows what the cluster alone takes."

// needs is the table of needs and the styles that meet them.
func (m *markdown) needs(r *Report) {
	m.line("**Which one should I choose?** All styles that meet a need are listed; what orders them is in brackets, and those with the same figure are in alphabetical order.")
	if dated := r.dated(); dated != "" {
		m.line("%s", dated)
	}
	m.line("")
	t := table.Table{Header: []string{"what you need", "what meets it", "criterion; ordered by"}, Left: 3}
	for _, need := range r.Needs() {
		if len(need.Met) > 0 {
			t.Row(need.Name, r.matches(need.Met), need.Criterion+"; "+need.Order)
		}
	}
	m.rows(t)
}

// dated says which styles are left out of the needs for the age of their framework's version; empty: none.
func (r *Report) dated() string {
	all := plain.Pick(r.Contestants(), func(label string) (string, bool) {
		year := r.Dated(label)
		return text(label + ", of " + year), year != ""
	})
	return told("Left out are styles on a version of their framework that is more than two years old (", all, ").")
}

// told is a sentence about some styles; empty: there are none.
func told(lead string, styles []string, tail string) string {
	if len(styles) == 0 {
		return ""
	}
	return lead + strings.Join(styles, "; ") + tail
}

// matches are styles with the figures that order them.
func (r *Report) matches(all []result.Match) string {
	texts := plain.Map(all, func(one result.Match) string { return one.Label + " (" + one.Figure + ")" })
	return strings.Join(texts, ", ")
}

// severalVersions names the styles that were recorded on several versions of their framework; empty: there are none.
func (r *Report) severalVersions() string {
	var all []string
	for _, label := range r.Contestants() {
		var versions []string
		for _, part := range r.Parts {
			for _, s := range part.Header.Styles {
				if record.Label(s.Name, s.Variant) == label && s.Framework != nil {
					versions = plain.Once(versions, s.Framework.Version)
				}
			}
		}
		if len(versions) > 1 {
			all = append(all, label+" ("+plain.List(versions)+")")
		}
	}
	return told("Not all figures of a style are from one version of its framework: ", all, ".")
}

// older names the styles that are not built on the newest version of their framework; empty: there are none.
func (r *Report) older() string {
	older := plain.Pick(r.Contestants(), func(label string) (string, bool) {
		f := r.Framework(label)
		version := f.Version
		if f.Date != "" {
			version += " of " + f.Date
		}
		known := strings.ContainsAny(f.Newest, "0123456789")
		return fmt.Sprintf("%s on %s %s (newest: %s)", label, f.Name, version, f.Newest), known
	})
	return told("Not measured on the newest version of their framework: ", older, ".")
}

// attribute escapes a text for an HTML attribute.
func attribute(s string) string {
	return strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;").Replace(plain.Line(s))
}

// inWords is the picture for those who do not see it.
func (r *Report) inWords() string {
	one := r.Tables()[0]
	parts := plain.Pick(one.ByLatency(one.Headline()), func(label string) (string, bool) {
		v := one.Value(label, result.Written(one.Headline()))
		return label + " " + v.Text, v.Known
	})
	written, _ := one.Until(one.Headline())
	return fmt.Sprintf("Median time from the request until %s, on a logarithmic scale: %s", written, strings.Join(parts, ", "))
}

// The lines between which a README has its block of results.
const (
	resultsBegin = "<!-- results:begin -->\n"
	resultsEnd   = "<!-- results:end -->\n"
)

// Splice puts a block of results into a README, in the place of the one that is there.
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
