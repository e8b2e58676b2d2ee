package run

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestProcessor(t *testing.T) {
	then := parseProcessor("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3\n")
	assert.Equal(t, processor{idle: 850, all: 1000}, then)
	now := parseProcessor("cpu  180 0 60 805 55 0 0 0 70 0\n")
	assert.InDelta(t, 0.9, now.busySince(then), 1e-9)
	assert.Zero(t, then.busySince(now), "a clock that goes back says nothing")
	assert.Zero(t, now.busySince(processor{}), "not known")
	for _, bad := range []string{"", "cpu", "cpu 1 2 3 4 5 6 7", "cpu 1 2 3 4 5 6 7 x", "cpu 1 2 3 4 5 6 7 -8", "cpu0 1 2 3 4 5 6 7 8"} {
		assert.Zero(t, parseProcessor(bad), bad)
	}
}

func FuzzProcessor(f *testing.F) {
	f.Add("cpu  100 0 50 800 50 0 0 0 0 0\n", "cpu  180 0 60 805 55 0 0 0 70 0\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		busy := parseProcessor(a).busySince(parseProcessor(b))
		assert.GreaterOrEqual(t, busy, 0.0)
		assert.LessOrEqual(t, busy, 1.0)
	})
}
