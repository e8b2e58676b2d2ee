package result

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/stat"
)

// Rank is where a style stands among those that were measured in a scenario: an
// interval, because not all of them can be told apart.
type Rank struct {
	Label string `json:"label"`
	// Place is one more than the number of styles that are faster, as far as can be told; Last is how many there are
	// less those that are slower. Both are from 1. 0: the floor, which is no contestant, or there are too few rounds or
	// no latency to tell.
	Place int `json:"place,omitempty"`
	Last  int `json:"last,omitempty"`
}

// Shared tells whether another style may have the same rank.
func (k Rank) Shared() bool { return k.Place != k.Last }

// String is the rank, or the first and the last that it may be.
func (k Rank) String() string {
	switch {
	case k.Place == 0:
		return plain.Unknown
	case k.Shared():
		return strconv.Itoa(k.Place) + "–" + strconv.Itoa(k.Last)
	}
	return strconv.Itoa(k.Place)
}

// value is the rank in a column; nothing where there is none.
func (k Rank) value() Value {
	if k.Place == 0 {
		return Value{}
	}
	return Value{Text: k.String(), Number: float64(k.Place), Known: true, Bound: true}
}

// Ranking orders the styles that have a latency in a scenario by the p50 at which the operator had done its part (of a
// load, the last of it), the floor first, each with the ranks that it may have. All are right at once with 95%
// confidence: a style is before another if stat.Apart tells them apart at 5%, corrected by Holm's method for all pairs.
// M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm, "Inference for Ranks with Applications to Mobility across
// Neighbourhoods and Academic Achievement across Countries", The Review of Economic Studies 91, 2024.
func (r *Set) Ranking(scenario string) []Rank {
	var all []Rank
	var measured []stat.Summary
	for _, c := range r.Of(scenario) {
		written, _ := c.Outcome()
		if c.Load() {
			written = Lasts(written)
		}
		switch {
		case written.N == 0:
		case c.IsFloor():
			all = append(all, Rank{Label: c.Style.Label})
		default:
			written.Operator, written.Variant = c.Style.Label, ""
			measured = append(measured, written)
		}
	}
	places := placesOf(measured)
	for _, s := range measured {
		k := places[s.Operator]
		k.Label = s.Operator
		all = append(all, k)
	}
	return all
}

// placesOf sorts summaries by their medians, and ranks those that have rounds enough.
func placesOf(measured []stat.Summary) map[string]Rank {
	slices.SortStableFunc(measured, byMedian)
	ranked := plain.Where(measured, func(s stat.Summary) bool { return s.Rounds >= stat.RankedRounds })
	return places(plain.Map(ranked, func(s stat.Summary) string { return s.Operator }), func(first, other int) float64 {
		p, _ := stat.Apart(ranked[first].Replicates, ranked[other].Replicates)
		return p
	})
}

// places ranks labels in the order that is given: the first is before the other as p-values say, corrected for all pairs.
func places(labels []string, p func(first, other int) float64) map[string]Rank {
	all := map[string]Rank{}
	if len(labels) < 2 {
		return all
	}
	var pairs [][2]int
	var values []float64
	for i := range labels {
		for k := i + 1; k < len(labels); k++ {
			pairs, values = append(pairs, [2]int{i, k}), append(values, p(i, k))
		}
	}
	ranks := slices.Repeat([]Rank{{Place: 1, Last: len(labels)}}, len(labels))
	for i, corrected := range stat.Holm(values) {
		if corrected < 1-stat.Level {
			ranks[pairs[i][0]].Last--
			ranks[pairs[i][1]].Place++
		}
	}
	for i, label := range labels {
		all[label] = ranks[i]
	}
	return all
}

// byMedian orders summaries by p50; a censored one comes after those that are known.
func byMedian(a, b stat.Summary) int {
	last := func(s stat.Summary) int {
		if s.P50.Censored {
			return 1
		}
		return 0
	}
	return cmp.Or(last(a)-last(b), cmp.Compare(a.P50.Value, b.P50.Value))
}

// ToldApart reports whether the pods of some styles are known to be ready after different times in a scenario.
func (r *Set) ToldApart(scenario string, labels []string) bool {
	return slices.ContainsFunc(r.Tables(), func(one *Set) bool {
		var measured []stat.Summary
		for _, c := range one.Of(scenario) {
			if _, ready := c.Outcome(); ready.N > 0 && slices.Contains(labels, c.Style.Label) {
				ready.Operator, ready.Variant = c.Style.Label, ""
				measured = append(measured, ready)
			}
		}
		for _, place := range placesOf(measured) {
			if place.Place > 1 { // somebody is before it
				return true
			}
		}
		return false
	})
}

// RankOf is a style's place in a scenario.
func (r *Set) RankOf(label, scenario string) Rank {
	ranking := r.Ranking(scenario)
	if i := slices.IndexFunc(ranking, func(k Rank) bool { return k.Label == label }); i >= 0 {
		return ranking[i]
	}
	return Rank{Label: label}
}

// RankNote says what a rank is.
func RankNote() string {
	return fmt.Sprintf("rank: by the p50 of written (or gone; of a load, by when the last one is done); \"2–4\": it may be second, third or fourth, as it cannot be told apart from some others at 5%% "+
		"(Welch's t-test on the logarithms of the rounds' medians, Holm's correction over all pairs); %s: not ranked, as it is the floor or has fewer than %d rounds", plain.Unknown, stat.RankedRounds)
}
