package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
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

// columns are the figures of a cost that tables show, in their order.
func costColumns(c result.Cost) []costColumn {
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
	if slices.ContainsFunc(r.Costs, func(c result.Cost) bool { return c.Run != r.Costs[0].Run }) {
		t.header, t.left = append(t.header, "run"), 2
	}
	t.header = append(t.header, "rounds", "changes")
	for _, column := range costColumns(result.Cost{}) {
		t.header = append(t.header, column.name)
	}
	var unknown reasons
	for _, c := range r.Costs {
		row, known := []string{c.Label(), c.Run}[:t.left], false
		row = append(row, strconv.Itoa(c.Rounds), strconv.Itoa(c.Changes))
		for _, column := range costColumns(c) {
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
			one.labels = plain.Once(one.labels, label)
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
		return plain.Duration(m)
	case "cores":
		return plain.Digits(100*m) + " %"
	case "bytes":
		return plain.Bytes(int64(m))
	default:
		return count(m)
	}
}

// count prints a mean of counts: whole where it is whole.
func count(value float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0")
}

// ownedTable is what somebody who maintains an operator of a style keeps.
func (r *Report) ownedTable() table {
	t := table{title: "What a maintainer owns", header: []string{"style", "files", "lines"}, left: 1, tail: true}
	scaffold := slices.ContainsFunc(r.Styles, func(label string) bool {
		facts, _ := r.Facts(label)
		return facts != nil && facts.Owned != nil && facts.Owned.Scaffold > 0
	})
	if scaffold {
		t.header = append(t.header, "unscaffolded")
		t.notes = append(t.notes, "unscaffolded: lines without those that a generator of such projects wrote and nobody changed")
	}
	t.header = append(t.header, "rights", "images", "custom", "image size", "lines by language")
	for _, label := range r.Styles {
		if facts, environment := r.Facts(label); facts != nil && facts.Owned != nil {
			t.rows = append(t.rows, ownedRow(label, facts, environment, scaffold))
		}
	}
	return t
}

func ownedRow(label string, facts *record.StyleFacts, environment *record.Environment, scaffold bool) []string {
	custom, bytes := unknown, unknown
	if images := environment.ImagesOf(facts); len(images) > 0 {
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
			bytes = plain.Bytes(size)
		}
	}
	o := facts.Owned
	row := []string{label, strconv.Itoa(o.Files), strconv.Itoa(o.Lines)}
	if scaffold {
		row = append(row, strconv.Itoa(o.Lines-o.Scaffold))
	}
	return append(row, Rights(o), strconv.Itoa(len(facts.Images)), custom, bytes, languages(o.Languages))
}

// LinesText are the lines that are owned, and how many are left without the scaffold.
func LinesText(o *record.Owned) string {
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
