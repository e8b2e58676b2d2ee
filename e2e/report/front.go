package report

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/table"
)

// README prints a README's first screen: the findings, the picture, and what to use by what a reader has. All figures, with
// their intervals, are on another page: see Figures.
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
	if t := r.choices(at); len(t.Rows) > 0 {
		m.rows(t)
		m.line("\nMedians. *Reacts in*: from the request until the %s is written as it was asked for; *ready*: until its pods are.%s *Tests that fail*: of those that apply to the style and had been recorded. "+
			"*Memory*: the most of all its pods during single changes. %s", r.Child(), r.atOnceText(), strings.Join(append(t.Notes, r.dated()), " "))
	}
	m.line("\n<sub>Made by `%s`.</sub>", at.Made)
	_, err := io.WriteString(out, m.text.String())
	return err
}

// have is what a reader has, with the need that it is.
type have struct{ reader, need string }

// programs are the languages in which a program is written around a framework's library, haves all that a reader may have.
var (
	programs = []have{{"write Go", "Our team writes Go"}, {"write Python", "Our team writes Python"}, {"write Java", "Our team writes Java"}, {"write Rust", "Our team writes Rust"}}
	haves    = append(slices.Clip(programs), have{"have a Helm chart, and write some Go", "We have a Helm chart"}, have{"write shell scripts", "We write shell scripts"},
		have{"have Ansible roles", "We have Ansible roles"}, have{"run Argo already", "We already run Argo"})
)

// uses is the style for a reader who has something: of those that meet the need, the one that fails the fewest tests, and of
// several the one with the fewest lines to maintain. Empty: there is none.
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

// choices is the table of what to use, with a note for each figure that is from another run than the headline, and for each
// column that only a ramp or a growth has.
func (r *Report) choices(at Place) table.Table {
	headline, load := r.Headline(), r.Heaviest()
	t := table.Table{Header: []string{"if you …", "use", "reacts in", "pods ready after", fmt.Sprintf("%d at once", r.atOnce(load)), "tests that fail", "memory"}, Left: 2}
	ids := []string{result.Written(headline), result.Ready(headline), result.Last(load), "fails", "memory"}
	for _, scenario := range r.Scenarios {
		for _, c := range r.Choose(result.Holds(scenario), result.Keeps(scenario)) {
			head := strings.TrimPrefix(c.Head, scenario+", ")
			t.Header, ids, t.Notes = append(t.Header, head), append(ids, c.ID), append(t.Notes, fmt.Sprintf("*%s*: %s.", strings.ToUpper(head[:1])+head[1:], c.Text))
		}
	}
	var values [][]result.Value
	var wrong []string
	for _, one := range haves {
		label := r.uses(one)
		if label == "" {
			continue
		}
		row := []table.Cell{{Text: one.reader}, {Text: label, Link: r.folder(label) + "/README.md"}}
		var its []result.Value
		for _, id := range ids {
			v := r.Value(label, id)
			cell := sheet{}.cell(v)
			if id == "fails" && v.Number > 0 {
				cell.Link = at.failed(label)
			}
			row, its = append(row, cell), append(its, v)
		}
		t.Rows, values = append(t.Rows, row), append(values, its)
		if text := r.Mishandled(label); text != "" {
			wrong = append(wrong, fmt.Sprintf("Of the measured changes of %s not all were right: %s.", label, text))
		}
	}
	if len(t.Rows) > 0 {
		r.footnotes(&t, values)
	}
	t.Notes = append(t.Notes, wrong...)
	if load == "" { // without one there is no column of it
		t.Header = slices.Delete(t.Header, 4, 5)
		for i := range t.Rows {
			t.Rows[i] = slices.Delete(t.Rows[i], 4, 5)
		}
	}
	return t
}

