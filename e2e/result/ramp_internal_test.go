package result

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

var upTo80 = spec.Ramp{From: 20, Most: 80, Hold: 5 * time.Second, P99: time.Second}

// stepping is a step of a ramp: each change takes as long as before, but for what grows from
// one to the next; the API server takes its time, the harness sends late.
type stepping struct {
	rate                        int
	takes, grows, accepts, late time.Duration
	lost, unsent                int
}

func (s stepping) samples(style string, round int, begins time.Duration) []judge.Sample {
	var all []judge.Sample
	for i := range upTo80.Changes(s.rate) - s.unsent {
		from := begins + time.Duration(i)*time.Second/time.Duration(s.rate)
		one := judge.Sample{Operator: style, Scenario: "ramp", Run: "abc123", Block: round, Rate: s.rate, From: from, Outcome: judge.OK, Late: s.late}
		add := func(phase string, took time.Duration) {
			one.Phase, one.At, one.Value = phase, from+took, took.Seconds()
			all = append(all, one)
		}
		add(spec.PhaseAcknowledged, s.accepts+s.late)
		if i < s.lost {
			one.Outcome = judge.Timeout
		}
		add(spec.PhaseChildWritten, s.takes+time.Duration(i)*s.grows)
	}
	return all
}

// ramps are those of a run, in which each round is like the first.
func ramps(rounds int, styles map[string][]stepping, strain ...cost.Strain) []Ramp {
	all := make([]map[string][]stepping, rounds)
	for i := range all {
		all[i] = styles
	}
	return ofRounds(all, strain...)
}

// ofRounds are those of a run, by round and style.
func ofRounds(rounds []map[string][]stepping, strain ...cost.Strain) []Ramp {
	return setOf(rounds, strain...).Ramps()
}

func setOf(rounds []map[string][]stepping, strain ...cost.Strain) *Set {
	set := &Set{
		Beside:    []Cost{{Run: "abc123", Cost: cost.Cost{Style: "slow", Strain: strain}}},
		Scenarios: []string{"ramp"}, Styles: []string{spec.Floor, "slow", "quick"},
		Parts: []Part{{Header: record.Header{Run: "abc123", Scenarios: []record.Scenario{{Name: "ramp", Group: spec.GroupLoad, Ramp: &upTo80}}}}},
	}
	for i, styles := range rounds {
		for style, steps := range styles {
			begins := time.Minute
			for _, s := range steps {
				set.Samples = append(set.Samples, s.samples(style, i+1, begins)...)
				begins += time.Minute
			}
		}
	}
	return set
}

// quick is a step that nothing is in the way of.
func quick(rate int) stepping {
	return stepping{rate: rate, takes: 20 * time.Millisecond, accepts: 5 * time.Millisecond, late: time.Millisecond}
}

func TestWhatARampHolds(t *testing.T) {
	behind := quick(40)
	behind.grows = 10 * time.Millisecond
	late := quick(30)
	late.takes = 1200 * time.Millisecond
	lost := quick(25)
	lost.takes, lost.lost = 20*time.Second, 3
	all := ramps(1, map[string][]stepping{
		spec.Floor: {quick(20), quick(40), quick(80)},
		"slow":     {quick(20), behind, late, lost},
		"quick":    {quick(20), quick(40), quick(80)},
	})
	require.Len(t, all, 3)
	texts := map[string]string{}
	for _, r := range all {
		texts[r.Style] = r.Text()
		assert.Empty(t, r.Climbs[0].Differs)
	}
	assert.Equal(t, map[string]string{
		"floor": "holds 80 changes a second, the most that was tried; nothing lost",
		"slow":  "holds 20 changes a second; at 25 the p99 is >20.0 s; 3 of 125 lost",
		"quick": "holds 80 changes a second, the most that was tried; nothing lost",
	}, texts)
	var steps []string
	for _, s := range all[1].Climbs[0].Steps {
		steps = append(steps, s.Text()+" "+s.GaveOut)
	}
	assert.Equal(t, []string{
		"holds 20 changes a second; p99 20.0 ms ",
		"at 40 changes a second its queue grows; the p99 is 1.99 s; nothing lost style",
		"at 30 changes a second the p99 is 1.20 s; nothing lost style",
		"at 25 changes a second the p99 is >20.0 s; 3 of 125 lost style",
	}, steps)
	assert.Equal(t, "≥ 80/s", heldValue(all, "ramp", "quick").Text, "it may hold more")
	assert.Equal(t, "20/s", heldValue(all, "ramp", "slow").Text)
	assert.Empty(t, heldValue(all, "ramp", "other"))
}

