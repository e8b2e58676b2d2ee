package gate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/gate"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// What the gate once let through, each with exit status 0 or "cannot tell".

// often makes some of head's samples slower.
func often(t *testing.T, share, by float64) *gate.Result {
	t.Helper()
	s, random := newStory("a", 0.15, 8), rand.New(rand.NewPCG(1, 2))
	s.turns(12, func(variant string, round int) { s.native(variant, round, 1, "") })
	s.each(gate.VariantHead, func(r *judge.Result) {
		if random.Float64() < share {
			for i := range r.Samples {
				r.Samples[i].Value *= by
			}
		}
	})
	return interleaved(t, s)
}

func TestDefect40PercentOf20TimesSlowerPassed(t *testing.T) {
	assert.Equal(t, gate.Regression, often(t, 0.4, 20).Verdict)
}

func TestDefectOneInTwentyAt100TimesPassed(t *testing.T) {
	r := often(t, 0.05, 100)
	assert.Equal(t, gate.Regression, r.Verdict)
	tail := metricOf(t, r, "native latencies tail")
	assert.Equal(t, gate.Regression, tail.Verdict)
	assert.Greater(t, tail.Head.Value, tail.Base.Value)
	assert.NotEqual(t, gate.Regression, metricOf(t, r, "native create ready").Verdict, "its median is as it was")
}

func TestDefectTailOf10PercentAt5TimesPassed(t *testing.T) {
	assert.Equal(t, gate.Regression, often(t, 0.1, 5).Verdict)
}

// See TestCounters for its kin.
func TestDefectPods1To40In11Of12RoundsPassed(t *testing.T) {
	s := steady(12)
	for _, variant := range []string{gate.VariantBase, gate.VariantAgain} {
		s.count("native", variant, "create", cost.Pods, times(1, 12)...)
	}
	s.count("native", gate.VariantHead, "create", cost.Pods, slices.Concat(times(40, 5), times(1, 1), times(40, 6))...)
	r := interleaved(t, s)
	assert.Equal(t, gate.Regression, r.Verdict)
	assert.Contains(t, r.Conclusion(), "COSTS MORE: native pods for each change")
}

func TestDefectACounterThatVariesOnceAtBaseWasNotGated(t *testing.T) {
	s := steady(12)
	for _, variant := range []string{gate.VariantBase, gate.VariantAgain} {
		s.count("native", variant, "create", cost.Writes, append(times(3, 11), 4)...)
	}
	s.count("native", gate.VariantHead, "create", cost.Writes, times(5, 12)...)
	assert.Equal(t, gate.Regression, interleaved(t, s).Verdict)
}

func TestDefectAStyleDeletedOrRenamedPassed(t *testing.T) {
	s := newStory("a", 0.03, 1)
	s.drive(spec.Floor, "", "create", 1, "", step{spec.PhaseReady, 0.5}) // nothing else is left to drive
	s.recording.Environment.Comparison.Gone = []record.Gone{{Style: "native", Why: "its folder was deleted or renamed"}}
	r := interleaved(t, s)
	assert.Equal(t, gate.Regression, r.Verdict)
	assert.Equal(t, "MISSING: native.", r.Conclusion())
	outputs(t, r)

	s = newStory("a", 0.03, 1)
	for round := 1; round <= 9; round++ {
		for _, variant := range []string{gate.VariantBase, gate.VariantHead} {
			s.native(variant, round, 1, "")
		}
		s.argo(gate.VariantBase, round, "log")
	}
	assert.Equal(t, gate.Regression, interleaved(t, s).Verdict, "head was not driven at all")
}

func TestDefectAScenarioMissingAtHeadPassed(t *testing.T) {
	s := newStory("a", 0.03, 1)
	s.turns(12, func(variant string, round int) {
		s.native(variant, round, 1, "")
		if variant != gate.VariantHead {
			s.drive("native", variant, "scale-up", round, "", step{spec.PhaseReady, 0.3})
		}
	})
	r := interleaved(t, s)
	assert.Equal(t, gate.Regression, r.Verdict)
	require.Len(t, r.Lacks, 1)
	assert.Equal(t, "native scale-up: base was driven through it in 12 rounds, head was not", r.Lacks[0].Message())
}

// What the harness did not hear at head is no fault of head's.
func TestALostAuditLogIsNoLack(t *testing.T) {
	for lost, want := range map[bool]gate.Verdict{true: gate.Inconclusive, false: gate.Regression} {
		s := newStory("a", 0.03, 1)
		s.turns(12, func(variant string, round int) {
			s.native(variant, round, 1, "")
			calm := judge.Verdict{Oracle: "calm", Outcome: spec.Pass}
			if variant == gate.VariantHead {
				calm.Outcome, calm.Unheard = spec.NotApplicable, lost
			}
			s.also(calm)
		})
		r := interleaved(t, s)
		assert.Equal(t, want, r.Verdict)
		assert.Len(t, r.Lacks, 1)
	}
}

