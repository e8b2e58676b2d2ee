package report

import (
	"io"
	"strconv"
	"strings"
)

// A comment on a pull request is read at a glance. GitHub takes up to 65,536
// characters.
const (
	commentBytes    = 8000 // the most that Comment prints
	commentProblems = 5
	commentMessage  = 300 // characters of a foreign text
)

// commentCut ends a comment that would be longer.
const commentCut = "\n… and more, which does not fit here: summary.md and report.json have all of it.\n"

// Comment prints the report as Markdown that fits a comment on a pull request:
// verdicts, latencies, costs, and the first failures.
func (r *Report) Comment(out io.Writer) error {
	m := &markdown{}
	m.line("### operatorbench: %s\n", r.headline())
	for _, warning := range r.Warnings {
		m.line("> **Warning:** %s\n", text(clip(warning, commentMessage)))
	}
	m.commentOverview(r)
	m.commentMatrix(r)
	for i, p := range r.Problems() {
		if i == commentProblems {
			m.line("\n… and %d more; junit.xml tells of all.", len(r.Problems())-i)
			break
		}
		m.line("\n**%s**<br>\n%s", text(clip(p.Title(), commentMessage)), text(clip(p.Message, commentMessage)))
	}
	if t := r.costTable(); len(t.rows) > 0 {
		m.table(t)
	}
	if claims := r.Claims(); len(claims) > 0 {
		m.line("\n**The tutorial's claims, tested**\n")
		for _, c := range claims {
			m.line("- %s: **%s**", text(c.Claim), c.Verdict)
		}
	}
	if e := r.Environment; e != nil {
		m.line("\n%s", text(clip(strings.Join(e.Lines()[:2], "; "), commentMessage)))
	}
	_, err := io.WriteString(out, cut(m.text.String(), commentBytes))
	return err
}

// headline says in a line whether all was handled correctly.
func (r *Report) headline() string {
	if surprises := len(r.Differences()); surprises > 0 {
		return "❌ " + plural(surprises, "verdict") + " not as expected"
	}
	passed, rounds := 0, 0
	for _, c := range r.Cells {
		_, p, n := c.Verdict()
		passed, rounds = passed+p, rounds+n
	}
	switch {
	case rounds == 0 && r.HasMatrix():
		return "the correctness matrix"
	case rounds == 0:
		return "the recording holds no sample"
	case passed < rounds:
		return "❌ " + plural(rounds-passed, "sample") + " of " + strconv.Itoa(rounds) + " not handled correctly"
	}
	return "✅ all " + plural(rounds, "sample") + " handled correctly"
}

// commentMatrix has a line for each style, and what is not as expected.
func (m *markdown) commentMatrix(r *Report) {
	if !r.HasMatrix() {
		return
	}
	m.line("\n**Correctness**\n")
	for _, s := range r.Matrix.Styles {
		_, _, tally := r.Tally(s.Label)
		m.line("- %s: %s", text(s.Label), tally)
	}
	for _, d := range r.Differences() {
		m.line("- **%s**", text(clip(d.String(), commentMessage)))
	}
}

func (m *markdown) commentOverview(r *Report) {
	if len(r.Cells) == 0 {
		return
	}
	m.row("style", "scenario", "verdict", "n", "written (delete: gone), p50", "ready (delete: pods gone), p50 / max", "× floor", "")
	m.row("---", "---", "---", "--:", "--:", "--:", "--:", "---")
	for _, label := range r.Styles {
		for c := range r.By(label) {
			written, ready := c.Outcome()
			f := figures(ready)
			m.row(text(c.Label), text(c.Scenario), c.markdownVerdict(), strconv.Itoa(ready.N), text(figures(written)[0]),
				text(f[0]+" / "+f[2]), text(r.times(ready)), notes(ready))
		}
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
