package stat

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

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

// MannWhitney returns the two-sided p-value of the Mann-Whitney U test between
// two groups of independent observations, by golang.org/x/perf/benchmath: exact
// for groups of up to 50, or 25 where values are tied, and the normal
// approximation with tie and continuity correction beyond. All censored
// observations rank alike, above all others. It is an error if a group is
// empty; groups in which all values are equal have p = 1.
func MannWhitney(base, head []Observation) (float64, error) {
	if len(base) == 0 || len(head) == 0 {
		return 1, fmt.Errorf("test of Mann and Whitney: %d against %d observations; each group needs at least one", len(base), len(head))
	}
	x, y := ranks(base), ranks(head)
	if slices.Min(x) == slices.Max(y) && slices.Max(x) == slices.Min(y) {
		return 1, nil // benchmath calls this an error
	}
	if len(x) != len(y) && len(x) <= exactTies && len(y) <= exactTies && tied(x, y) {
		// U is then not symmetric, which benchmath takes for granted.
		return dealt(x, y), nil
	}
	t := benchmath.DefaultThresholds
	c := benchmath.AssumeNothing.Compare(benchmath.NewSample(x, &t), benchmath.NewSample(y, &t))
	return min(c.P, 1), nil
}

// exactTies is the size of groups up to which benchmath is exact with ties.
const exactTies = 25

func tied(x, y []float64) bool {
	all := slices.Concat(x, y)
	slices.Sort(all)
	return len(slices.Compact(all)) < len(x)+len(y)
}

// dealt is the exact two-sided p-value of the rank sum of x, among all ways to
// deal the observations into groups of these sizes: twice the smaller tail.
func dealt(x, y []float64) float64 {
	twice := doubledRanks(slices.Concat(x, y))
	sum, all := 0, 0
	for i, r := range twice {
		all += r
		if i < len(x) {
			sum += r
		}
	}
	ways := make([][]float64, len(x)+1) // by how many are dealt to x and their sum
	for i := range ways {
		ways[i] = make([]float64, all+1)
	}
	ways[0][0] = 1
	for _, r := range twice {
		for n := len(x); n > 0; n-- {
			for s := r; s <= all; s++ {
				ways[n][s] += ways[n-1][s-r]
			}
		}
	}
	below, above, total := 0.0, 0.0, 0.0
	for s, w := range ways[len(x)] {
		total += w
		if s <= sum {
			below += w
		}
		if s >= sum {
			above += w
		}
	}
	return min(1, 2*min(below, above)/total)
}

func ranks(observations []Observation) []float64 {
	list := make([]float64, len(observations))
	for i, o := range observations {
		list[i] = o.Value
		if o.Censored {
			list[i] = math.Inf(1)
		}
	}
	return list
}

// SmallestP is the smallest two-sided p-value that the Mann-Whitney test can
// give two groups of n each: all of one below all of the other, 2 ÷ C(2n, n).
func SmallestP(n int) float64 {
	p := 2.0
	for i := 1; i <= n; i++ {
		p *= float64(i) / float64(n+i)
	}
	return min(p, 1)
}

// Holm returns the p-values corrected for having been chosen among them all: a
// corrected value below α keeps the probability of any false alarm below α,
// however the metrics depend on each other. S. Holm, "A Simple Sequentially
// Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6,
// 1979.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected := make([]float64, len(p))
	largest := 0.0
	for i, at := range order {
		largest = max(largest, min(1, p[at]*float64(len(p)-i)))
		corrected[at] = largest
	}
	return corrected
}
