package result

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/stat"
)

// drawn are styles whose medians vary from round to round by sd, on the log scale, in the order of their p50.
func drawn(random *rand.Rand, rounds int, sd float64, means ...float64) []stat.Summary {
	var all []stat.Summary
	for i, mean := range means {
		s := stat.Summary{N: rounds, Rounds: rounds}
		s.Operator = fmt.Sprint(i)
		for range rounds {
			s.Replicates = append(s.Replicates, []stat.Observation{{Value: mean * math.Exp(sd*random.NormFloat64())}})
		}
		s.P50 = stat.Order(slices.Concat(s.Replicates...)).Quantile(0.5)
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b stat.Summary) int { return int(math.Copysign(1, a.P50.Value-b.P50.Value)) })
	return all
}

// Of equal styles at most 5 of 100 reports give any two a different rank, however
// many there are; and a style that takes far longer does not share the first rank
// because others lie between.
func TestRanksOfManyStyles(t *testing.T) {
	const trials, sd = 400, 0.3
	random := rand.New(rand.NewPCG(1, 2))
	for _, rounds := range []int{3, 6, 12} {
		for _, many := range []int{2, 5, 15} {
			differ, far := 0, 0
			chain := make([]float64, many)
			for range trials {
				equal := drawn(random, rounds, sd, slices.Repeat([]float64{1}, many)...)
				places := placesOf(equal)
				if slices.ContainsFunc(equal, func(s stat.Summary) bool { return places[s.Operator].Place != 1 }) {
					differ++
				}
				for i := range chain {
					chain[i] = math.Pow(100, float64(i)/float64(many-1))
				}
				if placesOf(drawn(random, rounds, sd, chain...))[fmt.Sprint(many-1)].Place != 1 {
					far++
				}
			}
			t.Logf("%2d rounds, %2d styles: equal ones differ in %.1f%% of reports, one that takes 100 times as long in %.1f%%",
				rounds, many, 100*float64(differ)/trials, 100*float64(far)/trials)
			assert.LessOrEqual(t, float64(differ)/trials, 0.05+3*math.Sqrt(0.05*0.95/trials))
			if rounds > 3 {
				assert.Greater(t, float64(far)/trials, 0.99)
			}
		}
	}
}

// A style of few rounds, from which nothing can be told apart, leaves the others the
// ranks that their rounds give them.
func TestAStyleOfFewRoundsLeavesTheOthersTheirRanks(t *testing.T) {
	style := func(name string, rounds ...float64) stat.Summary {
		s := stat.Summary{Rounds: len(rounds)}
		s.Operator = name
		for _, value := range rounds {
			s.Replicates = append(s.Replicates, []stat.Observation{{Value: value}})
		}
		return s
	}
	places := placesOf([]stat.Summary{
		style("few", 0.1, 1, 9), style("fast", 1, 1.1, 1.2, 1.05, 1.15, 1.1), style("slow", 100, 110, 120, 105, 115, 110), style("slower", 1000, 1100, 1200, 1050, 1150, 1100),
	})
	assert.Equal(t, map[string]Rank{"few": {Place: 1, Last: 4}, "fast": {Place: 1, Last: 2}, "slow": {Place: 2, Last: 3}, "slower": {Place: 3, Last: 4}}, places)
	assert.Equal(t, "1–4", places["few"].String())
	assert.True(t, places["few"].value().Bound, "the first of these ranks alone is no figure")
}

// A median is the lower one where half of the rounds take a minute, and the mean of the
// logarithms is the higher one: then neither style can be told to be the faster.
func TestWhoIsFasterByTheMedianAndSlowerByTheMean(t *testing.T) {
	style := func(name string, rounds ...float64) stat.Summary {
		s := stat.Summary{Rounds: len(rounds)}
		s.Operator = name
		for _, value := range rounds {
			s.Replicates = append(s.Replicates, []stat.Observation{{Value: value}})
		}
		return s
	}
	places := placesOf([]stat.Summary{
		style("now and then a minute", 1, 60, 1, 60, 1, 60, 1, 60, 1, 60), style("steady", 1.1, 1.1, 1.11, 1.09, 1.1, 1.12, 1.08, 1.1, 1.1, 1.1),
	})
	assert.Equal(t, map[string]Rank{"now and then a minute": {Place: 1, Last: 2}, "steady": {Place: 1, Last: 2}}, places)
}
