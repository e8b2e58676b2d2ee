package report

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/table"
)

// README prints a README's first screen: the findings, the picture, and what to use by what a reader has. All figures,
// with their intervals, are on another page: see Figures.
func (r *Report) README(out io.Writer, at Place) error {
	m := &markdown{}
	for _, answer := range r.Answers() {
		lead := ""
		if answer.Lead != "" {
			lead = "**" + text(answer.Lead) + "** "
		}
		m.line("- %s%s", lead, text(answer.Text))
	}
	m.line("\n<picture>")
	m.line(`  <source media="(prefers-color-scheme: dark)" srcset="%s">`, attribute(path.Join(at.Folder, at.Dark)))
	m.line(`  <img src="%s" width="820" alt="%s">`, attribute(path.Join(at.Folder, at.Light)), attribute(r.inWords()))
	m.line("</picture>\n")
	if t, about := r.choices(at); len(t.Rows) > 0 {
		m.rows(t)
		m.line("\n%s", strings.Join(t.Notes, " "))
		m.line("\n<details><summary>What the columns are, and which run each figure is from</summary>\n")
		for _, one := range about {
			m.line("- %s.", one)
		}
		m.line("\n</details>")
	}
	m.line("\n<sub>Made by `%s`.</sub>", at.Made)
	_, err := io.WriteString(out, m.text.String())
	return err
}

// have is what a reader has, with the need that it is.
type have struct{ reader, need string }

// programs are the languages in which a program is written around a framework's library, haves all that a reader may
// have.
var (
	languages = []string{"Go", "Python", "Java", "Rust", "TypeScript"}
	programs  = plain.Map(languages, func(one string) have { return have{"write " + one, "Our team writes " + one} })
	haves     = append(slices.Clip(programs), have{"have a Helm chart", "We have a Helm chart"}, have{"write shell scripts", "We write shell scripts"},
		have{"have Ansible roles", "We have Ansible roles"}, have{"run Argo already", "We already run Argo"})
)

// uses is the style for a reader who has something: of those that meet the need, the one that fails the fewest tests,
// and of several the one with the fewest lines to maintain. Empty: there is none.
func (r *Report) uses(of have) string {
	for _, need := range r.Needs() {
		if need.Name != of.need {
			continue
		}
		labels := plain.Pick(need.Met, func(m result.Match) (string, bool) { return m.Label, r.Recorded(m.Label) })
		for _, id := range []string{"lines", "fails"} {
			labels = result.Sorted(labels, r.Choose(id)[0])
		}
		if len(labels) > 0 {
			return labels[0]
		}
	}
	return ""
}

// chosen are the columns of the table of what to use, with their heads there.
func (r *Report) chosen(load string) []result.Column {
	var all []result.Column
	add := func(head, id string) {
		for _, c := range r.Choose(id) {
			c.Head = head
			all = append(all, c)
		}
	}
	headline := r.Headline()
	add(r.Child()+" written after", result.Written(headline))
	add("pods ready after", result.Ready(headline))
	add(fmt.Sprintf("all of %d written after", r.atOnce(load)), result.Last(load))
	add("tests that fail", "fails")
	add("peak memory", "memory")
	for _, c := range r.Choose(append(plain.Map(r.Scenarios, result.Keeps), plain.Map(r.Scenarios, result.Holds)...)...) {
		_, c.Head, _ = strings.Cut(c.Head, ", ") // after the scenario's name
		all = append(all, c)
	}
	return all
}

