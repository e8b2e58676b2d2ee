package gate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/spec"
)

// holding are twelve rounds in which one variant does not release what it holds.
func holding(t *testing.T, variants ...string) *gate.Result {
	t.Helper()
	s := steady(12)
	for _, variant := range variants {
		s.each(variant, func(r *judge.Result) {
			if r.Scenario == "create" {
				r.Verdicts = append(r.Verdicts, judge.Verdict{Oracle: judge.Released, Outcome: spec.Fail, Message: "held"})
			}
		})
	}
	return interleaved(t, s)
}

// An operator that does not let go any more is broken, however fast it is.
func TestWhatHeadDoesNotReleaseIsBroken(t *testing.T) {
	r := holding(t, gate.VariantHead)
	assert.Equal(t, gate.Regression, r.Verdict)
	assert.Contains(t, r.Conclusion(), "native create")
	assert.Empty(t, r.Lacks)
}

// Where everything is released, nothing says so: it is no oracle that is missing.
func TestWhatOnlyBaseDidNotReleaseIsMended(t *testing.T) {
	r := holding(t, gate.VariantBase, gate.VariantAgain)
	assert.Empty(t, r.Lacks)
	assert.NotEqual(t, gate.Regression, r.Verdict)
}
