package spec_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/spec"
)

// climb goes up a ramp against what holds so many changes a second.
func climb(r spec.Ramp, capacity int) (rates []int, held int) {
	var tried []spec.Tried
	for rate := r.Next(nil); rate > 0; rate = r.Next(tried) {
		step := spec.Tried{Rate: rate, Held: rate <= capacity}
		tried, rates = append(tried, step), append(rates, rate)
		if step.Held {
			held = max(held, rate)
		}
	}
	return rates, held
}

func TestARampDoublesThenHalvesTheGap(t *testing.T) {
	r := spec.Ramp{From: 5, Most: 160, Hold: 10 * time.Second}
	rates, _ := climb(r, 45)
	assert.Equal(t, []int{5, 10, 20, 40, 80, 60, 50}, rates)
	rates, _ = climb(r, 1000)
	assert.Equal(t, []int{5, 10, 20, 40, 80, 160}, rates)
	rates, _ = climb(r, 0)
	assert.Equal(t, []int{5, 2, 1}, rates, "slower than the first rate")
	rates, _ = climb(spec.Ramp{From: 5, Most: 50}, 1000)
	assert.Equal(t, []int{5, 10, 20, 40, 50}, rates, "no step is above the last rate")
	assert.Equal(t, 400, r.Changes(40))
}

// Whatever a style holds, no step repeats a rate, there are as many steps as are said
// beforehand, and what is held is known to a quarter of it, or to one a second.
func TestARampEndsWithWhatIsHeld(t *testing.T) {
	for from := 1; from <= 8; from++ {
		r := spec.Ramp{From: from, Most: 100, Hold: 10 * time.Second}
		for capacity := range 121 {
			rates, held := climb(r, capacity)
			seen := map[int]bool{}
			for _, rate := range rates {
				assert.False(t, seen[rate], "from %d, capacity %d: %v", from, capacity, rates)
				seen[rate] = true
			}
			assert.LessOrEqual(t, len(rates), r.Steps(), "from %d, capacity %d", from, capacity)
			assert.LessOrEqual(t, held, capacity)
			assert.LessOrEqual(t, min(capacity, r.Most)-held, max(held/4, 1), "from %d, capacity %d: %v", from, capacity, rates)
		}
	}
}