func TestDefectAnOracleDeclaredAwayPassed(t *testing.T) {
	s := newStory("a", 0.03, 1)
	s.turns(12, func(variant string, round int) {
		s.native(variant, round, 1, "")
		status := judge.Verdict{Oracle: "status", Outcome: spec.Pass}
		if variant == gate.VariantHead {
			status.Outcome = spec.NotApplicable
		}
		s.also(status)
	})
	s.styles(func(style *record.Style) {
		style.Declares.Status = spec.Declaration{Supported: style.Variant != gate.VariantHead, Reason: "nobody reads it"}
	})
	r := interleaved(t, s)
	assert.Equal(t, gate.Regression, r.Verdict)
	require.Len(t, r.Lacks, 2)
	assert.Equal(t, "native status: this oracle judged delete at base, and at head it does not", r.Lacks[0].Message())
	assert.Equal(t, "native declares status: supported at base, and head's style.yaml declares that it is not: nobody reads it", r.Lacks[1].Message())
}

// A field of the status that head does not declare any more is not judged there.
func TestDeclaringLessOfTheStatusIsALack(t *testing.T) {
	s := steady(12)
	s.styles(func(style *record.Style) {
		declared := spec.Declaration{Supported: true, Fields: []string{"nodes", "conditions"}, Ready: "Ready"}
		if style.Variant == gate.VariantHead {
			declared.Fields, declared.Ready = []string{"nodes"}, ""
		}
		style.Declares.Status = declared
	})
	r := interleaved(t, s)
	assert.Equal(t, gate.Regression, r.Verdict)
	require.Len(t, r.Lacks, 2)
	assert.Equal(t, "native declares status.conditions: written at base, and head's style.yaml does not declare it", r.Lacks[0].Message())
	assert.Equal(t, "native declares status ready: condition Ready at base, and head's style.yaml declares none", r.Lacks[1].Message())
}

// What head's style.yaml allows itself, or hides, is a lack, too.
func TestAllowingMoreOrShowingLessIsALack(t *testing.T) {
	s := steady(12)
	s.styles(func(style *record.Style) {
		style.Components = []spec.Component{{Name: "controller"}, {Name: "bus"}}
		style.Differs = []spec.Difference{{Path: "spec.paused", Reason: "as ever"}, {Path: "spec.template.metadata", Reason: "less at head"}}
		if style.Variant == gate.VariantHead {
			style.Components = style.Components[:1]
			style.Differs = append(style.Differs, spec.Difference{Path: "spec.replicas", Reason: "new"})
			style.Differs[1].Path += ".labels"
		}
	})
	r := interleaved(t, s)
	assert.Equal(t, gate.Regression, r.Verdict)
	assert.Equal(t, []string{
		"native component bus: base's style.yaml names it, and head's does not: neither its restarts nor its memory would count",
		"native differs spec.replicas: head's style.yaml lets the main child have it otherwise than the reference, and base's does not: new",
	}, saying(r.Lacks))
}

func TestDefectHalfOfHeadsRoundsMissingPassed(t *testing.T) {
	for missing, want := range map[int]gate.Verdict{0: gate.Pass, 1: gate.Inconclusive, 6: gate.Inconclusive} {
		s := newStory("a", 0.03, 1)
		s.turns(18, func(variant string, round int) {
			if variant != gate.VariantHead || round > missing {
				s.native(variant, round, 1, "")
			}
		})
		assert.Equal(t, want, interleaved(t, s).Verdict, "%d rounds missing", missing)
	}
}

func TestDefectAFifthOfHeadsSamplesInterruptedPassed(t *testing.T) {
	s := newStory("a", 0.03, 5)
	s.turns(12, func(variant string, round int) { s.native(variant, round, 1, "") })
	n := 0
	s.each(gate.VariantHead, func(r *judge.Result) {
		if n++; n%5 == 0 {
			interrupt(r)
		}
	})
	r := interleaved(t, s)
	assert.Equal(t, gate.Inconclusive, r.Verdict)
	assert.Contains(t, metricOf(t, r, "native create ready").Why, "12 of 60 samples at head failed or were interrupted, and 0 of 120 at base")
}

