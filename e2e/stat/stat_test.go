package stat_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/stat"
)

func observed(values ...float64) []stat.Observation {
	return plain.Map(values, func(v float64) stat.Observation { return stat.Observation{Value: v} })
}

func censored(v float64) stat.Observation { return stat.Observation{Value: v, Censored: true} }

func TestQuantile(t *testing.T) {
	for name, test := range map[string]struct {
		observations  []stat.Observation
		p50, p90, max stat.Observation
	}{
		"one":            {observed(3), observed(3)[0], observed(3)[0], observed(3)[0]},
		"odd":            {observed(5, 1, 3), observed(3)[0], observed(5)[0], observed(5)[0]},
		"even":           {observed(4, 1, 3, 2), observed(2)[0], observed(4)[0], observed(4)[0]},
		"ten":            {observed(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), observed(5)[0], observed(9)[0], observed(10)[0]},
		"two censored":   {append(observed(1, 2, 3), censored(180), censored(180)), observed(3)[0], censored(180), censored(180)},
		"mostly":         {append(observed(1), censored(180), censored(181)), censored(180), censored(181), censored(181)},
		"all":            {[]stat.Observation{censored(9), censored(5)}, censored(5), censored(9), censored(9)},
		"early timeout":  {append(observed(7, 8), censored(5)), observed(8)[0], censored(8), censored(8)},
		"negative is ok": {observed(-0.001, 0.002), observed(-0.001)[0], observed(0.002)[0], observed(0.002)[0]},
	} {
		t.Run(name, func(t *testing.T) {
			o := stat.Order(test.observations)
			assert.Equal(t, test.p50, o.Quantile(0.5))
			assert.Equal(t, test.p90, o.Quantile(0.9))
			assert.Equal(t, test.max, o.Max())
		})
	}
}

// The rank of a quantile is exactly ⌈np⌉, whatever floating point makes of n·p.
func TestQuantileRankIsExact(t *testing.T) {
	values := []float64{}
	for n := 1; n <= 2000; n++ {
		values = append(values, float64(n))
		o := stat.Order(observed(values...))
		require.InDelta(t, (n+1)/2, o.Quantile(0.5).Value, 0, "p50 of %d", n)
		require.InDelta(t, (9*n+9)/10, o.Quantile(0.9).Value, 0, "p90 of %d", n)
	}
}

// Properties that hold for any observations.
func TestQuantileProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		list := make([]stat.Observation, 1+random.IntN(40))
		for i := range list {
			list[i] = stat.Observation{Value: random.ExpFloat64(), Censored: random.IntN(5) == 0}
		}
		o := stat.Order(list)
		p50, p90, top := o.Quantile(0.5), o.Quantile(0.9), o.Max()
		assert.LessOrEqual(t, p50.Value, p90.Value)
		assert.LessOrEqual(t, p90.Value, top.Value)
		assert.False(t, p50.Censored && !p90.Censored, "what lies above a censored rank is censored")

		// Waiting longer before giving up can only raise what is known.
		for i := range list {
			if list[i].Censored {
				list[i].Value++
			}
		}
		assert.GreaterOrEqual(t, stat.Order(list).Quantile(0.9).Value, p90.Value)

		// The order of arrival does not matter, nor does the unit.
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		before := stat.Order(list).Quantile(0.5)
		for i := range list {
			list[i].Value *= 1000
		}
		assert.InEpsilon(t, before.Value*1000, stat.Order(list).Quantile(0.5).Value, 1e-12)
	}
}

// The ranks for the median are those of the two-sided sign test at 5%: the
// lower rank is its tabulated critical value plus one (Triola, "Elementary
// Statistics", table A-7; n from 6 to 25). Below six there is none.
func TestRanksOfTheMedianAgainstThePublishedTable(t *testing.T) {
	critical := []int{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 7}
	for i, c := range critical {
		n := i + 6
		low, high, coverage, ok := stat.Ranks(n, 0.5, 0.95)
		require.True(t, ok, "n = %d", n)
		assert.Equal(t, c+1, low, "n = %d", n)
		assert.Equal(t, n-c, high, "n = %d", n)
		assert.GreaterOrEqual(t, coverage, 0.95, "n = %d", n)
	}
	for n := range 6 {
		_, _, _, ok := stat.Ranks(n, 0.5, 0.95)
		assert.False(t, ok, "n = %d", n)
	}
}

