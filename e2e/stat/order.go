// Package stat sums up latency samples: order statistics that take censored samples for what they are. It is pure.
package stat

import (
	"math"
	"slices"
	"sort"

	"operatorbench/e2e/plain"

	gonum "gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Observation is one measurement. A censored one (a timeout) is only known to be larger than Value.
type Observation struct {
	Value    float64 `json:"value"`
	Censored bool    `json:"censored,omitempty"`
}

// String prints a latency; of a censored one only the least is known.
func (o Observation) String() string { return plain.AtLeast(o.Value, o.Censored) }

// Ordered holds observations by rank: the measured ones ascending, then the
// censored ones, whose true values are taken to be above all measured ones.
type Ordered struct {
	ranked []float64 // +Inf where censored
	floor  []float64 // of each rank, a value that the true one is not below
	top    float64   // the largest measured one; -Inf: none
}

// Order ranks observations. They must not be NaN.
func Order(observations []Observation) Ordered {
	o := Ordered{top: math.Inf(-1)}
	for _, one := range observations {
		o.floor = append(o.floor, one.Value)
		if one.Censored {
			one.Value = math.Inf(1)
		} else {
			o.top = max(o.top, one.Value)
		}
		o.ranked = append(o.ranked, one.Value)
	}
	slices.Sort(o.ranked)
	// With each censored value replaced by the time that was waited, every
	// order statistic can only become smaller: a lower bound for each rank.
	slices.Sort(o.floor)
	return o
}

// Len is the number of observations, the censored ones included.
func (o Ordered) Len() int { return len(o.ranked) }

// At returns the order statistic of a rank from 1 to Len. If it is censored, its true value is at least Value.
func (o Ordered) At(rank int) Observation {
	if v := o.ranked[rank-1]; !math.IsInf(v, 1) {
		return Observation{Value: v}
	}
	return Observation{Value: max(o.floor[rank-1], o.top), Censored: true}
}

// Max is the largest observation; it panics if there is none.
func (o Ordered) Max() Observation { return o.At(o.Len()) }

// Quantile returns the p-quantile, 0 < p ≤ 1, by the inverse of the empirical distribution function: the smallest
// observation that at least n·p are not above. This is gonum's stat.Empirical, and definition 1 of Hyndman and Fan,
// "Sample Quantiles in Statistical Packages", 1996. It never interpolates, which a censored neighbour would not allow.
// It panics without observations.
func (o Ordered) Quantile(p float64) Observation {
	v := gonum.Quantile(p, gonum.Empirical, o.ranked, nil)
	if !math.IsInf(v, 1) {
		return Observation{Value: v}
	}
	return o.At(int(math.Ceil(p * float64(o.Len()))))
}

// Interval is a confidence interval whose ends are observations.
type Interval struct {
	Low, High Observation
	Level     float64 // the coverage that is guaranteed; at least what was asked for
}

// Interval returns a confidence interval for the p-quantile that assumes nothing of the distribution; false where there
// are too few observations for the level. See Ranks.
func (o Ordered) Interval(p, level float64) (Interval, bool) {
	low, high, coverage, ok := Ranks(o.Len(), p, level)
	if !ok {
		return Interval{}, false
	}
	return Interval{Low: o.At(low), High: o.At(high), Level: coverage}, true
}

// Ranks returns the ranks (from 1) of the order statistics that bound the p-quantile of n observations with at least
// the given level, with no more than half of the remaining probability beyond either end. The number B of observations
// below the quantile is binomial(n, p), so that the interval from rank low to rank high covers it with probability
// P(low ≤ B ≤ high-1): David and Nagaraja, "Order Statistics", 3rd edition, 2003, section 7.1. For the median these are
// the ranks of the sign test.
func Ranks(n int, p, level float64) (low, high int, coverage float64, ok bool) {
	if n < 1 {
		return 0, 0, 0, false
	}
	b := distuv.Binomial{N: float64(n), P: p}
	tail := (1 - level) / 2
	// low: P(B ≤ low-1) ≤ tail. high: P(B ≥ high) ≤ tail.
	low = sort.Search(n, func(k int) bool { return b.CDF(float64(k)) > tail })
	high = 1 + sort.Search(n, func(k int) bool { return b.CDF(float64(k)) >= 1-tail })
	if low < 1 || high > n {
		return 0, 0, 0, false
	}
	return low, high, b.CDF(float64(high-1)) - b.CDF(float64(low-1)), true
}

// Needed is the smallest number of observations that bound the p-quantile on both sides with level Level (see Ranks),
// by the least and the greatest of them, which both lie on one side of it with probability pⁿ and (1-p)ⁿ: 6 for the
// median, 36 for p90, 368 for p99.
func Needed(p float64) int {
	return int(math.Ceil(math.Log((1-Level)/2) / math.Log(max(p, 1-p))))
}
