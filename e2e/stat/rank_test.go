package stat_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/stat"
)

// withU returns two groups of n, without ties, of which u pairs have the
// head below the base.
func withU(n, u int) (base, head []stat.Observation) {
	for i := range n {
		base = append(base, stat.Observation{Value: float64(10 * (i + 1))})
		below := min(u, n) // this one lies below as many of base
		u -= below
		head = append(head, stat.Observation{Value: float64(10*(n-below)) + float64(i+1)/100})
	}
	return base, head
}

// The critical values of U for two groups of n at 5%, two-sided: the largest
// that rejects. D. Auble, "Extended tables for the Mann-Whitney statistic",
// 1953, as printed in Siegel, "Nonparametric Statistics", 1956, table K.
func TestMannWhitneyAgainstThePublishedTable(t *testing.T) {
	for n, critical := range map[int]int{
		4: 0, 5: 2, 6: 5, 7: 8, 8: 13, 9: 17, 10: 23, 11: 30, 12: 37, 13: 45, 14: 55, 15: 64, 16: 75, 17: 87, 18: 99, 19: 113, 20: 127,
	} {
		p, err := stat.MannWhitney(withU(n, critical))
		require.NoError(t, err)
		assert.LessOrEqual(t, p, 0.05, "n = %d, U = %d", n, critical)
		p, err = stat.MannWhitney(withU(n, critical+1))
		require.NoError(t, err)
		assert.Greater(t, p, 0.05, "n = %d, U = %d", n, critical+1)
	}
}

// With ties and timeouts, and groups of different sizes, it is exact for small
// groups: every way to deal the observations into two groups is tried.
func TestMannWhitneyAgainstAllPermutations(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		n, m := 1+random.IntN(5), 1+random.IntN(5)
		all := make([]stat.Observation, n+m)
		for i := range all {
			all[i] = stat.Observation{Value: float64(1 + random.IntN(4)), Censored: random.IntN(4) == 0}
		}
		got, err := stat.MannWhitney(all[:n], all[n:])
		require.NoError(t, err)
		assert.InDelta(t, permuted(all, n), got, 1e-9, "%d and %d, trial %d: %v | %v", n, m, trial, all[:n], all[n:])
	}
}

// permuted is twice the smaller tail of U over all ways to choose n of all.
func permuted(all []stat.Observation, n int) float64 {
	u := func(chosen uint) (sum float64) {
		for i, a := range all {
			for j, b := range all {
				if chosen>>i&1 == 1 && chosen>>j&1 == 0 {
					sum += wins(a, b)
				}
			}
		}
		return sum
	}
	observed := u(1<<n - 1)
	below, above, total := 0.0, 0.0, 0.0
	for chosen := range uint(1) << len(all) {
		if bits.OnesCount(chosen) == n {
			total++
			if u(chosen) <= observed {
				below++
			}
			if u(chosen) >= observed {
				above++
			}
		}
	}
	return min(1, 2*min(below, above)/total)
}

func wins(a, b stat.Observation) float64 {
	switch {
	case a.Censored && b.Censored, !a.Censored && !b.Censored && a.Value == b.Value:
		return 0.5
	case a.Censored, !b.Censored && a.Value > b.Value:
		return 1
	}
	return 0
}

func TestMannWhitneyEdges(t *testing.T) {
	_, err := stat.MannWhitney(nil, observed(1))
	assert.EqualError(t, err, "test of Mann and Whitney: 0 against 1 observations; each group needs at least one")
	for name, groups := range map[string][2][]stat.Observation{
		"one value":    {observed(2, 2, 2), observed(2, 2)},
		"all timeouts": {{censored(5), censored(6)}, {censored(5)}},
	} {
		p, err := stat.MannWhitney(groups[0], groups[1])
		require.NoError(t, err, name)
		assert.InDelta(t, 1, p, 0, name)
	}
	var base, head []stat.Observation // beyond the exact limits
	for i := range 60 {
		base, head = append(base, observed(float64(i))...), append(head, observed(float64(i+40))...)
	}
	p, err := stat.MannWhitney(base, head)
	require.NoError(t, err)
	assert.Less(t, p, 1e-6)
	given := observed(3, 1, 2)
	_, err = stat.MannWhitney(given, given)
	require.NoError(t, err)
	assert.Equal(t, observed(3, 1, 2), given, "what is given stays in its order")
}

// The critical values of the smaller rank sum at 5%, two-sided: F. Wilcoxon and
// R. Wilcox, "Some Rapid Approximate Statistical Procedures", 1964, as printed
// in Siegel, 1956, table G, and in later textbooks.
func TestSignedRankAgainstThePublishedTable(t *testing.T) {
	for n, critical := range map[int]int{
		6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 11: 10, 12: 13, 13: 17, 14: 21, 15: 25, 16: 29, 17: 34, 18: 40, 19: 46, 20: 52,
	} {
		p, err := stat.SignedRank(withRankSum(n, critical))
		require.NoError(t, err)
		assert.LessOrEqual(t, p, 0.05, "n = %d, T = %d", n, critical)
		p, err = stat.SignedRank(withRankSum(n, critical+1))
		require.NoError(t, err)
		assert.Greater(t, p, 0.05, "n = %d, T = %d", n, critical+1)
	}
}

