package drive_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// breaker notes what is broken and mended, in order.
type breaker struct {
	mu     sync.Mutex
	done   []string
	fail   error  // of the next undoing
	mended func() // nil: nothing comes of it
}

func (b *breaker) note(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = append(b.done, what)
}

func (b *breaker) Begin(_ context.Context, f scenarios.Fault, _ fault.Target) (fault.Broken, error) {
	kind, what := f.Kind, f.What
	b.note(kind + " " + what)
	broken := fault.Broken{Objects: []string{"pods/system/" + what}}
	if kind != "kill" {
		broken.Undo = func(context.Context) error {
			b.note("mend " + kind)
			if b.mended != nil {
				b.mended()
			}
			return b.fail
		}
	}
	return broken, nil
}

// stop is a scenario that changes a custom resource while the operator is down.
func stop(name string, mended bool) scenarios.Scenario {
	s := scenarios.Scenario{
		Name: name, Group: spec.GroupFault, Expect: []string{"converged"},
		Steps: []scenarios.Step{{Fault: &scenarios.Fault{Kind: spec.FaultStop, What: "all"}}, {Create: &scenarios.Spec{Size: 1}}},
	}
	if mended {
		s.Steps = append(s.Steps, scenarios.Step{Mend: "stop"})
	}
	return s
}

func newMatrixStage(t *testing.T) (*stage, *breaker, drive.Style) {
	t.Helper()
	s, b := newStage(t), &breaker{}
	s.Matrix = drive.Matrix{Window: time.Millisecond, Patience: 20 * time.Millisecond, Overlap: 2}
	return s, b, drive.Style{Style: record.Style{Style: spec.Style{Name: "fast", Timeout: time.Minute}}, Faults: b}
}

// faults are the recorded ones: namespace, stage and kind.
func (s *stage) faults(t *testing.T) []string {
	t.Helper()
	var list []string
	for e := range s.recorded(t) {
		if e.Kind == record.KindFault {
			assert.LessOrEqual(t, e.Fault.From, e.Time)
			scenario := e.Fault.Namespace[strings.LastIndex(e.Fault.Namespace, "-")+1:]
			list = append(list, fmt.Sprintf("%s %s %s %s", scenario, e.Fault.Stage, e.Fault.Kind, e.Fault.What))
		}
	}
	slices.Sort(list)
	return list
}

func TestAFaultThatIsSharedIsDoneOnceAndRecordedForEach(t *testing.T) {
	s, b, style := newMatrixStage(t)
	wave := drive.Plan{Round: 1, Wave: 2, Scenarios: []scenarios.Scenario{stop("one", true), stop("two", true), stop("three", true)}}
	require.NoError(t, s.drive(t.Context(), style, wave))
	assert.Equal(t, []string{"stop all", "mend stop"}, b.done)
	assert.Equal(t, []string{
		"one begun stop all", "one over stop all", "three begun stop all", "three over stop all", "two begun stop all", "two over stop all",
	}, s.faults(t))
	slices.Sort(s.ends)
	assert.Equal(t, []string{"one settled", "three settled", "two settled"}, s.ends)
	slices.Sort(s.made)
	assert.Equal(t, []string{"services-abc123-fast-1-w2-1-one", "services-abc123-fast-1-w2-2-two", "services-abc123-fast-1-w2-3-three"}, s.made)
	for _, namespace := range s.made {
		assert.Contains(t, s.removed, namespace)
	}
}

// Else the first would be long past the point at which the fault is to meet it.
func TestNobodyBeginsBeforeAllAreGivenWhatTheyStartFrom(t *testing.T) {
	s, _, style := newMatrixStage(t)
	late := stop("late", true)
	late.Given = &scenarios.Spec{Size: 2}
	late.Steps[1] = scenarios.Step{Patch: &scenarios.Spec{Size: 3}}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{stop("early", true), late}}))
	given := false
	for e := range s.recorded(t) {
		switch {
		case e.Kind == record.KindEnd && e.End.Scenario == "late":
			given = true
		case e.Kind == record.KindBegin && !e.Begin.Prepare:
			assert.True(t, given, "%s began", e.Begin.Scenario)
		}
	}
}

// What a style says when all goes well is known only where something has gone well: without
// it, a text that is always there would be a diagnosis. It is gone before anything is broken.
func TestAnOrdinaryCustomResourceComesBeforeWhatMustBeDiagnosed(t *testing.T) {
	s, b, style := newMatrixStage(t)
	one := stop("one", true)
	one.Expect, one.Cause = []string{"diagnosable"}, "refused"
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{one}}))
	assert.Equal(t, []string{"one (prepare) settled", "empty (prepare) settled", "one settled"}, s.ends)
	assert.Equal(t, []string{
		"begin one", "create measured=false", "end settled", "begin empty", "delete measured=false", "end settled",
		"begin one", "create measured=true", "end settled",
	}, s.entries(t))
	assert.Equal(t, []string{"services-abc123-fast-1-w1-1-one", "services-abc123-fast-1-w1-1-one-1"}, s.made)
	assert.Equal(t, []string{"stop all", "mend stop"}, b.done)
}

// The namespace after that of an ordinary custom resource, which has a second one beside it, is another than both.
func TestNoNamespaceIsMadeTwice(t *testing.T) {
	s, _, style := newMatrixStage(t)
	one := stop("told", false)
	one.Expect, one.Steps = []string{"diagnosable"}, []scenarios.Step{{Create: &scenarios.Spec{Size: 1}}, {On: "elsewhere/other", Create: &scenarios.Spec{Size: 1}}}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{one}}))
	assert.Len(t, s.made, 4)
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(s.made))), 4, "%v", s.made)
}