// choices is the table of what to use, with notes on what is not as it looks; about says what its columns are, and which
// run each figure is from.
func (r *Report) choices(at Place) (t table.Table, about []string) {
	load := r.Heaviest()
	columns := r.chosen(load)
	t = table.Table{Header: []string{"if you …", "use"}, Left: 2}
	for _, c := range columns {
		t.Header, about = append(t.Header, c.Head), append(about, fmt.Sprintf("*%s*: %s", c.Head, c.Text))
	}
	var values [][]result.Value
	var used []string
	late := false
	for k, one := range haves {
		label := r.uses(one)
		if label == "" {
			continue
		}
		reader := one.reader
		if language := r.Language(label); k >= len(programs) && slices.Contains(languages, language) {
			reader += ", and write some " + language
		}
		row := []table.Cell{{Text: reader}, {Text: label, Link: r.folder(label) + "/README.md"}}
		var its []result.Value
		for _, c := range columns {
			v := c.Of(label)
			cell := sheet{}.cell(v)
			if c.ID == "fails" && v.Number > 0 {
				cell.Link = at.failed(label)
			}
			late = late || c.ID == result.Last(load) && v.Outcome == spec.Late
			row, its = append(row, cell), append(its, v)
		}
		t.Rows, values, used = append(t.Rows, row), append(values, its), append(used, label)
	}
	if len(t.Rows) > 0 {
		about = append(about, r.footnotes(&t, values)...)
	}
	if days := r.Days(); days != "" {
		t.Notes = append(t.Notes, "Recorded "+days+".")
	}
	if late {
		t.Notes = append(t.Notes, "❌: not all were written in time; the figure is how many were, in all rounds together.")
	}
	if wrong := r.wrongly(used); wrong != "" {
		t.Notes = append(t.Notes, "Handled wrongly or late: "+wrong+".")
	}
	if dated := r.dated(); dated != "" {
		t.Notes = append(t.Notes, dated)
	}
	t.Notes = append(t.Notes, "[All styles, with intervals, n and ranks]("+at.Figures+").")
	return t, about
}

// raised writes digits as the marks of footnotes.
var raised = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// footnotes mark the figures of a table, from its third column on, that are not from the run of its first figure: a
// column's head where most are from another run, and else the figure. They return what each mark is.
func (r *Report) footnotes(t *table.Table, values [][]result.Value) []string {
	first, known := plain.Find(slices.Concat(values...), func(v result.Value) bool { return v.Run != "" })
	if !known {
		return nil
	}
	runs := []string{first.Run} // of the figures without a mark
	mark := func(text *string, run string) {
		runs = plain.Once(runs, run)
		if n := slices.Index(runs, run); n > 0 {
			*text += " " + raised.Replace(strconv.Itoa(n))
		}
	}
	usual := make([]string, len(values[0])) // the run of most of a column
	for i := range usual {
		for _, row := range values {
			usual[i] = cmp.Or(usual[i], row[i].Run)
		}
		if usual[i] != "" && usual[i] != runs[0] {
			mark(&t.Header[2+i], usual[i])
		}
	}
	for k, row := range values {
		for i := range row {
			if row[i].Run != "" && row[i].Run != usual[i] {
				mark(&t.Rows[k][2+i].Text, row[i].Run)
			}
		}
	}
	said := []string{"Figures without a mark: " + r.run(runs[0])}
	for _, run := range runs[1:] {
		note := ""
		mark(&note, run)
		said = append(said, strings.TrimSpace(note)+": "+r.run(run))
	}
	return said
}

// run names a run, with its day and its rounds where they are known.
func (r *Report) run(run string) string {
	known := plain.Pick(r.Parts, func(part result.Part) (string, bool) {
		if part.Header.Run != run || part.Environment == nil {
			return "", false
		}
		return part.Environment.Began.UTC().Format(time.DateOnly), true
	})
	known = append(known, plain.Pick(r.Tables(), func(one *Report) (string, bool) { return one.RoundsText(), one.Runs[0] == run })...)
	if len(known) == 0 {
		return "run " + run
	}
	return "run " + run + " (" + strings.Join(known, ", ") + ")"
}

// folder is a style's, as a link.
func (r *Report) folder(label string) string {
	name, _ := r.Named(label)
	return "operators/" + url.PathEscape(name)
}

// atOnce is how many custom resources a load has.
func (r *Report) atOnce(load string) int {
	most := 0
	for _, c := range r.Of(load) {
		_, _, n := c.Rounds()
		most = max(most, n)
	}
	return most
}

// Answer is what the recordings come to: a few words that stand out, and a sentence or two.
type Answer struct{ Lead, Text string }

