package html

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// figures is the table of all styles: a row each, and every column about which something is known. Each figure is of
// the first run that has it.
type figures struct {
	Groups  []string // that columns may be hidden by; the first is the first look
	Columns []figuresColumn
	Rows    []figuresRow
}

type figuresColumn struct {
	Group      int
	Head, Text string
}

type figuresRow struct {
	*style
	Entries []entry
}

// entry is a figure with where it is from.
type entry struct {
	Text, From string
	Value      string // to sort by; empty: not known
	Class      string // of its outcome; empty: it has none
}

// firstLook are the ids of the columns that are there before anything is ticked.
func firstLook(r *report.Report) []string {
	headline := r.Headline()
	ids := []string{"language", result.Written(headline), result.Ready(headline), result.Tail(headline), result.Last(headline)}
	if load := r.Heaviest(); load != headline {
		ids = append(ids, result.Last(load))
	}
	return append(ids, "fails", "loses", "memory", "cpu", "lines")
}

func (s *site) figures() figures {
	first := firstLook(s.Report)
	groups := result.ColumnGroups()
	t := figures{Groups: append([]string{"first look"}, groups...)}
	t.Rows = plain.Map(s.Styles, func(one *style) figuresRow { return figuresRow{style: one} })
	columns := append(s.Choose(first...), plain.Where(s.Columns(), func(c result.Column) bool { return !slices.Contains(first, c.ID) })...)
	for i, c := range columns {
		group := 0
		if i >= len(s.Choose(first...)) {
			group = 1 + slices.Index(groups, c.Group)
		}
		entries := plain.Map(s.Styles, func(one *style) entry { return s.entry(c, one.Label) })
		if !slices.ContainsFunc(entries, func(e entry) bool { return e.Text != plain.Unknown }) {
			continue
		}
		t.Columns = append(t.Columns, figuresColumn{group, c.Head, c.Text})
		for k := range entries {
			t.Rows[k].Entries = append(t.Rows[k].Entries, entries[k])
		}
	}
	return t
}

func (s *site) entry(c result.Column, label string) entry {
	v := c.Of(label)
	e := entry{Text: cmp.Or(v.Text, plain.Unknown), From: v.From()}
	if v.Run != "" && v.Run != s.runs[0].Runs[0] {
		e.From = from(v, v.Run)
	}
	switch {
	case v.Known:
		e.Value = strings.Replace(strconv.FormatFloat(v.Number, 'g', 4, 64), "e+0", "e", 1) // a plus takes five letters in HTML
	case c.Better == result.Words:
		e.Value = v.Text
	}
	if class := badgeOf(v.Outcome).Class; class == "fail" {
		e.Class = class
	}
	return e
}

// from says what a value rests on, and in which run.
func from(v result.Value, run string) string { return strings.TrimPrefix(v.From()+", run "+run, ", ") }

// heat has a row for each scenario and a column for each style but the floor, in the order of all tables.
type heat struct {
	ID, Title string // Title says which scenarios
	Passed    bool   // by all: a list
	Heads     []heatHead
	Rows      []heatRow
}

// heatHead is a style with how many scenarios it fails.
type heatHead struct {
	*style
	Tally string
}

// heatRow is a scenario with a cell for each style.
type heatRow struct {
	record.Scenario
	Who         []string // fail
	Failing, Of int      // of those that it applies to
	Least       int      // scenarios that one of those fails
	Cells       []heatCell
}

// heatCell leads to what was seen; its Class is empty where the style was not driven through the scenario.
type heatCell struct {
	Class, Sign, Word string
	Link, Upstream    string
	Surprise          bool // it is not as expected
}

// judged are all scenarios that were judged, with the cells of all styles: those of
// the matrix, and loads, which the matrix does not have.
func (s *study) judged() []*result.Row {
	rows := slices.Clone(s.Matrix.Rows())
	for _, name := range s.Scenarios {
		if !s.IsLoad(name) {
			continue
		}
		row := &result.Row{Scenario: record.Scenario{Name: name, Group: spec.GroupLoad}, Cells: s.Of(name)}
		for _, part := range s.Parts {
			for _, one := range part.Header.Scenarios {
				if one.Name == name {
					row.Scenario = one
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// few is how many scenarios an ordinary style fails at most.
const few = 5

// heats are the scenarios that ordinary styles fail, those that styles fail which fail the fewest first, then what only
// others fail, then loads that somebody fails, and then what nobody does.
func (s *site) heats() []heat {
	heads := plain.Pick(s.Styles, func(one *style) (heatHead, bool) {
		_, tally := s.Tally(one.Label)
		return heatHead{one, tally}, !one.Floor || len(s.Styles) == 1
	})
	parts := []heat{
		{ID: "heat", Title: "Failed by a style that fails at most " + strconv.Itoa(few) + " tests", Heads: heads},
		{ID: "heat-others", Title: "Failed only by styles that fail more", Heads: heads},
		{ID: "heat-loads", Title: "Loads that somebody fails, which are not counted as tests", Heads: heads},
		{ID: "heat-passed", Title: "Failed by nobody", Passed: true},
	}
	for _, row := range s.judged() {
		drawn := heatRow{Scenario: row.Scenario, Cells: make([]heatCell, len(heads)), Least: len(s.judged())}
		driven := false
		for _, c := range row.Cells {
			i := slices.IndexFunc(heads, func(h heatHead) bool { return c != nil && h.Label == c.Style.Label })
			if i < 0 || drawn.Cells[i].Class != "" { // a load of another run; the style's page has all
				continue
			}
			driven = true
			if c.Verdict != spec.NotApplicable {
				drawn.Of++
			}
			if drawn.Cells[i] = s.heatCell(c, heads[i].style); c.Failing() {
				drawn.Failing, drawn.Who = drawn.Failing+1, append(drawn.Who, c.Style.Label)
				drawn.Least = min(drawn.Least, max(s.Fails(c.Style.Label).Failed, 1))
			}
		}
		at := 3
		switch {
		case !driven:
			continue
		case drawn.Failing > 0 && row.Group == spec.GroupLoad:
			at = 2
		case drawn.Failing > 0 && drawn.Least <= few:
			at = 0
		case drawn.Failing > 0:
			at = 1
		}
		parts[at].Rows = append(parts[at].Rows, drawn)
	}
	for _, one := range parts {
		slices.SortStableFunc(one.Rows, func(a, b heatRow) int {
			return cmp.Or(cmp.Compare(a.Least, b.Least), cmp.Compare(b.Failing, a.Failing))
		})
	}
	return slices.DeleteFunc(parts, func(one heat) bool { return len(one.Rows) == 0 })
}

func (s *site) heatCell(c *result.Cell, of *style) heatCell {
	b, e := badgeOf(c.Verdict), s.Expectation(c)
	return heatCell{
		Class: b.Class, Sign: b.Sign, Word: b.Word, Surprise: e.Surprise(), Upstream: issue(e.Upstream),
		Link: s.to(of, s.anchors[c.Scenario]),
	}
}

// issue is an address that leads to an issue, and does nothing else; empty: it does not.
func issue(address string) string {
	if !strings.HasPrefix(address, "https://") {
		return ""
	}
	return address
}