// Either end leaves at most 2.5% beyond it, and neither could be closer.
func TestRanksAreTheTightest(t *testing.T) {
	for _, p := range []float64{0.5, 0.9} {
		for n := 1; n <= 300; n++ {
			low, high, _, ok := stat.Ranks(n, p, 0.95)
			b := distuv.Binomial{N: float64(n), P: p}
			if !ok {
				assert.True(t, b.CDF(0) > 0.025 || b.Prob(float64(n)) > 0.025, "n = %d: there would be an interval", n)
				continue
			}
			assert.LessOrEqual(t, b.CDF(float64(low-1)), 0.025)
			assert.Greater(t, b.CDF(float64(low)), 0.025)
			assert.LessOrEqual(t, 1-b.CDF(float64(high-1)), 0.025+1e-12)
			assert.Greater(t, 1-b.CDF(float64(high-2)), 0.025)
		}
	}
}

func TestSummarize(t *testing.T) {
	sample := func(phase string, value float64, outcome string) judge.Sample {
		return judge.Sample{Operator: "argo", Scenario: "create", Phase: phase, Value: value, Unit: "s", Outcome: outcome}
	}
	warm := sample("ready", 99, judge.OK)
	warm.Warmup = true
	summaries := stat.Summarize(slices.Values([]judge.Sample{
		warm,
		sample("ready", 3, judge.OK), sample("child written", 1, judge.Wrong), sample("ready", 1, judge.OK),
		sample("ready", 180, judge.Timeout), sample("ready", 2, judge.Wrong), sample("ready", 2, judge.Interrupted), sample("ready", 2, judge.OK),
	}))
	require.Len(t, summaries, 2)
	all := []stat.Observation{{Value: 3}, {Value: 1}, {Value: 180, Censored: true}, {Value: 2}}
	assert.Equal(t, stat.Summary{
		Key: stat.Key{Operator: "argo", Scenario: "create", Phase: "ready"}, N: 4, Rounds: 1, Censored: 1, Wrong: 1, Interrupted: 1,
		P50: observed(2)[0], P90: censored(180), P99: censored(180), Max: censored(180), Ordered: stat.Order(all), Replicates: stat.Replicates{all}, Names: []stat.Round{{}},
	}, summaries[0])
	assert.True(t, summaries[0].Shows(0.5))
	assert.False(t, summaries[0].Shows(0.9), "of four it is the maximum")
	assert.Equal(t, stat.Summary{Key: stat.Key{Operator: "argo", Scenario: "create", Phase: "child written"}, Wrong: 1}, summaries[1])
}

// roundsOf are so many rounds of so many passes, whose rounds differ more than
// what is within them.
func roundsOf(rounds, passes int) []judge.Sample {
	var samples []judge.Sample
	for n := range rounds * passes {
		samples = append(samples, judge.Sample{Run: "r", Block: 1 + n/passes, Value: float64(10*(n/passes) + n%passes + 1), Outcome: judge.OK})
	}
	return samples
}

// One latency a round: the interval is that of order statistics, which is exact.
func TestSummarizeGivesIntervalsWhereItCan(t *testing.T) {
	var samples []judge.Sample
	for n := 1; n <= 40; n++ {
		samples = append(samples, judge.Sample{Block: n, Value: float64(n), Outcome: judge.OK})
	}
	s := stat.Summarize(slices.Values(samples))[0]
	require.NotNil(t, s.CI50)
	assert.InDelta(t, 14, s.CI50.Low.Value, 0)
	assert.InDelta(t, 27, s.CI50.High.Value, 0)
	assert.InDelta(t, 0.9615, s.CI50.Level, 1e-4, "the binomial probability of 14 to 26 of 40")
	require.NotNil(t, s.CI90)
	assert.InDelta(t, 32, s.CI90.Low.Value, 0)
	assert.InDelta(t, 40, s.CI90.High.Value, 0)
	assert.Nil(t, s.CI99, "the 99th percentile of 40 has no upper bound")
	assert.True(t, s.Shows(0.9))
	assert.False(t, s.Shows(0.99))
}

