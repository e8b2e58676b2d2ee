package stat

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"operatorbench/e2e/plain"
)

// Stratum holds blocks that are alike but for their label, if the label means nothing: those of one round, in which the
// variants took turns in random order; or all blocks of two runs. Each block holds the observations of one metric.
type Stratum struct {
	Head, Base []Block
}

// Block is what one variant measured in one turn.
type Block []Observation

// Strata pairs the rounds of head with those of base, and of base once more where it was driven again. Rounds that lack
// head or every base are left out. Where the sides are not of one run, all their rounds are one stratum.
func Strata(paired bool, head Replicates, bases ...Replicates) []Stratum {
	if !paired {
		return stratum(head, bases...)
	}
	var strata []Stratum
	for i := range head {
		strata = append(strata, stratum(head[i:i+1], plain.Map(bases, func(base Replicates) Replicates { return base[min(i, len(base)):min(i+1, len(base))] })...)...)
	}
	return strata
}

// stratum is that of all these rounds; none where either side has none that is full.
func stratum(head Replicates, bases ...Replicates) []Stratum {
	s := Stratum{full(head), full(slices.Concat(bases...))}
	if len(s.Head) == 0 || len(s.Base) == 0 {
		return nil
	}
	return []Stratum{s}
}

func full(rounds Replicates) []Block {
	return plain.Pick(rounds, func(round []Observation) (Block, bool) { return round, len(round) > 0 })
}

// Score turns the blocks of all strata into one number each. It must not depend on which block of a stratum is whose.
type Score func(strata [][]Block) [][]float64

// PermutationAbove returns the probability that head's blocks add up to as much as they do, or more, if the labels are
// dealt anew within each stratum: an exact one-sided p-value, whatever the noise is and however it is correlated within
// a block, because the variants' order within a round is random (R. A. Fisher, "The Design of Experiments", 1935; E.
// Edgington and P. Onghena, "Randomization Tests", 4th edition, 2007, chapter 5). Scores are rounded to a grid first,
// which makes it the exact test of the rounded scores.
//
// Head's values are first divided by ratio: then it tests whether head takes more than ratio times as long as base.
func PermutationAbove(strata []Stratum, ratio float64, score Score) float64 {
	return deal(scored(strata, ratio, score))
}

// PermutationBelow is PermutationAbove's other side: the probability of as little, or less.
func PermutationBelow(strata []Stratum, ratio float64, score Score) float64 {
	list := scored(strata, ratio, score)
	for _, s := range list {
		floats.Scale(-1, s.values)
	}
	return deal(list)
}

// scores are those of a stratum; the first ones are head's.
type scores struct {
	values []float64
	head   int
}

func scored(strata []Stratum, ratio float64, score Score) []scores {
	blocks, list := make([][]Block, len(strata)), make([]scores, len(strata))
	for i, s := range strata {
		for _, b := range s.Head {
			blocks[i] = append(blocks[i], b.over(ratio))
		}
		blocks[i] = append(blocks[i], s.Base...)
	}
	for i, values := range score(blocks) {
		list[i] = scores{values, len(strata[i].Head)}
	}
	return list
}

// over divides a block's observations.
func (b Block) over(ratio float64) Block {
	if ratio == 1 {
		return b
	}
	scaled := make(Block, len(b))
	for i, o := range b {
		scaled[i] = Observation{Value: o.Value / ratio, Censored: o.Censored}
	}
	return scaled
}

// grid is how many steps the range of the sum is divided into.
const grid = 1000

func deal(list []scores) float64 {
	span := 0.0
	for _, s := range list {
		span += float64(s.head) * (slices.Max(s.values) - slices.Min(s.values))
	}
	if span <= 0 {
		return 1
	}
	sum := 0
	reach := []float64{1} // by sum: the probability, so far
	for _, s := range list {
		least := slices.Min(s.values)
		steps := make([]int, len(s.values))
		for i, v := range s.values {
			steps[i] = int(math.Round((v - least) / span * grid))
			if i < s.head {
				sum += steps[i]
			}
		}
		reach = convolve(reach, chosen(steps, s.head))
	}
	p := 0.0
	for _, x := range reach[sum:] {
		p += x
	}
	return min(1, p)
}

// chosen is the distribution of the sum of k of the steps, all choices being equally likely.
func chosen(steps []int, k int) []float64 {
	most := slices.Clone(steps)
	slices.SortFunc(most, func(a, b int) int { return cmp.Compare(b, a) })
	top := 0
	for _, s := range most[:k] {
		top += s
	}
	ways := make([][]float64, k+1) // by how many are chosen, and their sum
	for i := range ways {
		ways[i] = make([]float64, top+1)
	}
	ways[0][0] = 1
	for _, step := range steps {
		for n := k; n > 0; n-- {
			for s := top; s >= step; s-- {
				ways[n][s] += ways[n-1][s-step]
			}
		}
	}
	floats.Scale(1/floats.Sum(ways[k]), ways[k])
	return ways[k]
}

// convolve adds two independent numbers. Most of b is zero: a stratum has few blocks.
func convolve(a, b []float64) []float64 {
	sum := make([]float64, len(a)+len(b)-1)
	for j, y := range b {
		if y > 0 {
			floats.AddScaled(sum[j:j+len(a)], y, a)
		}
	}
	return sum
}