// footnotes mark the figures of a table, from its third column on, that are not from the run of its first figure: a
// column's head where most are from another run, and else the figure.
func (r *Report) footnotes(t *table.Table, values [][]result.Value) {
	runs := []string{values[0][0].Run}
	mark := func(text *string, run string) {
		runs = plain.Once(runs, run)
		*text += " " + []string{"", "¹", "²", "³", "⁴", "⁵"}[min(slices.Index(runs, run), 5)]
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
	for _, run := range runs[1:] {
		note := ""
		mark(&note, run)
		t.Notes = append(t.Notes, fmt.Sprintf("%s: measured in another run, %s.", strings.TrimSpace(note), run))
	}
}

// folder is a style's, as a link.
func (r *Report) folder(label string) string {
	name, _ := r.Named(label)
	return "operators/" + url.PathEscape(name)
}

// atOnce is how many custom resources a load has.
func (r *Report) atOnce(load string) int {
	most := 0
	for c := range r.Of(load) {
		_, _, n := c.Rounds()
		most = max(most, n)
	}
	return most
}

// atOnceText says what the column of the heaviest load is; empty: there is none.
func (r *Report) atOnceText() string {
	load := r.Heaviest()
	if load == "" {
		return ""
	}
	return fmt.Sprintf(" *%d at once*: until the last of so many custom resources is written; where some are not in time, how many of all rounds are.", r.atOnce(load))
}

// Answer is what the recordings come to: a few words that stand out, and a sentence or two.
type Answer struct{ Lead, Text string }

// Answers are what the recordings come to. Where they are no answer to which style to choose, they say what was measured.
func (r *Report) Answers() []Answer {
	all := plain.Where([]Answer{r.alike(), r.whatFails(), r.already()}, func(one Answer) bool { return one.Text != "" && r.Recommends() })
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
	written, ready, memory := result.Written(headline), result.Ready(headline), "memory"
	var labels, languages []string
	for _, one := range programs {
		label := r.uses(one)
		if label != "" && r.Value(label, written).Known && r.Value(label, ready).Known {
			labels, languages = append(labels, label), append(languages, strings.TrimPrefix(one.reader, "write "))
		}
	}
	if len(labels) < 3 {
		return Answer{}
	}
	// ends are the least and the most of a figure, as texts and as numbers.
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
	without := ""
	if floor := r.Value(spec.Floor, ready); floor.Known {
		without = " (" + floor.Text + " without any operator)"
	}
	const alike = 1.25 // so many times as long is what nobody notices
	answer := Answer{Text: fmt.Sprintf("The pods of a new custom resource are ready after %s to %s%s", last[0], last[1], without)}
	if done[1] < alike*done[0] {
		answer.Lead = strings.Join(languages[:len(languages)-1], ", ") + " or " + languages[len(languages)-1] + ": take the one that your team knows."
		answer.Text = fmt.Sprintf("With each, the pods of a new custom resource are ready after %s to %s%s: at most %s apart",
			last[0], last[1], without, plain.Duration(done[1]-done[0]))
		if !r.ToldApart(headline, labels) {
			answer.Text = fmt.Sprintf("With each, the pods of a new custom resource are ready after about %s%s: no difference could be measured", plain.Duration((done[0]+done[1])/2), without)
		}
	}
	answer.Text += fmt.Sprintf(". The %s is written after %s to %s", r.Child(), plain.Duration(took[0]), plain.Duration(took[1]))
	if floor := r.Value(spec.Floor, written); floor.Known {
		answer.Text += ", " + floor.Text + " of it without any operator"
	}
	answer.Text += "."
	if least, n := ends(memory); n[0] > 0 {
		answer.Text += fmt.Sprintf(" What differs most is memory, from %s to %s.", least[0], least[1])
	}
	return answer
}

// span is the lowest and the highest median of the headline; empty: there is none, or it is a load, of which the median says
// little.
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

// whatFails says who fails nothing when something is broken, and who little. Styles on an old version of their framework
// are not among them.
func (r *Report) whatFails() Answer {
	var clean, few []string
	tests := 0
	for _, label := range r.Contestants() {
		if f := r.Fails(label); f.Whole() && f.Most() == 0 && r.Dated(label) == "" {
			clean, tests = append(clean, label), max(tests, f.Of)
		}
	}
	for _, label := range r.Contestants() {
		if f := r.Fails(label); f.Whole() && f.Failed == 1 && f.Most() == 1 && (tests == 0 || f.Of == tests) && r.Dated(label) == "" {
			few = append(few, label+" ("+strings.Join(r.Failing(label), ", ")+")")
		}
	}
	if !r.HasMatrix() {
		return Answer{}
	}
	answer := Answer{Lead: "When something breaks,", Text: "some test fails with each of them"}
	if len(clean) > 0 {
		answer.Text = fmt.Sprintf("none of %d tests fails with %s", tests, plain.List(clean))
	}
	if len(few) > 0 {
		answer.Text += "; one fails with " + plain.List(few)
	}
	answer.Text += "."
	return answer
}

// already names what a reader may have beside a language, with what it takes and gets wrong.
func (r *Report) already() Answer {
	var parts []string
	for _, one := range haves[len(programs):] {
		label := r.uses(one)
		if ready := r.Value(label, result.Ready(r.Headline())); label != "" && ready.Known {
			f := r.Fails(label)
			parts = append(parts, fmt.Sprintf("%s with %s (%d of %d tests %s)", ready.Text, label, f.Failed, f.Of, plain.Noun(f.Failed, "fails", "fail")))
		}
	}
	if len(parts) == 0 {
		return Answer{}
	}
	return Answer{Lead: "A Helm chart, shell scripts, Ansible roles or Argo can do it, too:", Text: "pods are ready after " + plain.List(parts) + "."}
}
