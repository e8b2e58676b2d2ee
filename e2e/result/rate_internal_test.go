package result

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/judge"
)

// arrivals are samples of one round that are due a second apart, with such latencies; below
// zero: written only after the time was over.
func arrivals(every time.Duration, seconds ...float64) []judge.Sample {
	var all []judge.Sample
	for i, value := range seconds {
		s := judge.Sample{Block: 1, From: time.Duration(i) * every, Value: value, Outcome: judge.OK, Late: time.Millisecond}
		if value < 0 {
			s.Value, s.Outcome = -value, judge.Timeout
		}
		s.At = s.From + time.Duration(s.Value*float64(time.Second))
		all = append(all, s)
	}
	return all
}

func TestHowAStyleKeptUp(t *testing.T) {
	steady := rateOf(arrivals(500*time.Millisecond, 0.3, 0.2, 0.3, 0.4, 0.3, 0.3))
	assert.Equal(t, "holds 2.00 changes a second; all written in time", steady.Text())
	assert.InDelta(t, 6/2.8, steady.Done, 1e-9, "from the first that was due until the last was written")
	assert.Equal(t, time.Millisecond, steady.Late)

	behind := rateOf(arrivals(500*time.Millisecond, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8))
	assert.Equal(t, "at 2.00 changes a second its queue grows: the first third waited 300 ms, the last 1.50 s; all written in time", behind.Text())
	assert.False(t, behind.Held())

	short := rateOf(arrivals(500*time.Millisecond, 0.01, 0.02, 0.02, 0.03, 0.04, 0.05))
	assert.True(t, short.Held(), "what a machine's noise may be is no queue")
	assert.Equal(t, "holds 2.00 changes a second; all written in time", short.Text())

	loses := rateOf(arrivals(500*time.Millisecond, 0.3, 0.3, -60, 0.3, 0.3, 0.3))
	assert.Equal(t, "at 2.00 changes a second some are not written in time; 1 of 6 not written in time", loses.Text())
	assert.True(t, loses.P99.Censored)

	burst := rateOf(arrivals(0, 0.5, 1))
	assert.Equal(t, "writes 2.00 changes a second of 2 that come at once; all written in time", burst.Text())
	assert.False(t, burst.Held(), "of a burst no rate is held")

	late := arrivals(500*time.Millisecond, 0.3, 0.3, 0.3)
	late[1].Late = 100 * time.Millisecond
	one := rateOf(late)
	assert.Equal(t, "holds 2.00 changes a second; all written in time; the harness itself sent up to 100 ms late", one.Text())
}
