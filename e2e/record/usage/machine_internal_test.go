package usage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
)

func TestMachine(t *testing.T) {
	then := parseMachine("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3\nctxt 5\nprocs_running 4\nprocs_blocked 0\n")
	assert.Equal(t, &record.Machine{Idle: 850, All: 1000, Running: 3}, then)
	now := parseMachine("cpu  160 0 60 805 55 0 0 20 70 0\n")
	busy, stolen := now.Since(then)
	assert.InDelta(t, 0.9, busy, 1e-9)
	assert.InDelta(t, 0.2, stolen, 1e-9)
	busy, _ = then.Since(now)
	assert.Zero(t, busy, "a clock that goes back says nothing")
	busy, _ = now.Since(nil)
	assert.Zero(t, busy, "not known")
	for _, bad := range []string{"", "cpu", "cpu 1 2 3 4 5 6 7", "cpu 1 2 3 4 5 6 7 x", "cpu 1 2 3 4 5 6 7 -8", "cpu0 1 2 3 4 5 6 7 8"} {
		assert.Nil(t, parseMachine(bad), bad)
	}
	require.NotNil(t, ReadMachine())
}

func FuzzMachine(f *testing.F) {
	f.Add("cpu  100 0 50 800 50 0 0 0 0 0\nprocs_running 2\n", "cpu  180 0 60 805 55 0 0 0 70 0\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		busy, stolen := parseMachine(a).Since(parseMachine(b))
		for _, share := range []float64{busy, stolen} {
			assert.GreaterOrEqual(t, share, 0.0)
			assert.LessOrEqual(t, share, 1.0)
		}
	})
}
