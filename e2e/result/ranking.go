package result

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/stat"
)

// Rank is a style's place among those that were measured in a scenario.
type Rank struct {
	Label string `json:"label"`
	// Place is from 1; styles that cannot be told apart share it. 0: the floor,
	// which is no contestant, or there are too few rounds or no latency to tell.
	Place int  `json:"place,omitempty"`
	Tied  bool `json:"tied,omitempty"` // with another style
}

// String is the place, with the mark that benchstat has for what cannot be told apart.
func (k Rank) String() string {
	switch {
	case k.Place == 0:
		return plain.Unknown
	case k.Tied:
		return strconv.Itoa(k.Place) + " ~"
	}
	return strconv.Itoa(k.Place)
}

// Ranking orders the styles that have a latency in a scenario by the p50 at which
// the operator had done its part (of a load, the last of it), the floor first. A style that cannot be told
// apart from the first of a place (stat.Apart at 5%, corrected by Holm's method for
// all pairs, since which are compared follows from the figures) shares that place.
func (r *Set) Ranking(scenario string) []Rank {
	var all []Rank
	var measured []stat.Summary
	for c := range r.Of(scenario) {
		written, _ := c.Outcome()
		if c.Load() {
			written = Lasts(written)
		}
		switch {
		case written.N == 0:
		case c.IsFloor(), r.Apart(c.Style.Label):
			all = append(all, Rank{Label: c.Style.Label})
		default:
			written.Operator, written.Variant = c.Style.Label, ""
			measured = append(measured, written)
		}
	}
	slices.SortStableFunc(measured, func(a, b stat.Summary) int { return cmp.Compare(a.P50.Value, b.P50.Value) })
	places := placesOf(measured)
	for _, s := range measured {
		k := places[s.Operator]
		k.Label = s.Operator
		all = append(all, k)
	}
	return all
}

// placesOf ranks the styles that have rounds enough, in the order that is given.
func placesOf(measured []stat.Summary) map[string]Rank {
	var ranked []stat.Summary
	for _, s := range measured {
		if s.Rounds >= stat.RankedRounds {
			ranked = append(ranked, s)
		}
	}
	places := map[string]Rank{}
	if len(ranked) < 2 {
		return places
	}
	apart := allPairs(ranked)
	first := 0
	for i, s := range ranked {
		if apart[first][i] {
			first = i
		}
		places[s.Operator] = Rank{Place: first + 1, Tied: i > first}
	}
	for i := range len(ranked) - 1 {
		k := places[ranked[i].Operator]
		k.Tied = k.Tied || places[ranked[i+1].Operator].Place == k.Place
		places[ranked[i].Operator] = k
	}
	return places
}

// allPairs tells of each style and each that is listed after it whether they can be told apart.
func allPairs(ranked []stat.Summary) [][]bool {
	var p []float64
	for i, one := range ranked {
		for _, other := range ranked[i+1:] {
			found, _ := stat.Apart(one.Replicates, other.Replicates)
			p = append(p, found)
		}
	}
	p = stat.Holm(p)
	apart := make([][]bool, len(ranked))
	for i := range ranked {
		apart[i] = make([]bool, len(ranked))
		for j := i + 1; j < len(ranked); j++ {
			apart[i][j], p = p[0] < 1-stat.Level, p[1:]
		}
	}
	return apart
}

// RankOf is a style's place in a scenario.
func (r *Set) RankOf(label, scenario string) Rank {
	ranking := r.Ranking(scenario)
	if i := slices.IndexFunc(ranking, func(k Rank) bool { return k.Label == label }); i >= 0 {
		return ranking[i]
	}
	return Rank{Label: label}
}

// RankNote says what the marks of a ranking mean.
func RankNote() string {
	return fmt.Sprintf("rank: in the order of the p50 of written (or gone; of a load, of when the last is done); a style that cannot be told apart at 5%% from the first of a rank shares it, marked ~ "+
		"(Welch's t-test on the logarithms of the rounds' medians, Holm's correction over all pairs); %s: not ranked, which takes %d rounds", plain.Unknown, stat.RankedRounds)
}
