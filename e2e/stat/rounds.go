package stat

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Power is the probability with which a comparison is to see what it looks for.
const Power = 0.95

// Aim is what a comparison is to tell apart.
type Aim struct {
	Tolerance float64 // a ratio of up to 1 + Tolerance is no change
	Effect    float64 // a ratio of 1 + Effect must be seen
	Alpha     float64 // bound of the corrected two-sided p-value
	Metrics   int     // how many are tested together
}

// Test returns the two-sided p-value, not yet corrected, that head differs from
// base, each round counting once, by its median.
//
// It is that of the Mann-Whitney test. That test does not know of pairs, so that
// a machine's drift from round to round hides what it looks for. Where rounds
// are paired and numerous enough that Wilcoxon's signed-rank test could reject
// too, it is twice the smaller of both: Bonferroni's correction for having two.
// Which tests are done follows from the number of rounds alone, never from what
// they show.
func (a Aim) Test(base, head Replicates, paired bool) (float64, error) {
	base, head = complete(base, head, paired)
	x, y := base.Median(), head.Median()
	p, err := MannWhitney(x, y)
	if err != nil || !paired || 4*math.Exp2(-float64(len(x)))*float64(max(a.Metrics, 1)) >= a.Alpha {
		return p, err
	}
	q, err := SignedRank(x, y)
	return min(1, 2*min(p, q)), err
}

// MinRounds is the smallest number of rounds at which an interval exists and a
// corrected p-value can fall below Alpha at all.
func (a Aim) MinRounds() int {
	n := MinRounds
	for SmallestP(n)*float64(max(a.Metrics, 1)) >= a.Alpha {
		n++
	}
	return n
}

// Error is the largest standard error of a log ratio with which an effect is
// seen with probability Power: the interval's lower end is then above the
// tolerance, and the corrected test rejects (by the normal approximation).
func (a Aim) Error() float64 {
	z := distuv.UnitNormal.Quantile
	interval := math.Log((1+a.Effect)/(1+a.Tolerance)) / (z(1-(1-Level)/2) + z(Power))
	test := math.Log(1+a.Effect) / (z(1-a.Alpha/2/float64(max(a.Metrics, 1))) + z(Power))
	return min(interval, test)
}

// Rounds estimates how many rounds would do, from a comparison with fewer: the
// standard error shrinks with the square root of the number of rounds. It is 0
// where nothing can be said: of the spread of one or two rounds, or of bounds.
func (a Aim) Rounds(r Ratio, base, head Replicates, paired bool) int {
	if r.Rounds < 3 {
		return 0
	}
	e := standardError(r, base, head, paired)
	if math.IsNaN(e) || math.IsInf(e, 0) {
		return 0
	}
	shrink := e / a.Error()
	return max(a.MinRounds(), int(math.Ceil(float64(r.Rounds)*shrink*shrink)))
}

// standardError of the log ratio: of the interval where there is one, else by
// the spread of the rounds' medians, for which the median is √(π/2) times less
// efficient than the mean.
func standardError(r Ratio, base, head Replicates, paired bool) float64 {
	if r.Interval != nil {
		z := distuv.UnitNormal.Quantile(1 - (1-Level)/2)
		return math.Log(r.Interval.High/r.Interval.Low) / (2 * z)
	}
	base, head = complete(base, head, paired)
	x, y := logs(base.Median()), logs(head.Median())
	spread := math.Hypot(stat.StdDev(x, nil)/math.Sqrt(float64(len(x))), stat.StdDev(y, nil)/math.Sqrt(float64(len(y))))
	if paired {
		for i := range y {
			y[i] -= x[i]
		}
		spread = stat.StdDev(y, nil) / math.Sqrt(float64(len(y)))
	}
	return spread * math.Sqrt(math.Pi/2)
}

// logs of observations; +Inf where censored.
func logs(list []Observation) []float64 {
	values := ranks(list)
	for i := range values {
		values[i] = math.Log(values[i])
	}
	return values
}
