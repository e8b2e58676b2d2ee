package cost_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
)

// BenchmarkMeter is the metering of 100,000 entries of a hand-made recording,
// about 1,000 rounds.
func BenchmarkMeter(b *testing.B) {
	const entries = 100_000
	s := newStory(floorStyle, argo)
	end := 0
	for round := 1; len(s.entries) < entries; round++ {
		end = s.floor(end, round)
		end = s.block(end, round)
	}
	b.ReportAllocs()
	for b.Loop() {
		m := cost.NewMeter()
		for _, e := range s.entries[:entries] {
			m.Add(e)
		}
		require.Len(b, m.Costs(), 2)
	}
}
