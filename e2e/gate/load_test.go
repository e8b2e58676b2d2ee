package gate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// bursts is a comparison in which a load of fifty was driven in some of twelve rounds;
// head takes so many times as long.
func bursts(random *rand.Rand, rounds int, noise, times float64) *story {
	s := newStory("a", 0.05, 2)
	s.random = random
	s.turns(12, func(variant string, round int) {
		s.native(variant, round, 1, "")
		if round > rounds {
			return
		}
		last := math.Exp(random.NormFloat64() * noise)
		if variant == gate.VariantHead {
			last *= times
		}
		for i := range 50 {
			r := judge.Result{
				Style: "native", Variant: variant, Scenario: "burst-create", Group: spec.GroupLoad, Round: round, End: record.Settled,
				Verdicts: []judge.Verdict{{Oracle: "stays-converged", Outcome: spec.Pass}},
			}
			for _, reached := range []step{{spec.PhaseChildWritten, 0.85}, {spec.PhaseStatusWritten, 0.9}, {spec.PhaseReady, 8.7}, {spec.PhaseQuiet, 8.8}} {
				r.Samples = append(r.Samples, judge.Sample{
					Operator: "native", Variant: variant, Scenario: "burst-create", Phase: reached.phase, Block: round,
					Value: reached.at * last * float64(i+1) / 50, Unit: "s", Outcome: judge.OK,
				})
			}
			s.recording.Judgement.Results = append(s.recording.Judgement.Results, r)
		}
	})
	s.recording.Environment.Planned = map[string]int{"native": 12}
	return s
}

// A burst that takes 1.6 times as long, as with the defaults of controller-runtime, or
// 2.4 times, as with those of helm, is found; the noise is that of docs/results/comparison and
// docs/results/variants (the standard deviation of the logarithm over rounds is 0.05 to 0.3).
func TestASlowerBurstIsFound(t *testing.T) {
	for name, test := range map[string]struct {
		rounds       int
		noise, times float64
		want         gate.Verdict
		least        int // of 20
	}{
		"unchanged":                  {12, 0.25, 1, gate.Pass, 18},
		"1.6 times":                  {12, 0.15, 1.6, gate.Regression, 19},
		"1.6 times, few rounds":      {gate.LeastLoads, 0.1, 1.6, gate.Regression, 17},
		"2.4 times, with more noise": {gate.LeastLoads + 2, 0.25, 2.4, gate.Regression, 19},
		"once":                       {1, 0.15, 1, gate.Pass, 20},
	} {
		t.Run(name, func(t *testing.T) {
			random, count := rand.New(rand.NewPCG(1, 2)), map[gate.Verdict]int{}
			for range 20 {
				base, head, again, err := gate.Sides("a", bursts(random, test.rounds, test.noise, test.times).recording)
				require.NoError(t, err)
				r, err := gate.Decide(gate.DefaultOptions(), base, head, again)
				require.NoError(t, err)
				count[r.Verdict]++
			}
			t.Logf("of 20: %v", count)
			assert.GreaterOrEqual(t, count[test.want], test.least, "%v", count)
		})
	}
}

// Custom resources of one load that are late are so together: one round in which some are
// is no proof, rounds in which they are again and again are.
func TestLateInALoad(t *testing.T) {
	for late, want := range map[int]gate.Verdict{0: gate.Pass, 1: gate.Inconclusive, 4: gate.Regression, 8: gate.Regression} {
		s := bursts(rand.New(rand.NewPCG(1, 2)), 8, 0.1, 1)
		n := 0
		s.each(gate.VariantHead, func(r *judge.Result) {
			if n++; r.Group == spec.GroupLoad && r.Round <= late && n%2 == 0 {
				r.End = record.TimedOut
			}
		})
		one := of(t, interleaved(t, s), "burst-create")
		assert.Equal(t, want, one.Verdict, one.Why)
		assert.Equal(t, gate.Tally{Passed: 16}, one.Base)
		assert.Equal(t, gate.Tally{Passed: 8 - late, Failed: late}, one.Head)
	}
}

// What a reader sees of it.
func TestLoadsInOutputs(t *testing.T) {
	s := bursts(rand.New(rand.NewPCG(1, 2)), 12, 0.1, 2.4)
	for _, print := range outputs(t, interleaved(t, s)) {
		assert.Contains(t, print, "loads: native burst-create in 12 rounds")
		assert.Contains(t, print, "native burst-create child written")
		assert.NotContains(t, print, "burst-create quiet")
	}
	s = unchanged("a")
	s.recording.Environment.Comparison.Undriven = []record.Undriven{{Group: spec.GroupLoad, Style: "native", Why: "there is no time"}}
	for _, print := range outputs(t, interleaved(t, s)) {
		assert.Contains(t, print, "loads: not run (native there is no time)")
	}
}
