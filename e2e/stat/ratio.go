package stat

import (
	"cmp"
	"math"
	"slices"
)

// Replicates holds the observations of one metric by round: one round is one
// replicate. What was measured within a round is correlated, so that only
// whole rounds are resampled and counted.
type Replicates [][]Observation

// Bounds holds a number that is known exactly (Low equals High) or, because
// samples are censored, only to lie from Low to High; +Inf is no upper bound.
type Bounds struct{ Low, High float64 }

// Exact tells whether the number is known.
func (b Bounds) Exact() bool { return b.Low == b.High }

// Ratio compares a quantile of head with that of base.
type Ratio struct {
	P          float64 // which quantile
	Base, Head Observation
	Value      Bounds // Head ÷ Base
	Rounds     int    // replicates; of the smaller side, where they are not paired
	// Interval is the confidence interval of Value; nil with fewer rounds than
	// MinRounds. Its ends take censored samples at their worst.
	Interval *Bounds
}

// MinRounds is the smallest number of rounds that gives an interval. With fewer,
// not even all rounds on one side of the median are unlikely at the 5% level
// (sign test: 2 · ½⁵ > 0.05), and the bootstrap covers less than it says.
const MinRounds = 6

// CompareQuantiles returns head's p-quantile over base's, each of all
// observations together, with a percentile bootstrap interval of level Level
// that resamples whole rounds (Davison and Hinkley, "Bootstrap Methods and
// their Application", 1997, sections 3.8 and 5.3). Percentile intervals are the
// same on every monotone scale, so they are also those of the log ratio. At 6
// to 20 rounds they cover a quantile's ratio better than BCa intervals do,
// whose jackknife a quantile does not suit; TestRatioIntervalCovers shows it.
//
// Where paired, base[i] and head[i] are of the same round and are drawn
// together, which cancels the machine's drift: Bulej et al., "Duet
// Benchmarking", ICPE 2020. Rounds that lack either side are then left out.
// It is false if nothing is left, or if some value is not positive.
func (b *Bootstrap) CompareQuantiles(p float64, base, head Replicates, paired bool) (Ratio, bool) {
	base, head = complete(base, head, paired)
	x, y := newArm(p, base), newArm(p, head)
	if len(base) == 0 || len(head) == 0 || !x.positive() || !y.positive() {
		return Ratio{}, false
	}
	r := Ratio{P: p, Rounds: min(len(base), len(head))}
	r.Base, r.Head = x.quantile(b.whole(len(base))), y.quantile(b.whole(len(head)))
	r.Value = quotient(r.Head, r.Base)
	if r.Rounds < MinRounds {
		return r, true
	}
	own := b.weights(len(base), 0)
	other := own
	if !paired {
		other = b.weights(len(head), 1)
	}
	b.low, b.high = b.low[:0], b.high[:0]
	exact := true
	for i := range b.Draws {
		q := quotient(y.quantile(other[i*len(head):][:len(head)]), x.quantile(own[i*len(base):][:len(base)]))
		b.low, b.high = append(b.low, q.Low), append(b.high, q.High)
		exact = exact && q.Exact()
	}
	slices.Sort(b.low)
	if exact {
		copy(b.high, b.low)
	} else {
		slices.Sort(b.high)
	}
	cut := int(float64(b.Draws) * (1 - Level) / 2)
	r.Interval = &Bounds{Low: b.low[cut], High: b.high[len(b.high)-1-cut]}
	return r, true
}

// complete drops rounds without an observation: of both sides, where they are
// paired.
func complete(base, head Replicates, paired bool) (x, y Replicates) {
	if !paired {
		empty := func(round []Observation) bool { return len(round) == 0 }
		return slices.DeleteFunc(slices.Clone(base), empty), slices.DeleteFunc(slices.Clone(head), empty)
	}
	for i := range min(len(base), len(head)) {
		if len(base[i]) > 0 && len(head[i]) > 0 {
			x, y = append(x, base[i]), append(y, head[i])
		}
	}
	return x, y
}

// quotient of two positive observations. A censored one is only known from
// below.
func quotient(head, base Observation) Bounds {
	b := Bounds{Low: head.Value / base.Value, High: head.Value / base.Value}
	if head.Censored {
		b.High = math.Inf(1)
	}
	if base.Censored {
		b.Low = 0
	}
	return b
}

// arm is one side's observations, sorted once, so that the quantile of any
// resample is found by adding up the weights of its rounds in that order.
type arm struct {
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

func newArm(p float64, rounds Replicates) *arm {
	a := &arm{p: p}
	censored := false
	for i, round := range rounds {
		a.sizes = append(a.sizes, len(round))
		for _, o := range round {
			a.ranked = append(a.ranked, placed{o.Value, int32(i), o.Censored}) //nolint:gosec // rounds are at most thousands
			censored = censored || o.Censored
		}
	}
	byValue := func(a, b placed) int { return cmp.Compare(a.value, b.value) }
	slices.SortFunc(a.ranked, byValue)
	if censored {
		a.floor = slices.Clone(a.ranked)
		slices.SortStableFunc(a.ranked, func(a, b placed) int { return compareBool(a.censored, b.censored) })
	}
	return a
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (a *arm) positive() bool {
	return !slices.ContainsFunc(a.ranked, func(x placed) bool { return !(x.value > 0) })
}

// quantile is Ordered.Quantile of a resample: weights says how often each round
// is in it.
func (a *arm) quantile(weights []uint16) Observation {
	total := 0
	for i, w := range weights {
		total += int(w) * a.sizes[i]
	}
	rank := rankOf(a.p, total)
	at := walk(a.ranked, weights, rank)
	if !a.ranked[at].censored {
		return Observation{Value: a.ranked[at].value}
	}
	o := Observation{Value: a.floor[walk(a.floor, weights, rank)].value, Censored: true}
	for _, x := range slices.Backward(a.ranked[:at]) {
		if !x.censored && weights[x.round] > 0 {
			o.Value = max(o.Value, x.value)
			break
		}
	}
	return o
}

// rankOf is the rank, from 1, of the p-quantile of n observations: ⌈n·p⌉, but
// for rounding errors of the product.
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
