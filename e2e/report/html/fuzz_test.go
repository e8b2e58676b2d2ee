package html_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/spec"
)

// Whatever a recording holds, the page is written, and its tags match.
func FuzzWrite(f *testing.F) {
	f.Add("argo", "create", "log pending", "ok", "expected 3", 1.5, 62.0)
	f.Add(evil, evil, "log finished", "timeout", evil, -1.0, 0.0)
	f.Add("", "", "", "", "", 1e300, 1e-300)
	f.Add("floor", "delete", " finished", "timeout", "\xff", 0.0, 0.0)
	f.Fuzz(func(t *testing.T, style, scenario, phase, outcome, message string, one, two float64) {
		var results []judge.Result
		for round, value := range []float64{one, two} {
			sample := func(phase, outcome string) judge.Sample {
				return judge.Sample{Operator: style, Scenario: scenario, Phase: phase, Value: value, Outcome: outcome, Block: round}
			}
			results = append(results, judge.Result{
				Style: style, Scenario: scenario, Round: round,
				Verdicts: []judge.Verdict{{Oracle: phase, Outcome: spec.Outcome(outcome), Message: message, Evidence: []string{message}}},
				Samples:  []judge.Sample{sample(spec.PhaseReady, outcome), sample(phase, judge.OK), sample(phase+" finished", judge.Timeout)},
			})
		}
		r := report.New(nil, &judge.Judgement{Header: record.Header{Run: message}, Results: results, Warnings: []string{message}})
		for name, page := range site(t, r) {
			require.True(t, utf8.Valid(page), name)
			assert.Len(t, parse(t, page).all("main"), 1, name)
			nesting(t, page)
		}
	})
}
