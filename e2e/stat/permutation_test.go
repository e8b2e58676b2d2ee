package stat_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/stat"
)

// turns are rounds of a head and two bases.
func turns(random *rand.Rand, rounds, passes int, ratio float64) []stat.Stratum {
	var strata []stat.Stratum
	for range rounds {
		shift := random.NormFloat64()
		block := func(by float64) stat.Block {
			var b stat.Block
			for range passes {
				b = append(b, stat.Observation{Value: by * math.Exp(shift+0.3*random.NormFloat64()), Censored: random.IntN(20) == 0})
			}
			return b
		}
		strata = append(strata, stat.Stratum{Head: []stat.Block{block(ratio)}, Base: []stat.Block{block(1), block(1)}})
	}
	return strata
}

// first is a score that is a block's first value.
func first(strata [][]stat.Block) [][]float64 {
	scores := make([][]float64, len(strata))
	for i, blocks := range strata {
		for _, b := range blocks {
			scores[i] = append(scores[i], b[0].Value)
		}
	}
	return scores
}

// Every deal of the labels is tried: of three turns in each round, and of the
// blocks of two runs. The values are whole, from 0 to 10, and so are on the grid.
func TestDealAgainstAllDeals(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var strata []stat.Stratum
		for range []int{1, 2, 4, 5}[random.IntN(4)] {
			values := []stat.Block{observed(0), observed(10), observed(float64(random.IntN(11)))}
			random.Shuffle(3, func(i, j int) { values[i], values[j] = values[j], values[i] })
			strata = append(strata, stat.Stratum{Head: values[:1], Base: values[1:]})
		}
		assert.InDelta(t, dealt(strata), stat.PermutationAbove(strata, 1, first), 1e-9)

		one := []stat.Block{observed(0), observed(10)}
		for range 6 {
			one = append(one, observed(float64(random.IntN(11))))
		}
		random.Shuffle(8, func(i, j int) { one[i], one[j] = one[j], one[i] })
		assert.InDelta(t, chosen(one, 4), stat.PermutationAbove([]stat.Stratum{{Head: one[:4], Base: one[4:]}}, 1, first), 1e-9)
	}
}

// dealt is the share of all deals in which head's values add up to at least what
// they do.
func dealt(strata []stat.Stratum) float64 {
	observed := 0.0
	for _, s := range strata {
		observed += s.Head[0][0].Value
	}
	n, more := 0, 0
	var deal func(round int, sum float64)
	deal = func(round int, sum float64) {
		if round == len(strata) {
			n++
			if sum >= observed {
				more++
			}
			return
		}
		for _, b := range append([]stat.Block{strata[round].Head[0]}, strata[round].Base...) {
			deal(round+1, sum+b[0].Value)
		}
	}
	deal(0, 0)
	return float64(more) / float64(n)
}

// chosen is the share of all choices of k blocks that add up to at least what the
// first k do.
func chosen(blocks []stat.Block, k int) float64 {
	values, observed, n, more := first([][]stat.Block{blocks})[0], 0.0, 0, 0
	for _, v := range values[:k] {
		observed += v
	}
	for set := range 1 << len(values) {
		sum, size := 0.0, 0
		for i, v := range values {
			if set>>i&1 == 1 {
				sum, size = sum+v, size+1
			}
		}
		if size == k {
			n++
			if sum >= observed {
				more++
			}
		}
	}
	return float64(more) / float64(n)
}

// However the blocks are correlated, it rejects no more often than it says.
func TestDealKeepsItsLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const trials = 2000
	rejected := 0
	for range trials {
		strata := turns(random, 9, 4, 1)
		for i := range strata { // what a block has of its own
			for _, b := range append(strata[i].Base, strata[i].Head...) {
				own := math.Exp(0.5 * random.NormFloat64())
				for k := range b {
					b[k].Value *= own
				}
			}
		}
		if stat.PermutationAbove(strata, 1, stat.RankScore) <= 0.05 {
			rejected++
		}
	}
	assert.LessOrEqual(t, float64(rejected)/trials, 0.065)
	assert.GreaterOrEqual(t, float64(rejected)/trials, 0.035)
}

func TestDealEdges(t *testing.T) {
	same := []stat.Stratum{{Head: []stat.Block{observed(1)}, Base: []stat.Block{observed(1), observed(1)}}}
	assert.InDelta(t, 1, stat.PermutationAbove(same, 1, stat.RankScore), 0, "nothing differs")
	assert.InDelta(t, 1, stat.PermutationAbove(nil, 1, stat.RankScore), 0)
	assert.InDelta(t, 1.0/3, stat.PermutationAbove(same, 0.5, stat.RankScore), 1e-12, "as if it took twice as long")
	assert.InDelta(t, 1.0/3, stat.PermutationBelow(same, 2, stat.RankScore), 1e-12)
	late := []stat.Stratum{{Head: []stat.Block{{censored(1)}}, Base: []stat.Block{observed(5), observed(6)}}}
	assert.InDelta(t, 1.0/3, stat.PermutationAbove(late, 1, stat.RankScore), 1e-12, "a timeout is later than all that was measured")
}

