package html

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// heatMap has a row for each scenario, those that the largest share of styles fails first, and a
// column for each style but the floor, in the order of all tables.
type heatMap struct {
	Heads []heatHead
	Rows  []heatRow
}

// heatHead is a style with how many scenarios it fails.
type heatHead struct {
	*style
	Tally string
}

// heatRow is a scenario with a cell for each style.
type heatRow struct {
	Scenario, Group string
	Failing, Of     int // of those that it applies to
	Driven          bool
	Cells           []heatCell
}

// share is the part of the styles that fail, of those that the scenario applies to.
func (r heatRow) share() float64 { return float64(r.Failing) / float64(max(r.Of, 1)) }

// heatCell leads to what was seen; its Class is empty where the style was not
// driven through the scenario.
type heatCell struct {
	Class, Sign, Word string
	Link, Upstream    string
	Surprise          bool // it is not as expected
}

// judged are all scenarios that were judged, with the cells of all styles: those of
// the matrix, and loads, which the matrix does not have.
func (s *study) judged() []*result.Row {
	rows := slices.Clone(s.Matrix.Rows())
	for _, in := range s.Scenes {
		if len(in.Cells) == 0 || !in.Cells[0].Load() {
			continue
		}
		row := &result.Row{Scenario: record.Scenario{Name: in.Name, Group: spec.GroupLoad}}
		for _, part := range s.Parts {
			for _, one := range part.Header.Scenarios {
				if one.Name == in.Name {
					row.Scenario = one
				}
			}
		}
		for _, c := range in.Cells {
			row.Cells = append(row.Cells, c.Cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// heatMap draws the verdicts; nil: nothing was judged.
func (s *site) heatMap() *heatMap {
	m := &heatMap{}
	for _, one := range s.Styles {
		if !one.Floor || len(s.Styles) == 1 {
			short := result.NotRecorded
			if s.Recorded(one.Label) {
				short, _ = s.Tally(one.Label)
			}
			m.Heads = append(m.Heads, heatHead{one, short})
		}
	}
	for _, row := range s.judged() {
		drawn := heatRow{Scenario: row.Name, Group: row.Group, Cells: make([]heatCell, len(m.Heads))}
		for _, c := range row.Cells {
			i := slices.IndexFunc(m.Heads, func(h heatHead) bool { return c != nil && h.Label == c.Style.Label })
			if i < 0 || drawn.Cells[i].Class != "" { // a load of another run; the style's page has all
				continue
			}
			drawn.Driven = true
			if c.Verdict != spec.NotApplicable {
				drawn.Of++
			}
			if drawn.Cells[i] = s.heatCell(c, m.Heads[i].style); drawn.Cells[i].Class == "fail" {
				drawn.Failing++
			}
		}
		if drawn.Driven {
			m.Rows = append(m.Rows, drawn)
		}
	}
	if len(m.Rows) == 0 {
		return nil
	}
	slices.SortStableFunc(m.Rows, func(a, b heatRow) int { // by the share that fails: a scenario may apply to few styles
		return cmp.Or(cmp.Compare(b.share(), a.share()), cmp.Compare(b.Failing, a.Failing))
	})
	return m
}

func (s *site) heatCell(c *result.Cell, of *style) heatCell {
	b, e := badgeOf(c.Verdict), s.Expectation(c)
	return heatCell{
		Class: b.Class, Sign: b.Sign, Word: b.Word, Surprise: e.Surprise(), Upstream: issue(e.Upstream),
		Link: path.Join(Folder, of.File) + "#" + s.anchors[c.Scenario],
	}
}

// issue is an address that leads to an issue, and does nothing else; empty: it does not.
func issue(address string) string {
	if !strings.HasPrefix(address, "https://") {
		return ""
	}
	return address
}
