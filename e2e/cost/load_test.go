package cost_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What many changes at once cost is no part of the cost of one.
func TestALoadIsLeftOut(t *testing.T) {
	s := two()
	want := s.costs()
	before := len(s.entries)
	s.block(200_000, 3)
	assert.NotEqual(t, want, s.costs(), "it is a block like the others")
	for _, e := range s.entries[before:] {
		if e.Block != nil {
			e.Block.Load = "many"
		}
	}
	costs := s.costs()
	for i := range costs {
		costs[i].Busiest = nil // what is told of a load alone
	}
	assert.Equal(t, want, costs)
}
