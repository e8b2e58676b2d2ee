package stat_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/stat"
)

// benchmath has the same smallest values in its table uTestMinP.
func TestSmallestP(t *testing.T) {
	for n, want := range map[int]float64{1: 1, 2: 1.0 / 3, 3: 0.1, 4: 0.02857142857142857, 6: 0.0021645021645021645, 9: 4.113533525298231e-05} {
		assert.InEpsilon(t, want, stat.SmallestP(n), 1e-12, "n = %d", n)
		p, err := stat.MannWhitney(withU(n, 0))
		require.NoError(t, err)
		assert.InEpsilon(t, want, p, 1e-9, "n = %d", n)
	}
}

func TestMinRounds(t *testing.T) {
	for metrics, want := range map[int]int{0: 6, 1: 6, 8: 6, 9: 6, 10: 7, 16: 7, 34: 7, 35: 8} {
		assert.Equal(t, want, stat.Aim{Alpha: 0.02, Metrics: metrics}.MinRounds(), "%d metrics", metrics)
	}
}

// As many rounds as are said to do, do: an effect is then seen about as often
// as Power says.
func TestRoundsWouldDo(t *testing.T) {
	aim := stat.Aim{Tolerance: 0.05, Effect: 0.2, Alpha: 0.02, Metrics: 1}
	random, b := rand.New(rand.NewPCG(1, 2)), stat.NewBootstrap(1)
	b.Draws = 500
	z := noise{0.02, 0.02, 0.08, 0}
	for _, few := range []int{3, 8} {
		var total int
		for range 200 {
			base, head := z.draw(random, few, 1, 1)
			r, ok := b.CompareQuantiles(0.5, base, head, true)
			require.True(t, ok)
			total += aim.Rounds(r, base, head, true)
		}
		need := total / 200
		seen := 0
		for range 200 {
			base, head := z.draw(random, need, 1, 1.2)
			r, _ := b.CompareQuantiles(0.5, base, head, true)
			if r.Interval.Low > 1.05 {
				seen++
			}
		}
		t.Logf("from %d rounds: %d would do; then %.1f%% are seen", few, need, float64(seen)/2)
		assert.GreaterOrEqual(t, float64(seen)/200, 0.9)
		assert.Less(t, need, 40, "nor are they far too many")
	}
}

func TestRoundsKnowsItsLimits(t *testing.T) {
	aim := stat.Aim{Tolerance: 0.05, Effect: 0.2, Alpha: 0.02, Metrics: 8}
	b := stat.NewBootstrap(1)
	two := rounds(observed(1), observed(2))
	r, _ := b.CompareQuantiles(0.5, two, two, true)
	assert.Equal(t, 0, aim.Rounds(r, two, two, true), "two rounds have no spread to speak of")

	late := make(stat.Replicates, 8)
	for i := range late {
		late[i] = []stat.Observation{censored(5)}
	}
	r, _ = b.CompareQuantiles(0.5, late, late, true)
	assert.Equal(t, stat.Bounds{Low: 0, High: math.Inf(1)}, *r.Interval)
	assert.Equal(t, 0, aim.Rounds(r, late, late, true), "timeouts have no spread")

	still := make(stat.Replicates, 3)
	for i := range still {
		still[i] = observed(2)
	}
	r, _ = b.CompareQuantiles(0.5, still, still, true)
	assert.Equal(t, aim.MinRounds(), aim.Rounds(r, still, still, true), "without noise, the fewest do")
}
