package stat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/stat"
)

// rounds makes one replicate of each list.
func rounds(lists ...[]stat.Observation) stat.Replicates { return lists }

// noise is how latencies scatter, on the log scale: by round (both sides
// alike), by block, and within one, where some are much slower.
type noise struct{ round, block, within, slow float64 }

// draw returns paired replicates of n rounds with k passes each; head's true
// ratio is effect.
func (z noise) draw(random *rand.Rand, n, k int, effect float64) (base, head stat.Replicates) {
	for range n {
		round := random.NormFloat64() * z.round
		block := func(shift float64) []stat.Observation {
			shift += round + random.NormFloat64()*z.block
			var list []stat.Observation
			for range k {
				x := shift + random.NormFloat64()*z.within
				if random.Float64() < z.slow {
					x += math.Abs(random.NormFloat64())
				}
				list = append(list, stat.Observation{Value: math.Exp(x)})
			}
			return list
		}
		base, head = append(base, block(0)), append(head, block(math.Log(effect)))
	}
	return base, head
}

func TestRatioOfQuantiles(t *testing.T) {
	inf := math.Inf(1)
	for name, test := range map[string]struct {
		p          float64
		base, head stat.Replicates
		paired     bool
		value      stat.Bounds
		rounds     int
	}{
		"medians":                {0.5, rounds(observed(1), observed(2), observed(3)), rounds(observed(2), observed(4), observed(6)), true, stat.Bounds{Low: 2, High: 2}, 3},
		"passes are pooled":      {0.5, rounds(observed(1, 2, 3)), rounds(observed(1, 1, 9)), true, stat.Bounds{Low: 0.5, High: 0.5}, 1},
		"p90":                    {0.9, rounds(observed(1, 2), observed(3, 4)), rounds(observed(1, 2), observed(3, 8)), true, stat.Bounds{Low: 2, High: 2}, 2},
		"half a pair is dropped": {0.5, rounds(observed(1), nil, observed(3)), rounds(observed(2), observed(9), nil), true, stat.Bounds{Low: 2, High: 2}, 1},
		"unpaired keeps it":      {0.5, rounds(observed(1), nil, observed(3)), rounds(observed(2), observed(9), nil), false, stat.Bounds{Low: 2, High: 2}, 2},
		"head timed out":         {0.5, rounds(observed(2)), rounds([]stat.Observation{censored(10)}), true, stat.Bounds{Low: 5, High: inf}, 1},
		"base timed out":         {0.5, rounds([]stat.Observation{censored(10)}), rounds(observed(2)), true, stat.Bounds{Low: 0, High: 0.2}, 1},
		"both timed out":         {0.5, rounds([]stat.Observation{censored(10)}), rounds([]stat.Observation{censored(10)}), true, stat.Bounds{Low: 0, High: inf}, 1},
		"a timeout elsewhere":    {0.5, rounds(observed(1, 2, 3)), rounds([]stat.Observation{{Value: 2}, {Value: 4}, censored(10)}), true, stat.Bounds{Low: 2, High: 2}, 1},
		"an early timeout":       {0.5, rounds(observed(2)), rounds([]stat.Observation{{Value: 8}, censored(5), censored(5)}), true, stat.Bounds{Low: 4, High: inf}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r, ok := stat.NewBootstrap(1).CompareQuantiles(test.p, test.base, test.head, test.paired)
			require.True(t, ok)
			assert.Equal(t, test.value, r.Value)
			assert.Equal(t, test.rounds, r.Rounds)
			assert.Equal(t, test.value.Low == test.value.High, r.Value.Exact())
			assert.Nil(t, r.Interval, "too few rounds")
		})
	}
}

func TestRatioOfNothing(t *testing.T) {
	for name, test := range map[string]struct {
		base, head stat.Replicates
		paired     bool
	}{
		"empty":            {nil, nil, true},
		"no base":          {nil, rounds(observed(1)), false},
		"no pair":          {rounds(observed(1), nil), rounds(nil, observed(1)), true},
		"zero latency":     {rounds(observed(0)), rounds(observed(1)), true},
		"negative latency": {rounds(observed(1)), rounds(observed(-1)), true},
	} {
		t.Run(name, func(t *testing.T) {
			_, ok := stat.NewBootstrap(1).CompareQuantiles(0.5, test.base, test.head, test.paired)
			assert.False(t, ok)
		})
	}
}

