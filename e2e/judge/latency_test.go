package judge_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

func TestCreate(t *testing.T) {
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	r := s.result()
	assert.Equal(t, spec.Pass, r.Outcome(), "%+v", r.Verdicts)
	assert.Equal(t, []string{"acknowledged ok 5", "child written ok 10", "ready ok 640", "status written ok 690", "quiet ok 690"}, phases(r))
	assert.Equal(t, judge.Sample{
		Operator: "native", Scenario: "create", Phase: "ready", Run: "abc123", Block: 1, Value: 0.64, Unit: "s", Outcome: judge.OK,
		Namespace: "services", From: at(10), At: at(650),
	}, r.Samples[2])
}

// The watch can deliver before the API's reply is in: the latency is then
// smaller than the acknowledgement's, and is left so.
func TestEventBeforeTheReply(t *testing.T) {
	s := newStory(t)
	s.begin(0, "native", "create", 1)
	s.see(12, "ADDED", custom(1, 1, 0).at(100))
	s.see(13, "ADDED", deployment(1, 1, 0, 0))
	s.act(10, 20, "create", custom(1, 1, 0).at(100))
	s.see(30, "ADDED", replicaSet())
	s.see(31, "ADDED", pod(1, "Running"))
	s.see(40, "MODIFIED", deployment(1, 1, 1, 1))
	s.see(50, "MODIFIED", custom(1, 1, 1, "p1"))
	s.end(1060, record.Settled)
	r := s.result()
	assert.Equal(t, spec.Pass, r.Outcome(), "%+v", r.Verdicts)
	assert.Equal(t, []string{"acknowledged ok 10", "child written ok 3", "ready ok 30", "status written ok 40", "quiet ok 40"}, phases(r))
}

// What happened before the intent is the given state, even within the sample.
func TestOnlyWhatFollowsTheIntentCounts(t *testing.T) {
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	s.begin(2000, "native", "scale up", 4)
	s.see(2001, "MODIFIED", custom(1, 3, 1, "p1", "p2", "p3"))
	s.act(2010, 2014, "patch", custom(2, 4, 1, "p1", "p2", "p3").at(200))
	s.see(2015, "MODIFIED", custom(2, 4, 1, "p1", "p2", "p3").at(200))
	s.see(2020, "MODIFIED", deployment(2, 4, 3, 3))
	s.see(2030, "ADDED", pod(4, "Running"))
	s.see(2500, "MODIFIED", deployment(2, 4, 4, 4))
	s.see(2600, "MODIFIED", custom(2, 4, 2, "p1", "p2", "p3", "p4"))
	s.end(3610, record.Settled)
	r := s.result()
	assert.Equal(t, spec.Pass, r.Outcome(), "%+v", r.Verdicts)
	assert.Equal(t, []string{"acknowledged ok 4", "child written ok 10", "ready ok 490", "status written ok 590", "quiet ok 590"}, phases(r))
}

// deleteStory tells of a native delete that follows a create, up to 2400 ms.
func deleteStory(t *testing.T, change ...func(*record.Sample)) *story {
	t.Helper()
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	s.begin(2000, "native", "delete", -1, change...)
	s.act(2010, 2015, "delete", custom(1, 3, 1).at(300))
	s.see(2016, "DELETED", custom(1, 3, 1))
	s.see(2020, "DELETED", deployment(1, 3, 3, 3))
	s.see(2030, "DELETED", replicaSet())
	s.see(2200, "DELETED", pod(1, "Running"))
	s.see(2300, "DELETED", pod(2, "Running"))
	s.see(2400, "DELETED", pod(3, "Running"))
	return s
}

func TestDelete(t *testing.T) {
	s := deleteStory(t)
	s.end(3410, record.Settled)
	r := s.result()
	assert.Equal(t, spec.Pass, r.Outcome(), "%+v", r.Verdicts)
	assert.Equal(t, []string{"acknowledged ok 5", "CR gone ok 6", "child gone ok 10", "pods gone ok 390"}, phases(r))
}

