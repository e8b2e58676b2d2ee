package stat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/stat"
)

// inRounds has one latency in each round; NaN: the style had no turn.
func inRounds(values ...float64) stat.Summary {
	var samples []judge.Sample
	for i, v := range values {
		samples = append(samples, judge.Sample{Run: "one", Block: i + 1, Value: v, Outcome: judge.OK})
	}
	return stat.Summarize(slices.Values(samples))[0]
}

func TestRatioIsPairedByRound(t *testing.T) {
	// Rounds that differ tenfold, and a ratio that hardly does: ln 2, ln 2, ln 4.
	r := stat.RatioOf(inRounds(2, 20, 400, math.NaN(), 7), inRounds(1, 10, 100, 5))
	assert.Equal(t, 3, r.Rounds)
	assert.InDelta(t, math.Exp(4*math.Ln2/3), r.Value, 1e-9)
	half := 4.302653 * (math.Ln2 / math.Sqrt(3)) / math.Sqrt(3) // t of 2 degrees of freedom, from a table
	assert.InDelta(t, r.Value*math.Exp(-half), r.Low, 1e-5)
	assert.InDelta(t, r.Value*math.Exp(half), r.High, 1e-5)
}

func TestRatioWithoutAnInterval(t *testing.T) {
	few := stat.RatioOf(inRounds(2, 2), inRounds(1, 1))
	assert.Equal(t, stat.Ratio{Rounds: 2, Value: 2}, few)
	assert.Zero(t, stat.RatioOf(inRounds(2, math.NaN()), inRounds(math.NaN(), 1)).Rounds, "no round in common")
	late := stat.Summarize(slices.Values([]judge.Sample{
		{Run: "one", Block: 1, Value: 4, Outcome: judge.Timeout}, {Run: "one", Block: 2, Value: 4, Outcome: judge.OK}, {Run: "one", Block: 3, Value: 4, Outcome: judge.OK},
	}))[0]
	r := stat.RatioOf(late, inRounds(1, 1, 1))
	assert.True(t, r.Censored)
	assert.Zero(t, r.High)
	assert.Equal(t, 2, stat.RatioOf(inRounds(1, 1, 1), late).Rounds, "the other timed out in one")
}

// What intervals of ratios cover is printed, as docs/measurement.md shows it:
// go test ./e2e/stat -run TestRatioCovers -v -args -trials=2000.
func TestRatioCovers(t *testing.T) {
	t.Logf("%-7s %-9s %-8s %-7s %9s %12s", "rounds", "between", "within", "passes", "coverage", "high ÷ low")
	for _, row := range []struct {
		rounds, passes  int
		between, within float64
	}{{3, 2, 0.1, 0.2}, {6, 4, 0.1, 0.2}, {12, 4, 0.1, 0.2}, {12, 4, 0.5, 0.2}, {12, 1, 0.1, 0.2}} {
		random := rand.New(rand.NewPCG(7, 8))
		covered, width := 0, 0.0
		for range *trials {
			var one, other []judge.Sample
			for round := 1; round <= row.rounds; round++ {
				drift := row.between * random.NormFloat64() // of the machine: both have it
				for range row.passes {
					add := func(to []judge.Sample, median float64) []judge.Sample {
						return append(to, judge.Sample{Block: round, Value: median * math.Exp(drift+row.within*random.NormFloat64()), Outcome: judge.OK})
					}
					one, other = add(one, 1.5), add(other, 1)
				}
			}
			r := stat.RatioOf(stat.Summarize(slices.Values(one))[0], stat.Summarize(slices.Values(other))[0])
			if r.Low <= 1.5 && 1.5 <= r.High {
				covered++
			}
			width += math.Log(r.High / r.Low)
		}
		share := float64(covered) / float64(*trials)
		t.Logf("%-7d %-9g %-8g %-7d %9s %12.2f", row.rounds, row.between, row.within, row.passes, fmt.Sprintf("%.1f%%", 100*share), math.Exp(width/float64(*trials)))
		assert.Greater(t, share, 0.95-4*math.Sqrt(0.95*0.05/float64(*trials)), "%+v", row)
		assert.Less(t, share, 0.95+4*math.Sqrt(0.95*0.05/float64(*trials)), "%+v", row)
	}
}
