package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"operatorbench/e2e/plain"
)

// interval is a confidence interval of level Level for the p-quantile of all observations together. A round is one
// replicate: where each has one observation, the interval is that of order statistics (Ordered.Interval), which is
// exact; else whole rounds are resampled, and it is the bootstrap's expanded percentile interval. Nil: there are fewer
// rounds than MinRounds, or too few observations for the quantile at all.
func (r Replicates) interval(b bootstrap, p float64) *Interval {
	r = slices.DeleteFunc(slices.Clone(r), func(round []Observation) bool { return len(round) == 0 })
	s := newSide(p, r)
	if len(r) < MinRounds || len(s.ranked) < Needed(p) {
		return nil
	}
	if len(s.ranked) == len(r) {
		i, ok := Order(slices.Concat(r...)).Interval(p, Level)
		if !ok {
			return nil
		}
		return &i
	}
	drawn, weights := make([]Observation, Draws), b.weights(len(r))
	for i := range drawn {
		drawn[i] = s.quantile(weights[i*len(r):][:len(r)])
	}
	ordered, cut := Order(drawn), int(Draws*expanded(len(r)))
	return &Interval{Low: ordered.At(cut + 1), High: ordered.At(Draws - cut), Level: Level}
}

// expanded is the share of draws beyond either end of an interval that resamples n rounds: percentile intervals of few
// are too narrow, as if the normal distribution stood for Student's t, and a spread were divided by n instead of n-1.
// T. Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69, 2015.
func expanded(n int) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 - Level) / 2)
	return distuv.UnitNormal.CDF(math.Sqrt(float64(n)/float64(n-1)) * t)
}

// RankedRounds is the smallest number of rounds of each of two styles from which
// their order can be told: of two, a spread is hardly known.
const RankedRounds = 3

// Apart returns the two-sided p-value that two styles are as fast as each other, where one has the lower p50, or the
// same: that of Welch's t-test on the logarithms of the medians of rounds. Where their mean says that one is the
// slower, it is 1: neither is then the faster. (A rank test could not tell a millisecond from a minute with the three
// rounds that reports mostly have: its smallest p-value is then 0.1.) A censored median of other counts as what was
// waited, which makes the difference smaller than it is; of one, it makes the p-value 1: one may be as slow as any.
// False: one side has fewer than RankedRounds rounds, or a latency that is not positive.
//
// B. L. Welch, "The generalization of 'Student's' problem when several different
// population variances are involved", Biometrika 34, 1947.
func Apart(one, other Replicates) (p float64, known bool) {
	x, y := logMedians(one), logMedians(other)
	if len(x) < RankedRounds || len(y) < RankedRounds {
		return 1, false
	}
	mx, vx := stat.MeanVariance(x, nil)
	my, vy := stat.MeanVariance(y, nil)
	a, b := vx/float64(len(x)), vy/float64(len(y))
	d := my - mx
	switch {
	case math.IsNaN(d) || math.IsInf(d, 0) || math.IsNaN(a+b):
		return 1, false
	case d <= 0, slices.ContainsFunc(one.Median(), func(o Observation) bool { return o.Censored }):
		return 1, true
	case a+b == 0:
		return 0, true
	}
	df := (a + b) * (a + b) / (a*a/float64(len(x)-1) + b*b/float64(len(y)-1))
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.CDF(-d/math.Sqrt(a+b)), true
}

// logMedians are the logarithms of the medians of rounds.
func logMedians(rounds Replicates) []float64 {
	return plain.Map(rounds.Median(), func(o Observation) float64 { return math.Log(o.Value) })
}
