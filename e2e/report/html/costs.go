package html

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
)

// ledger is a table of quantities: a column for each style.
type ledger struct {
	ID, Title string
	Heads     []*style // of the columns
	Under     []string // what stands under the heads: rounds, and the run where there are several; nil: nothing
	Groups    []ledgerGroup
	Notes     []string // what is not known, and why
}

// ledgerGroup are rows under one heading.
type ledgerGroup struct {
	Title string
	Rows  []ledgerRow
}

// Columns is how many columns its rows have.
func (g ledgerGroup) Columns() int { return 1 + len(g.Rows[0].Cells) }

// ledgerRow is one quantity.
type ledgerRow struct {
	Name, Note string
	Cells      []ledgerCell
}

// ledgerCell is a quantity's median over rounds; Range is empty where all
// rounds are alike, Rounds has the value of each.
type ledgerCell struct{ Value, Range, Rounds string }

// known tells whether any column has a value.
func (r *ledgerRow) known() bool {
	return slices.ContainsFunc(r.Cells, func(c ledgerCell) bool { return c.Value != "–" })
}

// quantity is a row of the table of costs.
type quantity struct {
	name, note string
	of         func(result.Cost) cost.Figure
}

// costs is the table of what styles use; nil: it was not computed.
func (s *study) costs() *ledger {
	if len(s.Costs) == 0 {
		return nil
	}
	l := s.ledger("costs", "Medians over rounds; below, the least and the most where rounds differ")
	l.group(s.Costs, "For each change", []quantity{
		{"CPU time", "of all of the operator's pods, beyond what it uses while idle", func(c result.Cost) cost.Figure { return c.BusyCPU }},
		{"CPU while idle", "of one core, beside it", func(c result.Cost) cost.Figure { return c.IdleCPU }},
		{"Pods", "made in the operator's namespaces", func(c result.Cost) cost.Figure { return c.PerChange(cost.Pods) }},
		{"Custom objects", "made there, such as Workflows", result.Cost.Made},
		{"API calls", "", func(c result.Cost) cost.Figure { return c.PerChange(cost.Calls) }},
		{"API writes", "of these; leases left out", func(c result.Cost) cost.Figure { return c.PerChange(cost.Writes) }},
	})
	l.group(s.Costs, "While it is installed", []quantity{
		{"Memory while idle", "working set of all of the operator's pods", func(c result.Cost) cost.Figure { return c.IdleMemory }},
		{"Peak memory", "the most at one moment", func(c result.Cost) cost.Figure { return c.PeakMemory }},
		{"Time to install", "until it sees every change", func(c result.Cost) cost.Figure { return c.Install }},
		{"Time to uninstall", "until nothing of it is left", func(c result.Cost) cost.Figure { return c.Uninstall }},
	})
	l.group(s.Costs, "CPU time for each change, by component, idle use included", s.components())
	return l
}

// ledger is an empty table with a column for each cost.
func (s *study) ledger(id, title string) *ledger {
	l := &ledger{ID: s.ids.of(id), Title: title}
	for _, c := range s.Costs {
		l.Heads = append(l.Heads, s.style(c.Label()))
		under := counted(c.Rounds, "round")
		if slices.ContainsFunc(s.Costs, func(other result.Cost) bool { return other.Run != c.Run }) {
			under += " of run " + c.Run
		}
		l.Under = append(l.Under, under)
	}
	return l
}

// style finds a style by its label; one without a result has a plain look.
func (s *study) style(label string) *style {
	if i := slices.IndexFunc(s.Styles, func(one *style) bool { return one.Label == label }); i >= 0 {
		return s.Styles[i]
	}
	return &style{Label: label}
}

// group adds the quantities of which something is known, and says why the
// others are not.
func (l *ledger) group(costs []result.Cost, title string, quantities []quantity) {
	g := ledgerGroup{Title: title}
	for _, q := range quantities {
		row := ledgerRow{Name: q.name, Note: q.note}
		for _, c := range costs {
			f := q.of(c)
			row.Cells = append(row.Cells, cellOf(f))
			if !f.Known() && f.Missing != "" {
				l.note(c.Label(), title, q.name, f.Missing)
			}
		}
		if row.known() {
			g.Rows = append(g.Rows, row)
		}
	}
	if len(g.Rows) > 0 {
		l.Groups = append(l.Groups, g)
	}
}

// note says once why something is not known.
func (l *ledger) note(label, title, name, why string) {
	note := fmt.Sprintf("%s: %s (%s): %s", label, name, strings.ToLower(title), why)
	if !slices.Contains(l.Notes, note) {
		l.Notes = append(l.Notes, note)
	}
}

func cellOf(f cost.Figure) ledgerCell {
	if !f.Known() {
		return ledgerCell{Value: "–"}
	}
	c := ledgerCell{Value: amount(f.Unit, f.Median())}
	if least, most := f.Range(); amount(f.Unit, least) != amount(f.Unit, most) {
		c.Range = amount(f.Unit, least) + " to " + amount(f.Unit, most)
	}
	var rounds []string
	for _, v := range f.Values {
		rounds = append(rounds, fmt.Sprintf("round %d: %s", v.Round, amount(f.Unit, v.Value)))
	}
	c.Rounds = strings.Join(rounds, ", ")
	return c
}