// A step in which it was not the style that gave out is not held against it.
func TestWhatGaveOut(t *testing.T) {
	slow := func(change func(*stepping)) stepping {
		s := quick(40)
		s.takes = 2 * time.Second
		if change != nil {
			change(&s)
		}
		return s
	}
	for name, test := range map[string]struct {
		floor []stepping
		fails stepping
		want  string
	}{
		"the floor holds more":          {[]stepping{quick(20), quick(40), quick(80)}, slow(nil), GaveStyle},
		"the floor is not known":        {nil, slow(nil), GaveStyle},
		"nor does the floor":            {[]stepping{quick(20), slow(nil), quick(30), quick(35)}, slow(nil), GaveMachine},
		"the harness sends late":        {[]stepping{quick(20), quick(40), quick(80)}, slow(func(s *stepping) { s.late = 150 * time.Millisecond }), GaveHarness},
		"the API server is slow":        {nil, slow(func(s *stepping) { s.accepts = 600 * time.Millisecond }), GaveServer},
		"the API server takes none":     {nil, slow(func(s *stepping) { s.unsent = 1 }), GaveServer},
		"it is slow, not for the floor": {[]stepping{quick(20), quick(40), quick(80)}, slow(func(s *stepping) { s.accepts = 600 * time.Millisecond }), GaveServer},
	} {
		t.Run(name, func(t *testing.T) {
			all := ramps(1, map[string][]stepping{spec.Floor: test.floor, "slow": {quick(20), test.fails, quick(30), quick(35)}})
			one := all[len(all)-1]
			require.Equal(t, "slow", one.Style)
			assert.Equal(t, test.want, one.Climbs[0].Steps[1].GaveOut)
			assert.Equal(t, test.want != GaveStyle, one.Held().P50.Censored, "then it may hold more")
			if test.want != GaveStyle {
				assert.Contains(t, one.Text(), "holds 35 changes a second; at 40 the "+test.want+" gave out, not the style: ")
			}
		})
	}
}

// CPUs that a hypervisor took were not the style's to use; those that were busy may have been so by its own doing.
func TestWhatTheMachineDidMeanwhile(t *testing.T) {
	slow := quick(40)
	slow.takes = 2 * time.Second
	text := func(stolen float64, round int) (what, text string) {
		all := ramps(1, map[string][]stepping{"slow": {quick(20), slow, quick(30), quick(35)}},
			cost.Strain{Load: "ramp", Rate: 20, Round: 1, Busy: 0.5}, cost.Strain{Load: "ramp", Rate: 40, Round: round, Busy: 0.971, Stolen: stolen, Running: 7, Waiting: 12})
		return all[0].Climbs[0].Steps[1].GaveOut, all[0].Text()
	}
	what, says := text(0.02, 1)
	assert.Equal(t, GaveStyle, what)
	assert.Equal(t, "holds 35 changes a second; at 40 the p99 is 2.00 s; nothing lost; the machine's CPUs were 97% busy, 2% stolen, and 7 processes ran or waited for one; up to 12 requests waited in the API server's queues, and it rejected 0", says)
	what, says = text(0.15, 1)
	assert.Equal(t, GaveMachine, what)
	assert.Contains(t, says, "at 40 the machine gave out, not the style: the p99 is 2.00 s; nothing lost; the machine's CPUs were 97% busy, 15% stolen")
	_, says = text(0.15, 2)
	assert.NotContains(t, says, "CPUs", "of another round it says nothing")
}