// The slowest samples are those that are interrupted.
func TestDefect9PercentOfHeadsSamplesInterruptedPassed(t *testing.T) {
	for lost, want := range map[int]gate.Verdict{0: gate.Pass, 1: gate.Pass, 2: gate.Pass, 3: gate.Inconclusive, 11: gate.Inconclusive} {
		s := newStory("a", 0.03, 10)
		s.turns(12, func(variant string, round int) { s.native(variant, round, 1, "") })
		left := lost
		s.each(gate.VariantHead, func(r *judge.Result) {
			if r.Scenario == "create" && left > 0 && s.random.IntN(10) == 0 {
				left--
				interrupt(r)
			}
		})
		require.Zero(t, left)
		r := interleaved(t, s)
		assert.Equal(t, want, r.Verdict, "%d of 120 against 0 of 240", lost)
		if want == gate.Inconclusive {
			assert.Contains(t, metricOf(t, r, "native create ready").Why, fmt.Sprintf("%d of 120 samples at head failed or were interrupted, and 0 of 240 at base", lost))
			outputs(t, r)
		}
	}
}

// interrupt is what becomes of a sample that has no end.
func interrupt(r *judge.Result) {
	r.End = record.Interrupted
	for i := range r.Verdicts {
		r.Verdicts[i].Outcome = spec.Invalid
	}
	for i := range r.Samples {
		r.Samples[i].Outcome = judge.Interrupted
	}
}

func TestDefect119Of120Against0Of120CannotTell(t *testing.T) {
	s := newStory("a", 0.03, 1)
	s.turns(120, func(variant string, round int) {
		fail := ""
		if variant == gate.VariantHead || variant == gate.VariantBase && round == 7 {
			fail = "gone"
		}
		s.native(variant, round, 1, fail)
	})
	assert.Equal(t, gate.Regression, interleaved(t, s).Verdict)
}

func TestDefect10TimesSlowerWithBaseAgain8PercentOffCannotTell(t *testing.T) {
	s := newStory("a", 0.03, 1)
	s.turns(12, func(variant string, round int) {
		s.native(variant, round, map[string]float64{gate.VariantBase: 1, gate.VariantAgain: 1.08, gate.VariantHead: 10}[variant], "")
	})
	assert.Equal(t, gate.Regression, interleaved(t, s).Verdict)
}

func TestDefectStatusWrittenTwiceAsLateWasNotGated(t *testing.T) {
	_, r := throttled(t)
	assert.Equal(t, gate.Regression, metricOf(t, r, "native create status written").Verdict)
	assert.Equal(t, gate.Regression, metricOf(t, r, "native install").Verdict)
	assert.Contains(t, r.Conclusion(), "Possible cause: CPU throttling. In a round (median), native was held at its CPU limit for ")
}

func TestDefectLoadsWereNotGated(t *testing.T) {
	s := newStory("a", 0.05, 50)
	s.turns(9, func(variant string, round int) {
		s.drive("native", variant, "burst-create", round, "", step{spec.PhaseChildWritten, 1})
	})
	n := 0
	for i := range s.recording.Judgement.Results {
		r := &s.recording.Judgement.Results[i]
		r.Group = "load"
		if n++; n%50 == 0 && r.Variant == gate.VariantHead { // the last of fifty is late
			r.Samples[0].Value, r.Samples[0].Outcome = 300, judge.Timeout
		}
	}
	r := interleaved(t, s)
	assert.Equal(t, gate.Regression, r.Verdict)
	assert.Equal(t, gate.Load, r.Metrics[0].Kind)
}

// Whoever is judged does not set the limit: head's samples of 100 s were in time.
func TestDefectHeadsOwnTimeoutPassed(t *testing.T) {
	s := newStory("a", 0.03, 10)
	s.turns(12, func(variant string, round int) { s.native(variant, round, 1, "") })
	slow := 0
	s.each(gate.VariantHead, func(r *judge.Result) {
		if r.Scenario == "create" && r.Round > 10 && slow < 2 {
			slow++
			for i := range r.Samples {
				r.Samples[i].Value += 100
			}
		}
	})
	s.styles(func(style *record.Style) {
		style.Timeout = time.Minute
		if style.Variant == gate.VariantHead {
			style.Timeout = 200 * time.Second
		}
	})
	base, head, again, err := gate.Sides("results/a", s.recording)
	require.NoError(t, err)
	_, err = gate.Compare(gate.DefaultOptions(), base, head, again)
	var invalid *gate.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.ErrorContains(t, err, "native has 60.0 s for a change at base and 200 s at head: what is late on one side is in time on the other; drive both with base's timeout")
}

// With one or two rounds chance can always be the reason, so that nothing was significant.
func TestDefectALoadThatTook10TimesAsLongPassedForItWasDrivenOnce(t *testing.T) {
	for _, rounds := range []int{1, 2} {
		r := interleaved(t, bursts(rand.New(rand.NewPCG(1, 2)), rounds, 0.1, 10))
		assert.Equal(t, gate.Inconclusive, r.Verdict)
		m := metricOf(t, r, "native burst-create child written")
		assert.Equal(t, gate.Inconclusive, m.Verdict)
		assert.Contains(t, m.Why, "at least 8 are needed")
	}
}

