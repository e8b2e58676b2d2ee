package report

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec/verdicts"
	"operatorbench/e2e/stat"
	"operatorbench/e2e/table"
)

// README prints a README's first screen: the findings, the picture, and what to use by what a reader has. All figures, with
// their intervals, are on another page: see Figures.
func (r *Report) README(out io.Writer, at Place) error {
	m := &markdown{}
	for _, answer := range r.Answers() {
		m.line("- %s", text(answer))
	}
	m.line("\n<picture>")
	m.line(`  <source media="(prefers-color-scheme: dark)" srcset="%s">`, attribute(path.Join(at.Folder, at.Dark)))
	m.line(`  <img src="%s" width="820" alt="%s">`, attribute(path.Join(at.Folder, at.Light)), attribute(r.inWords()))
	m.line("</picture>\n")
	if t := r.choices(); len(t.Rows) > 0 {
		m.rows(t)
		m.line("")
	}
	m.line("Medians. *Written*: until the %s is there as it was asked for; *ready*: until its pods are. Each figure is of the first published run that has it.", r.Child())
	m.line("\n<sub>Made by `%s`.</sub>", at.Made)
	_, err := io.WriteString(out, m.text.String())
	return err
}

// have is what a reader has, with the need that it is.
type have struct{ reader, need string }

// programs are the languages in which a program is written around a framework's library, haves all that a reader may have.
var (
	programs = []have{{"write Go", "Our team writes Go"}, {"write Python", "Our team writes Python"}, {"write Java", "Our team writes Java"}, {"write Rust", "Our team writes Rust"}}
	haves    = append(slices.Clip(programs), have{"have a Helm chart", "We have a Helm chart"}, have{"write shell scripts", "We write shell scripts"},
		have{"have Ansible roles", "We have Ansible roles"}, have{"run Argo already", "We already run Argo"})
)

// uses are the styles that a reader who has something can use: of those that meet the need, each that fails in the fewest
// scenarios. A style on an old version of its framework is none of them.
func (r *Report) uses(of have) []string {
	var labels []string
	for _, need := range r.Needs() {
		if need.Name != of.need {
			continue
		}
		met := slices.DeleteFunc(slices.Clone(need.Met), func(m result.Match) bool { return r.Dated(m.Label) != "" })
		for _, m := range met {
			if r.Fails(m.Label).Most() == r.Fails(met[0].Label).Most() {
				labels = append(labels, m.Label)
			}
		}
	}
	return labels
}

// choices is the table of what to use.
func (r *Report) choices() table.Table {
	t := table.Table{Header: []string{"if you …", "use", "written", "ready", "many at once", "tests that fail", "memory"}, Left: 2}
	if load := r.Heaviest(); load != "" {
		t.Header[4] = fmt.Sprintf("%d at once", r.atOnce(load))
	}
	for _, one := range haves {
		for _, label := range r.uses(one) {
			written, ready := r.headline(label)
			t.Rows = append(t.Rows, []table.Cell{
				{Text: one.reader},
				{Text: label, Link: r.folder(label) + "/README.md"},
				{Text: median(written)},
				{Text: median(ready)},
				r.last(label), r.failing(label),
				{Text: cmp.Or(r.peak(label), unknown)},
			})
		}
	}
	return t
}

// headline is when a style had written, and when pods were ready, in the first run that measured the change that headlines.
func (r *Report) headline(label string) (written, ready stat.Summary) {
	for _, one := range r.Tables() {
		if headline := one.Headline(); !one.IsLoad(headline) {
			if c := one.Cell(label, headline); c != nil {
				if written, ready = c.Outcome(); written.N > 0 {
					return written, ready
				}
			}
		}
	}
	return stat.Summary{}, stat.Summary{}
}

