package html

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// bigTable has every style as a row and every figure as a column.
type bigTable struct {
	Groups  []columnGroup
	Columns []tableColumn
	Rows    []tableRow
}

// columnGroup is a heading over some columns, which are shown and hidden together.
type columnGroup struct {
	Name           string
	Index, Columns int
}

// columnGroups are all that there may be; columns name theirs by its index.
func columnGroups() []string {
	return []string{"in short", "latency", "many at once", "correctness", "cost", "code"}
}

type tableColumn struct {
	Group, Head, Text string // Text says what it is
	short             bool   // it is of a first look
	entries           []entry
}

type tableRow struct {
	*style
	Entries []entry
}

// entry is a figure with where it comes from.
type entry struct {
	Text, From string
	Value      string // to sort by; empty: not known
	Heat       string // class of its ratio to the best; empty: it is not coloured
	Group      int    // of columns, from 0
	number     float64
	known      bool
}

func known(value float64, text, from string) entry {
	return entry{Text: text, From: from, Value: strconv.FormatFloat(value, 'g', 6, 64), number: value, known: true}
}

func unknown(why string) entry { return entry{Text: plain.Unknown, From: why} }

// heats are the ratios to the best at which the next colour begins.
var heats = [...]float64{1.1, 2, 5, 10, 100}

// heatWords say what the colours mean.
func heatWords() []string {
	words := []string{"best, and up to 1.1 times that"}
	for i, from := range heats {
		if i+1 < len(heats) {
			words = append(words, fmt.Sprintf("up to %g times", heats[i+1]))
			continue
		}
		words = append(words, fmt.Sprintf("over %g times", from))
	}
	return words
}

// heat is the class of a ratio to the best.
func heat(ratio float64) string {
	i := 0
	for i < len(heats) && ratio > heats[i] {
		i++
	}
	return "h" + strconv.Itoa(i)
}

// measuredColumns are those of a run, and ownColumns those that hang on no run.
func (s *study) measuredColumns() []tableColumn {
	return slices.Concat(s.latencyColumns(), s.loadColumns(), s.costColumns())
}

func (s *study) ownColumns() []tableColumn { return slices.Concat(s.correctColumns(), s.codeColumns()) }

