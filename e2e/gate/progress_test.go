package gate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/gate"
)

// A driver that looks after each round learns something after half and all of the
// planned ones; what is judged afterwards agrees.
func TestLook(t *testing.T) {
	for name, test := range map[string]struct {
		noise, slow float64
		ends        int
		want        gate.Verdict
	}{
		"unchanged":       {0.03, 1, 6, gate.Pass},
		"twice as slow":   {0.03, 2, 12, gate.Regression},
		"far too noisy":   {1.5, 1, 0, gate.Inconclusive},
		"slower by a bit": {0.15, 1.25, 12, gate.Regression},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory("a", test.noise, 1)
			s.recording.Environment.Planned = map[string]int{"native": 12}
			last := gate.StyleProgress{}
			ended := 0
			for round := 1; round <= 12 && ended == 0; round++ {
				for _, variant := range []string{gate.VariantBase, gate.VariantAgain, gate.VariantHead} {
					slow := 1.0
					if variant == gate.VariantHead {
						slow = test.slow
					}
					s.native(variant, round, slow, "")
				}
				p, err := gate.Look(gate.DefaultOptions(), s.recording)
				require.NoError(t, err)
				require.Len(t, p, 1)
				if round%6 != 0 && round > 1 {
					assert.Equal(t, last.Open, p[0].Open, "between looks nothing is said, round %d", round)
				}
				last = p[0]
				if last.Settled {
					ended = round
				}
			}
			assert.Equal(t, test.ends, ended)
			assert.Equal(t, test.want, last.Verdict)
			assert.Equal(t, test.want, interleaved(t, s).Verdict)
		})
	}
}

// Without a plan each look would be as if it were the only one: there is none.
func TestLookWithoutAPlan(t *testing.T) {
	s := steady(12)
	p, err := gate.Look(gate.DefaultOptions(), s.recording)
	require.NoError(t, err)
	assert.False(t, p[0].Settled)
	assert.Equal(t, gate.Pass, interleaved(t, s).Verdict)
}

// What was driven beyond the plan changes nothing: its error probabilities are
// spent.
func TestMoreRoundsThanPlanned(t *testing.T) {
	s := newStory("a", 0.03, 1)
	s.recording.Environment.Planned = map[string]int{"native": 12}
	s.turns(15, func(variant string, round int) {
		slow := 1.0
		if variant == gate.VariantHead && round > 12 {
			slow = 9
		}
		s.native(variant, round, slow, "")
	})
	r := interleaved(t, s)
	assert.Equal(t, gate.Pass, r.Verdict)
	assert.LessOrEqual(t, r.Rounds, 12)
}
