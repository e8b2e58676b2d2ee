package result

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
)

// Difference is a verdict that is not as expected.
type Difference struct {
	Label    string `json:"label"`
	Scenario string `json:"scenario"`
	Expected string `json:"expected"` // verdicts in words
	Seen     string `json:"seen"`
	// Oracle is the first that failed, or whose verdict is invalid, with what it
	// said; empty: there is none. If a sample is late, the message alone says why.
	Oracle  string `json:"oracle,omitempty"`
	Message string `json:"message,omitempty"`
}

// String names both verdicts, and the first reason.
func (d Difference) String() string {
	text := fmt.Sprintf("%s %s: expected %s, seen %s", d.Label, d.Scenario, d.Expected, d.Seen)
	switch {
	case d.Oracle != "":
		text += fmt.Sprintf("; %s: %s", d.Oracle, d.Message)
	case d.Message != "":
		text += "; " + d.Message
	}
	return text
}

// Compare lists where a style's verdicts, in all of its variants, are not as expected. Only what was driven is
// compared. Invalid is never as expected, and flaky only where it is said. A scenario without an entry is a difference.
// Of a style without a file nothing is expected but that there is a verdict, and that some scenario passes.
func Compare(m *Matrix, style string, expected verdicts.Expected) []Difference {
	var all, wrong []Difference
	right := 0
	for _, row := range m.Rows() {
		for _, c := range row.Cells {
			if c == nil || c.Style.Name != style {
				continue
			}
			right += c.Passed
			if want, same := expected.Match(c.Seen()); !same {
				all = append(all, differenceOf(c, want))
			} else if !expected.Known() && c.Failing() {
				wrong = append(wrong, differenceOf(c, "that some scenario passes"))
			}
		}
	}
	if right == 0 {
		all = append(all, wrong...)
	}
	return all
}

func differenceOf(c *Cell, want string) Difference {
	d := Difference{Label: c.Style.Label, Scenario: c.Scenario, Expected: want, Seen: c.String()}
	d.Oracle, d.Message = c.why()
	return d
}

// why returns what the first oracle said that failed, or else could not judge; for a late cell, the message alone.
func (c *Cell) why() (oracle, message string) {
	if c.Verdict == spec.Late {
		return "", c.Reason
	}
	for _, outcome := range []spec.Outcome{spec.Fail, spec.Invalid} {
		for _, o := range c.Oracles {
			if o.Outcome == outcome {
				return o.Name, o.Message
			}
		}
	}
	return "", ""
}

// Seen is the cell as expected verdicts are compared with.
func (c *Cell) Seen() verdicts.Seen {
	s := verdicts.Seen{Scenario: c.Scenario, Driven: true, Verdict: c.Verdict, Failed: c.FailedNames(), Text: c.String()}
	_, s.Reason = c.why()
	if c.Recovery != nil {
		s.Recovery = c.Recovery.By()
	}
	return s
}

// Seen is what was seen of a style, of several variants of the first, in every scenario that there is.
func (m *Matrix) Seen(style string) []verdicts.Seen {
	var all []verdicts.Seen
	for _, row := range m.Rows() {
		seen := verdicts.Seen{Scenario: row.Name}
		if i := slices.IndexFunc(row.Cells, func(c *Cell) bool { return c != nil && c.Style.Name == style }); i >= 0 {
			seen = row.Cells[i].Seen()
		}
		all = append(all, seen)
	}
	return all
}

// Rights stands, in a Difference, where a scenario's name stands: it is about all of them.
const Rights = "rights"

// OfRights lists the styles that hold rights which they should not: see grants.Use.Findings. What was never used is
// only known of a style that has gone through scenarios of every group of the correctness matrix.
func OfRights(m *Matrix, uses []grants.Use) []Difference {
	var all []Difference
	for _, u := range uses {
		label := record.Label(u.Style, u.Variant)
		if len(u.Findings) == 0 || !m.throughout(label) {
			continue
		}
		all = append(all, Difference{
			Label: label, Scenario: Rights, Expected: "no wildcards, and no right to read secrets that is never used and has no reason", Seen: "otherwise",
			Oracle: Rights, Message: strings.Join(u.Findings, "; "),
		})
	}
	return all
}

// throughout reports whether a style was driven through scenarios of every group.
func (m *Matrix) throughout(label string) bool {
	driven := map[string]bool{}
	for _, c := range m.Cells(label) {
		driven[c.Group] = driven[c.Group] || c.Verdict != spec.NotApplicable
	}
	return !slices.ContainsFunc(spec.Groups(), func(group string) bool { return spec.InMatrix(group) && !driven[group] })
}
