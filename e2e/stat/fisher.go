package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/combin"
)

// Fisher returns the one-sided p-value that head fails no more often than base: the probability of at least as many
// failures at head, if those that there are fell on the samples of both sides by chance (R. A. Fisher, "Statistical
// Methods for Research Workers", 5th edition, 1934, section 21.02).
func Fisher(baseFailed, base, headFailed, head int) float64 {
	failed, all := baseFailed+headFailed, base+head
	p := 0.0
	for k := headFailed; k <= min(failed, head); k++ {
		if failed-k <= base {
			p += math.Exp(choose(head, k) + choose(base, failed-k) - choose(all, failed))
		}
	}
	return min(1, p)
}

// choose is the logarithm of the number of ways to choose k of n.
func choose(n, k int) float64 {
	return combin.LogGeneralizedBinomial(float64(n), float64(k))
}