// A client that holds its own requests back is what gave out, by the style's own doing: it counts as the style's limit,
// also where the floor does not hold the rate. What its metrics do not say is not known, and said where it has a limit.
func TestTheStylesClientHoldsItsRequestsBack(t *testing.T) {
	slow := quick(40)
	slow.takes = 2 * time.Second
	ramp := func(limit string, waited *cost.Waited, floor ...stepping) Ramp {
		set := setOf([]map[string][]stepping{{"slow": {quick(20), slow, quick(30), quick(35)}, spec.Floor: floor}}, cost.Strain{Load: "ramp", Rate: 40, Round: 1, Busy: 0.4, Waited: waited})
		set.Parts[0].Header.Styles = []record.Style{{Style: spec.Style{Name: "slow", Settings: map[string]spec.Setting{spec.ClientLimit: {Is: limit}}}}}
		all := set.Ramps()
		return all[len(all)-1]
	}
	one := ramp("5/s, burst 10", &cost.Waited{Seconds: 98, Within: 10})
	assert.Equal(t, GaveClient, one.Climbs[0].Steps[1].GaveOut)
	assert.Equal(t, "35/s", one.value().Text, "it is its limit")
	assert.Contains(t, one.Text(), "at 40 the p99 is 2.00 s; nothing lost; the machine's CPUs were 40% busy, 0% stolen, and 0 processes ran or waited for one; "+
		"its client held requests back by its own limit, for 98.0 s in all, 9.80 of them at a time")
	one = ramp("5/s, burst 10", &cost.Waited{Seconds: 98, Within: 10}, quick(20), slow, quick(30), quick(35))
	assert.Equal(t, GaveClient, one.Climbs[0].Steps[1].GaveOut, "it never got so far as the machine")

	one = ramp("100/s, burst 200", &cost.Waited{Seconds: 0.2, Within: 10})
	assert.Equal(t, GaveStyle, one.Climbs[0].Steps[1].GaveOut)
	assert.Contains(t, one.Text(), "; its client held requests back by its own limit, for 200 ms in all, 0.02 of them at a time")
	one = ramp("100/s, burst 200", &cost.Waited{Within: 10})
	assert.Contains(t, one.Text(), "; its client held no request back")
	one = ramp("100/s, burst 200", nil)
	assert.Equal(t, GaveStyle, one.Climbs[0].Steps[1].GaveOut)
	assert.Contains(t, one.Text(), "; whether its client held requests back by its own limit is not known")
	one = ramp(spec.NoClientLimit, nil)
	assert.NotContains(t, one.Text(), "client", "there is nothing to know")
}

// breaksAt are the steps of a ramp that falls behind at a rate; 0: at none.
func breaksAt(rate int) []stepping {
	var all []stepping
	var tried []spec.Tried
	for next := upTo80.Next(nil); next > 0; next = upTo80.Next(tried) {
		one := quick(next)
		if rate > 0 && next >= rate {
			one.grows = time.Duration(2.5*float64(time.Second)) / time.Duration(upTo80.Changes(next))
		}
		all, tried = append(all, one), append(tried, spec.Tried{Rate: next, Held: one.grows == 0})
	}
	return all
}

// atLowest is a ramp in which the API server accepts nothing in time.
func atLowest() []stepping {
	steps := breaksAt(1)
	for i := range steps {
		steps[i].accepts = 600 * time.Millisecond
	}
	return steps
}

// each are rounds of one style, one for each of these ramps.
func each(style string, ramps ...[]stepping) []map[string][]stepping {
	return plain.Map(ramps, func(steps []stepping) map[string][]stepping { return map[string][]stepping{style: steps} })
}