// Answers are what the recordings come to. Where they are no answer to which style to choose, they say what was
// measured.
func (r *Report) Answers() []Answer {
	all := plain.Where([]Answer{r.alike(), r.whatFails(), r.forms(), r.already()}, func(one Answer) bool { return one.Text != "" && r.Recommends() })
	if text := r.Tables()[0].span(); text != "" && (len(all) == 0 || all[0].Lead == "") {
		all = append([]Answer{{Text: text}}, all...)
	}
	if len(all) == 0 && r.HasMatrix() {
		all = append(all, r.whatFails())
	}
	if len(all) == 0 {
		all = []Answer{{Text: "No style was measured or judged."}}
	}
	return all
}

// alike says how quick programs are, whose pods are ready after the same time.
func (r *Report) alike() Answer {
	headline := r.Headline()
	written, ready := result.Written(headline), result.Ready(headline)
	var labels, known []string
	for i, one := range programs {
		label := r.uses(one)
		if label != "" && r.Value(label, written).Known && r.Value(label, ready).Known {
			labels, known = append(labels, label), append(known, languages[i])
		}
	}
	if len(labels) < 3 {
		return Answer{}
	}
	// ends are the least and the most of a figure, as texts with their styles and as numbers.
	ends := func(id string) (texts [2]string, numbers [2]float64) {
		order := result.Sorted(labels, r.Choose(id)[0])
		for i, label := range []string{order[0], order[len(order)-1]} {
			v := r.Value(label, id)
			texts[i], numbers[i] = v.Text+" ("+label+")", v.Number
		}
		return texts, numbers
	}
	_, took := ends(written)
	last, done := ends(ready)
	const alike = 1.25 // so many times as long is what nobody notices
	var answer Answer
	pods := last[0] + " to " + last[1]
	runs := plain.Once(nil, plain.Map(labels, func(label string) string { return r.Value(label, ready).Run })...)
	if len(runs) == 1 && done[1] < alike*done[0] {
		answer.Lead = strings.Join(known[:len(known)-1], ", ") + " or " + known[len(known)-1] + ": take the one that your team knows."
		pods += ", at most " + plain.Duration(done[1]-done[0]) + " apart"
		if !r.ToldApart(headline, labels) {
			pods = plain.Duration(done[0]) + " to " + plain.Duration(done[1]) + ", which the rounds do not tell apart"
		}
	}
	answer.Text = fmt.Sprintf("The %s of a new custom resource is written after %s to %s, and its pods are ready after %s", r.Child(), plain.Duration(took[0]), plain.Duration(took[1]), pods)
	if one, other := r.Value(spec.Floor, written), r.Value(spec.Floor, ready); one.Known && other.Known {
		answer.Text += fmt.Sprintf(" (without any operator: %s and %s)", one.Text, other.Text)
	}
	answer.Text += "."
	unknown := func(label string) bool { return !r.Value(label, "memory").Known }
	if least, n := ends("memory"); n[0] > 0 && !slices.ContainsFunc(labels, unknown) {
		answer.Text += fmt.Sprintf(" What differs between these is memory, from %s to %s.", least[0], least[1])
	}
	return answer
}

// span is the lowest and the highest median of the headline; empty if there is none, or if it is a load, whose median
// says little.
func (r *Report) span() string {
	headline := r.Headline()
	id := result.Written(headline)
	order := slices.DeleteFunc(r.ByLatency(headline), func(label string) bool {
		return !slices.Contains(r.Contestants(), label) || !r.Value(label, id).Known
	})
	if len(order) == 0 {
		return ""
	}
	say := func(label string) string {
		v := r.Value(label, id)
		return fmt.Sprintf("%s (%s, %s)", v.Text, label, v.From())
	}
	text := fmt.Sprintf("A %s takes %s", headline, say(order[0]))
	if len(order) > 1 {
		text += " to " + say(order[len(order)-1])
	}
	return text + "."
}

