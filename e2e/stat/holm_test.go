package stat_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/stat"
)

// The worked example that R's and Wikipedia's pages on Holm's method share.
func TestHolm(t *testing.T) {
	assert.InDeltaSlice(t, []float64{0.03, 0.06, 0.06, 0.02}, stat.Holm([]float64{0.01, 0.04, 0.03, 0.005}), 1e-12)
	assert.Empty(t, stat.Holm(nil))
	assert.InDeltaSlice(t, []float64{0.2}, stat.Holm([]float64{0.2}), 0, "one alone needs no correction")
	assert.InDeltaSlice(t, []float64{1, 1}, stat.Holm([]float64{0.7, 0.9}), 0)
}

func TestHolmProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		p := make([]float64, 1+random.IntN(12))
		for i := range p {
			p[i] = random.Float64()
		}
		corrected := stat.Holm(p)
		for i := range p {
			assert.GreaterOrEqual(t, corrected[i], p[i])
			assert.LessOrEqual(t, corrected[i], min(1, p[i]*float64(len(p))), "never worse than Bonferroni's")
			for j := range p {
				assert.False(t, p[i] < p[j] && corrected[i] > corrected[j], "the order stays")
			}
		}
	}
}

// Of golang.org/x/perf/benchmath's table uTestMinP.
func TestSmallestP(t *testing.T) {
	for n, want := range map[int]float64{1: 1, 2: 1.0 / 3, 3: 0.1, 4: 0.02857142857142857, 6: 0.0021645021645021645, 9: 4.113533525298231e-05} {
		assert.InEpsilon(t, want, stat.SmallestP(n), 1e-12, "n = %d", n)
	}
}
