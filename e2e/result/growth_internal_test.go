package result

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
)

// Where nothing was written in time, the first was not either: what was waited is no measurement.
func TestAnOperatorThatNeverCameBackHasNoFirst(t *testing.T) {
	down := func(outcome string, seconds float64) judge.Sample {
		return judge.Sample{Block: 1, Stage: record.StageDown, From: time.Second, At: time.Second + time.Duration(seconds*float64(time.Second)), Value: seconds, Outcome: outcome, Held: 100}
	}
	never := backOf([]judge.Sample{down(judge.Timeout, 600), down(judge.Timeout, 600)})
	assert.True(t, never.First.P50.Censored)
	assert.True(t, never.Whole.P50.Censored)
	one := backOf([]judge.Sample{down(judge.Timeout, 2), down(judge.OK, 7), down(judge.OK, 5)})
	assert.False(t, one.First.P50.Censored)
	assert.InDelta(t, 5, one.First.P50.Value, 1e-9)
	assert.True(t, one.Whole.P50.Censored)
}
