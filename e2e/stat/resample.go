package stat

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
)

// Replicates holds the observations of one metric by round: one round is one replicate. What was measured within a
// round is correlated, so that only whole rounds are resampled and counted.
type Replicates [][]Observation

// Bounds is an interval; +Inf is no upper bound.
type Bounds struct{ Low, High float64 }

// MarshalJSON has null for an end that there is none of.
func (b Bounds) MarshalJSON() ([]byte, error) {
	finite := func(x float64) *float64 {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return nil
		}
		return &x
	}
	return json.Marshal(struct {
		Low  *float64 `json:"low"`
		High *float64 `json:"high"`
	}{finite(b.Low), finite(b.High)})
}

// MinRounds is the smallest number of rounds that gives an interval. With fewer, not even all rounds on one side of the
// median are unlikely at the 5% level (sign test: 2 · ½⁵ > 0.05), and the bootstrap covers less than it says.
const MinRounds = 6

// side is one side's observations, sorted once, so that the quantile of any
// resample is found by adding up the weights of its rounds in that order.
type side struct {
	p      float64
	sizes  []int    // observations by round
	ranked []placed // measured, ascending; then censored
	floor  []placed // all, by what each is at least; nil: none is censored
}

type placed struct {
	value    float64
	round    int32
	censored bool
}

func newSide(p float64, rounds Replicates) *side {
	s := &side{p: p}
	censored := false
	for i, round := range rounds {
		s.sizes = append(s.sizes, len(round))
		for _, o := range round {
			s.ranked = append(s.ranked, placed{o.Value, int32(i), o.Censored}) //nolint:gosec // rounds are at most thousands
			censored = censored || o.Censored
		}
	}
	slices.SortFunc(s.ranked, func(a, b placed) int { return cmp.Compare(a.value, b.value) })
	if censored {
		s.floor = slices.Clone(s.ranked)
		s.ranked = slices.DeleteFunc(s.ranked, func(x placed) bool { return x.censored })
		for _, x := range s.floor {
			if x.censored {
				s.ranked = append(s.ranked, x)
			}
		}
	}
	return s
}

// quantile is Ordered.Quantile of a resample: weights says how often each round is in it.
func (s *side) quantile(weights []uint16) Observation {
	total := 0
	for i, w := range weights {
		total += int(w) * s.sizes[i]
	}
	rank := rankOf(s.p, total)
	at := walk(s.ranked, weights, rank)
	if !s.ranked[at].censored {
		return Observation{Value: s.ranked[at].value}
	}
	o := Observation{Value: s.floor[walk(s.floor, weights, rank)].value, Censored: true}
	for _, x := range slices.Backward(s.ranked[:at]) {
		if !x.censored && weights[x.round] > 0 {
			o.Value = max(o.Value, x.value)
			break
		}
	}
	return o
}

// rankOf is the rank, from 1, of the p-quantile of n observations: ⌈n·p⌉, but for rounding errors of the product.
func rankOf(p float64, n int) int {
	return max(1, int(math.Ceil(p*float64(n)-1e-9)))
}

func walk(list []placed, weights []uint16, rank int) int {
	for i := range list {
		if rank -= int(weights[list[i].round]); rank <= 0 {
			return i
		}
	}
	return len(list) - 1
}
