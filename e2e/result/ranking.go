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
// the operator had done its part (of a load, the last of it), the floor first. Neighbours in that order that
// cannot be told apart (stat.Apart, corrected by Holm's method for all of them,
// at 5%) share a place.
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
	p := make([]float64, len(ranked)-1)
	for i := range p {
		p[i], _ = stat.Apart(ranked[i].Replicates, ranked[i+1].Replicates)
	}
	p = stat.Holm(p)
	place := 0
	for i, s := range ranked {
		before, after := i > 0 && p[i-1] >= 1-stat.Level, i < len(p) && p[i] >= 1-stat.Level
		if !before {
			place = i + 1
		}
		places[s.Operator] = Rank{Place: place, Tied: before || after}
	}
	return places
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
	return fmt.Sprintf("rank: in the order of the p50 of written (or gone; of a load, of when the last is done); neighbours that cannot be told apart at 5%% share one, marked ~ "+
		"(Welch's t-test on the logarithms of the rounds' medians, Holm's correction over neighbours); %s: not ranked, which takes %d rounds", plain.Unknown, stat.RankedRounds)
}