// The median over rounds has an interval where any other figure has one; of fewer rounds the least and the most are told,
// which is no interval. What is only bounded is said to be, at either end.
func TestTheRateHeldOverRounds(t *testing.T) {
	for name, test := range map[string]struct {
		rounds              [][]stepping
		text, low, high     string
		note, sentence, out string
	}{
		"one round":               {[][]stepping{breaksAt(40)}, "35/s", "", "", "", "holds 35 changes a second; at 40 ", "style"},
		"three alike":             {[][]stepping{breaksAt(40), breaksAt(40), breaksAt(40)}, "35/s", "", "", "", "holds 35 changes a second (3 rounds); at 40 ", "style"},
		"three":                   {[][]stepping{breaksAt(40), breaksAt(30), breaksAt(80)}, "35/s", "", "", "25 to 70 seen", "holds 35 changes a second (25 to 70 seen, 3 rounds); at 40 ", "style"},
		"one of them never broke": {[][]stepping{breaksAt(40), breaksAt(30), breaksAt(0)}, "35/s", "", "", "25 to ≥ 80 seen", "holds 35 changes a second (25 to ≥ 80 seen, 3 rounds); at 40 ", "style (2 of 3), nothing (1 of 3)"},
		"most of them never broke": {
			[][]stepping{breaksAt(0), breaksAt(30), breaksAt(0)},
			"≥ 80/s", "", "", "25 to ≥ 80 seen",
			"holds 80 changes a second (25 to ≥ 80 seen, 3 rounds), the most that was tried; nothing lost", "nothing (2 of 3), style (1 of 3)",
		},
		"none held the lowest": {[][]stepping{breaksAt(1), breaksAt(1), breaksAt(1)}, "< 1/s", "", "", "", "holds no rate that was tried (3 rounds); at 1 ", "style"},
		"one of them did not":  {[][]stepping{breaksAt(1), breaksAt(40), breaksAt(40)}, "35/s", "", "", "< 1 to 35 seen", "holds 35 changes a second (< 1 to 35 seen, 3 rounds); at 40 ", "style"},
		"of one nothing is known": {
			[][]stepping{atLowest(), breaksAt(40), breaksAt(30)},
			"25/s", "", "", "25 to 35 seen, not known in 1 of 3 rounds",
			"holds 25 changes a second (25 to 35 seen, 2 rounds, not known in 1 of 3 rounds); at 30 ", "API server (1 of 3), style (2 of 3)",
		},
		"of none anything is known": {[][]stepping{atLowest()}, "", "", "", "not known in 1 of 1 round", "holds a rate that is not known; at 1 the API server gave out, not the style: ", "API server"},
		"six": {
			[][]stepping{breaksAt(40), breaksAt(40), breaksAt(30), breaksAt(40), breaksAt(80), breaksAt(0)},
			"35/s", "25", "≥ 80", "",
			"holds 35 changes a second ([25, ≥ 80], 6 rounds); at 40 ", "style (5 of 6), nothing (1 of 6)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := ofRounds(each("slow", test.rounds...))
			require.Len(t, all, 1)
			v := heldValue(all, "ramp", "slow")
			assert.Equal(t, []string{test.text, test.low, test.high, test.note}, []string{v.Text, v.Low, v.High, v.Note})
			assert.Equal(t, strings.ContainsAny(test.text, "<≥"), v.Bound, "the number alone is no figure")
			assert.Contains(t, all[0].Text(), test.sentence)
			assert.Equal(t, test.out, all[0].GaveOut())
			for _, c := range all[0].Climbs {
				assert.Empty(t, c.Differs)
			}
		})
	}
}

// A rate at which a round was cut short by something else is at least so much, wherever those of other rounds are: the
// median is known only where it is the same however much more that is.
func TestARoundThatOthersEndedBoundsTheMedian(t *testing.T) {
	stolen := cost.Strain{Load: "ramp", Rate: 30, Round: 1, Stolen: 0.5}
	stolen2 := cost.Strain{Load: "ramp", Rate: 35, Round: 1, Stolen: 0.5}
	stolen3 := cost.Strain{Load: "ramp", Rate: 40, Round: 1, Stolen: 0.5}
	lower := cost.Strain{Load: "ramp", Rate: 25, Round: 1, Stolen: 0.5}
	all := ofRounds(each("slow", breaksAt(25), breaksAt(40), breaksAt(80)), lower, stolen, stolen2, stolen3)
	assert.Equal(t, "≥ 35/s", heldValue(all, "ramp", "slow").Text, "it is 35 or 70 by what the first round would have held")
	assert.Equal(t, "≥ 20 to ≥ 70 seen", heldValue(all, "ramp", "slow").Note)
}

// Rates are ranked where the data can tell them apart: what broke, and at which rate, in each of the rounds.
func TestRatesAreRankedWhereTheyCanBeToldApart(t *testing.T) {
	ranks := func(slow, other []int) (of [2]string) {
		var rounds []map[string][]stepping
		for i := range max(len(slow), len(other)) {
			round := map[string][]stepping{}
			if i < len(slow) {
				round["slow"] = breaksAt(slow[i])
			}
			if i < len(other) {
				round["quick"] = breaksAt(other[i])
			}
			rounds = append(rounds, round)
		}
		for _, r := range ofRounds(rounds) {
			of[map[string]int{"slow": 0, "quick": 1}[r.Style]] = r.Rank.String()
		}
		return of
	}
	assert.Equal(t, [2]string{"2", "1"}, ranks([]int{30, 30, 25}, []int{80, 80, 70}))
	assert.Equal(t, [2]string{"2", "1"}, ranks([]int{30, 30, 25}, []int{0, 0, 0}), "at least 80 is more")
	assert.Equal(t, [2]string{"1–2", "1–2"}, ranks([]int{30, 30, 30}, []int{35, 35, 35}), "25 and 30: no rate between was tried")
	assert.Equal(t, [2]string{"1–2", "1–2"}, ranks([]int{30, 30, 0}, []int{80, 80, 80}), "it may hold more")
	assert.Equal(t, [2]string{"1–2", "1–2"}, ranks([]int{20, 40, 80}, []int{30, 80, 0}), "rounds differ more than styles")
	assert.Equal(t, [2]string{"–", "–"}, ranks([]int{30, 30}, []int{80, 80}), "of two rounds a spread is hardly known")
}