// bigTable makes a table of columns. One of which nothing is known is left out.
func (s *study) bigTable(columns []tableColumn) bigTable {
	var t bigTable
	for _, c := range shortFirst(columns) {
		if slices.ContainsFunc(c.entries, func(e entry) bool { return e.known }) {
			s.colour(c.entries)
			t.Columns = append(t.Columns, c)
			if n := len(t.Groups); n == 0 || t.Groups[n-1].Name != c.Group {
				t.Groups = append(t.Groups, columnGroup{Name: c.Group, Index: slices.Index(columnGroups(), c.Group)})
			}
			t.Groups[len(t.Groups)-1].Columns++
			for i := range c.entries {
				c.entries[i].Group = slices.Index(columnGroups(), c.Group)
			}
		}
	}
	for i, one := range s.Styles {
		row := tableRow{style: one}
		for _, c := range t.Columns {
			row.Entries = append(row.Entries, c.entries[i])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// shortFirst puts the columns of a first look, which are those of a README, before the others.
func shortFirst(all []tableColumn) []tableColumn {
	var short, rest []tableColumn
	for _, c := range all {
		if c.short {
			c.Group = "in short"
			short = append(short, c)
			continue
		}
		rest = append(rest, c)
	}
	return append(short, rest...)
}

// colour gives entries their heat: less is better. The floor is no contestant.
func (s *study) colour(entries []entry) {
	best := math.Inf(1)
	in := func(i int) bool {
		return entries[i].known && !math.IsNaN(entries[i].number) && !s.Styles[i].Floor
	}
	zero := false // then what is not zero is no best
	for i, e := range entries {
		if in(i) && e.number > 0 {
			best = min(best, e.number)
		}
		zero = zero || in(i) && e.number <= 0
	}
	for i, e := range entries {
		switch {
		case !in(i):
		case e.number <= 0:
			entries[i].Heat = heat(1)
		case zero:
			entries[i].Heat = heat(max(e.number/best, heats[0]*(1+1e-9)))
		default:
			entries[i].Heat = heat(e.number / best)
		}
	}
}

// column asks every style for an entry.
func (s *study) column(group, head, text string, of func(label string) entry) tableColumn {
	c := tableColumn{Group: group, Head: head, Text: text}
	for _, one := range s.Styles {
		c.entries = append(c.entries, of(one.Label))
	}
	return c
}

// first marks a column of a first look, if it is one.
func (c tableColumn) first(yes bool) tableColumn {
	c.short = yes
	return c
}

// latencyColumns are the median and the tail of each scenario that changes one
// custom resource at a time, until the operator has done its part.
func (s *study) latencyColumns() []tableColumn {
	var all []tableColumn
	for _, in := range s.Scenes {
		if len(in.Cells) == 0 || in.Cells[0].Load() {
			continue
		}
		of := func(label string, value func(stat.Summary) (stat.Observation, string)) entry {
			c := s.Cell(label, in.Name)
			if c == nil {
				return unknown("")
			}
			written, _ := c.Outcome()
			if written.N == 0 {
				return unknown("n 0" + also(apart(written)))
			}
			o, from := value(written)
			return known(o.Value, o.String(), from+also(apart(written)))
		}
		all = append(all,
			s.column("latency", in.Name+" p50", "median time until the "+s.Child()+" is as the "+in.Name+" asks", func(label string) entry {
				return of(label, func(w stat.Summary) (stat.Observation, string) {
					return w.P50, result.Spread(w, stat.Observation.String)
				})
			}).first(in.Name == s.Headline()),
			s.column("latency", in.Name+" p90 or max", "p90 of the same; the maximum where n is too small for a p90", func(label string) entry {
				return of(label, tail)
			}), s.ratioColumn("latency", in.Name))
	}
	return all
}

// ratioColumn is how many times as long as the reference the styles take.
func (s *study) ratioColumn(group, scenario string) tableColumn {
	return s.column(group, scenario+" × "+result.Reference, result.RatioNote(), func(label string) entry {
		ratio, there := s.ToReference(label, scenario)
		switch {
		case label == result.Reference && s.Cell(label, scenario) != nil:
			return known(1, "1", "the reference")
		case !there:
			return unknown("")
		}
		figure, from := result.RatioParts(ratio)
		return known(ratio.Value, figure, from)
	})
}

// tail is the p90 with its interval, or the maximum where n is too small for it.
func tail(w stat.Summary) (stat.Observation, string) {
	n := fmt.Sprintf("n %d in %s", w.N, plain.Plural(w.Rounds, "round"))
	switch {
	case !w.Shows(0.9):
		return w.Max, "max, " + n
	case w.CI90 != nil:
		return w.P90, interval(w.CI90) + ", " + n
	}
	return w.P90, n
}

func also(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}

// loadColumns are when the last custom resource of a load was done: the median over
// rounds.
func (s *study) loadColumns() []tableColumn {
	var all []tableColumn
	for _, in := range s.Scenes {
		if len(in.Cells) == 0 || !in.Cells[0].Load() {
			continue
		}
		text := "when the last custom resource of the load is written, the floor’s own in brackets; median over rounds"
		all = append(all, s.column("many at once", in.Name+" last", text, func(label string) entry {
			c := s.Cell(label, in.Name)
			if c == nil {
				return unknown("")
			}
			written, _ := c.Outcome()
			last := result.Lasts(written)
			if last.N == 0 {
				return unknown("n 0" + also(apart(written)))
			}
			from := result.Spread(last, stat.Observation.String) + fmt.Sprintf(" of %d", written.N/max(written.Rounds, 1)) + also(apart(written))
			if floor, there := c.Floor(written.Phase); there {
				from += " (floor " + result.Lasts(floor).P50.String() + ")"
			}
			if inTime, of := c.Written(); inTime < of {
				from = fmt.Sprintf("%d of %d in time; ", inTime, of) + from
			}
			return known(last.P50.Value, last.P50.String(), from)
		}).first(in.Name == s.Heaviest()), s.ratioColumn("many at once", in.Name))
	}
	return all
}

// correctColumns are how many scenarios fail, and what every operator is held to.
func (s *study) correctColumns() []tableColumn {
	all := []tableColumn{s.column("correctness", report.FailColumn, "of those of the correctness matrix that apply", func(label string) entry {
		failing := s.Fails(label)
		if !failing.Known {
			return unknown(result.NotRecorded)
		}
		from := "of " + strconv.Itoa(failing.Of) + failing.Rest()
		if !failing.Whole() { // others were driven through more
			return entry{Text: strconv.Itoa(failing.Failed), From: from}
		}
		return known(float64(failing.Most()), strconv.Itoa(failing.Failed), from)
	}).first(true)}
	for i, name := range result.ConformanceNames() {
		all = append(all, s.column("correctness", name, "what every operator is held to: "+result.ConformanceTexts()[i], func(label string) entry {
			held := s.Conformance(label)
			if len(held) == 0 || held[i].Unasked {
				return unknown("not asked")
			}
			switch held[i].Outcome {
			case spec.Pass:
				return known(1, "held", held[i].Why)
			case spec.Fail:
				return known(200, "fails", held[i].Why)
			}
			return known(10, "not offered", "")
		}))
	}
	return all
}

// costColumns are what a style uses.
func (s *study) costColumns() []tableColumn {
	var all []tableColumn
	for i, q := range report.CostColumns(result.Cost{}) {
		all = append(all, s.column("cost", q.Name, q.Text+"; median over rounds", func(label string) entry {
			used := s.Used(label, func(c result.Cost) result.Figure { return report.CostColumns(c)[i].Figure })
			if used.N == 0 {
				return unknown("")
			}
			value, from := report.Show(used)
			return known(used.P50.Value, value, from)
		}).first(q.First()))
	}
	return all
}

// codeColumns are what a maintainer owns: counted, not measured.
func (s *study) codeColumns() []tableColumn {
	of := func(count func(*record.StyleFacts, *record.Environment) entry) func(string) entry {
		return func(label string) entry {
			facts, environment := s.Report.Facts(label)
			if facts == nil || facts.Owned == nil {
				return unknown("")
			}
			return count(facts, environment)
		}
	}
	lines := of(func(f *record.StyleFacts, _ *record.Environment) entry {
		from := ""
		if f.Owned.Scaffold > 0 {
			from = fmt.Sprintf("%d without scaffold", f.Owned.Lines-f.Owned.Scaffold)
		}
		return known(float64(f.Owned.Lines), strconv.Itoa(f.Owned.Lines), from)
	})
	whole := func(n int, from string) entry { return known(float64(n), strconv.Itoa(n), from) }
	language := s.column("code", "language", "that most of the lines owned are in", func(label string) entry {
		e := entry{Text: plain.Unknown}
		if name := s.Language(label); name != "" {
			e = entry{Text: name, Value: name, known: true, number: math.NaN()}
		}
		return e
	})
	return []tableColumn{
		language,
		s.column("code", "lines owned", "neither blank nor comment, counted", lines).first(true),
		s.column("code", "rights", "of RBAC: verbs on resources, counted", of(func(f *record.StyleFacts, _ *record.Environment) entry {
			return whole(f.Owned.Rules, wildcards(f.Owned))
		})),
		s.column("code", "images", "size of all images", of(func(f *record.StyleFacts, e *record.Environment) entry {
			var size int64
			custom := 0
			images := e.ImagesOf(f)
			for _, image := range images {
				if image.Bytes == 0 {
					return unknown("size not recorded")
				}
				size += image.Bytes
				if image.Custom() {
					custom++
				}
			}
			if size == 0 {
				return unknown("")
			}
			return known(float64(size), plain.Bytes(size), fmt.Sprintf("%s, %d custom", plain.Plural(len(images), "image"), custom))
		})),
	}
}

func wildcards(o *record.Owned) string {
	if len(o.Wildcards) == 0 {
		return ""
	}
	return "with " + plain.Plural(len(o.Wildcards), "wildcard")
}
