package judge_test

import (
	"testing"
	"time"

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

// What was handed out of a recording that goes on stays as it is, also where later entries withdraw or add verdicts.
func TestWhatIsKnownSoFarStaysAsItIs(t *testing.T) {
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	g := judge.NewJudging()
	for _, e := range s.entries {
		_, err := g.Add(e)
		require.NoError(t, err)
	}
	before := g.SoFar()
	was := told(before)
	for _, e := range []record.Entry{
		{Time: at(1800), Kind: record.KindHeld, Held: &record.Held{Style: "native", Namespace: "services", Name: "cache", Finalizers: []string{"example.com/mine"}, Waited: time.Second}},
		{Time: at(1900), Kind: record.KindGap, Gap: &record.Gap{Resource: customs, From: at(1600), Reason: "closed"}},
	} {
		is := told(g.SoFar())
		_, err := g.Add(e)
		require.NoError(t, err)
		assert.NotEqual(t, is, told(g.SoFar()), e.Kind)
		assert.Equal(t, was, told(before), e.Kind)
	}
}
