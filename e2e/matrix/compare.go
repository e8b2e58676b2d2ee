package matrix

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/judge"
)

// Difference is a verdict that is not as expected.
type Difference struct {
	Label, Scenario string
	Expected, Seen  string // verdicts in words
	// Oracle is the first that failed, or whose verdict is invalid, with what it
	// said; empty: there is none. Of what is late the message alone says why.
	Oracle, Message string
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

// Compare lists where a style's verdicts, in all of its variants, are not as
// expected. Only what was driven is compared. Flaky and invalid are never as
// expected. A scenario without an entry is a difference. Of a style without a file
// nothing is expected but that there is a verdict.
func Compare(m *Matrix, style string, expected Expected) []Difference {
	var all []Difference
	for _, row := range m.Rows() {
		for _, c := range row.Cells {
			if c == nil || c.Style.Name != style {
				continue
			}
			if want, same := expected.Match(c); !same {
				all = append(all, differenceOf(c, want))
			}
		}
	}
	return all
}

// Match tells whether a cell is as expected, and what is expected of it, in words.
func (e Expected) Match(c *Cell) (want string, same bool) {
	if !e.Known() {
		return "a verdict", c.Verdict != judge.Invalid
	}
	entry, there := e.Of(c.Scenario)
	if !there {
		return "nothing: " + e.Path + " has no entry for it", false
	}
	return entry.String(), entry.matches(c)
}

func (e Entry) matches(c *Cell) bool {
	switch {
	case c.Verdict != e.Verdict: // an entry is never flaky or invalid
		return false
	case len(e.Oracles) > 0 && !slices.Equal(sorted(e.Oracles), sorted(c.FailedNames())):
		return false
	}
	return e.Recovery == "" || c.Recovery != nil && c.Recovery.By() == e.Recovery
}

// String is what is expected, in the words of Cell.String.
func (e Entry) String() string {
	text := string(e.Verdict)
	if len(e.Oracles) > 0 {
		text += " (" + strings.Join(e.Oracles, ", ") + ")"
	}
	if e.Recovery != "" {
		text += ", recovery: " + e.Recovery
	}
	return text
}

func differenceOf(c *Cell, want string) Difference {
	d := Difference{Label: c.Style.Label, Scenario: c.Scenario, Expected: want, Seen: c.String()}
	if c.Verdict == judge.Late {
		d.Message = c.Reason
		return d
	}
	for _, outcome := range []judge.Outcome{judge.Fail, judge.Invalid} {
		for _, o := range c.Oracles {
			if o.Outcome == outcome {
				d.Oracle, d.Message = o.Name, o.Message
				return d
			}
		}
	}
	return d
}

func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return names
}
