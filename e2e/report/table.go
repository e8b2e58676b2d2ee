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
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
	"operatorbench/e2e/table"
)

// peakColumn is the one figure of CostColumns of a first look.
const peakColumn = "peak mem"

// CostColumns are the figures of a cost that tables show, in their order.
func CostColumns(c result.Cost) []CostColumn {
	return []CostColumn{
		{"CPU net", "CPU time of all its pods for each change, beyond what they use idle", c.BusyCPU},
		{"idle CPU", "of all its pods while nothing changes, in % of one CPU", c.IdleCPU},
		{"pods", "that it makes for each change, beside those that the custom resource asks for", c.PerChange(cost.Pods)},
		{"objects", "custom objects that it makes for each change", c.Made()},
		{"calls", "requests to the API server for each change", c.PerChange(cost.Calls)},
		{"writes", "requests that write, for each change", c.PerChange(cost.Writes)},
		{peakColumn, "the most memory of all its pods together", c.PeakMemory},
		{"idle mem", "memory of all its pods while nothing changes", c.IdleMemory},
		{"install", "from the first manifest until it sees every event", c.Install},
	}
}

// CostColumn is a figure with its name.
type CostColumn struct {
	Name, Text string // and what it is, in a line
	cost.Figure
}

// First reports whether the figure is one of a first look.
func (c CostColumn) First() bool { return c.Name == peakColumn }

// BesideColumns are the figures of a cost that do not come from measured changes,
// but from a load or from the correctness matrix.
func BesideColumns(c result.Cost) []CostColumn {
	return []CostColumn{
		{"cold start", "from the start of its first container until it has written for the first custom resource", c.ColdStart},
		{"memory at 100 custom resources", "of all its pods, once all are handled", c.ManyMemory},
		{"calls for a write that changes nothing", "requests to the API server for each such write to a custom resource", c.UnchangedCalls},
	}
}

// Show prints a value of a used quantity, and where it comes from.
func Show(u result.Used) (value, spread string) {
	if u.N == 0 {
		return unknown, ""
	}
	show := func(o stat.Observation) string { return Amount(u.Unit, o.Value) }
	return show(u.P50), result.Spread(u.Summary, show)
}

// tables are those that have a row.
func (r *Report) tables() []table.Table {
	all := []table.Table{r.ConformanceTable()}
	for _, one := range r.Tables() {
		all = append(all, one.CostTable(one.Heading(r)))
	}
	return slices.DeleteFunc(append(all, r.RatesTable(), r.BesideTable(), r.OwnedTable(), r.BuiltTable(), r.SecurityTable()), func(t table.Table) bool { return len(t.Rows) == 0 })
}

// ConformanceTable is what each style does of what every style is held to. A style
// that was not driven for verdicts has no row.
func (r *Report) ConformanceTable() table.Table {
	t := table.Table{Title: "What every operator is held to: owner reference with its flags; observedGeneration, conditions and nodes of the status; scale subresource; drift repair; no needless writes", Header: append([]string{"style"}, result.ConformanceNames()...), Left: 1 + len(result.ConformanceNames())}
	var out reasons
	for _, s := range r.Matrix.Styles {
		row := []table.Cell{{Text: s.Label}}
		asked := false
		for _, c := range r.Conformance(s.Label) {
			cell := table.Cell{Text: "held", Outcome: c.Outcome}
			switch {
			case c.Outcome == spec.Fail:
				cell.Text = "fails"
				out.add(c.Asked, "fails in "+c.Why, s.Label)
			case c.Outcome != spec.Pass && c.Unasked:
				cell.Text = unknown
			case c.Outcome != spec.Pass:
				cell.Text = "not offered"
				out.add(c.Asked, strings.TrimSuffix(c.Why, "."), s.Label)
			}
			asked = asked || !c.Unasked
			row = append(row, cell)
		}
		if asked && len(row) > 1 {
			t.Rows = append(t.Rows, row)
		}
	}
	t.Notes = out.lines()
	return t
}

// CostTable is what styles use for each change, and while they are installed.
// A style of which nothing is known has no row. Heading names the run, where there are several.
func (r *Report) CostTable(heading string) table.Table {
	t := table.Table{Title: "Cost of a change, and of the operator while it is there (medians over rounds; CPU net: beyond what is used idle)", Header: []string{"style"}, Left: 1}
	if heading != "" {
		t.Title += ". " + heading
	}
	t.Header = append(t.Header, "rounds", "changes")
	for _, column := range CostColumns(result.Cost{}) {
		t.Header = append(t.Header, column.Name)
	}
	var unknown reasons
	for _, c := range r.Costs {
		row, known := []string{c.Label()}, false
		row = append(row, strconv.Itoa(c.Rounds), strconv.Itoa(c.Changes))
		for _, column := range CostColumns(c) {
			row = append(row, figure(column.Figure))
			known = known || column.Known()
			if !column.Known() {
				unknown.add(column.Name, column.Missing, c.Label())
			}
		}
		if known {
			t.Row(row...)
		}
	}
	t.Notes = unknown.lines()
	return t
}

