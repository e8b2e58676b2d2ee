package stat

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Spent is how much of an error probability a group-sequential design may have spent once a share of the planned rounds
// is driven: the spending function of K. Lan and D. DeMets, "Discrete sequential boundaries for clinical trials",
// Biometrika 70, 1983, that comes close to the boundaries of O'Brien and Fleming: little at first, nearly all at the
// end.
func Spent(alpha, share float64) float64 {
	switch {
	case share <= 0:
		return 0
	case share >= 1:
		return alpha
	}
	normal := distuv.UnitNormal
	return 2 * normal.Survival(normal.Quantile(1-alpha/2)/math.Sqrt(share))
}

// Looks are the rounds after which a comparison of so many planned ones is looked at: two, because each has its own
// part of the error probability, and their sum bounds the whole by Bonferroni's inequality whatever the looks have in
// common. With fewer than 12 rounds there is but one: an earlier one could not reject anything.
func Looks(planned int) []int {
	if planned < 12 {
		return []int{planned}
	}
	return []int{(planned + 1) / 2, planned}
}

// Hypothesis is one of several that are tested together. Group says in whose part of the error probability it shares.
type Hypothesis struct {
	P     float64
	Group int
}

// WeightedHolm returns the corrected p-value of each hypothesis: it is rejected at alpha if that is at most alpha. Each
// group shares its weight out equally to those of it that are not rejected; a group that is rejected altogether leaves
// its weight to the others in proportion. It is Holm's sequentially rejective procedure, weighted: the probability of
// any false rejection is at most alpha, however the hypotheses depend on each other (F. Bretz, W. Maurer, W. Brannath
// and M. Posch, "A graphical approach to sequentially rejective multiple test procedures", Statistics in Medicine 28,
// 2009).
func WeightedHolm(list []Hypothesis, weights []float64) []float64 {
	corrected := make([]float64, len(list))
	left := make([]int, len(weights)) // by group
	for _, h := range list {
		left[h.Group]++
	}
	open := make([]int, len(list))
	for i := range open {
		open[i] = i
	}
	largest := 0.0
	for len(open) > 0 {
		total := 0.0
		for group, n := range left {
			if n > 0 {
				total += weights[group]
			}
		}
		adjusted := func(i int) float64 {
			h := list[i]
			return h.P * float64(left[h.Group]) * total / weights[h.Group]
		}
		at := slices.MinFunc(open, func(a, b int) int { return cmp.Compare(adjusted(a), adjusted(b)) })
		largest = max(largest, min(1, adjusted(at)))
		corrected[at] = largest
		left[list[at].Group]--
		open = slices.DeleteFunc(open, func(i int) bool { return i == at })
	}
	return corrected
}
