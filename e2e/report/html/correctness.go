package html

import (
	"fmt"
	"strings"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/verdicts"
)

// correctness is the matrix of scenarios by styles, and a sheet on each scenario
// that its cells lead to.
type correctness struct {
	Styles    []columnHead
	Groups    []sheetGroup
	Surprises []surprise
	Findings  []findingLine // what did not pass, of all styles
}

// findingLine is a cell that did not pass, with its reason.
type findingLine struct {
	ID     string
	Badge  badge
	Style  *style
	Name   string
	Failed string
	Reason string
}

// Columns is how many the table has.
func (c *correctness) Columns() int { return 1 + len(c.Styles) }

// columnHead is a style with how it did.
type columnHead struct {
	*style
	Tally string
	Short string // 4 of 31 fail
}

type sheetGroup struct {
	Name, Text string
	Sheets     []*sheet
}

// sheet is what is known of one scenario.
type sheet struct {
	ID                           string
	Name, Description, StandsFor string
	Open                         bool
	Cells                        []*verdictCell // parallel to correctness.Styles; nil: not run
}

// verdictCell is one style in one scenario.
type verdictCell struct {
	ID       string
	Style    *style
	Badge    badge
	Recovery string // in words; empty: nothing was broken
	Short    string // the same in a few characters
	Failed   string // the oracles that failed
	Reason   string // why it is invalid, late or not applicable
	Expected result.Expectation
	Told     []oracleLine // that failed or could not judge
	Passed   string       // oracles that passed
	Exempt   []oracleLine // that do not apply
	Repeats  []string
	More     int     // repeats that are not shown
	Brief    bool    // it passed, and the page has no room for what was said
	Samples  *string // the id of the trail of what was measured; nil: it was not
}

type oracleLine struct {
	Name, Message string
	Badge         badge
	Evidence      []string
	More          int
}

// surprise is a verdict that is not as expected.
type surprise struct {
	result.Difference
	ID string // of the cell
}

// mostRepeats is how many repeats of a cell the page lists.
const mostRepeats = 12

// correctness computes the matrix; nil: there is none.
func (s *study) correctness() *correctness {
	if !s.HasMatrix() {
		return nil
	}
	c := &correctness{}
	looks := map[string]*style{}
	for _, one := range s.Styles {
		looks[one.Label] = one
	}
	for _, one := range s.Report.Matrix.Styles {
		short, tally := s.Tally(one.Label)
		c.Styles = append(c.Styles, columnHead{style: looks[one.Label], Tally: tally, Short: short})
	}
	ids := map[string]string{}
	for _, g := range s.Report.Matrix.Groups {
		group := sheetGroup{Name: g.Name, Text: groupText(g.Name)}
		for _, row := range g.Rows {
			one := s.sheet(row, c.Styles)
			group.Sheets = append(group.Sheets, one)
			for _, cell := range one.Cells {
				if cell != nil {
					ids[cell.Style.Label+"\x00"+row.Name] = cell.ID
				}
			}
		}
		c.Groups = append(c.Groups, group)
	}
	for _, one := range s.Report.Matrix.Styles {
		for _, f := range s.Findings(one.Label) {
			c.Findings = append(c.Findings, findingLine{
				ID: ids[one.Label+"\x00"+f.Scenario], Badge: wordOf(f.Cell), Style: looks[one.Label], Name: f.Scenario,
				Failed: strings.Join(f.FailedNames(), ", "), Reason: plain.Clip(f.Reason(), mostReason),
			})
		}
	}
	for _, d := range s.Differences() {
		c.Surprises = append(c.Surprises, surprise{d, ids[d.Label+"\x00"+d.Scenario]})
	}
	return c
}

// mostReason is how many letters of a reason a list has; the cell has all.
const mostReason = 300

// wordOf is a cell's badge, with counts where repeats differ.
func wordOf(c *result.Cell) badge {
	b := badgeOf(c.Verdict)
	b.Word = c.Word()
	return b
}

// groupText says what a group of scenarios is.
func groupText(name string) string {
	return map[string]string{
		scenarios.Latency: "one life of a custom resource, also measured",
		scenarios.Basic:   "plain needs",
		scenarios.Level:   "level against edge: drift, bursts, races, no-ops",
		scenarios.Input:   "what no operator can bring about",
		scenarios.Faults:  "parts of the operator or of the cluster fail",
		scenarios.Upgrade: "the operator is replaced",
	}[name]
}

