package gate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/spec"
)

// What makes the API server's replies and all else slow for a moment hides nothing: it
// is taken out. Where head changes the replies themselves, what it does to a latency
// counts in full.
func TestRepliesAreTakenOut(t *testing.T) {
	for name, test := range map[string]struct {
		reply, written float64        // at head, by how many times
		right          []gate.Verdict // of what the operator wrote
	}{
		"unchanged":                          {1, 1, []gate.Verdict{gate.Pass}},
		"slower":                             {1, 1.3, []gate.Verdict{gate.Regression}},
		"quicker":                            {1, 0.7, []gate.Verdict{gate.Improvement}},
		"slower, for the replies are":        {8, 8, []gate.Verdict{gate.Regression, gate.Inconclusive}},
		"quicker, for the replies are":       {0.125, 0.125, []gate.Verdict{gate.Improvement, gate.Pass}},
		"the replies are slower, it is not":  {8, 1, []gate.Verdict{gate.Pass, gate.Inconclusive}},
		"the replies are quicker, it is not": {0.125, 1, []gate.Verdict{gate.Pass, gate.Inconclusive}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory("a", 0.03, 1)
			slow := rand.New(rand.NewPCG(7, 8))
			s.turns(12, func(variant string, round int) {
				for range 2 {
					moment, reply, written := math.Exp(0.5*slow.NormFloat64()), 1.0, 1.0
					if variant == gate.VariantHead {
						reply, written = test.reply, test.written
					}
					s.drive("native", variant, "create", round, "",
						step{spec.PhaseAcknowledged, 0.005 * moment * reply}, step{spec.PhaseChildWritten, 0.015 * moment * written})
				}
			})
			assert.Contains(t, test.right, metricOf(t, interleaved(t, s), "native create child written").Verdict)
		})
	}
}