// Passes of one round are no replicates: six latencies of three rounds have no
// interval, and what differs between rounds widens the interval of many.
func TestIntervalsResampleRounds(t *testing.T) {
	few := stat.Summarize(slices.Values(roundsOf(3, 2)))[0]
	assert.Equal(t, []int{6, 3}, []int{few.N, few.Rounds})
	assert.Nil(t, few.CI50, "3 rounds of 2 passes are 3 replicates")
	assert.Nil(t, stat.Summarize(slices.Values(roundsOf(5, 20)))[0].CI50, "5 rounds are too few, however many passes")
	s := stat.Summarize(slices.Values(roundsOf(6, 10)))[0]
	require.NotNil(t, s.CI50)
	exact, ok := s.Ordered.Interval(0.5, stat.Level)
	require.True(t, ok)
	assert.Greater(t, s.CI50.High.Value-s.CI50.Low.Value, exact.High.Value-exact.Low.Value, "as if passes were independent")
	require.NotNil(t, s.CI90)
	again := stat.Summarize(slices.Values(roundsOf(6, 10)))[0]
	assert.Equal(t, s.CI50, again.CI50, "the same recording gives the same interval")
}

// A resampled interval holds the median of what rounds are drawn from as often as
// it says.
func TestIntervalsOverRoundsCover(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	covered := 0
	const trials = 400
	for range trials {
		var samples []judge.Sample
		for round := range 8 {
			drift := 0.3 * random.NormFloat64()
			for range 4 {
				samples = append(samples, judge.Sample{Block: round + 1, Value: math.Exp(drift + 0.1*random.NormFloat64()), Outcome: judge.OK})
			}
		}
		s := stat.Summarize(slices.Values(samples))[0]
		if s.CI50.Low.Value <= 1 && 1 <= s.CI50.High.Value {
			covered++
		}
	}
	assert.InDelta(t, stat.Level, float64(covered)/trials, 0.025)
}

func TestAMedianIsKnownToAPrecision(t *testing.T) {
	summary := func(samples []judge.Sample) *stat.Summary { return &stat.Summarize(slices.Values(samples))[0] }
	late := func(samples []judge.Sample, n int) []judge.Sample {
		for i := range samples[:n] {
			samples[i].Outcome = judge.Timeout
		}
		return samples
	}
	for name, test := range map[string]struct {
		of        *stat.Summary
		precision float64
		known     bool
		how       string
	}{
		"wide":              {summary(roundsOf(8, 2)), 0.1, false, "±92%"},
		"wide enough":       {summary(roundsOf(8, 2)), 0.95, true, "±92%"},
		"few rounds":        {summary(roundsOf(3, 9)), 1, false, "3 rounds of 6"},
		"some timed out":    {summary(late(roundsOf(8, 2), 6)), 1, false, "timed out in places"},
		"all timed out":     {summary(late(roundsOf(8, 2), 16)), 0.01, true, ""},
		"nothing was right": {&stat.Summary{Wrong: 6}, 0.01, true, ""},
	} {
		known, how := test.of.Known(test.precision)
		assert.Equal(t, test.known, known, name)
		assert.Equal(t, test.how, how, name)
	}
}

func TestTimeoutsBoundResampledIntervals(t *testing.T) {
	samples := roundsOf(8, 2)
	for i := range samples[:6] {
		samples[15-i].Outcome = judge.Timeout
	}
	s := stat.Summarize(slices.Values(samples))[0]
	require.NotNil(t, s.CI50)
	assert.True(t, s.CI50.High.Censored, "some draws have a median that timed out")
}