func median(s stat.Summary) string {
	if s.N == 0 {
		return unknown
	}
	return s.P50.String()
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

// last is when the last custom resource of the heaviest load was written, or how many were in time.
func (r *Report) last(label string) table.Cell {
	for _, one := range r.Tables() {
		if load := one.Heaviest(); load != "" {
			if c := one.Cell(label, load); c != nil {
				return lastCell(c)
			}
		}
	}
	return table.Cell{Text: unknown}
}

// failing is in how many scenarios a style fails, with a link to why.
func (r *Report) failing(label string) table.Cell {
	f := r.Fails(label)
	if !f.Known {
		return table.Cell{Text: result.NotRecorded}
	}
	cell := table.Cell{Text: fmt.Sprintf("%d of %d", f.Failed, f.Of)}
	if f.Failed > 0 {
		cell.Link = r.folder(label) + "/" + verdicts.File
	}
	return cell
}

// peak is the most memory that all pods of a style took, in the first run that measured it.
func (r *Report) peak(label string) string {
	for _, one := range r.Tables() {
		if used := one.Used(label, func(c result.Cost) cost.Figure { return c.PeakMemory }); used.N > 0 {
			return Amount(used.Unit, used.P50.Value)
		}
	}
	return ""
}

// Answers are what the recordings come to, a sentence or two each.
func (r *Report) Answers() []string {
	var all []string
	if text := cmp.Or(r.alike(), r.Tables()[0].span()); text != "" {
		all = append(all, text)
	}
	if text := r.whatFails(); text != "" {
		all = append(all, text)
	}
	if text := r.slower(); text != "" {
		all = append(all, text)
	}
	if len(all) == 0 {
		all = []string{"No style was measured or judged."}
	}
	return all
}

// alike says how quick the programs are, and that their pods are ready after the same time.
func (r *Report) alike() string {
	type one struct {
		label          string
		written, ready stat.Summary
	}
	var list []one
	for _, language := range programs {
		for _, label := range r.uses(language) {
			if written, ready := r.headline(label); written.N > 0 && ready.N > 0 {
				list = append(list, one{label, written, ready})
			}
		}
	}
	if len(list) < 3 {
		return ""
	}
	by := func(of func(one) float64) (least, most one) {
		compare := func(a, b one) int { return cmp.Compare(of(a), of(b)) }
		return slices.MinFunc(list, compare), slices.MaxFunc(list, compare)
	}
	quick, slow := by(func(o one) float64 { return o.written.P50.Value })
	soon, late := by(func(o one) float64 { return o.ready.P50.Value })
	var names []string
	for _, o := range list {
		names = append(names, o.label)
	}
	text := fmt.Sprintf("With %s a new custom resource has its %s after %s to %s, and its pods are ready after %s to %s: a user sees no difference.",
		plain.List(names), r.Child(), quick.written.P50, slow.written.P50, soon.ready.P50, late.ready.P50)
	if least, most := r.memories(names); least != "" {
		text += fmt.Sprintf(" Memory differs, from %s to %s.", least, most)
	}
	return text
}

// span is the lowest and the highest median of the headline, where there are not enough programs to be called alike; empty:
// there is none, or it is a load, of which the median says little.
func (r *Report) span() string {
	headline := r.Headline()
	if r.IsLoad(headline) {
		return ""
	}
	order := slices.DeleteFunc(r.ByLatency(headline), func(label string) bool {
		return !slices.Contains(r.Contestants(), label) || r.writtenIn(label, headline).N == 0
	})
	if len(order) == 0 {
		return ""
	}
	say := func(label string) string {
		s := r.writtenIn(label, headline)
		return fmt.Sprintf("%s (%s, %s)", s.P50, label, result.Spread(s, stat.Observation.String))
	}
	text := fmt.Sprintf("A %s takes %s", headline, say(order[0]))
	if len(order) > 1 {
		text += " to " + say(order[len(order)-1])
	}
	return text + "."
}

// memories are the least and the most memory among styles; empty: not all are known.
func (r *Report) memories(labels []string) (least, most string) {
	low, high := 0.0, 0.0
	for _, label := range labels {
		for _, one := range r.Tables() {
			used := one.Used(label, func(c result.Cost) cost.Figure { return c.PeakMemory })
			if used.N == 0 {
				continue
			}
			said := fmt.Sprintf("%s (%s)", Amount(used.Unit, used.P50.Value), label)
			if least == "" || used.P50.Value < low {
				low, least = used.P50.Value, said
			}
			if used.P50.Value > high {
				high, most = used.P50.Value, said
			}
			break
		}
	}
	return least, most
}

// whatFails says who fails nothing when something is broken, and who little.
func (r *Report) whatFails() string {
	var clean, few []string
	tests := 0
	for _, label := range r.Contestants() {
		f := r.Fails(label)
		if year := r.Dated(label); year != "" {
			label += " (of " + year + ")"
		}
		switch {
		case !f.Whole():
		case f.Most() == 0:
			clean, tests = append(clean, label), max(tests, f.Of)
		case f.Failed == 1 && f.Most() == 1:
			few = append(few, label)
		}
	}
	var text string
	switch {
	case len(clean) > 0:
		text = fmt.Sprintf("When something breaks, of %d tests none fails with %s", tests, plain.List(clean))
	case r.HasMatrix():
		text = "When something breaks, some test fails with each of them"
	default:
		return ""
	}
	if len(few) > 0 {
		text += "; one fails with " + plain.List(few)
	}
	return text + "."
}

// slower names what a reader may have beside a language, where it takes longer.
func (r *Report) slower() string {
	var parts []string
	for _, one := range haves[len(programs):] {
		for _, label := range r.uses(one) {
			if written, _ := r.headline(label); written.N > 0 {
				part := label + " takes " + written.P50.String()
				if f := r.Fails(label); f.Known {
					part += fmt.Sprintf(" (%d of %d tests fail)", f.Failed, f.Of)
				}
				parts = append(parts, part)
			}
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "For what you may have already: " + plain.List(parts) + "."
}
