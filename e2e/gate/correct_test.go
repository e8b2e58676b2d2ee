package gate_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/gate"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/restarts"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// runs is a comparison in which a scenario of the matrix was driven so often at each
// side, and failed (true) or did not.
func runs(base, head []bool, flaky bool) *story {
	s := steady(9)
	for variant, failed := range map[string][]bool{gate.VariantBase: base, gate.VariantHead: head} {
		for i, fails := range failed {
			s.matrix("native", variant, "updates-race", spec.GroupLevel, i+1, map[bool]string{true: "converged"}[fails])
		}
	}
	if flaky {
		for i := range s.recording.Environment.Styles {
			s.recording.Environment.Styles[i].Flaky = []string{"updates-race"}
		}
	}
	return s
}

func of(t *testing.T, r *gate.Result, scenario string) gate.Scenario {
	t.Helper()
	i := slices.IndexFunc(r.Scenarios, func(s gate.Scenario) bool { return s.Scenario == scenario })
	require.GreaterOrEqual(t, i, 0, scenario)
	return r.Scenarios[i]
}

// What fails at head and never failed at base is driven again before it is called
// broken; what is known to be flaky needs a test.
func TestNewFailuresAreDrivenAgain(t *testing.T) {
	some := func(failed, of int) []bool {
		list := make([]bool, of)
		for i := range failed {
			list[i] = true
		}
		return list
	}
	for name, test := range map[string]struct {
		base, head []bool
		flaky      bool
		want       gate.Verdict
		why        string
	}{
		"once in one run":                {some(0, 1), some(1, 1), false, gate.Inconclusive, "it never failed at base, in 1, but so many failures at head can be chance (p = 0.500): it is broken if it fails again"},
		"and again":                      {some(0, 2), some(2, 2), false, gate.Regression, ""},
		"and not again":                  {some(0, 6), some(1, 6), false, gate.Inconclusive, "it never failed at base, in 6, but so many failures at head can be chance (p = 0.500): it is broken if it fails again"},
		"in four of six":                 {some(0, 6), some(4, 6), false, gate.Regression, ""},
		"flaky, once in one run":         {some(0, 1), some(1, 1), true, gate.Inconclusive, "base's verdicts.yaml calls it flaky, and so many failures at head can be chance (p = 0.500)"},
		"flaky, in two of two":           {some(0, 2), some(2, 2), true, gate.Inconclusive, "base's verdicts.yaml calls it flaky, and so many failures at head can be chance (p = 0.167)"},
		"flaky, as often":                {some(3, 6), some(3, 6), true, gate.Pass, "flaky, as base's verdicts.yaml says: 3 of 6 failed at base and 3 of 6 at head, which can be chance (p = 0.716)"},
		"flaky, more often by chance":    {some(1, 6), some(4, 6), true, gate.Pass, "flaky, as base's verdicts.yaml says: 1 of 6 failed at base and 4 of 6 at head, which can be chance (p = 0.121)"},
		"flaky, perhaps more often":      {some(3, 6), some(6, 6), true, gate.Inconclusive, "it failed at base too, in 3 of 6: it is flaky, and so many failures at head can be chance (p = 0.091)"},
		"flaky, and now it always fails": {some(1, 6), some(6, 6), true, gate.Regression, "it fails at base too, but less often; the difference is significant: p = 0.008"},
		"flaky, and never seen to fail":  {some(0, 6), some(5, 6), true, gate.Regression, "base's verdicts.yaml calls it flaky, but less often; the difference is significant: p = 0.008"},
		"flaky, and it passes once":      {some(1, 1), some(0, 1), true, gate.Pass, "flaky at base, where 1 of 1 failed"},
		"flaky, and passes as it did":    {some(0, 1), some(0, 1), true, gate.Pass, ""},
		"unlisted, and it fails at base": {some(1, 6), some(6, 6), false, gate.Regression, "it fails at base too, but less often; the difference is significant: p = 0.008"},
	} {
		t.Run(name, func(t *testing.T) {
			r := interleaved(t, runs(test.base, test.head, test.flaky))
			one := of(t, r, "updates-race")
			assert.Equal(t, test.want, one.Verdict, one.Why)
			assert.Equal(t, test.why, one.Why)
			assert.Equal(t, test.want, r.Verdict)
			outputs(t, r)
		})
	}
}

// What fails at base by one oracle, and at head by another one too, is not the same: it is driven again, and then broken.
func TestAFailureByAnotherOracleIsNew(t *testing.T) {
	for name, test := range map[string]struct {
		times   int
		another bool
		want    gate.Verdict
		why     string
	}{
		"the same":    {2, false, gate.Pass, "it fails on both sides"},
		"once":        {1, true, gate.Inconclusive, "it fails at base too, but never by converged: it is broken if it fails so again"},
		"again":       {2, true, gate.Regression, "it fails at base too, but never by converged"},
		"six of them": {6, true, gate.Regression, "it fails at base too, but never by converged"},
	} {
		t.Run(name, func(t *testing.T) {
			s := steady(9)
			for _, variant := range []string{gate.VariantBase, gate.VariantHead} {
				for round := range test.times {
					s.matrix("native", variant, "updates-race", spec.GroupLevel, round+1, "owned")
					one := &s.recording.Judgement.Results[len(s.recording.Judgement.Results)-1]
					converged := judge.Verdict{Oracle: "converged", Outcome: spec.Pass}
					if test.another && variant == gate.VariantHead {
						converged.Outcome = spec.Fail
					}
					one.Verdicts = []judge.Verdict{converged, {Oracle: "owned", Outcome: spec.Fail}}
				}
			}
			one := of(t, interleaved(t, s), "updates-race")
			assert.Equal(t, test.want, one.Verdict, one.Why)
			assert.Equal(t, test.why, one.Why)
		})
	}
}