func TestNeeded(t *testing.T) {
	assert.Equal(t, 6, stat.Needed(0.5), "below six the sign test has no critical value at 5%")
	assert.Equal(t, 36, stat.Needed(0.9), "0.9ⁿ ≤ 2.5%")
	assert.Equal(t, 368, stat.Needed(0.99), "0.99ⁿ ≤ 2.5%")
	for _, p := range []float64{0.5, 0.9, 0.99} {
		_, _, _, ok := stat.Ranks(stat.Needed(p), p, stat.Level)
		assert.True(t, ok, "p = %v", p)
		_, _, _, ok = stat.Ranks(stat.Needed(p)-1, p, stat.Level)
		assert.False(t, ok, "p = %v: fewer would do", p)
	}
}

// replicates are rounds of one latency each.
func replicates(values ...float64) stat.Replicates {
	var all stat.Replicates
	for _, v := range values {
		all = append(all, observed(v))
	}
	return all
}

// Welch's t of Student's sleep data (1908), by R: t.test(extra ~ group, data = sleep).
func TestApartAgainstAKnownExample(t *testing.T) {
	exp := func(values ...float64) stat.Replicates {
		for i := range values {
			values[i] = math.Exp(values[i])
		}
		return replicates(values...)
	}
	p, known := stat.Apart(exp(0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2), exp(1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4))
	assert.True(t, known)
	assert.InDelta(t, 0.07939, p, 1e-5)
}

func TestApart(t *testing.T) {
	for name, test := range map[string]struct {
		one, other stat.Replicates
		known      bool
		apart      bool
	}{
		"milliseconds and a minute":     {replicates(0.02, 0.03, 0.025), replicates(62, 61, 63), true, true},
		"the lower one listed last":     {replicates(62, 61, 63), replicates(0.02, 0.03, 0.025), true, false},
		"noise":                         {replicates(0.02, 0.03, 0.025), replicates(0.022, 0.034, 0.026), true, false},
		"two rounds":                    {replicates(0.02, 0.03), replicates(62, 61), false, false},
		"one value":                     {replicates(1, 1, 1), replicates(1, 1, 1), true, false},
		"two values":                    {replicates(1, 1, 1), replicates(2, 2, 2), true, true},
		"zero":                          {replicates(0, 1, 1), replicates(2, 2, 2), false, false},
		"timeouts alone":                {stat.Replicates{{censored(5)}, {censored(5)}, {censored(5)}}, stat.Replicates{{censored(5)}, {censored(5)}, {censored(5)}}, true, false},
		"passes are no rounds":          {stat.Replicates{observed(1, 1.01, 1.02, 1)}, stat.Replicates{observed(2, 2.01, 2.02, 2)}, false, false},
		"an empty round is left out":    {append(replicates(0.02, 0.03), nil), replicates(62, 61, 63), false, false},
		"timeouts before what is slow":  {stat.Replicates{{censored(60)}, {censored(60)}, {censored(60)}}, replicates(70, 71, 72), true, false},
		"against what always timed out": {replicates(0.02, 0.03, 0.025), stat.Replicates{{censored(300)}, {censored(300)}, {censored(300)}}, true, true},
	} {
		p, known := stat.Apart(test.one, test.other)
		assert.Equal(t, test.known, known, name)
		assert.Equal(t, test.apart, p < 0.05, "%s: p = %v", name, p)
	}
}

func TestOfTakesEachObservationForARound(t *testing.T) {
	s := stat.Of(stat.Observation{Value: 3}, stat.Observation{Value: 1}, stat.Observation{Value: 9, Censored: true})
	assert.Equal(t, []int{3, 3, 1}, []int{s.N, s.Rounds, s.Censored})
	assert.InDelta(t, 3.0, s.P50.Value, 0)
	assert.True(t, s.Max.Censored)
	assert.Zero(t, stat.Of().N)
}
