package html

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
)

// badge is a verdict as a sign, a word and a colour.
type badge struct{ Class, Sign, Word, Text string }

func badgeOf(o spec.Outcome) badge {
	switch o {
	case spec.Pass:
		return badge{Class: "pass", Sign: "✓", Word: "pass"}
	case spec.Fail:
		return badge{Class: "fail", Sign: "✗", Word: "fail"}
	case spec.Flaky:
		return badge{Class: "fail", Sign: "≈", Word: "flaky"}
	case spec.Late:
		return badge{Class: "fail", Sign: "✗", Word: "late"}
	case spec.Invalid:
		return badge{Class: "warn", Sign: "!", Word: "invalid"}
	case spec.NotApplicable:
		return badge{Class: "none", Sign: "–", Word: "not applicable"}
	}
	return badge{Class: "none", Sign: "?", Word: string(o)}
}

// correctness is the table of scenarios by styles, and a sheet on each scenario
// that its cells lead to.
type correctness struct {
	Heads     []columnHead
	Groups    []sheetGroup
	Surprises []surprise
	Findings  []finding // what did not pass, of all styles
}

// Columns is how many the table has.
func (c *correctness) Columns() int { return 1 + len(c.Heads) }

// columnHead is a style with how it did in the correctness matrix.
type columnHead struct {
	*style
	Short, Tally string // empty: it was not driven through it
}

type sheetGroup struct {
	Name, Text string
	Sheets     []*sheet
}

// sheet is what is known of one scenario.
type sheet struct {
	record.Scenario
	ID      string
	Open    bool
	Cells   []*verdictCell // parallel to correctness.Heads; nil: not run
	Floor   *verdictCell   // where the floor did not pass; nil: it did, or it was not run
	Latency string         // the id of what was measured; empty: nothing was
}

// Shown are the cells of which there is something to say.
func (s *sheet) Shown() []*verdictCell {
	return slices.DeleteFunc(append(slices.Clone(s.Cells), s.Floor), func(v *verdictCell) bool { return v == nil || v.Brief })
}

// verdictCell is one style in one scenario.
type verdictCell struct {
	*result.Cell
	ID       string
	Style    *style
	Badge    badge
	Short    string // the recovery in a few characters; empty: nothing was broken
	Failed   string // the oracles that failed
	Expected result.Expectation
	Said     []oracleLine // that failed or could not judge
	Passed   string       // oracles that passed
	Exempt   []oracleLine // that do not apply
	Repeats  []string     // those that did not pass, and one that did
	More     int          // that are not shown
	Brief    bool         // it passed, and the page has no room for what was said
}

// Bad tells whether something is to be said of the cell before all that passed.
func (v *verdictCell) Bad() bool {
	return v.Verdict != spec.Pass && v.Verdict != spec.NotApplicable || v.Expected.Surprise()
}

type oracleLine struct {
	Name, Message string
	Badge         badge
	Evidence      []string
	More          int // lines of evidence that are not shown
}

// finding is a cell that did not pass, with its reason.
type finding struct {
	*verdictCell
	Why string
}

// surprise is a verdict that is not as expected.
type surprise struct {
	result.Difference
	ID string // of the cell
}

// The most that the page tells, so that a run in which all fails still opens;
// junit.xml has all.
const (
	mostRepeats  = 12
	mostEvidence = 50
	mostReason   = 300 // letters, in a list; the cell has all
)

// correctness computes the table; nil: no sample was judged.
func (s *study) correctness() *correctness {
	c := &correctness{}
	for _, one := range s.Styles {
		if one.Floor && len(s.Styles) > 1 {
			continue // it has no operator that could be correct
		}
		head := columnHead{style: one}
		if s.Recorded(one.Label) {
			head.Short, head.Tally = s.Tally(one.Label)
		}
		c.Heads = append(c.Heads, head)
	}
	for _, g := range s.Matrix.Groups {
		c.add(s, g.Name, g.Rows)
	}
	c.add(s, spec.GroupLoad, s.loads())
	if len(c.Groups) == 0 {
		return nil
	}
	ids := map[string]string{}
	for _, g := range c.Groups {
		for _, one := range g.Sheets {
			for _, v := range one.Shown() {
				ids[v.Style.Label+"\x00"+one.Name] = v.ID
				if v.Bad() {
					c.Findings = append(c.Findings, finding{v, plain.Clip(result.Finding{Cell: v.Cell, Expectation: v.Expected}.Reason(), mostReason)})
				}
			}
		}
	}
	for _, d := range s.Differences() {
		c.Surprises = append(c.Surprises, surprise{d, ids[d.Label+"\x00"+d.Scenario]})
	}
	return c
}

