package stat

import "math/rand/v2"

// Draws is how many resamples a bootstrap takes, unless told otherwise.
const Draws = 2000

// Bootstrap resamples rounds. What it draws follows from the seed and the number of rounds alone: the same recording
// gives the same intervals, and all metrics of a comparison are resampled alike. It is not for concurrent use.
type Bootstrap struct {
	Seed  uint64
	Draws int

	drawn map[drawing][]uint16
}

// NewBootstrap returns a Bootstrap of Draws resamples.
func NewBootstrap(seed uint64) *Bootstrap {
	return &Bootstrap{Seed: seed, Draws: Draws, drawn: map[drawing][]uint16{}}
}

type drawing struct {
	rounds int
	side   uint64 // sides that are drawn independently have different ones
}

// weights returns how often each of n rounds is in each resample, one resample after the other.
func (b *Bootstrap) weights(n int, side uint64) []uint16 {
	key := drawing{n, side}
	if drawn, ok := b.drawn[key]; ok {
		return drawn
	}
	random := rand.New(rand.NewPCG(b.Seed, uint64(n)<<1|side)) //nolint:gosec // resampling, not a secret
	drawn := make([]uint16, b.Draws*n)
	for i := range b.Draws {
		for range n {
			drawn[i*n+random.IntN(n)]++
		}
	}
	b.drawn[key] = drawn
	return drawn
}