// withRankSum returns n pairs without ties, those where head is lower having
// ranks that add up to sum.
func withRankSum(n, sum int) (base, head []stat.Observation) {
	for rank := n; rank >= 1; rank-- {
		ratio := math.Exp(float64(rank))
		if rank <= sum {
			sum -= rank
			ratio = 1 / ratio
		}
		base, head = append(base, observed(1)...), append(head, observed(ratio)...)
	}
	return base, head
}

// Every choice of signs is tried, with ties among the ratios.
func TestSignedRankAgainstAllSigns(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for trial := range 300 {
		n := 1 + random.IntN(9)
		var base, head []stat.Observation
		var sizes []float64
		up := uint(0)
		for i := range n {
			size := float64(1 + random.IntN(4))
			sizes = append(sizes, size)
			b, h := 1.0, math.Exp2(size)
			if random.IntN(2) == 0 {
				b, h = h, b
			} else {
				up |= 1 << i
			}
			base, head = append(base, observed(b)...), append(head, observed(h)...)
		}
		sum := func(chosen uint) (twice int) {
			for i := range n {
				for j := range n {
					switch {
					case chosen>>i&1 == 0:
					case sizes[j] < sizes[i]:
						twice += 2
					case sizes[j] == sizes[i]:
						twice++
					}
				}
				if chosen>>i&1 == 1 {
					twice++
				}
			}
			return twice
		}
		least, extreme := min(sum(up), sum(1<<n-1)-sum(up)), 0
		for chosen := range uint(1) << n {
			if sum(chosen) <= least {
				extreme++
			}
		}
		got, err := stat.SignedRank(base, head)
		require.NoError(t, err)
		assert.InDelta(t, min(1, 2*float64(extreme)/math.Exp2(float64(n))), got, 1e-9, "trial %d", trial)
	}
}

func TestSignedRankEdges(t *testing.T) {
	_, err := stat.SignedRank(observed(1), nil)
	require.Error(t, err)
	p, err := stat.SignedRank(observed(1, 2), observed(1, 2))
	require.NoError(t, err)
	assert.InDelta(t, 1, p, 0, "nothing differs")
	late := func(n int) (list []stat.Observation) {
		for range n {
			list = append(list, censored(9))
		}
		return list
	}
	p, err = stat.SignedRank(observed(1, 2, 3, 4, 5, 6), late(6))
	require.NoError(t, err)
	assert.InDelta(t, 2.0/64, p, 1e-12, "all of head timed out")
	p, err = stat.SignedRank(late(6), late(6))
	require.NoError(t, err)
	assert.InDelta(t, 1, p, 0, "nothing is known")
}

// The worked example that R's and Wikipedia's pages on Holm's method share.
func TestHolm(t *testing.T) {
	assert.InDeltaSlice(t, []float64{0.03, 0.06, 0.06, 0.02}, stat.Holm([]float64{0.01, 0.04, 0.03, 0.005}), 1e-12)
	assert.Empty(t, stat.Holm(nil))
	assert.InDeltaSlice(t, []float64{0.2}, stat.Holm([]float64{0.2}), 0, "one alone needs no correction")
	assert.InDeltaSlice(t, []float64{1, 1}, stat.Holm([]float64{0.7, 0.9}), 0)
}

func TestHolmProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		p := make([]float64, 1+random.IntN(12))
		for i := range p {
			p[i] = random.Float64()
		}
		corrected := stat.Holm(p)
		for i := range p {
			assert.GreaterOrEqual(t, corrected[i], p[i])
			assert.LessOrEqual(t, corrected[i], min(1, p[i]*float64(len(p))), "never worse than Bonferroni's")
			for j := range p {
				assert.False(t, p[i] < p[j] && corrected[i] > corrected[j], "the order stays")
			}
		}
	}
}

// Of true nulls, however many, some corrected value falls below α at most with
// probability α, also where they depend on each other.
func TestHolmKeepsTheFamilysError(t *testing.T) {
	const trials, alpha = 4000, 0.05
	random := rand.New(rand.NewPCG(7, 8))
	alarms := 0
	for range trials {
		p := make([]float64, 8)
		for i := range p {
			p[i] = random.Float64()
			if i%2 == 1 {
				p[i] = p[i-1]
			}
		}
		for _, c := range stat.Holm(p) {
			if c < alpha {
				alarms++
				break
			}
		}
	}
	assert.Less(t, float64(alarms)/trials, alpha+0.01)
	assert.Positive(t, alarms)
}
