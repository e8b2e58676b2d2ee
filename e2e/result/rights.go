package result

import (
	"slices"
	"strings"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Rights stands, in a Difference, where a scenario's name stands: it is about all of them.
const Rights = "rights"

// OfRights lists the styles that hold rights which they should not: see
// grants.Use.Findings. What was never used is only known of a style that has gone
// through scenarios of every group of the correctness matrix.
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

// throughout tells whether a style was driven through scenarios of every group.
func (m *Matrix) throughout(label string) bool {
	driven := map[string]bool{}
	for _, c := range m.Cells(label) {
		driven[c.Group] = driven[c.Group] || c.Verdict != spec.NotApplicable
	}
	return !slices.ContainsFunc(spec.Groups(), func(group string) bool { return spec.InMatrix(group) && !driven[group] })
}