// RankScore is the mean rank of a block's observations among all of all strata, each divided by the middle of its
// stratum before, censored ones above all others: the sum over strata is the test of aligned ranks (J. Hodges and E.
// Lehmann, "Rank methods for combination of independent experiments in analysis of variance", Annals of Mathematical
// Statistics 33, 1962). A straggler moves it by its rank only, it needs no shape of the noise, and strata of few
// observations lose nothing, as they do where each is ranked for itself.
func RankScore(strata [][]Block) [][]float64 { return ranks(strata, middle) }

// LevelScore is RankScore where the values of a round have nothing in common: nothing is subtracted for a round, so
// that a straggler does not move the others of its round.
func LevelScore(strata [][]Block) [][]float64 {
	return ranks(strata, func([]Block) float64 { return 1 })
}

func ranks(strata [][]Block, middle func([]Block) float64) [][]float64 {
	type placed struct {
		value          float64
		stratum, block int
	}
	var all []placed
	sums := make([][]float64, len(strata))
	for i, blocks := range strata {
		sums[i] = make([]float64, len(blocks))
		middle := middle(blocks)
		for k, b := range blocks {
			for _, o := range b {
				all = append(all, placed{o.against(middle), i, k})
			}
		}
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Compare(a.value, b.value) })
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].value == all[from].value {
			to++
		}
		for _, p := range all[from:to] {
			sums[p.stratum][p.block] += float64(from+1+to) / 2 / float64(len(strata[p.stratum][p.block])*(len(all)+1))
		}
		from = to
	}
	return sums
}

// middle is the mean of the middle half of all observations, which a straggler does not move, and of three that of all.
func middle(blocks []Block) float64 {
	var all []float64
	for _, b := range blocks {
		for _, o := range b {
			all = append(all, o.against(1))
		}
	}
	slices.Sort(all)
	all = all[len(all)/4 : len(all)-len(all)/4]
	return floats.Sum(all) / float64(len(all))
}

// against is an observation as a share of a middle: infinite where it is censored. Of
// a middle that is zero or censored there is no share, but an order.
func (o Observation) against(middle float64) float64 {
	switch {
	case math.IsInf(middle, 1) && o.Censored:
		return 1
	case math.IsInf(middle, 1):
		return 0
	case o.Censored:
		return math.Inf(1)
	case middle <= 0:
		return 1 + o.Value
	}
	return o.Value / middle
}

// ExcessScore is how far a block's observations lie above a threshold, on the log scale, as a mean over the block: what
// it weighs is the tail, by how many are in it and by how far out they are. The threshold must be one of all variants
// together.
func ExcessScore(threshold float64) Score {
	return func(strata [][]Block) [][]float64 {
		scores := make([][]float64, len(strata))
		for i, blocks := range strata {
			scores[i] = make([]float64, len(blocks))
			for k, b := range blocks {
				for _, o := range b {
					if o.Value > threshold {
						scores[i][k] += math.Log(o.Value/threshold) / float64(len(b))
					}
				}
			}
		}
		return scores
	}
}

// Shift returns by how many times head takes longer than base, and a confidence interval of that: the ratio at which
// PermutationAbove sees nothing any more, and those at which it still rejects nothing on either side (J. Hodges and E.
// Lehmann, "Estimates of location based on rank tests", Annals of Mathematical Statistics 34, 1963). Where the strata
// are too few for the level the interval is open, and where all of both sides is censored the ratio is not a number.
func Shift(strata []Stratum, score Score) (ratio float64, interval Bounds) {
	tail := (1 - Level) / 2
	middle := func(ratio float64) bool { return surplus(scored(strata, ratio, score)) > 0 }
	ratio = turning(middle)
	switch upTo := turning(func(ratio float64) bool { return surplus(scored(strata, ratio, score)) >= 0 }); {
	case math.IsInf(upTo, 1) && ratio == 0:
		ratio = math.NaN()
	case !math.IsInf(upTo, 1) && ratio > 0:
		ratio = math.Sqrt(ratio * upTo)
	}
	interval.Low = turning(func(ratio float64) bool { return PermutationAbove(strata, ratio, score) <= tail })
	interval.High = turning(func(ratio float64) bool { return PermutationBelow(strata, ratio, score) > tail })
	return ratio, interval
}

// Surplus is how much more head's blocks score than would be expected of any.
func Surplus(strata []Stratum, ratio float64, score Score) float64 {
	return surplus(scored(strata, ratio, score))
}

func surplus(list []scores) float64 {
	sum := 0.0
	for _, s := range list {
		sum += floats.Sum(s.values[:s.head]) - float64(s.head)*floats.Sum(s.values)/float64(len(s.values))
	}
	if math.Abs(sum) < 1e-12 {
		return 0
	}
	return sum
}

// turning is the ratio up to which something holds: 0 where it never does, and infinite where it always does.
func turning(holds func(ratio float64) bool) float64 {
	const most, precision = 20, 1e-4 // of the logarithm
	low, high := -float64(most), float64(most)
	switch {
	case !holds(math.Exp(low)):
		return 0
	case holds(math.Exp(high)):
		return math.Inf(1)
	}
	for high-low > precision {
		if middle := (low + high) / 2; holds(math.Exp(middle)) {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp((low + high) / 2)
}
