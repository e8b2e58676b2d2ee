package drive_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// slow is a stage on which an operator writes a Deployment only after a while.
type slow struct {
	*stage
	t     *testing.T
	takes time.Duration
	asked time.Time
}

func (s *slow) Missing(string) string {
	if s.asked.IsZero() {
		s.asked = time.Now()
		time.AfterFunc(s.takes, func() {
			assert.NoError(s.t, s.Recorder.Record(record.Entry{Time: s.Recorder.Now(), Kind: record.KindWatch, Watch: &record.Watch{
				Event: "ADDED", Resource: "deployments.v1.apps", Name: "memcached", UID: "u",
			}}))
		})
	}
	if time.Since(s.asked) < s.takes {
		return "there is no Deployment"
	}
	return ""
}

func (s *slow) Lacks(namespace, _ string) string { return s.Missing(namespace) }

// An operator that takes seconds between two writes is not done when nothing was written for
// a moment: one more pass of ansible-operator wrote into the scenario that came next. What
// has work objects is seen to be at work, and what cannot be brought about is tried for ever.
func TestASlowOperatorIsGivenTimeForOneWriteMore(t *testing.T) {
	const takes = 250 * time.Millisecond // far more than a busy machine delays it
	create := []scenarios.Step{{Create: &scenarios.Spec{Size: 1}}}
	for _, c := range []struct {
		work  []spec.Work
		steps []scenarios.Step
		given bool
	}{
		{steps: create, given: true},
		{work: []spec.Work{{Resource: "pods.v1"}}, steps: create},
		{steps: append(create, scenarios.Step{Submit: &scenarios.Submit{Patch: true, Object: map[string]any{"spec": map[string]any{"size": int64(-1)}}}})},
	} {
		s, _, style := newMatrixStage(t)
		style.Work = c.work
		s.Matrix.Patience = time.Minute
		s.Judge = &slow{stage: s, t: t, takes: takes}
		one := scenarios.Scenario{Name: "one", Group: spec.GroupBasic, Expect: []string{"converged"}, Steps: c.steps}
		require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{one}}))
		assert.Equal(t, []string{"one settled"}, s.ends)
		lasted := s.lasted(t)
		if c.given {
			assert.GreaterOrEqual(t, lasted, 3*takes)
		} else {
			assert.Less(t, lasted, 3*takes)
		}
	}
}

// Where latencies are measured, too: ansible's Memcached was deleted half a second after a
// write, in the midst of a pass of two to three seconds. The pace of the creation holds for
// all that the custom resource is put through.
func TestAPassIsOverBeforeTheNextChangeIsMeasured(t *testing.T) {
	const takes = 80 * time.Millisecond
	s := newStage(t)
	s.Judge = &slow{stage: s, t: t, takes: takes}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: basic(t, "create", "scale-up", "scale-down", "delete")}))
	assert.Equal(t, []string{"create settled", "scale-up settled", "scale-down settled", "delete settled"}, s.ends)
	var began time.Duration
	for e := range s.recorded(t) {
		switch e.Kind {
		case record.KindBegin:
			began = e.Time
		case record.KindEnd:
			assert.GreaterOrEqual(t, e.Time-began, 2*takes, e.End.Scenario)
		}
	}
}