// The last pod counts, also one that was started after others had gone.
func TestPodsGoneIsTheLastPod(t *testing.T) {
	s := deleteStory(t)
	s.see(2500, "ADDED", pod(4, "Pending"))
	s.see(2600, "DELETED", pod(4, "Pending"))
	s.end(3610, record.Settled)
	assert.Contains(t, phases(s.result()), "pods gone ok 590")
}

func TestInnerPhases(t *testing.T) {
	s := newStory(t)
	s.begin(0, "argo", "create", 1)
	s.act(10, 15, "create", custom(1, 1, 0))
	s.see(20, "ADDED", workflow("w1", ""))
	s.see(50, "MODIFIED", workflow("w1", "Running"))
	s.see(60, "ADDED", deployment(1, 1, 0, 0))
	s.see(70, "MODIFIED", deployment(1, 1, 1, 1))
	s.see(90, "MODIFIED", workflow("w1", "Succeeded"))
	s.end(1100, record.Settled)
	s.begin(2000, "argo", "scale up", 2)
	s.act(2010, 2015, "patch", custom(2, 2, 0))
	s.see(2016, "MODIFIED", workflow("w1", "Succeeded")) // labelled: it has not finished again
	s.see(2020, "ADDED", workflow("w2", ""))
	s.see(2060, "MODIFIED", deployment(2, 2, 1, 1))
	s.see(2070, "MODIFIED", deployment(2, 2, 2, 2))
	s.see(2100, "MODIFIED", workflow("w2", "Succeeded"))
	s.see(2110, "DELETED", workflow("w1", "Succeeded"))
	s.end(3200, record.Settled)
	j := s.judge()
	require.Len(t, j.Results, 2)
	assert.Equal(t, []string{"acknowledged ok 5", "child written ok 50", "ready ok 60", "quiet ok 80", "workflow created ok 10", "workflow finished ok 80"}, phases(j.Results[0]))
	assert.Equal(t, []string{"acknowledged ok 5", "child written ok 50", "ready ok 60", "quiet ok 100", "workflow created ok 10", "workflow finished ok 90"}, phases(j.Results[1]))
}

// A Workflow that an earlier reconcile left running is not this sample's.
func TestInnerPhaseOfAnEarlierReconcile(t *testing.T) {
	s := newStory(t)
	s.begin(0, "argo", "create", 1)
	s.act(10, 15, "create", custom(1, 1, 0))
	s.see(20, "ADDED", workflow("w1", "Running"))
	s.end(1100, record.TimedOut)
	s.begin(2000, "argo", "scale up", 2)
	s.act(2010, 2015, "patch", custom(2, 2, 0))
	s.see(2020, "MODIFIED", workflow("w1", "Succeeded"))
	s.see(2030, "ADDED", workflow("w2", "Running"))
	s.see(2100, "MODIFIED", workflow("w2", "Succeeded"))
	s.end(12010, record.TimedOut)
	assert.Equal(t, []string{"acknowledged wrong 5", "child written timeout 10000", "ready timeout 10000", "quiet timeout 10000", "workflow created wrong 20", "workflow finished wrong 90"},
		phases(s.result()))
}

func TestTimeoutIsCensored(t *testing.T) {
	s := newStory(t)
	s.begin(0, "native", "create", 3)
	s.act(10, 15, "create", custom(1, 3, 0))
	s.see(20, "ADDED", deployment(1, 3, 0, 0))
	s.end(10010, record.TimedOut)
	r := s.result()
	assert.Equal(t, spec.Fail, r.Outcome())
	assert.Equal(t, []string{"acknowledged wrong 5", "child written wrong 10", "ready timeout 10000", "status written timeout 10000", "quiet timeout 10000"}, phases(r))
}

