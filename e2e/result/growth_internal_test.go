package result

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/cost"
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

// A growth goes no further than the number that was not handled, and says so; of a hundred nobody concludes on a thousand.
func TestAGrowthThatFallsShort(t *testing.T) {
	sample := func(stage string, held int, outcome string) judge.Sample {
		return judge.Sample{Block: 1, Stage: stage, Held: held, At: time.Second, Value: 1, Outcome: outcome}
	}
	there := []judge.Sample{sample(record.StageMore, 0, judge.OK), sample(record.StageFill, 30, judge.Wrong), sample(record.StageMore, 100, judge.OK)}
	of, lost := short(there)
	assert.Zero(t, of+lost, "it went on")
	fell := append(slices.Clone(there), sample(record.StageFill, 130, judge.OK), sample(record.StageFill, 130, judge.Timeout))
	g := Growth{Levels: levels("ansible", fell)}
	g.Of, g.Lost = short(fell)
	for i, bytes := range []float64{60 << 20, 700 << 20} {
		g.Levels[i].Rest = &cost.Rest{Memory: cost.Figure{Unit: "bytes", Values: []cost.Value{{Round: 1, Value: bytes}}}}
	}
	assert.Equal(t, "one custom resource more takes 1.00 s where there are 0, and 1.00 s where there are 100; of 2 that came then 1 were late or wrong, so that it was driven no further", g.Text())
	_, known := g.Slope()
	assert.False(t, known)
}

// The harness sends newcomers one after the other, and may be at that when all that was created before is written: how
// long it takes is nothing of the operator's, nor is a newcomer that comes then one of those that wait behind others.
func TestNewcomersThatComeWhenAllIsWrittenTellNothing(t *testing.T) {
	sample := func(stage string, from, at float64) judge.Sample {
		second := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
		return judge.Sample{Block: 1, Stage: stage, From: second(from), At: second(at), Value: at - from, Outcome: judge.OK, Held: 100}
	}
	down := []judge.Sample{sample(record.StageDown, 1, 2), sample(record.StageDown, 1, 5)}
	last := backOf(append(down, sample(record.StageNewcomer, 2, 5.5), sample(record.StageNewcomer, 3, 5.6), sample(record.StageNewcomer, 4, 5.7), sample(record.StageNewcomer, 6, 6.1)))
	assert.InDelta(t, 4, last.Whole.P50.Value, 1e-9, "of what was created while it was stopped")
	assert.InDelta(t, 2.6, last.Wait.P50.Value, 1e-9)
	assert.InDelta(t, 1, last.Share.P50.Value, 1e-9, "all that was there came first")
	first := backOf(append(down, sample(record.StageNewcomer, 2, 2.3), sample(record.StageNewcomer, 4, 4.2), sample(record.StageNewcomer, 6, 6.1)))
	assert.InDelta(t, 0.1, first.Share.P50.Value, 1e-9)
	assert.Zero(t, backOf(append(down, sample(record.StageNewcomer, 5, 5.1))).Share.N)
}
