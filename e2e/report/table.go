package report

import (
	"fmt"
	"slices"
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
}

const unknown = "–"

// costTable is what styles use for each change, and while they are installed.
func (r *Report) costTable() table {
	t := table{
		title:  "Cost of a change, and of the operator while it is there (medians over rounds)",
		header: []string{"style", "changes", "CPU", "pods", "objects", "calls", "writes", "idle CPU", "peak mem", "idle mem", "install"}, left: 1,
	}
	if len(r.Runs) > 1 {
		t.header, t.left = slices.Insert(t.header, 1, "run"), 2
	}
	var reasons []string
	of := map[string][]string{} // which styles each reason is about
	for _, c := range r.Costs {
		row := []string{c.Label()}
		if len(r.Runs) > 1 {
			row = append(row, c.Run)
		}
		row = append(row, fmt.Sprint(c.Changes))
		for _, f := range []struct {
			name   string
			figure cost.Figure
		}{
			{"CPU", c.CPU}, {"pods", c.PerChange(cost.Pods)}, {"objects", c.Made()}, {"calls", c.PerChange(cost.Calls)},
			{"writes", c.PerChange(cost.Writes)}, {"idle CPU", c.IdleCPU}, {"peak memory", c.PeakMemory}, {"idle memory", c.IdleMemory}, {"install", c.Install},
		} {
			row = append(row, figure(f.figure))
			if !f.figure.Known() && f.figure.Missing != "" {
				reason := f.name + ": " + f.figure.Missing
				reasons, of[reason] = addNew(reasons, reason), addNew(of[reason], c.Label())
			}
		}
		t.rows = append(t.rows, row)
	}
	for _, reason := range reasons {
		t.notes = append(t.notes, fmt.Sprintf("%s (%s)", reason, strings.Join(of[reason], ", ")))
	}
	return t
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
	t := table{
		title:  "What a maintainer owns",
		header: []string{"style", "files", "lines", "RBAC rules", "images", "of these custom", "image bytes", "lines by language"}, left: 1, tail: true,
	}
	for _, label := range r.Styles {
		if facts, environment := r.facts(label); facts != nil && facts.Owned != nil {
			t.rows = append(t.rows, ownedRow(label, facts, environment))
		}
	}
	return t
}

func ownedRow(label string, facts *StyleFacts, environment *Environment) []string {
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
		custom = fmt.Sprint(n)
		if known {
			bytes = Bytes(size)
		}
	}
	o := facts.Owned
	return []string{
		label, fmt.Sprint(o.Files), fmt.Sprint(o.Lines), fmt.Sprint(o.Rules), fmt.Sprint(len(facts.Images)), custom, bytes, languages(o.Languages),
	}
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
	for _, one := range r.recordings {
		if facts := one.Environment.facts(label); facts != nil {
			return facts, one.Environment
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
