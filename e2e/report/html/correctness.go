package html

import (
	"fmt"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// badge is a verdict as a sign, a word and a colour.
type badge struct{ Class, Sign, Word, Text string }

func badgeOf(o spec.Outcome) badge {
	look, known := map[spec.Outcome][2]string{
		spec.Pass: {"pass", "✓"}, spec.Fail: {"fail", "✗"}, spec.Flaky: {"fail", "≈"}, spec.Late: {"fail", "✗"}, spec.Invalid: {"warn", "!"}, spec.NotApplicable: {"none", "–"},
	}[o]
	if !known {
		look = [2]string{"none", "?"}
	}
	return badge{Class: look[0], Sign: look[1], Word: string(o)}
}

// verdictCell is one style in one scenario.
type verdictCell struct {
	*result.Cell
	ID       string
	Scenario record.Scenario
	Badge    badge
	Expected result.Expectation
	Said     []oracleLine // that failed or could not judge
	Passed   string       // oracles that passed
	Exempt   []oracleLine // that do not apply
	Repeats  []string     // those that did not pass, and one that did
	More     int          // that are not shown
}

// Bad reports whether something is to be said of the cell before all that passed.
func (v *verdictCell) Bad() bool {
	return v.Verdict != spec.Pass && v.Verdict != spec.NotApplicable || v.Expected.Surprise()
}

type oracleLine struct {
	Name, Message string
	Badge         badge
	Evidence      []string
	More          int // lines of evidence that are not shown
}

// The most that the page tells, so that a run in which all fails still opens; junit.xml has all.
const (
	mostRepeats  = 12
	mostEvidence = 50
)

func (s *study) verdictCell(c *result.Cell, of record.Scenario, id string) *verdictCell {
	v := &verdictCell{
		Cell: c, ID: id, Scenario: of, Badge: badgeOf(c.Verdict),
		Expected: s.Expectation(c),
	}
	v.Expected.Upstream = issue(v.Expected.Upstream)
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
	v.Said = plain.Map(c.Reasons(), oracleLineOf)
	v.Passed = strings.Join(passed, ", ")
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
