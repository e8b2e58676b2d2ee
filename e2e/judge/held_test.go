package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

func (s *story) held(ms float64, style, namespace string) {
	s.add(record.Entry{Time: at(ms), Kind: record.KindHeld, Held: &record.Held{
		Style: style, Namespace: namespace, Name: "cache", Finalizers: []string{"example.com/a", "example.com/b"}, Waited: at(60_000),
	}})
}

const notReleased = "the custom resource services/cache was deleted while native still ran, and was held by its finalizers (example.com/a, example.com/b) for 1m0s: the harness has removed them by force"

// The sample itself went well, and its operator does not let go of its remains.
func TestWhatIsNotReleasedFailsTheLastSampleOfItsNamespace(t *testing.T) {
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	s.begin(2000, "native", "touch", 3, func(b *record.Sample) { b.Expect = []string{"converged"} })
	s.act(2010, 2015, "patch", custom(1, 3, 1))
	s.end(3020, record.Settled)
	s.begin(4000, "native", "elsewhere", 3, func(b *record.Sample) { b.Namespace, b.Expect = "other", []string{"write-history"} })
	elsewhere := custom(1, 3, 0)
	elsewhere.namespace = "other"
	s.act(4010, 4015, "create", elsewhere)
	s.end(5020, record.Settled)
	s.held(70_000, "native", "services")
	found := s.judge().Results
	require.Len(t, found, 3)
	assert.Equal(t, spec.Pass, found[0].Outcome())
	assert.Equal(t, spec.Fail, found[1].Outcome())
	last := found[1].Verdicts[len(found[1].Verdicts)-1]
	assert.Equal(t, judge.Verdict{Oracle: judge.Released, Outcome: spec.Fail, Message: "expected the operator to release what it holds; " + notReleased}, last)
	assert.Equal(t, spec.Pass, found[2].Outcome())
	assert.NotEmpty(t, found[1].Samples)
	for _, sample := range found[1].Samples {
		assert.Equal(t, judge.Wrong, sample.Outcome, "%s: a sample that fails has no latency that counts", sample.Phase)
	}
}

// It has its headline already: that the custom resource stays may be why.
func TestWhatIsNotReleasedIsToldOfASampleThatHasFailed(t *testing.T) {
	s := newStory(t)
	s.created()
	s.see(900, "MODIFIED", deployment(1, 3, 3, 2))
	s.end(1710, record.Settled)
	s.held(70_000, "native", "services")
	found := s.judge().Results
	require.Len(t, found, 1)
	for _, v := range found[0].Verdicts {
		assert.NotEqual(t, judge.Released, v.Oracle)
	}
	assert.Contains(t, s.verdict("converged").Message, "; "+notReleased)
}

// A namespace that only prepares something has no sample that is judged: the
// style's last one tells of it. Of another style nothing is said.
func TestWhatIsNotReleasedElsewhereIsTheStyles(t *testing.T) {
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	s.held(70_000, "native", "prepared")
	s.held(70_001, "argo", "services")
	judged := s.judge()
	require.Len(t, judged.Results, 1)
	assert.Equal(t, spec.Fail, judged.Results[0].Outcome())
	require.Len(t, judged.Warnings, 1)
	assert.Contains(t, judged.Warnings[0], "while argo still ran")
}

// Who has not come to the end of a load has not come to its deletions, either: that it was late says so already.
func TestWhatIsNotReleasedAfterALoadThatWasNotHandledIsNoFailure(t *testing.T) {
	for end, want := range map[string]spec.Outcome{record.TimedOut: spec.Pass, record.Settled: spec.Fail} {
		s := newStory(t)
		s.begin(0, "native", "many", 3, ofLoad("services"))
		s.act(10, 15, "create", custom(1, 3, 0))
		s.see(60, "ADDED", deployment(1, 3, 3, 3))
		s.see(70, "MODIFIED", custom(1, 3, 1))
		s.end(1710, record.Settled)
		s.begin(2000, "native", "many", 3, ofLoad("other"))
		s.endOf(5020, "other", end)
		s.held(70_000, "native", "services")
		s.held(70_001, "native", "services")
		judged := s.judge()
		require.Len(t, judged.Results, 2)
		assert.Equal(t, want, judged.Results[0].Outcome(), "%s: %+v", end, judged.Results[0].Verdicts)
		if end == record.TimedOut {
			assert.Equal(t, []string{"native was late in many when its custom resources were deleted: from those that it did not release in time the harness has removed the finalizers"}, judged.Warnings)
		}
	}
}
