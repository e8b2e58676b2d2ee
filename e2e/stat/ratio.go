package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Ratio is how many times as long one style takes as another in the same rounds.
type Ratio struct {
	Rounds    int     // that both have; 0: nothing is known
	Value     float64 // the geometric mean over rounds
	Low, High float64 // of the interval of level Level; 0: there is none
	Censored  bool    // a median of the one timed out: the ratio is at least Value
}

// RatioOf compares the medians of rounds that both styles have. With d the logarithms of the k ratios, s their standard
// deviation and t the (1+Level)/2 quantile of Student's distribution with k-1 degrees of freedom, the ratio is exp(mean
// d), and its interval exp(mean d ± t·s/√k): that of the paired t-test. There is none with fewer than RankedRounds
// rounds, nor where a median timed out. A round in which the other timed out bounds nothing, and is left out.
//
// Student, "The probable error of a mean", Biometrika 6, 1908.
func RatioOf(one, other Summary) Ratio {
	var r Ratio
	var d []float64
	of, to := one.Replicates.Median(), other.Replicates.Median()
	for i, name := range one.Names {
		k := slices.Index(other.Names, name)
		if k < 0 || of[i].Value <= 0 || to[k].Value <= 0 || to[k].Censored {
			continue
		}
		d, r.Censored = append(d, math.Log(of[i].Value/to[k].Value)), r.Censored || of[i].Censored
	}
	r.Rounds = len(d)
	if len(d) == 0 {
		return r
	}
	mean := stat.Mean(d, nil)
	r.Value = math.Exp(mean)
	if len(d) < RankedRounds || r.Censored {
		return r
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(len(d) - 1)}.Quantile((1 + Level) / 2)
	half := t * stat.StdDev(d, nil) / math.Sqrt(float64(len(d)))
	r.Low, r.High = math.Exp(mean-half), math.Exp(mean+half)
	return r
}