// Which steps there are is decided while they are driven: that the recording asks for the same is checked.
func TestARampIsWhatItsRecordingAsksFor(t *testing.T) {
	behind := quick(40)
	behind.grows = 10 * time.Millisecond
	differs := func(steps ...stepping) string {
		return ramps(1, map[string][]stepping{"slow": steps})[0].Climbs[0].Differs
	}
	assert.Empty(t, differs(quick(20), behind, quick(30), quick(35)))
	assert.Equal(t, "step 3 was driven at 80 changes a second, and by the steps before it 30 was next", differs(quick(20), behind, quick(80)))
	assert.Equal(t, "it ends before 30 changes a second were tried", differs(quick(20), behind))
}

// Of a ramp a published run has the steps, and how many samples were right.
func TestAPublishedRampIsItsSteps(t *testing.T) {
	header := record.Header{Schema: record.Schema, Run: "abc123", Scenarios: []record.Scenario{{Name: "ramp", Group: spec.GroupLoad, Ramp: &upTo80}}}
	recorded := Recording{Environment: &record.Environment{Run: "abc123"}, Judgement: &judge.Judgement{Header: header}}
	for _, style := range []string{spec.Floor, "slow"} {
		recorded.Judgement.Header.Styles = append(recorded.Judgement.Header.Styles, record.Style{Style: spec.Style{Name: style}})
		for i, s := range []stepping{{rate: 20, takes: 20 * time.Millisecond}, {rate: 40, takes: 30 * time.Millisecond, grows: time.Second, lost: 2}} {
			samples := s.samples(style, 1, time.Duration(i)*time.Minute)
			for at := 0; at < len(samples); at += 2 {
				outcome := spec.Pass
				if samples[at+1].Outcome == judge.Timeout {
					outcome = spec.Fail
				}
				recorded.Judgement.Results = append(recorded.Judgement.Results, judge.Result{
					Style: style, Scenario: "ramp", Group: spec.GroupLoad, Round: 1, Rate: s.rate, Began: samples[at].From, Ended: samples[at+1].At, End: record.Settled,
					Samples: samples[at : at+2], Verdicts: []judge.Verdict{{Oracle: "stays-converged", Outcome: outcome}},
				})
			}
		}
	}
	for i := range 4 { // and of a growth, those that only make its custom resources
		one := judge.Result{Style: "slow", Scenario: "growth", Group: spec.GroupLoad, Round: 1, Stage: record.StageMore, End: record.Settled, Verdicts: []judge.Verdict{{Oracle: "stays-converged", Outcome: spec.Pass}}}
		if i > 0 {
			one.Stage = record.StageFill
		}
		one.Samples = []judge.Sample{{Operator: "slow", Scenario: "growth", Run: "abc123", Block: 1, Stage: one.Stage, Phase: spec.PhaseChildWritten, Value: 1, Unit: "s", Outcome: judge.OK}}
		recorded.Judgement.Results = append(recorded.Judgement.Results, one)
	}
	folder := t.TempDir()
	require.NoError(t, recorded.Save(folder))
	published, err := Load(folder)
	require.NoError(t, err)
	want, got := Of(recorded), Of(published)
	require.Len(t, want.Ramps(), 2)
	assert.Equal(t, want.Ramps(), got.Ramps())
	assert.Equal(t, want.Count(), got.Count())
	assert.Len(t, got.Samples, 1, "of the growth")
	assert.Equal(t, want.Growths(), got.Growths())
	assert.InDelta(t, want.Cells[1].Seconds(), got.Cells[1].Seconds(), 1e-6)
	require.NoError(t, published.Save(folder), "and published again it is the same")
	again, err := Load(folder)
	require.NoError(t, err)
	assert.Equal(t, want.Ramps(), Of(again).Ramps())
	assert.Equal(t, want.Count(), Of(again).Count())
}