// loads are the scenarios that change many custom resources at once: the matrix
// does not have them.
func (s *study) loads() []*result.Row {
	var rows []*result.Row
	for _, in := range s.Scenes {
		if len(in.Cells) == 0 || !in.Cells[0].Load() {
			continue
		}
		row := &result.Row{Scenario: record.Scenario{Name: in.Name}}
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

// add makes the sheets of a group, where it has a cell.
func (c *correctness) add(s *study, name string, rows []*result.Row) {
	group := sheetGroup{Name: name, Text: groupText(name)}
	for _, row := range rows {
		one := &sheet{Scenario: row.Scenario, ID: s.ids.of("correctness", row.Name), Cells: make([]*verdictCell, len(c.Heads))}
		in := s.scene(row.Name)
		if in != nil {
			one.Latency = in.ID
			if floor := in.floor(); floor != nil && floor.Verdict != spec.Pass && len(s.Styles) > 1 {
				one.Floor = s.verdictCell(floor.Cell)
			}
		}
		there := false
		for _, cell := range row.Cells {
			at := slices.IndexFunc(c.Heads, func(h columnHead) bool { return cell != nil && h.Label == cell.Style.Label })
			if at < 0 {
				continue
			}
			v := s.verdictCell(cell)
			one.Cells[at], there = v, true
			one.Open = one.Open || v.Expected.Surprise() || !v.Expected.Known && v.Bad()
		}
		if there {
			group.Sheets = append(group.Sheets, one)
		}
	}
	if len(group.Sheets) > 0 {
		c.Groups = append(c.Groups, group)
	}
}

// groupText says what a group of scenarios is.
func groupText(name string) string {
	return map[string]string{
		spec.GroupLatency: "one life of a custom resource, also measured",
		spec.GroupLoad:    "many custom resources at once, also measured",
		spec.GroupBasic:   "plain needs",
		spec.GroupLevel:   "level against edge: drift, bursts, races, no-ops",
		spec.GroupInput:   "what no operator can bring about",
		spec.GroupFault:   "parts of the operator or of the cluster fail",
		spec.GroupUpgrade: "the operator is replaced",
	}[name]
}

func (s *study) verdictCell(c *result.Cell) *verdictCell {
	v := &verdictCell{
		Cell: c, ID: s.ids.of("correctness", c.Style.Label, c.Scenario), Style: s.style(c.Style.Label), Badge: badgeOf(c.Verdict),
		Short: shortRecovery(c.Recovery), Failed: strings.Join(c.FailedNames(), ", "), Expected: s.Expectation(c),
	}
	if !strings.HasPrefix(v.Expected.Upstream, "https://") { // a link must lead to an issue, and do nothing else
		v.Expected.Upstream = ""
	}
	if len(c.Results) > 1 || c.Verdict == spec.Late {
		v.Badge.Text = c.CountText()
	}
	var passed []string
	for _, o := range c.Oracles {
		switch {
		case o.Outcome == spec.Pass:
			passed = append(passed, o.Name)
		case o.Outcome == spec.NotApplicable && c.Verdict != spec.NotApplicable: // else it is the cell's reason
			v.Exempt = append(v.Exempt, oracleLineOf(o))
		}
	}
	for _, o := range c.Reasons() {
		v.Said = append(v.Said, oracleLineOf(o))
	}
	v.Passed = strings.Join(passed, ", ")
	if v.Brief = s.thrift >= 2 && !v.Bad(); v.Brief {
		return v
	}
	passed = nil
	for i := range c.Results {
		switch one := &c.Results[i]; {
		case one.Outcome() == spec.Pass:
			passed = append(passed, s.repeat(one))
		case len(v.Repeats) < mostRepeats:
			v.Repeats = append(v.Repeats, s.repeat(one))
		}
	}
	v.Repeats = append(v.Repeats, passed[:min(len(passed), 1)]...)
	v.More = len(c.Results) - len(v.Repeats)
	return v
}

func oracleLineOf(o result.Oracle) oracleLine {
	line := oracleLine{Name: o.Name, Message: o.Message, Badge: badgeOf(o.Outcome), Evidence: o.Evidence[:min(len(o.Evidence), mostEvidence)]}
	line.More = len(o.Evidence) - len(line.Evidence)
	if asked := o.All(); asked > 1 && o.Failed > 0 {
		line.Badge.Text = fmt.Sprintf("%d/%d", o.Failed, asked)
	}
	return line
}

// repeat says where a sample is found in its recording.
func (s *study) repeat(r *result.Judged) string {
	text := fmt.Sprintf("Round %d: %s, %s", r.Round, r.Outcome(), r.End)
	if r.Reason != "" {
		text += " (" + r.Reason + ")"
	}
	if r.Warmup {
		text += ", warm-up"
	}
	if len(s.Runs) > 1 {
		text += ", run " + r.Run
	}
	return fmt.Sprintf("%s; namespace %s, entries from t = %d to %d", text, r.Namespace, r.Began, r.Ended)
}

// shortRecovery fits a cell of the table.
func shortRecovery(r *result.Recovery) string {
	if r == nil {
		return ""
	}
	if median, known := r.Median(); known {
		return plain.Duration(median.Seconds())
	}
	return map[string]string{verdicts.Nudge: "after a nudge", verdicts.Never: "never"}[r.By()]
}

// accountRights are a style's rights, one a line.
type accountRights struct{ Label, Text string }

// rights are those of all styles; none where nothing is known.
func (s *study) rights() []accountRights {
	var all []accountRights
	for _, use := range s.Grants {
		var text strings.Builder
		_ = grants.Text(&text, []grants.Use{use}) // a builder takes all
		all = append(all, accountRights{record.Label(use.Style, use.Variant), text.String()})
	}
	return all
}
