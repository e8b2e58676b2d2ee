package stat

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// SignedRank returns the two-sided p-value of Wilcoxon's signed-rank test on
// the log ratios of paired observations, exact at every n and for every pattern
// of ties: given the sizes of the ratios, each is as likely to be up as down.
// Pairs without a difference are dropped, as by Wilcoxon; so are those of which
// both are censored, since their order is not known. A pair of which one is
// censored differs by more than all that are measured. It is an error if no
// pair was given.
//
// F. Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin
// 1, 1945; the distribution is that of the sum of a random subset of the ranks.
func SignedRank(base, head []Observation) (float64, error) {
	if len(base) == 0 || len(base) != len(head) {
		return 1, errors.New("signed-rank test: needs as many observations of head as of base, at least one")
	}
	var ratios []float64
	for i := range base {
		d := math.Log(ranks(head[i : i+1])[0] / ranks(base[i : i+1])[0])
		if d != 0 && !math.IsNaN(d) { // Inf ÷ Inf: both are censored
			ratios = append(ratios, d)
		}
	}
	if len(ratios) == 0 {
		return 1, nil
	}
	sizes := make([]float64, len(ratios))
	for i, d := range ratios {
		sizes[i] = math.Abs(d)
	}
	twice := doubledRanks(sizes)
	up, all := 0, 0
	for i, d := range ratios {
		all += twice[i]
		if d > 0 {
			up += twice[i]
		}
	}
	return min(1, 2*below(twice, min(up, all-up))), nil
}

// doubledRanks are twice the average rank of those that are tied, which is
// whole.
func doubledRanks(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	twice := make([]int, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, at := range order[from:to] {
			twice[at] = from + 1 + to
		}
		from = to
	}
	return twice
}

// below is the probability that a random subset of the ranks adds up to at most
// sum.
func below(ranks []int, sum int) float64 {
	reach := make([]float64, sum+1) // by sum: the probability, so far
	reach[0] = 1
	for _, r := range ranks {
		for s := sum; s >= 0; s-- {
			reach[s] /= 2
			if s >= r {
				reach[s] += reach[s-r] / 2
			}
		}
	}
	p := 0.0
	for _, x := range reach {
		p += x
	}
	return p
}
