package html_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	parser "golang.org/x/net/html"

	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	made "operatorbench/e2e/report/internal/madetest"
	"operatorbench/e2e/spec/verdicts"
)

// alone is a report of a matrix without anything that was measured.
func alone() *report.Report {
	rows := []record.Scenario{{Name: "burst", Group: "level", Description: "Twenty updates."}, {Name: "killed", Group: "fault", StandsFor: "A node that dies."}}
	one := made.Recording("alone", rows,
		made.Cell{Style: "argo", Scenario: "burst", Repeats: []made.Repeat{made.Fail("expected 7, seen 6", "converged")}},
		made.Cell{Style: "argo", Scenario: "killed", Repeats: []made.Repeat{made.Fail("never", "recovers").Recovered(verdicts.Never, 0)}},
		made.Cell{Style: "native", Scenario: "killed", Repeats: []made.Repeat{made.Pass().Recovered(verdicts.Itself, 1200*time.Millisecond)}})
	one.Expected = map[string]verdicts.Expected{
		"argo":   made.Expected("argo", rows, "burst: pass\nkilled: {verdict: fail, why: It forgets., upstream: 'https://example.org/issues/9'}\n"),
		"native": {},
	}
	return report.Of(one)
}

// Every cell says its verdict by a sign and a word, and leads to what the oracles said.
func TestCorrectness(t *testing.T) {
	front, argo := write(t, alone()), parse(t, about(t, alone(), "argo"))
	assert.Equal(t, [][]string{
		{"test", "fail", "argo", "native"}, {"burstTwenty updates.argo", "1 of 1", "✗≠", ""}, {"killedargo", "1 of 2", "✗↗", "✓"},
	}, rows(t, front, "heat"))
	assert.Contains(t, said(t, front), "Not as verdicts.yaml expects: 1 argo burst: expected pass, seen fail (converged)")
	assert.Contains(t, said(t, front), "When something breaks, 2 of 2 tests fail with argo.", "it is the finding")
	assert.Nil(t, parse(t, front).byID("dots"), "what was not measured has no chapter")

	open := func(id string) bool {
		return slices.ContainsFunc(argo.byID(id).Attr, func(a parser.Attribute) bool { return a.Key == "open" })
	}
	assert.True(t, open("s-burst"))
	assert.True(t, open("s-killed"), "what failed is seen at once")
	killed := strings.Join(strings.Fields(textOf(argo.byID("s-killed"))), " ")
	for _, want := range []string{"never recovered", "as expected", "It forgets.", "upstream issue", "recovers: never", "+45.120 s MODIFIED", "namespace services-argo-killed-1", "entries from t = 10000000000", "It stands for: A node that dies."} {
		assert.Contains(t, killed, want)
	}
	native := parse(t, about(t, alone(), "native"))
	assert.Contains(t, textOf(native.byID("s-killed")), "recovered in 1.20 s")
	assert.Nil(t, native.byID("failures"))
	assert.Contains(t, said(t, about(t, alone(), "argo")), "2 of 2 tests fail.")
}

// What could not be judged did not pass.
func TestCorrectnessThatIsNotKnown(t *testing.T) {
	rows := []record.Scenario{{Name: "burst", Group: "level"}, {Name: "killed", Group: "fault"}}
	both := func(style string, killed made.Repeat) []made.Cell {
		return []made.Cell{
			{Style: style, Scenario: "burst", Repeats: []made.Repeat{made.Pass()}},
			{Style: style, Scenario: "killed", Repeats: []made.Repeat{killed}},
		}
	}
	r := report.Of(made.Recording("alone", rows, slices.Concat(
		both("argo", made.Fail("never", "recovers")), both("kopf", made.Invalid("a watch was lost")), both("native", made.Pass()))...))
	assert.Contains(t, said(t, write(t, r)), "at most one of 2 tests fails with native, argo and kopf; most were recorded once, so a difference of one proves nothing.")
	assert.Contains(t, said(t, about(t, r, "kopf")), "0 of 2 tests fail, 1 could not be judged.")
	assert.Contains(t, said(t, about(t, r, "native")), "0 of 2 tests fail.")
}

// A style that was driven through a part of the scenarios fails few of them: that does not compare.
func TestAStyleOfFewScenariosDoesNotCompare(t *testing.T) {
	list := []record.Scenario{{Name: "burst", Group: "level"}, {Name: "killed-while-working", Group: "fault"}}
	r := report.Of(made.Recording("alone", list,
		made.Cell{Style: "argo", Scenario: "burst", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "argo", Scenario: "killed-while-working", Repeats: []made.Repeat{made.Fail("never", "recovers")}},
		made.Cell{Style: "kopf", Scenario: "burst", Repeats: []made.Repeat{made.Pass()}},
	))
	assert.True(t, r.Value("argo", "fails").Known)
	assert.False(t, r.Value("kopf", "fails").Known)
	assert.Contains(t, string(write(t, r)), `<td>0 of 1, 1 more not recorded</td>`, "it has nothing to sort by")
}

// Not all tests apply to each style.
func TestHowManyTestsApply(t *testing.T) {
	list := []record.Scenario{{Name: "burst", Group: "level"}, {Name: "bus-down", Group: "fault"}}
	r := report.Of(made.Recording("alone", list,
		made.Cell{Style: "argo", Scenario: "burst", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "argo", Scenario: "bus-down", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "native", Scenario: "burst", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "native", Scenario: "bus-down", Repeats: []made.Repeat{made.Exempt("native has no bus")}}))
	assert.Contains(t, said(t, write(t, r)), "Tested: 2 scenarios (1 to 2 apply to a style that was driven through all), with broken parts among them.")
	two := []record.Scenario{{Name: "burst", Group: "level"}, {Name: "drift", Group: "level"}, {Name: "bus-down", Group: "fault"}}
	alike := report.Of(made.Recording("alike", two,
		made.Cell{Style: "native", Scenario: "burst", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "native", Scenario: "drift", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "native", Scenario: "bus-down", Repeats: []made.Repeat{made.Exempt("native has no bus")}}))
	assert.Contains(t, said(t, write(t, alike)), "Tested: 3 scenarios (2 apply to a style that was driven through all), with broken parts among them.")
	assert.Contains(t, said(t, write(t, alone())), "Tested: 2 scenarios, with broken parts among them.")
	gone := report.Of(made.Recording("gone", list,
		made.Cell{Style: "argo", Scenario: "burst", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "argo", Scenario: "bus-down", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "native", Scenario: "burst", Repeats: []made.Repeat{made.Pass()}}))
	assert.Contains(t, said(t, write(t, gone)), "Tested: 1 scenario, with broken parts among them.", "this program has no bus-down, and native was not driven through it")
}

// What was measured is judged too: it has the same table.
func TestCorrectnessWithoutAMatrix(t *testing.T) {
	assert.Contains(t, rows(t, write(t, handMade(t)), "heat"), []string{"createargo", "1 of 2", "✓", "≈"})
}

func TestRights(t *testing.T) {
	r := full(t)
	assert.Contains(t, said(t, about(t, r, "argo")), "deletecollection deployments.apps")
}