// The samples of a load share a fate: of one bad round they are one failure, by whichever oracle.
func TestOneBadRoundOfALoadIsNotBroken(t *testing.T) {
	s := newStory("a", 0.03, 1)
	s.turns(9, func(variant string, round int) {
		s.native(variant, round, 1, "")
		bad := map[string]int{gate.VariantBase: 2, gate.VariantHead: 5}[variant] == round
		for range 20 {
			fail := ""
			if bad {
				fail = map[string]string{gate.VariantBase: "garbage", gate.VariantHead: "owned"}[variant]
			}
			s.matrix("native", variant, "burst-create", spec.GroupLoad, round, fail)
			last := &s.recording.Judgement.Results[len(s.recording.Judgement.Results)-1]
			if last.Matrix = false; fail != "owned" {
				s.also(judge.Verdict{Oracle: "owned", Outcome: spec.Pass})
			}
		}
	})
	one := of(t, interleaved(t, s), "burst-create")
	assert.NotEqual(t, gate.Regression, one.Verdict, one.Why)
}

// Real recordings of argo-ordered, which nobody changed: four of eight runs of
// updates-race failed. Of the 56 orders in which two of them are base and head, 16 were
// called broken, since one failure in one run decided.
func TestUnchangedFlakyScenarioIsNotBroken(t *testing.T) {
	recording, err := result.Load("../../docs/results/comparison/tsfje5c5")
	require.NoError(t, err)
	var failed []bool
	for _, one := range recording.Judgement.Results {
		if one.Style == "argo-ordered" && one.Scenario == "updates-race" {
			failed = append(failed, one.Outcome() != spec.Pass)
		}
	}
	require.Len(t, failed, 8)
	random := rand.New(rand.NewPCG(1, 2))
	tally := func(failed ...bool) (t gate.Tally) {
		for _, one := range failed {
			t.Failed += map[bool]int{true: 1}[one]
			t.Passed += map[bool]int{false: 1}[one]
		}
		return t
	}
	const draws = 200
	before, once, driven := 0, map[gate.Verdict]int{}, map[gate.Verdict]int{}
	for i, base := range failed {
		for j, head := range failed {
			if i == j {
				continue
			}
			before += map[bool]int{true: 1}[head && !base]
			once[gate.Decided(tally(base), tally(head), true)]++
			for range draws { // driven again, as long as it cannot be told: the others of the eight stand for it
				was, is := []bool{base}, []bool{head}
				for len(was) < gate.Repeats && gate.Decided(tally(was...), tally(is...), true) == gate.Inconclusive {
					was, is = append(was, failed[random.IntN(8)]), append(is, failed[random.IntN(8)])
				}
				driven[gate.Decided(tally(was...), tally(is...), true)]++
			}
		}
	}
	t.Logf("of 56 orders %d fail at head alone; after one run: %v; driven again, 56 x %d draws: %v", before, once, draws, driven)
	assert.Equal(t, 16, before)
	assert.Zero(t, once[gate.Regression])
	all := float64(56 * draws)
	assert.LessOrEqual(t, float64(driven[gate.Regression])/all, 0.01)
	assert.LessOrEqual(t, float64(driven[gate.Inconclusive])/all, 0.05)
}

// The operator is killed and restarted while it is measured, and its figures are as
// they were.
func TestDefectRestartsInEveryRoundPassed(t *testing.T) {
	for restarted, want := range map[int]gate.Verdict{0: gate.Pass, 1: gate.Regression, 12: gate.Regression} {
		s := unchanged("a")
		s.turns(12, func(variant string, round int) {
			b := restarts.Block{Style: "native", Variant: variant, Round: round}
			if variant == gate.VariantHead && round <= restarted {
				b.Ends, b.First = 10, "container manager of pod native/native-1 ended with exit code 137, OOMKilled"
			}
			s.recording.Restarts = append(s.recording.Restarts, b)
		})
		r := interleaved(t, s)
		assert.Equal(t, want, r.Verdict)
		health := of(t, r, gate.Health)
		assert.Equal(t, gate.Tally{Passed: 24}, health.Base)
		assert.Equal(t, gate.Tally{Passed: 12 - restarted, Failed: restarted}, health.Head)
		for _, print := range outputs(t, r)[:2] {
			if restarted == 0 {
				assert.Contains(t, print, "2 scenarios handled correctly, as at base; no restart of the pods of 1 operator")
			} else {
				assert.Contains(t, print, "of 12 blocks failed at head, the first in round 1: oracle health: container manager of pod native/native-1 ended with exit code 137, OOMKilled (10 ends in this block)")
			}
		}
	}
}