// BesideTable is what styles take to start, to keep many custom resources, and to
// find that nothing is to be done: a row for each run that tells of it.
func (r *Report) BesideTable() table.Table {
	t := table.Table{Title: "Starting, keeping many, and finding nothing to do (medians; figures of different runs do not compare)", Header: []string{"style", "run"}, Left: 2}
	for _, column := range BesideColumns(result.Cost{}) {
		t.Header = append(t.Header, column.Name)
	}
	for _, label := range r.Styles {
		for _, c := range r.Beside {
			if c.Label() != label {
				continue
			}
			row := []string{label, c.Run}
			for _, column := range BesideColumns(c) {
				row = append(row, figure(column.Figure))
			}
			t.Row(row...)
		}
	}
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
	return Amount(f.Unit, f.Median())
}

// Amount prints a quantity in its unit, as cost.Figure names it.
func Amount(unit string, value float64) string {
	switch unit {
	case "s":
		return plain.Duration(value)
	case "cores":
		return plain.Digits(100*value) + " %"
	case "bytes":
		return plain.Bytes(int64(value))
	default:
		return count(value)
	}
}

// count prints a mean of counts: whole where it is whole.
func count(value float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0")
}

// OwnedTable is what somebody who maintains an operator of a style keeps.
func (r *Report) OwnedTable() table.Table {
	t := table.Table{Title: "What a maintainer owns", Header: []string{"style", "files", "lines"}, Left: 1, Tail: true}
	scaffold := slices.ContainsFunc(r.Styles, func(label string) bool {
		facts, _ := r.Facts(label)
		return facts != nil && facts.Owned != nil && facts.Owned.Scaffold > 0
	})
	if scaffold {
		t.Header = append(t.Header, "unscaffolded")
		t.Notes = append(t.Notes, "unscaffolded: lines without those that a project generator wrote and that are unchanged")
	}
	t.Header = append(t.Header, "rights", "images", "custom", "image size", "lines by language")
	for _, label := range r.Styles {
		if facts, environment := r.Facts(label); facts != nil && facts.Owned != nil {
			t.Row(ownedRow(label, facts, environment, scaffold)...)
		}
	}
	return t
}

// BuiltTable is what operators are built on, what the lines that are owned are for,
// and how many packages of others come with them. It is left out where no style says what it is built on.
func (r *Report) BuiltTable() table.Table {
	t := table.Table{Title: "What it is built on, and the lines owned by what they are for", Header: []string{"style", "logic", "manifests", "build", "dependencies", "built on"}, Left: 1, Tail: true}
	t.Notes = []string{"dependencies: packages (Go modules, Python wheels, jars, crates) that the custom images are built from, direct / all"}
	said := false
	for _, label := range r.Styles {
		if facts, environment := r.Facts(label); facts != nil && facts.Owned != nil {
			logic, manifests, build := kindsOf(facts.Owned.Languages)
			on := r.builtOn(label)
			said = said || on != unknown
			t.Row(label, strconv.Itoa(logic), strconv.Itoa(manifests), strconv.Itoa(build), DependenciesText(environment.ImagesOf(facts)), on)
		}
	}
	if !said {
		t.Rows = nil
	}
	return t
}

// builtOn is a style's framework, with version and date.
func (r *Report) builtOn(label string) string {
	for _, part := range r.Parts {
		for _, s := range part.Header.Styles {
			if f := s.Framework; f != nil && record.Label(s.Name, s.Variant) == label {
				on := f.Name + " " + f.Version
				if f.Date != "" {
					on += " (" + f.Date + ")"
				}
				return on
			}
		}
	}
	return unknown
}

// kindsOf are lines by what they are for, by their language: programs are logic,
// YAML and JSON are manifests, and what else there is (Makefile, Dockerfile, go.mod) builds.
func kindsOf(lines map[string]int) (logic, manifests, build int) {
	for language, n := range lines {
		switch language {
		case "YAML", "JSON":
			manifests += n
		case "other":
			build += n
		default:
			logic += n
		}
	}
	return logic, manifests, build
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
	return append(row, Rights(o), strconv.Itoa(len(facts.Images)), custom, bytes, LanguagesText(o))
}

// DependenciesText are the dependencies, direct and all, of the custom images of a style; there are none where all images are others'.
func DependenciesText(images []record.ImageFacts) string {
	if len(images) == 0 {
		return unknown
	}
	var sum record.Dependencies
	for _, image := range images {
		if !image.Custom() {
			continue
		}
		if image.Dependencies == nil {
			return "not recorded"
		}
		sum.Direct += image.Dependencies.Direct
		sum.All += image.Dependencies.All
	}
	return fmt.Sprintf("%d / %d", sum.Direct, sum.All)
}

// LinesText are the lines that are owned, and how many are left without the scaffold.
func LinesText(o *record.Owned) string {
	if o.Scaffold == 0 {
		return strconv.Itoa(o.Lines)
	}
	return fmt.Sprintf("%d (%d without scaffold)", o.Lines, o.Lines-o.Scaffold)
}

// LanguagesText lists the lines that are owned by language, the most first.
func LanguagesText(o *record.Owned) string {
	lines := o.Languages
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