func (s *study) sheet(row *result.Row, heads []columnHead) *sheet {
	one := &sheet{ID: s.ids.of("correctness", row.Name), Name: row.Name, Description: row.Description, StandsFor: row.StandsFor}
	for i, c := range row.Cells {
		if c == nil {
			one.Cells = append(one.Cells, nil)
			continue
		}
		cell := s.verdictCell(c, heads[i].style)
		one.Open = one.Open || cell.Expected.Surprise()
		one.Cells = append(one.Cells, cell)
	}
	return one
}

func (s *study) verdictCell(c *result.Cell, of *style) *verdictCell {
	v := &verdictCell{
		ID: s.ids.of("correctness", c.Style.Label, c.Scenario), Style: of, Badge: badgeOf(c.Verdict), Reason: c.Reason,
		Recovery: c.Recovery.String(), Short: shortRecovery(c.Recovery), Failed: strings.Join(c.FailedNames(), ", "), Expected: s.Expectation(c),
	}
	if !strings.HasPrefix(v.Expected.Upstream, "https://") { // a link must lead to an issue, and do nothing else
		v.Expected.Upstream = ""
	}
	if c.Verdict == judge.Flaky {
		v.Badge.Text = fmt.Sprintf("%d/%d", c.Passed, len(c.Results))
	}
	var passed []string
	for _, o := range c.Oracles {
		switch {
		case o.Outcome == judge.Pass:
			passed = append(passed, o.Name)
		case o.Outcome == judge.NotApplicable && c.Verdict != judge.NotApplicable: // else it is the cell's reason
			v.Exempt = append(v.Exempt, oracleLineOf(o))
		}
	}
	for _, o := range c.Reasons() {
		v.Told, v.Reason = append(v.Told, oracleLineOf(o)), ""
	}
	v.Passed = strings.Join(passed, ", ")
	if s.thrift >= 2 && c.Verdict == judge.Pass && !v.Expected.Surprise() {
		v.Brief = true
		return v
	}
	for i := range c.Results {
		if i == mostRepeats {
			v.More = len(c.Results) - i
			break
		}
		v.Repeats = append(v.Repeats, s.repeat(&c.Results[i]))
	}
	if measured := s.measured(c); measured != nil {
		v.Samples = &measured.ID
	}
	return v
}

// measured is the cell of what was measured in the same scenario; nil: nothing was.
func (s *study) measured(c *result.Cell) *cell {
	for _, in := range s.Scenes {
		if in.Name != c.Scenario {
			continue
		}
		for _, one := range in.Cells {
			if one.Style.Label == c.Style.Label {
				return one
			}
		}
	}
	return nil
}

func oracleLineOf(o result.Oracle) oracleLine {
	line := oracleLine{Name: o.Name, Message: o.Message, Badge: badgeOf(o.Outcome), Evidence: o.Evidence}
	if asked := o.Passed + o.Failed + o.Invalid + o.NotApplicable; asked > 1 && o.Failed > 0 {
		line.Badge.Text = fmt.Sprintf("%d/%d", o.Failed, asked)
	}
	if extra := len(o.Evidence) - mostEvidence; extra > 0 {
		line.Evidence, line.More = o.Evidence[:mostEvidence], extra
	}
	return line
}

// repeat says where a sample is found in its recording.
func (s *study) repeat(one *result.Judged) string {
	r := &one.Result
	text := fmt.Sprintf("Round %d: %s, %s", r.Round, r.Outcome(), r.End)
	if r.Reason != "" {
		text += " (" + r.Reason + ")"
	}
	if len(s.Runs) > 1 {
		text += ", run " + one.Run
	}
	return fmt.Sprintf("%s; namespace %s, entries from t = %d to %d", text, r.Namespace, r.Began, r.Ended)
}

// shortRecovery fits a cell of the matrix.
func shortRecovery(r *result.Recovery) string {
	if r == nil {
		return ""
	}
	if median, known := r.Median(); known {
		return plain.Duration(median.Seconds())
	}
	return map[string]string{verdicts.Nudge: "after a nudge", verdicts.Never: "never"}[r.By()]
}

// security is what styles are trusted with.
type security struct{ Rows []securityRow }

type securityRow struct {
	report.Security
	Text string // every right that matters, one a line
}

// security is nil where nothing is known.
func (s *study) security() *security {
	if len(s.Grants) == 0 {
		return nil
	}
	all := &security{}
	for _, row := range s.Report.Security() {
		var text strings.Builder
		_ = grants.Text(&text, []grants.Use{row.Uses}) // a builder takes all
		all.Rows = append(all.Rows, securityRow{row, text.String()})
	}
	return all
}