func TestAFaultIsMendedWhateverHappens(t *testing.T) {
	s, b, style := newMatrixStage(t)
	never := stop("one", false) // no file may say so, but a step before the mending can fail
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{never}}))
	assert.Equal(t, []string{"stop all", "mend stop"}, b.done)
	assert.Equal(t, []string{"one begun stop all", "one over stop all"}, s.faults(t))
}

func TestAFaultThatCannotBeUndoneBreaksTheTestEnvironment(t *testing.T) {
	s, b, style := newMatrixStage(t)
	b.fail = errors.New("the Deployment is not there any more")
	err := s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{stop("one", false)}})
	require.ErrorContains(t, err, "undo stop all: the Deployment is not there any more")
}

func TestAFaultThatIsOverAtOnceIsRecordedAsOver(t *testing.T) {
	s, b, style := newMatrixStage(t)
	kill := scenarios.Scenario{Name: "one", Group: spec.GroupFault, Expect: []string{"recovers"}, Steps: []scenarios.Step{
		{Create: &scenarios.Spec{Size: 1}}, {Fault: &scenarios.Fault{Kind: spec.FaultKill, What: "all"}},
	}}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{kill}}))
	assert.Equal(t, []string{"kill all"}, b.done)
	assert.Equal(t, []string{"one begun kill all", "one over kill all"}, s.faults(t))
}

// Packets stay lost until the sample ends: who waits for them waits until the time is up.
func TestSilenceIsOverAtOnceAndTakenBackAtTheEnd(t *testing.T) {
	s, b, style := newMatrixStage(t)
	silence := scenarios.Scenario{Name: "one", Group: spec.GroupFault, Expect: []string{"recovers"}, Steps: []scenarios.Step{
		{Fault: &scenarios.Fault{Kind: spec.FaultSilence, What: "all"}}, {Create: &scenarios.Spec{Size: 1}},
	}}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{silence}}))
	assert.Equal(t, []string{"silence all", "mend silence"}, b.done)
	assert.Equal(t, []string{"one begun silence all", "one over silence all"}, s.faults(t), "it is counted from when it began")
}

// What does not recover by itself is nudged once; patience ends both waits.
func TestANudgeFollowsWhenNothingMoves(t *testing.T) {
	s, _, style := newMatrixStage(t)
	s.missing = "there is no Deployment"
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{stop("one", true)}}))
	assert.Equal(t, []string{"one timeout"}, s.ends)
	assert.Equal(t, []string{"begin one", "create measured=true", "patch measured=false", "end timeout"}, s.entries(t))
	assert.Contains(t, s.recording.String(), `"nudge":true`)
	assert.Contains(t, s.recording.String(), "nothing has moved for 20ms: there is no Deployment")
}

// No watch shows whether an operator tries again a minute later: it has that time beside the patience, and the steps
// go on.
func TestWhoGaveUpIsAwaitedForAMinuteLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, style := newMatrixStage(t)
		s.missing = "no write was refused"
		one := scenarios.Scenario{Name: "one", Group: spec.GroupBasic, Expect: []string{"converged"}, Steps: []scenarios.Step{
			{Create: &scenarios.Spec{Size: 1}}, {Await: spec.PointRetried}, {Patch: &scenarios.Spec{Size: 2}},
		}}
		require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{one}}))
		assert.Equal(t, []string{"begin one", "create measured=true", "patch measured=true", "end timeout"}, s.entries(t))
		actions := s.actions(t)
		assert.Equal(t, spec.RetriedFor+s.Matrix.Patience, (actions[1].From - actions[0].From).Round(time.Millisecond))
	})
}

func TestWhatDoesNotApplyIsNotDriven(t *testing.T) {
	s, b, style := newMatrixStage(t)
	wave := drive.Plan{
		Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{stop("one", true), stop("two", true)},
		Applies: func(s scenarios.Scenario) string {
			if s.Name == "one" {
				return "fast has no component bus"
			}
			return ""
		},
	}
	require.NoError(t, s.drive(t.Context(), style, wave))
	assert.Equal(t, []string{"stop all", "mend stop"}, b.done)
	assert.Equal(t, []string{"services-abc123-fast-1-w1-2-two"}, s.made)
	assert.Contains(t, s.recording.String(), `"reason":"fast has no component bus"`)
}

// An operator that does not come back when it may is what the oracles judge.
func TestAnOperatorThatDoesNotServeAgainIsNoBrokenTestEnvironment(t *testing.T) {
	s, b, style := newMatrixStage(t)
	b.fail = fmt.Errorf("it is scaled to 1 again: %w", &kube.WaitError{})
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{stop("one", true)}}))
	assert.Equal(t, []string{"one begun stop all", "one over stop all"}, s.faults(t))
	assert.Contains(t, s.recording.String(), "it is scaled to 1 again")
}

// Steps that come to an early end leave no finalizer, which no namespace with it
// in would ever go.
func TestWaveLeavesNoFinalizer(t *testing.T) {
	s, _, style := newMatrixStage(t)
	s.missing = "the operator has not begun"
	yes := true
	held := scenarios.Scenario{
		Name: "held", Group: spec.GroupLevel, Expect: []string{"gone"},
		Steps: []scenarios.Step{{Create: &scenarios.Spec{Size: 1}}, {Finalize: &yes}, {Await: "working"}},
	}
	_, err := s.Drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{held}})
	require.NoError(t, err)
	assert.Contains(t, s.recording.String(), kube.FinalizerHold, "it was there")
	require.Len(t, s.customs(t), 1, "it goes with its namespace")
	assert.Empty(t, s.customs(t)[0].GetFinalizers())
	assert.Empty(t, s.held, "it was not the operator's")
}
