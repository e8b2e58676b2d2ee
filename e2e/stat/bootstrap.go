package stat

import "math/rand/v2"

// Draws is how many resamples a bootstrap takes.
const Draws = 2000

// bootstrap has how often each round is in each resample, one resample after the other, by the number of rounds. What it
// draws follows from that number alone: the same recording gives the same intervals, and all metrics of a comparison are
// resampled alike. It is not for concurrent use.
type bootstrap map[int][]uint16

func (b bootstrap) weights(rounds int) []uint16 {
	if drawn, known := b[rounds]; known {
		return drawn
	}
	random := rand.New(rand.NewPCG(1, uint64(rounds)<<1)) //nolint:gosec // resampling, not a secret
	drawn := make([]uint16, Draws*rounds)
	for i := range Draws {
		for range rounds {
			drawn[i*rounds+random.IntN(rounds)]++
		}
	}
	b[rounds] = drawn
	return drawn
}
