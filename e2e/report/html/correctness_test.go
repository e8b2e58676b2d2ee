package html_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/internal/made"
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

// Every cell says its verdict in a word, and leads to what the oracles said.
func TestCorrectness(t *testing.T) {
	p := parse(t, write(t, alone()))
	var cells []string
	for _, table := range p.all("table") {
		if attr(table, "class") != "correctness" {
			continue
		}
		for n := range table.Descendants() {
			if n.Data == "td" && strings.TrimSpace(text(n)) != "" {
				cells = append(cells, strings.Join(strings.Fields(text(n)), " "))
			}
		}
	}
	assert.Equal(t, []string{"✗ fail converged ≠ expected: pass", "not run", "✗ fail never recovers", "✓ pass 1.20 s"}, cells)

	burst, killed := p.byID("correctness-burst"), p.byID("correctness-killed")
	require.NotNil(t, burst)
	require.NotNil(t, killed)
	open := func(id string) bool {
		for _, a := range p.byID(id).Attr {
			if a.Key == "open" {
				return true
			}
		}
		return false
	}
	assert.True(t, open("correctness-burst"), "what is not as expected is seen at once")
	assert.False(t, open("correctness-killed"))
	said := strings.Join(strings.Fields(text(p.byID("correctness-argo-killed"))), " ")
	for _, want := range []string{"never recovered", "as expected", "It forgets.", "upstream issue", "recovers: never", "+45.120 s MODIFIED", "namespace services-argo-killed-1", "entries from t = 10000000000"} {
		assert.Contains(t, said, want)
	}
	assert.Contains(t, text(killed), "It stands for: A node that dies.")
	assert.Contains(t, text(p.byID("correctness-native-killed")), "recovered in 1.20 s")

	assert.Nil(t, p.byID("latencies"), "what was not measured has no chapter")
	assert.Contains(t, text(p.byID("summary").Parent), "2 of 2 fail")
	assert.Regexp(t, `(?s)not passed|What did not pass, and why.*✗ fail.*argo.*killed.*It forgets\.`, text(p.byID("correctness").Parent), "failures first, each with its reason")
}

// What was measured is judged too: it has the same table.
func TestCorrectnessWithoutAMatrix(t *testing.T) {
	p := parse(t, write(t, handMade(t)))
	assert.Nil(t, p.byID("security"))
	assert.Contains(t, rows(t, p, "correctness-caption"), []string{"create", "✓ pass 3/3", "≈ flaky 1/3 converged"})
}

func TestSecurity(t *testing.T) {
	p := parse(t, write(t, full(t)))
	said := strings.Join(strings.Fields(text(p.byID("security").Parent)), " ")
	assert.Contains(t, said, "argo1 with * + 2211211–")
	assert.Contains(t, said, "deletecollection deployments.apps")
}