// amount prints a quantity in its unit, as cost.Figure names it.
func amount(unit string, value float64) string {
	switch unit {
	case "s":
		return plain.Duration(value)
	case "bytes":
		return plain.Bytes(int64(value))
	case "cores":
		return fmt.Sprintf("%.2f%%", 100*value)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0")
}

// components are the CPU times of all components, by name.
func (s *study) components() []quantity {
	var names []string
	for _, c := range s.Costs {
		for _, one := range c.ComponentCPU {
			if !slices.Contains(names, one.Component) {
				names = append(names, one.Component)
			}
		}
	}
	slices.Sort(names)
	var all []quantity
	for _, name := range names {
		all = append(all, quantity{name: name, of: func(c result.Cost) cost.Figure {
			i := slices.IndexFunc(c.ComponentCPU, func(one cost.ComponentFigure) bool { return one.Component == name })
			if i < 0 {
				return cost.Figure{}
			}
			return c.ComponentCPU[i].Figure
		}})
	}
	return all
}

// counts is the table of exact counters: a group for each scenario.
func (s *study) counts() *ledger {
	l := s.ledger("counts", "What one change brought about: exact counts, medians over rounds")
	for _, in := range s.Scenes {
		var names []string
		for _, c := range s.Costs {
			for _, one := range c.Counters {
				if one.Scenario == in.Name && one.Known() && !slices.Contains(names, one.Name) {
					names = append(names, one.Name)
				}
			}
		}
		g := ledgerGroup{Title: in.Name}
		for _, name := range names {
			row := ledgerRow{Name: name}
			for _, c := range s.Costs {
				one, _ := c.Counter(name, in.Name)
				row.Cells = append(row.Cells, countCell(one))
			}
			g.Rows = append(g.Rows, row)
		}
		if len(g.Rows) > 0 {
			l.Groups = append(l.Groups, g)
		}
	}
	if len(l.Groups) == 0 {
		return nil
	}
	return l
}

func countCell(c cost.Counter) ledgerCell {
	if !c.Known() {
		return ledgerCell{Value: "–"}
	}
	cell := ledgerCell{Value: count(c.Median())}
	if least, most := c.Range(); least != most {
		cell.Range = count(least) + " to " + count(most)
	}
	var rounds []string
	for _, v := range c.Values {
		rounds = append(rounds, fmt.Sprintf("round %d: %d", v.Round, v.Value))
	}
	cell.Rounds = strings.Join(rounds, ", ")
	return cell
}

// owned is the table of what the maintainer of each style keeps; nil: it was
// not counted.
func (s *study) owned() *ledger {
	if s.Environment == nil {
		return nil
	}
	l := &ledger{ID: s.ids.of("owned"), Title: "What a maintainer owns, without tests and without what is copied unchanged from upstream"}
	var styles []record.StyleFacts
	for _, one := range s.Environment.Styles {
		if one.Owned != nil {
			styles = append(styles, one)
			l.Heads = append(l.Heads, s.style(record.Label(one.Name, one.Variant)))
		}
	}
	if len(styles) == 0 {
		return nil
	}
	g := ledgerGroup{Title: "To maintain"}
	for _, q := range []struct {
		name, note string
		of         func(record.StyleFacts) string
	}{
		{"Files", "", func(f record.StyleFacts) string { return count(f.Owned.Files) }},
		{"Lines", "neither blank nor comment", func(f record.StyleFacts) string { return count(f.Owned.Lines) }},
		{"Lines, without scaffold", "less what a generator wrote and nobody changed", func(f record.StyleFacts) string { return count(f.Owned.Lines - f.Owned.Scaffold) }},
		{"Languages", "lines of each", func(f record.StyleFacts) string { return languages(f.Owned.Languages) }},
		{"RBAC rules", "verbs × resources that its accounts hold", func(f record.StyleFacts) string { return report.Rights(f.Owned) }},
		{"Images", "", func(f record.StyleFacts) string { return count(len(f.Images)) }},
		{"Image bytes", "on the node", func(f record.StyleFacts) string { return imageBytes(s.Environment, f) }},
	} {
		row := ledgerRow{Name: q.name, Note: q.note}
		for _, f := range styles {
			row.Cells = append(row.Cells, ledgerCell{Value: q.of(f)})
		}
		g.Rows = append(g.Rows, row)
	}
	l.Groups = []ledgerGroup{g}
	return l
}

func languages(lines map[string]int) string {
	names := make([]string, 0, len(lines))
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
		names[i] = fmt.Sprintf("%s %s", name, count(lines[name]))
	}
	if len(names) == 0 {
		return "–"
	}
	return strings.Join(names, ", ")
}

// imageBytes is the size of a style's images; not known where that of one is not.
func imageBytes(e *record.Environment, f record.StyleFacts) string {
	var sum int64
	for _, name := range f.Images {
		i := slices.IndexFunc(e.Images, func(one record.ImageFacts) bool { return one.Name == name })
		if i < 0 || e.Images[i].Bytes == 0 {
			return "–"
		}
		sum += e.Images[i].Bytes
	}
	return plain.Bytes(sum)
}
