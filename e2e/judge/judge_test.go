package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
)

// Observers see what is judged, all of it, in order.
func TestObserversShareThePass(t *testing.T) {
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	s.add(record.Entry{Time: at(1720), Kind: record.KindUsage, Usage: &record.Usage{Node: "worker"}})
	var first, second []record.Entry
	j, err := judge.Judge(s.seq(),
		func(e record.Entry) { first = append(first, e) },
		func(e record.Entry) { second = append(second, e) })
	require.NoError(t, err)
	assert.Equal(t, phases(s.result()), phases(j.Results[0]))
	assert.Equal(t, s.entries, first)
	assert.Equal(t, s.entries, second)
}

// A sample names the entries of the recording that it comes from.
func TestSamplesAreTraceable(t *testing.T) {
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	for one := range s.judge().Samples() {
		var intents, shown int
		for _, e := range s.entries {
			if e.Kind == record.KindAction && e.Action.From == one.From {
				intents++
			}
			if e.Time == one.At {
				shown++
			}
		}
		assert.Equal(t, 1, intents, one.Phase)
		assert.Equal(t, 1, shown, one.Phase)
		assert.InDelta(t, one.Value, (one.At - one.From).Seconds(), 1e-12)
		assert.Equal(t, "services", one.Namespace)
	}
}