// What was not driven is not fine.
func TestDefectLatenciesWereCalledFineThatNothingMeasured(t *testing.T) {
	s := newStory("a", 0.03, 1)
	for _, variant := range []string{gate.VariantBase, gate.VariantHead} {
		s.matrix("native", variant, "empty", spec.GroupBasic, 1, "")
	}
	r := interleaved(t, s)
	assert.Equal(t, gate.Pass, r.Verdict)
	assert.Equal(t, "FINE. Nothing fails, is missing, or may do more. How long a user waits was not compared.", r.Conclusion())
}

// replied is a comparison in which the API server takes so much longer to reply to head, and so does all else.
func replied(longer float64) *story {
	s := newStory("a", 0.03, 1)
	moments := rand.New(rand.NewPCG(7, 8))
	s.turns(12, func(variant string, round int) {
		for range 2 {
			moment, more := 0.02*math.Exp(0.3*moments.NormFloat64()), 0.0
			if variant == gate.VariantHead {
				more = longer
			}
			s.drive("native", variant, "create", round, "", step{spec.PhaseAcknowledged, moment + more},
				step{spec.PhaseChildWritten, moment + 0.025 + more}, step{spec.PhaseStatusWritten, moment + 0.01 + more})
		}
	})
	return s
}

// A latency that took 1.4 times as long, as did the replies, had "0.97" and "0.95 – 0.98" beside "the noise would hide
// that it is worse by 20%", and what took twice as long was fine.
func TestDefectFiguresWithoutTheRepliesBesideAVerdictWithThem(t *testing.T) {
	r := interleaved(t, replied(0.02))
	m := metricOf(t, r, "native create child written")
	assert.Equal(t, gate.Inconclusive, m.Verdict)
	assert.InDelta(t, m.Head.Value/m.Base.Value, *m.Ratio, 0.1)
	assert.Less(t, m.Interval.Low, 1.05)
	assert.Greater(t, m.Interval.High, 1.2)
	assert.Contains(t, m.Why, "replies take another time at head")
	assert.LessOrEqual(t, m.Needed, m.Rounds, "more rounds do not help")
	assert.Equal(t, gate.Inconclusive, metricOf(t, r, "native create status written").Verdict)
	assert.NotEqual(t, gate.Pass, r.Verdict)
}

// What times out on both sides had a ratio of 0.
func TestDefectARatioOfNothing(t *testing.T) {
	s := newStory("a", 0.03, 1)
	s.turns(9, func(variant string, round int) {
		s.drive("native", variant, "create", round, "", step{spec.PhaseReady, 180})
	})
	for i := range s.recording.Judgement.Results {
		s.recording.Judgement.Results[i].Samples[0].Outcome = judge.Timeout
	}
	m := metricOf(t, interleaved(t, s), "native create ready")
	assert.Equal(t, gate.Inconclusive, m.Verdict)
	assert.Nil(t, m.Ratio)
}

// Memory that base did not measure was not mentioned.
func TestDefectWhatOnlyHeadMeasuredWasNotMentioned(t *testing.T) {
	s := steady(12)
	s.cost("native", gate.VariantHead).PeakMemory = s.figure(12, 1<<24)
	assert.Contains(t, interleaved(t, s).Warnings, "base has no peak memory of native: not compared")
}

// A run that ended after 11 of 1000 planned rounds said "the noise would hide that it is worse by 20%" beside "1.00 – 1.01".
func TestDefectNoiseWasBlamedForRoundsThatWereNotDriven(t *testing.T) {
	s := steady(11)
	s.recording.Environment.Planned = map[string]int{"native": 1000}
	r := interleaved(t, s)
	assert.Equal(t, gate.Inconclusive, r.Verdict)
	const why = "only 11 of 1000 planned rounds were driven, and the fewer these are, the more certain it must be"
	assert.Equal(t, why, metricOf(t, r, "native create ready").Why)
	assert.Equal(t, why, metricOf(t, r, "native latencies tail").Why)
}

// Beside p = 0.006 stood "cannot tell", of two styles: the corrected p-value was not corrected for how many these are.
func TestDefectACorrectedPWasNotThatOfAllStyles(t *testing.T) {
	corrected := func(styles ...string) float64 {
		s := newStory("a", 0.03, 1)
		s.turns(7, func(variant string, round int) {
			for _, style := range styles {
				took := 1.0
				if variant == gate.VariantHead && style == "native" {
					took = 1.5
				}
				s.drive(style, variant, "create", round, "", step{spec.PhaseChildWritten, took})
			}
		})
		return metricOf(t, interleaved(t, s), "native create child written").Corrected
	}
	alone := corrected("native")
	assert.Less(t, alone, 0.01)
	assert.InDelta(t, 2*alone, corrected("native", "mine"), 1e-9)
}