// The quantiles of the resamples, which are found by adding up weights, are
// those of Ordered, which sorts: the whole interval is worked out both ways.
func TestRatioAgainstTheSlowWay(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for trial := range 40 {
		n, k, p := 6+random.IntN(6), 1+random.IntN(4), []float64{0.5, 0.9}[trial%2]
		base, head := noise{0.1, 0.1, 0.3, 0.1}.draw(random, n, k, 1.3)
		if trial%3 == 0 {
			for _, round := range slices.Concat(base, head) {
				round[random.IntN(k)].Censored = random.IntN(3) == 0
			}
		}
		b := stat.NewBootstrap(uint64(trial))
		b.Draws = 200
		got, ok := b.CompareQuantiles(p, base, head, true)
		require.True(t, ok)

		var low, high []float64
		resample := rand.New(rand.NewPCG(uint64(trial), uint64(n)<<1))
		for range b.Draws {
			var x, y []stat.Observation
			for range n {
				i := resample.IntN(n)
				x, y = append(x, base[i]...), append(y, head[i]...)
			}
			q, r := stat.Order(x).Quantile(p), stat.Order(y).Quantile(p)
			from, to := r.Value/q.Value, r.Value/q.Value
			if q.Censored {
				from = 0
			}
			if r.Censored {
				to = math.Inf(1)
			}
			low, high = append(low, from), append(high, to)
		}
		slices.Sort(low)
		slices.Sort(high)
		assert.Equal(t, stat.Bounds{Low: low[5], High: high[194]}, *got.Interval, "trial %d", trial)
	}
}

// The interval covers the true ratio about as often as it says, from the
// fewest rounds on, whether the noise is that of rounds, blocks or samples.
func TestRatioIntervalCovers(t *testing.T) {
	const trials = 500
	for i, z := range []noise{{0.1, 0, 0.2, 0}, {0.3, 0.05, 0.15, 0.05}, {0.05, 0.1, 0.1, 0.1}} {
		for _, n := range []int{6, 8, 12, 20} {
			for _, k := range []int{1, 5} {
				random, b := rand.New(rand.NewPCG(uint64(i), uint64(n*k))), stat.NewBootstrap(7)
				b.Draws = 500
				covered := 0
				for range trials {
					base, head := z.draw(random, n, k, 1.2)
					r, ok := b.CompareQuantiles(0.5, base, head, true)
					require.True(t, ok)
					if r.Interval.Low <= 1.2 && 1.2 <= r.Interval.High {
						covered++
					}
				}
				share := float64(covered) / trials
				t.Logf("noise %v, %2d rounds of %d: %.1f%%", z, n, k, 100*share)
				assert.GreaterOrEqual(t, share, 0.88, "noise %v, %d rounds of %d", z, n, k)
			}
		}
	}
}

// Properties that hold whatever is compared.
func TestRatioProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for trial := range 50 {
		base, head := noise{0.1, 0.1, 0.2, 0.1}.draw(random, 8, 2, 1)
		b := stat.NewBootstrap(uint64(trial))
		r, _ := b.CompareQuantiles(0.5, base, head, true)
		assert.LessOrEqual(t, r.Interval.Low, r.Value.Low)
		assert.GreaterOrEqual(t, r.Interval.High, r.Value.High)

		again, _ := stat.NewBootstrap(uint64(trial)).CompareQuantiles(0.5, base, head, true)
		assert.Equal(t, r, again, "the seed says it all")

		same, _ := b.CompareQuantiles(0.5, base, base, true)
		assert.Equal(t, stat.Bounds{Low: 1, High: 1}, *same.Interval, "what is paired with itself has no noise")

		for _, round := range head { // the unit does not matter
			for i := range round {
				round[i].Value *= 1000
			}
		}
		scaled, _ := b.CompareQuantiles(0.5, base, head, true)
		assert.InEpsilon(t, r.Interval.Low*1000, scaled.Interval.Low, 1e-9)
		assert.InEpsilon(t, r.Interval.High*1000, scaled.Interval.High, 1e-9)
	}
}

// What a round has in common cancels where rounds are paired, and only there.
func TestPairingCancelsDrift(t *testing.T) {
	random, b := rand.New(rand.NewPCG(11, 12)), stat.NewBootstrap(1)
	base, head := noise{0.5, 0, 0.02, 0}.draw(random, 12, 1, 1.1)
	paired, _ := b.CompareQuantiles(0.5, base, head, true)
	unpaired, _ := b.CompareQuantiles(0.5, base, head, false)
	assert.InDelta(t, 1.1, paired.Interval.Low, 0.1)
	assert.InDelta(t, 1.1, paired.Interval.High, 0.1)
	assert.Less(t, unpaired.Interval.Low, 0.9)
	assert.Greater(t, unpaired.Interval.High, 1.3)
}

func BenchmarkCompareQuantiles(b *testing.B) {
	for _, n := range []int{6, 12, 20} {
		b.Run(fmt.Sprintf("rounds=%d", n), func(b *testing.B) {
			base, head := noise{0.1, 0.05, 0.2, 0.05}.draw(rand.New(rand.NewPCG(1, 1)), n, 5, 1)
			bootstrap := stat.NewBootstrap(1)
			b.ReportAllocs()
			for b.Loop() {
				bootstrap.CompareQuantiles(0.5, base, head, true)
			}
		})
	}
}