func TestStrata(t *testing.T) {
	head := stat.Replicates{observed(1), nil, observed(3), observed(4)}
	base := stat.Replicates{observed(1), observed(2), nil, observed(4)}
	again := stat.Replicates{nil, observed(2), observed(3), observed(4)}
	paired := stat.Strata(true, head, base, again)
	assert.Len(t, paired, 3, "a round counts that has head and some base")
	assert.Len(t, paired[0].Base, 1)
	assert.Len(t, paired[2].Base, 2)
	whole := stat.Strata(false, head, base, again)
	assert.Len(t, whole, 1)
	assert.Len(t, whole[0].Head, 3)
	assert.Len(t, whole[0].Base, 6)
	assert.Empty(t, stat.Strata(false, nil, base))
}

// The interval covers the ratio as often as it says.
func TestShiftCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const trials = 300
	covered, near := 0, 0
	for range trials {
		ratio, interval := stat.Shift(turns(random, 9, 4, 1.5), stat.RankScore)
		if interval.Low <= 1.5 && 1.5 <= interval.High {
			covered++
		}
		if ratio > 1.2 && ratio < 1.9 {
			near++
		}
	}
	assert.GreaterOrEqual(t, float64(covered)/trials, 0.92)
	assert.GreaterOrEqual(t, float64(near)/trials, 0.95)
}

// The tail is what lies above the threshold, by how much.
func TestExcessScore(t *testing.T) {
	score := stat.ExcessScore(2)([][]stat.Block{{observed(1, 2, 2*math.E, 1), observed(1, 2)}})
	assert.InDeltaSlice(t, []float64{0.25, 0}, score[0], 1e-12)
}

// The lady tasting tea, in Fisher's "The Design of Experiments", 1935: of four
// cups with milk first and four with tea first.
func TestFisher(t *testing.T) {
	assert.InDelta(t, 1.0/70, stat.Fisher(0, 4, 4, 4), 1e-12)
	assert.InDelta(t, 17.0/70, stat.Fisher(1, 4, 3, 4), 1e-12)
	assert.InDelta(t, 1, stat.Fisher(0, 4, 0, 4), 1e-12)
	assert.InDelta(t, 1, stat.Fisher(3, 4, 0, 4), 1e-12)
	assert.Less(t, stat.Fisher(1, 120, 120, 120), 1e-60, "119 of 120 pass against none")
	assert.InDelta(t, 0.05, stat.Fisher(0, 3, 3, 3), 1e-12)
}

// Lan and DeMets, 1983: the error that is spent grows to all of it.
func TestSpent(t *testing.T) {
	assert.InDelta(t, 0, stat.Spent(0.05, 0), 0)
	assert.InDelta(t, 0.05, stat.Spent(0.05, 1), 0)
	assert.InDelta(t, 0.05, stat.Spent(0.05, 2), 0)
	assert.InDelta(t, 0.00557, stat.Spent(0.05, 0.5), 1e-5, "2 - 2Φ(1.96 ÷ √½)")
	assert.InDelta(t, 0.02359, stat.Spent(0.05, 0.75), 2e-4)
	for _, planned := range []int{1, 3, 11, 12, 13, 50} {
		looks := stat.Looks(planned)
		assert.Equal(t, planned, looks[len(looks)-1])
		assert.IsIncreasing(t, append([]int{0}, looks...))
	}
}

// Of one group it is Holm's procedure; a group that is rejected altogether hands
// its weight on.
func TestWeightedHolm(t *testing.T) {
	p := []float64{0.01, 0.04, 0.03, 0.5}
	list := plain.Map(p, func(one float64) stat.Hypothesis { return stat.Hypothesis{P: one} })
	assert.InDeltaSlice(t, stat.Holm(p), stat.WeightedHolm(list, []float64{0.5, 0.5}), 1e-12)

	list = []stat.Hypothesis{{P: 0.001, Group: 0}, {P: 0.02, Group: 1}, {P: 0.03, Group: 1}}
	assert.InDeltaSlice(t, []float64{0.00125, 0.04, 0.04}, stat.WeightedHolm(list, []float64{0.8, 0.2}), 1e-12)
	assert.Empty(t, stat.WeightedHolm(nil, []float64{1}))
}

// The probability of any false rejection is bounded, also where hypotheses depend
// on each other.
func TestWeightedHolmKeepsItsLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const trials = 4000
	wrong := 0
	for range trials {
		common := random.Float64()
		list := []stat.Hypothesis{{P: 1e-6, Group: 0}} // one is false, and always found
		for i := range 10 {
			p := random.Float64()
			if i%2 == 0 {
				p = common
			}
			list = append(list, stat.Hypothesis{P: p, Group: i % 3})
		}
		for _, p := range stat.WeightedHolm(list, []float64{0.6, 0.3, 0.1})[1:] {
			if p <= 0.05 {
				wrong++
				break
			}
		}
	}
	assert.LessOrEqual(t, float64(wrong)/trials, 0.06)
}