// whatFails says with which styles the fewest tests fail. A difference of one is none where most were recorded once.
// Styles on an old version of their framework are left out.
func (r *Report) whatFails() Answer {
	whole := plain.Where(r.Contestants(), func(label string) bool { return r.Fails(label).Whole() && r.Dated(label) == "" })
	if !r.HasMatrix() || len(whole) == 0 {
		return Answer{}
	}
	most := func(label string) int { return r.Fails(label).Most() }
	slices.SortStableFunc(whole, func(a, b string) int { return most(a) - most(b) })
	least := most(whole[0])
	fewest := plain.Where(whole, func(label string) bool { return most(label) <= least+1 })
	worst := most(fewest[len(fewest)-1])
	applying := plain.Map(fewest, func(label string) int { return r.Fails(label).Of })
	of := fmt.Sprintf("%s %s", plain.Span(slices.Min(applying), slices.Max(applying)), plain.Noun(slices.Max(applying), "test"))
	count := fmt.Sprintf("%d of %s %s", worst, of, plain.Noun(worst, "fails", "fail"))
	switch {
	case worst == 0:
		count = "none of " + of + " fails"
	case least == 0:
		count = "at most one of " + of + " fails"
	case least < worst:
		count = fmt.Sprintf("%d or %d of %s fail", least, worst, of)
	}
	answer := Answer{Lead: "When something breaks,", Text: count + " with " + plain.List(fewest)}
	if least < worst && r.once(fewest) {
		answer.Text += "; most were recorded once, so a difference of one proves nothing"
	}
	answer.Text += "."
	return answer
}

// once reports whether most tests of some styles were recorded once.
func (r *Report) once(labels []string) bool {
	all := plain.Flat(labels, r.Matrix.Cells)
	return 2*len(plain.Where(all, func(c *result.Cell) bool { return len(c.Results) == 1 })) > len(all)
}

// forms says where another style on the same framework fails more tests than the one to use, if that differs more than
// the languages do.
func (r *Report) forms() Answer {
	most := func(label string) int { return r.Fails(label).Most() }
	var used, parts []string
	widest := 0
	for _, one := range programs {
		label := r.uses(one)
		if label == "" || !r.Fails(label).Whole() {
			continue
		}
		worst := label
		for _, other := range r.Contestants() {
			if r.Framework(other).Name == r.Framework(label).Name && r.Framework(label).Name != "" && r.Fails(other).Whole() && most(other) > most(worst) {
				worst = other
			}
		}
		used = append(used, label)
		if apart := most(worst) - most(label); apart > 1 { // a difference of one is none
			widest = max(widest, apart)
			fail := ""
			if len(parts) == 0 {
				fail = " " + plain.Noun(most(label), "test fails", "tests fail")
			}
			parts = append(parts, fmt.Sprintf("%d%s with %s and %d with %s", most(label), fail, label, most(worst), worst))
		}
	}
	if len(parts) == 0 || widest <= slices.Max(plain.Map(used, most))-slices.Min(plain.Map(used, most)) {
		return Answer{}
	}
	return Answer{Lead: "How it is written matters more than the language.", Text: "On the same framework, " + strings.Join(parts, "; ") + "."}
}

// already names what a reader may have beside a language, with what it takes and gets wrong.
func (r *Report) already() Answer {
	ready := result.Ready(r.Headline())
	var parts []string
	for _, one := range haves[len(programs):] {
		label := r.uses(one)
		v, f := r.Value(label, ready), r.Fails(label)
		if label == "" || !v.Known {
			continue
		}
		beside := fmt.Sprintf("%s %s", plain.Plural(f.Failed, "test"), plain.Noun(f.Failed, "fails", "fail"))
		if v.Run != r.Tables()[0].Runs[0] {
			beside += ", another run"
		}
		parts = append(parts, v.Text+" with "+label+" ("+beside+")")
	}
	if len(parts) == 0 {
		return Answer{}
	}
	return Answer{Lead: "A Helm chart, shell scripts, Ansible roles or Argo can do it, too:", Text: "pods are ready after " + plain.List(parts) + "."}
}
