package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"operatorbench/e2e/cost"
)

// table is what the terminal and Markdown both print in rows.
type table struct {
	title  string
	header []string
	left   int  // how many columns are aligned to the left, from the first
	tail   bool // so is the last one
	rows   [][]string
	notes  []string
	short  []string // the notes that a comment has room for
}

const unknown = "–"

// columns are the figures of a cost that tables show, in their order.
func (c Cost) columns() []costColumn {
	return []costColumn{
		{"CPU net", c.BusyCPU},
		{"idle CPU", c.IdleCPU},
		{"pods", c.PerChange(cost.Pods)},
		{"objects", c.Made()},
		{"calls", c.PerChange(cost.Calls)},
		{"writes", c.PerChange(cost.Writes)},
		{"peak mem", c.PeakMemory},
		{"idle mem", c.IdleMemory},
		{"install", c.Install},
	}
}

type costColumn struct {
	name string
	cost.Figure
}

// costTable is what styles use for each change, and while they are installed.
// A style of which nothing is known has no row.
func (r *Report) costTable() table {
	t := table{title: "Cost of a change, and of the operator while it is there (medians over rounds; CPU net: beyond what is used idle)", header: []string{"style"}, left: 1}
	if slices.ContainsFunc(r.Costs, func(c Cost) bool { return c.Run != r.Costs[0].Run }) {
		t.header, t.left = append(t.header, "run"), 2
	}
	t.header = append(t.header, "rounds", "changes")
	for _, column := range (Cost{}).columns() {
		t.header = append(t.header, column.name)
	}
	var unknown reasons
	for _, c := range r.Costs {
		row, known := []string{c.Label(), c.Run}[:t.left], false
		row = append(row, strconv.Itoa(c.Rounds), strconv.Itoa(c.Changes))
		for _, column := range c.columns() {
			row = append(row, figure(column.Figure))
			known = known || column.Known()
			if !column.Known() {
				unknown.add(column.name, column.Missing, c.Label())
			}
		}
		if known {
			t.rows = append(t.rows, row)
		}
	}
	t.notes = unknown.lines()
	return t
}

// reasons collect why figures of styles are not known.
type reasons []reason

type reason struct {
	text            string
	columns, labels []string
}

func (r *reasons) add(column, text, label string) {
	for i := range *r {
		if one := &(*r)[i]; one.text == text && one.columns[0] == column {
			one.labels = addNew(one.labels, label)
			return
		}
	}
	*r = append(*r, reason{text: text, columns: []string{column}, labels: []string{label}})
}

// lines tell of each reason once, for all figures that lack for the same styles.
func (r *reasons) lines() []string {
	var merged []reason
	for _, one := range *r {
		same := func(other reason) bool { return other.text == one.text && slices.Equal(other.labels, one.labels) }
		if i := slices.IndexFunc(merged, same); i >= 0 {
			merged[i].columns = append(merged[i].columns, one.columns...)
			continue
		}
		merged = append(merged, one)
	}
	var lines []string
	for _, one := range merged {
		lines = append(lines, fmt.Sprintf("%s: %s (%s)", strings.Join(one.columns, ", "), one.text, strings.Join(one.labels, ", ")))
	}
	return lines
}

// figure prints a figure's median in its unit.
func figure(f cost.Figure) string {
	if !f.Known() {
		return unknown
	}
	switch m := f.Median(); f.Unit {
	case "s":
		return Duration(m)
	case "cores":
		return digits(100*m) + " %"
	case "bytes":
		return Bytes(int64(m))
	default:
		return count(m)
	}
}

// count prints a mean of counts: whole where it is whole.
func count(value float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0")
}

// Made is how many custom objects the style makes for each change, of all kinds.
func (c Cost) Made() cost.Figure {
	sum := cost.Figure{Unit: "1"}
	var names []string
	for _, counter := range c.Counters {
		if strings.HasPrefix(counter.Name, cost.MadePrefix) {
			names = addNew(names, counter.Name)
		}
	}
	if len(names) == 0 { // a style that makes none: as many rounds of nothing as its pods were counted in
		sum = c.PerChange(cost.Pods)
		sum.Values = slices.Clone(sum.Values)
		for i := range sum.Values {
			sum.Values[i].Value = 0
		}
		return sum
	}
	for _, name := range names {
		f := c.PerChange(name)
		if !f.Known() {
			sum.Missing = f.Missing
			continue
		}
		for _, v := range f.Values {
			i := slices.IndexFunc(sum.Values, func(have cost.Value) bool { return have.Round == v.Round })
			if i < 0 {
				sum.Values = append(sum.Values, v)
				continue
			}
			sum.Values[i].Value += v.Value
		}
	}
	if sum.Known() {
		sum.Missing = ""
	}
	return sum
}

// ownedTable is what somebody who maintains an operator of a style keeps.
func (r *Report) ownedTable() table {
	t := table{title: "What a maintainer owns", header: []string{"style", "files", "lines"}, left: 1, tail: true}
	scaffold := slices.ContainsFunc(r.Styles, func(label string) bool {
		facts, _ := r.facts(label)
		return facts != nil && facts.Owned != nil && facts.Owned.Scaffold > 0
	})
	if scaffold {
		t.header = append(t.header, "unscaffolded")
		t.notes = append(t.notes, "unscaffolded: lines without those that a generator of such projects wrote and nobody changed")
	}
	t.header = append(t.header, "rights", "images", "custom", "image size", "lines by language")
	for _, label := range r.Styles {
		if facts, environment := r.facts(label); facts != nil && facts.Owned != nil {
			t.rows = append(t.rows, ownedRow(label, facts, environment, scaffold))
		}
	}
	return t
}

func ownedRow(label string, facts *StyleFacts, environment *Environment, scaffold bool) []string {
	custom, bytes := unknown, unknown
	if images := environment.images(facts); len(images) > 0 {
		n, size, known := 0, int64(0), true
		for _, image := range images {
			if image.Custom() {
				n++
			}
			size += image.Bytes
			known = known && image.Bytes > 0
		}
		custom = strconv.Itoa(n)
		if known {
			bytes = Bytes(size)
		}
	}
	o := facts.Owned
	row := []string{label, strconv.Itoa(o.Files), strconv.Itoa(o.Lines)}
	if scaffold {
		row = append(row, strconv.Itoa(o.Lines-o.Scaffold))
	}
	return append(row, o.Rights(), strconv.Itoa(len(facts.Images)), custom, bytes, languages(o.Languages))
}

// LinesText are the lines, and how many are left without the scaffold.
func (o *Owned) LinesText() string {
	if o.Scaffold == 0 {
		return strconv.Itoa(o.Lines)
	}
	return fmt.Sprintf("%d (%d without scaffold)", o.Lines, o.Lines-o.Scaffold)
}

// languages lists lines by language, the most first.
func languages(lines map[string]int) string {
	var names []string
	for name := range lines {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if lines[a] != lines[b] {
			return lines[b] - lines[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, lines[name])
	}
	return strings.Join(names, ", ")
}

// facts returns what some recording's environment knows of a style.
func (r *Report) facts(label string) (*StyleFacts, *Environment) {
	for _, one := range r.parts {
		if facts := one.environment.facts(label); facts != nil {
			return facts, one.environment
		}
	}
	return nil, nil
}

// images are what is known of a style's images.
func (e *Environment) images(facts *StyleFacts) []ImageFacts {
	var found []ImageFacts
	for _, image := range e.Images {
		if slices.Contains(facts.Images, image.Name) {
			found = append(found, image)
		}
	}
	return found
}
