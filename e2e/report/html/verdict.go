package html

import (
	"slices"
	"strings"

	"operatorbench/e2e/judge"
)

// badge is a verdict as a sign, a word and a colour.
type badge struct{ Class, Sign, Word, Text string }

func badgeOf(o judge.Outcome) badge {
	switch o {
	case judge.Pass:
		return badge{Class: "pass", Sign: "✓", Word: "pass"}
	case judge.Fail:
		return badge{Class: "fail", Sign: "✗", Word: "fail"}
	case judge.Flaky:
		return badge{Class: "fail", Sign: "≈", Word: "flaky"}
	case judge.Late:
		return badge{Class: "fail", Sign: "✗", Word: "late"}
	case judge.Invalid:
		return badge{Class: "warn", Sign: "!", Word: "invalid"}
	case judge.NotApplicable:
		return badge{Class: "none", Sign: "–", Word: "not applicable"}
	}
	return badge{Class: "none", Sign: "?", Word: string(o)}
}

// verdictTable is the table of verdicts: a row for each scenario, a column for each style.
type verdictTable struct {
	Styles []*style
	Rows   []matrixRow
}

type matrixRow struct {
	Scene *scene
	Cells []*matrixCell // nil: the style did not go through the scenario
}

type matrixCell struct {
	Badge badge
	Cell  *cell
}

func (s *study) verdictTable() *verdictTable {
	m := &verdictTable{Styles: s.Styles}
	for _, in := range s.Scenes {
		row := matrixRow{Scene: in}
		for _, of := range s.Styles {
			row.Cells = append(row.Cells, matrixCellOf(in, of))
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

func matrixCellOf(in *scene, of *style) *matrixCell {
	i := slices.IndexFunc(in.Cells, func(c *cell) bool { return c.Style == of })
	if i < 0 {
		return nil
	}
	c := in.Cells[i]
	b := badgeOf(c.Verdict)
	b.Text = c.CountText()
	return &matrixCell{Badge: b, Cell: c}
}

// trouble is what failed, or could not be judged.
type trouble struct {
	Title, Message, Namespace string
	Badge                     badge
	Evidence                  []string
	More                      int // evidence that is not shown
}

// The most that the page tells of failures, so that a run in which all fails
// still opens; junit.xml has all.
const (
	mostTroubles = 100
	mostEvidence = 50
)

// troubles lists what went wrong; left is how many more there are.
func (s *study) troubles() (all []trouble, left int) {
	for _, p := range s.Problems() {
		if len(all) == mostTroubles {
			left++
			continue
		}
		one := trouble{Title: p.Title(), Message: p.Message, Namespace: p.Namespace, Badge: badgeOf(p.Outcome), Evidence: p.Evidence}
		if extra := len(one.Evidence) - mostEvidence; extra > 0 {
			one.Evidence, one.More = one.Evidence[:mostEvidence], extra
		}
		all = append(all, one)
	}
	return all, left
}

// exempt is an oracle that was not asked, and why.
type exempt struct{ Style, Oracle, Scenarios, Reason string }

// exempts says once for each style, oracle and reason in which scenarios it was so.
func (s *study) exempts() []exempt {
	type key struct{ style, oracle, reason string }
	found := map[key][]string{}
	var order []key
	for _, in := range s.Scenes {
		for _, c := range in.Cells {
			for i := range c.Results {
				for _, v := range c.Results[i].Verdicts {
					if v.Outcome != judge.NotApplicable {
						continue
					}
					k := key{c.Style.Label, v.Oracle, v.Message}
					if found[k] == nil {
						order = append(order, k)
					}
					if !slices.Contains(found[k], in.Name) {
						found[k] = append(found[k], in.Name)
					}
				}
			}
		}
	}
	var all []exempt
	for _, k := range order {
		all = append(all, exempt{Style: k.style, Oracle: k.oracle, Reason: k.reason, Scenarios: strings.Join(found[k], ", ")})
	}
	return all
}