func TestInterruptedIsNotGuessed(t *testing.T) {
	s := newStory(t)
	s.created()
	want := []string{"acknowledged interrupted 5", "child written interrupted 10", "ready interrupted 640", "status written interrupted 690", "quiet interrupted 690"}

	t.Run("the recording stops", func(t *testing.T) {
		r := s.result()
		assert.Equal(t, spec.Invalid, r.Outcome())
		assert.Equal(t, record.Interrupted, r.End)
		assert.Equal(t, want, phases(r))
	})
	t.Run("the driver was stopped", func(t *testing.T) {
		s.end(800, record.Interrupted)
		r := s.result()
		assert.Equal(t, spec.Invalid, r.Outcome())
		want[4] = "quiet interrupted 790" // it is not known that it was quiet: what was waited
		assert.Equal(t, want, phases(r))
	})
}

func TestGap(t *testing.T) {
	for name, test := range map[string]struct {
		resource string
		want     []string
		outcome  spec.Outcome
	}{
		"on what every phase and oracle needs": {spec.Deployments, []string{"interrupted", "interrupted", "interrupted", "interrupted", "interrupted"}, spec.Invalid},
		"on what some oracle needs":            {spec.Pods, []string{"interrupted", "interrupted", "interrupted", "interrupted", "interrupted"}, spec.Invalid},
		"on something else":                    {"events.v1", []string{"ok", "ok", "ok", "ok", "ok"}, spec.Pass},
	} {
		check := func(t *testing.T, s *story) {
			t.Helper()
			r := s.judge().Results[0]
			var outcomes []string
			for _, one := range r.Samples {
				outcomes = append(outcomes, one.Outcome)
			}
			assert.Equal(t, test.want, outcomes)
			assert.Equal(t, test.outcome, r.Outcome(), "%+v", r.Verdicts)
		}
		t.Run(name+", in the sample", func(t *testing.T) {
			s := newStory(t)
			s.created()
			s.gap(710, 900, test.resource)
			s.end(1710, record.Settled)
			check(t, s)
		})
		t.Run(name+", back after the sample", func(t *testing.T) {
			s := newStory(t)
			s.created()
			s.end(1710, record.Settled)
			s.gap(710, 5000, test.resource)
			check(t, s)
		})
		t.Run(name+", after the sample", func(t *testing.T) {
			s := newStory(t)
			s.created()
			s.end(1710, record.Settled)
			s.gap(1800, 5000, test.resource)
			r := s.judge().Results[0]
			assert.Equal(t, spec.Pass, r.Outcome())
		})
	}
}

// A state that was there all along has no latency.
func TestNothingToDo(t *testing.T) {
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	s.begin(2000, "native", "annotate", 3)
	s.done(2010, "patch", custom(1, 3, 1, "p1", "p2", "p3").at(400))
	s.end(3030, record.Settled)
	r := s.result()
	assert.Equal(t, spec.Pass, r.Outcome(), "%+v", r.Verdicts)
	assert.Equal(t, []string{"acknowledged ok 5", "quiet ok 6"}, phases(r))
}

func TestPrepareIsNotMeasured(t *testing.T) {
	s := newStory(t)
	s.created(func(b *record.Sample) { b.Prepare = true })
	s.end(1710, record.Settled)
	j := s.judge()
	assert.Empty(t, j.Results)
	assert.Empty(t, j.Warnings)

	s.begin(2000, "native", "scale up", 5, func(b *record.Sample) { b.Prepare = true })
	s.end(12000, record.TimedOut)
	assert.Equal(t, []string{"the given state of native scale up, round 1, was not reached: as told"}, s.judge().Warnings)
}

func TestWarmupIsMarked(t *testing.T) {
	s := newStory(t)
	s.created(func(b *record.Sample) { b.Warmup = true })
	s.end(1710, record.Settled)
	for one := range s.judge().Samples() {
		assert.True(t, one.Warmup)
	}
}

func TestLateConvergenceFails(t *testing.T) {
	s := newStory(t)
	s.created(func(b *record.Sample) { b.Timeout = 500 * time.Millisecond })
	s.end(1710, record.Settled)
	v := s.says("converged", spec.Fail, "")
	assert.Equal(t, "expected 3 ready replicas within 500ms; seen at +0.640 s", v.Message)
}
