package stat

import "math"

// Median returns the median of each round: what stands for the round, where
// each is to count once. Rounds without an observation are left out.
func (r Replicates) Median() []Observation {
	var list []Observation
	for _, round := range r {
		if len(round) > 0 {
			list = append(list, Order(round).Quantile(0.5))
		}
	}
	return list
}

// SmallestP is the smallest two-sided p-value that a test of ranks can give two
// groups of n each: all of one below all of the other, 2 ÷ C(2n, n).
func SmallestP(n int) float64 {
	return min(1, 2*math.Exp(-choose(2*n, n)))
}

// Holm returns the p-values corrected for having been chosen among them all: a corrected value below α keeps the
// probability of any false alarm below α, however the metrics depend on each other. S. Holm, "A Simple Sequentially
// Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979.
func Holm(p []float64) []float64 {
	list := make([]Hypothesis, len(p))
	for i := range p {
		list[i].P = p[i]
	}
	return WeightedHolm(list, []float64{1})
}
