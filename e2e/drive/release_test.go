package drive_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

const cleanup = "operator.example.com/cleanup"

// finalizes makes the cluster that of an operator with a finalizer of its own:
// each custom resource has it, and a deletion waits for it to go. Releases says
// whether the operator takes it away at once.
func (s *stage) finalizes(t *testing.T, releases func() bool) *dynamicfake.FakeDynamicClient {
	t.Helper()
	fake, ok := s.Client.(*dynamicfake.FakeDynamicClient)
	require.True(t, ok)
	object := func(action clienttesting.Action, name string) *unstructured.Unstructured {
		live, err := fake.Tracker().Get(action.GetResource(), action.GetNamespace(), name)
		if err != nil {
			return nil
		}
		return live.(*unstructured.Unstructured)
	}
	fake.PrependReactor("create", "memcacheds", func(action clienttesting.Action) (bool, runtime.Object, error) {
		cr := action.(clienttesting.CreateAction).GetObject().(*unstructured.Unstructured)
		cr.SetFinalizers([]string{cleanup})
		return false, nil, nil
	})
	fake.PrependReactor("delete", "memcacheds", func(action clienttesting.Action) (bool, runtime.Object, error) {
		cr := object(action, action.(clienttesting.DeleteAction).GetName())
		if cr == nil || len(cr.GetFinalizers()) == 0 || releases() {
			return false, nil, nil
		}
		now := metav1.Now()
		cr.SetDeletionTimestamp(&now)
		return true, nil, fake.Tracker().Update(action.GetResource(), cr, action.GetNamespace())
	})
	fake.PrependReactor("patch", "memcacheds", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch := action.(clienttesting.PatchAction)
		cr := object(action, patch.GetName())
		if cr == nil || cr.GetDeletionTimestamp() == nil || !bytes.Contains(patch.GetPatch(), []byte(`"finalizers":null`)) {
			return false, nil, nil
		}
		if size, _, _ := unstructured.NestedInt64(cr.Object, "spec", "size"); size < 0 {
			return true, nil, apierrors.NewInvalid(cr.GroupVersionKind().GroupKind(), patch.GetName(), nil)
		}
		return true, cr, fake.Tracker().Delete(action.GetResource(), action.GetNamespace(), patch.GetName())
	})
	return fake
}

func (s *stage) customs(t *testing.T) []unstructured.Unstructured {
	t.Helper()
	list, err := s.Client.Resource(resource).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	return list.Items
}

// create is a scenario whose custom resource is there at its end.
func create(name string) scenarios.Scenario {
	return scenarios.Scenario{Name: name, Group: spec.GroupBasic, Expect: []string{"converged"}, Steps: []scenarios.Step{{Create: &scenarios.Spec{Size: 1}}}}
}

// turns are the ways to drive a style: each leaves a custom resource.
func turns(t *testing.T) map[string]func(context.Context, *stage, drive.Style) (func(context.Context) error, error) {
	t.Helper()
	return map[string]func(context.Context, *stage, drive.Style) (func(context.Context) error, error){
		"a round": func(ctx context.Context, s *stage, style drive.Style) (func(context.Context) error, error) {
			return s.Drive(ctx, style, drive.Plan{Round: 1, Scenarios: basic(t, "create")})
		},
		"a wave": func(ctx context.Context, s *stage, style drive.Style) (func(context.Context) error, error) {
			return s.Drive(ctx, style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{create("one")}})
		},
		"a load": func(ctx context.Context, s *stage, style drive.Style) (func(context.Context) error, error) {
			load := create("many")
			load.Load = &scenarios.Schedule{Resources: 1, Within: time.Second}
			return s.Drive(ctx, style, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{load}})
		},
	}
}

// Nobody can clean up behind a custom resource once its operator is gone.
func TestWhatHasAFinalizerIsDeletedWhileTheOperatorRuns(t *testing.T) {
	for name, turn := range turns(t) {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.finalizes(t, func() bool { return true })
			leave, err := turn(t.Context(), s, style)
			require.NoError(t, err)
			assert.Empty(t, s.customs(t))
			assert.Empty(t, s.removed, "its namespace goes when the style is gone")
			assert.Empty(t, s.held)
			require.NoError(t, leave(t.Context()))
		})
	}
}

func TestWhatItsOperatorDoesNotReleaseIsReleasedByForceAndRecorded(t *testing.T) {
	for name, turn := range turns(t) {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.finalizes(t, func() bool { return false })
			slow := drive.Style{Style: record.Style{Style: spec.Style{Name: "fast", Timeout: 50 * time.Millisecond}, Variant: "head"}}
			_, err := turn(t.Context(), s, slow)
			require.NoError(t, err)
			assert.Empty(t, s.customs(t))
			require.Len(t, s.held, 1)
			held := s.held[0]
			assert.GreaterOrEqual(t, held.Waited, slow.Timeout)
			assert.Equal(t, record.Held{
				Style: "fast", Variant: "head", Namespace: s.made[0], Name: "memcached", Finalizers: []string{cleanup}, Waited: held.Waited,
			}, held)
			assert.Contains(t, s.recording.String(), `"kind":"held"`)
		})
	}
}

// A definition that was mended does not allow what was there before.
func TestWhatItsDefinitionNoLongerAllowsIsReleased(t *testing.T) {
	s := newStage(t)
	s.finalizes(t, func() bool { return false })
	below := create("below")
	below.Steps[0].Create.Size = -1
	_, err := s.Drive(t.Context(), drive.Style{Style: record.Style{Style: spec.Style{Name: "fast", Timeout: 50 * time.Millisecond}}}, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{below}})
	require.NoError(t, err)
	assert.Empty(t, s.customs(t))
}

// Whoever stops the run does not wait for an operator that releases nothing.
func TestReleasingIsInterruptible(t *testing.T) {
	for name, turn := range turns(t) {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			ctx, stop := context.WithCancelCause(t.Context())
			s.finalizes(t, func() bool { stop(errors.New("stopped by hand")); return false })
			_, err := turn(ctx, s, drive.Style{Style: record.Style{Style: spec.Style{Name: "slow", Timeout: time.Hour}}})
			require.EqualError(t, err, "context canceled", "nothing is said of what follows from that")
		})
	}
}

// A wave that broke off has released nothing, and the style is gone by then.
func TestWhatABrokenTurnLeftIsReleasedWhenTheStyleIsGone(t *testing.T) {
	s := newStage(t)
	s.finalizes(t, func() bool { return false })
	ctx, stop := context.WithCancel(t.Context())
	defer s.Recorder.Listen(func(e record.Entry) {
		if e.Kind == record.KindAction {
			stop()
		}
	})()
	leave, err := s.Drive(ctx, style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{create("one")}})
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, s.customs(t), 1)
	require.NoError(t, leave(t.Context()))
	assert.Empty(t, s.customs(t))
	assert.Empty(t, s.held, "nobody was there to release it")
}

// With a finalizer, what is deleted while the operator is down is still there when
// it is to be created anew: the operator comes back first.
func TestACreateWaitsForTheOperatorThatHoldsTheOldOne(t *testing.T) {
	s, b, style := newMatrixStage(t)
	running := false
	fake := s.finalizes(t, func() bool { return running })
	b.mended = func() {
		running = true
		for _, cr := range s.customs(t) {
			assert.NoError(t, fake.Tracker().Delete(resource, cr.GetNamespace(), cr.GetName()))
		}
	}
	recreated := scenarios.Scenario{
		Name: "recreated-while-down", Group: spec.GroupFault, Expect: []string{"converged"}, Given: &scenarios.Spec{Size: 2},
		Steps: []scenarios.Step{{Fault: &scenarios.Fault{Kind: spec.FaultStop, What: "all"}}, {Delete: &scenarios.Delete{}}, {Create: &scenarios.Spec{Size: 1}}, {Mend: "stop"}},
	}
	_, err := s.Drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{recreated}})
	require.NoError(t, err)
	assert.Equal(t, []string{"recreated-while-down (prepare) settled", "recreated-while-down settled"}, s.ends)
	var order []string
	for e := range s.recorded(t) {
		switch {
		case e.Fault != nil:
			order = append(order, "stop is "+e.Fault.Stage)
		case e.Action != nil:
			order = append(order, e.Action.Verb+e.Action.Error)
		}
	}
	assert.Equal(t, []string{"create", "stop is begun", "delete", "stop is over", "create"}, order)
}

// That the old one never goes is the operator's failure, and no broken sample.
func TestACreateIsGivenUpWhereTheOldOneNeverGoes(t *testing.T) {
	s, _, style := newMatrixStage(t)
	s.finalizes(t, func() bool { return false })
	s.Matrix.Patience = 50 * time.Millisecond
	recreate := create("recreate")
	recreate.Steps = append(recreate.Steps, scenarios.Step{Delete: &scenarios.Delete{}}, scenarios.Step{Create: &scenarios.Spec{Size: 2}})
	style.Timeout = 50 * time.Millisecond
	_, err := s.Drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{recreate}})
	require.NoError(t, err)
	assert.Equal(t, []string{"recreate timeout"}, s.ends)
	assert.Contains(t, s.recording.String(), "await gone: the custom resource cannot be created again")
	assert.Contains(t, s.recording.String(), `"await":"gone"`)
	assert.Contains(t, s.recording.String(), cleanup)
}

// What the operator defines is deleted with the definition, by a finalizer of the cluster's: nothing could take that away
// from what the definition refuses by now.
func TestWhatADefinitionOfTheOperatorRefusesIsMadeValid(t *testing.T) {
	s := newStage(t)
	s.Workload = workloadtest.Queue(t)
	wrong := scenarios.Scenario{Name: "some", Group: spec.GroupLatency, Steps: []scenarios.Step{{Create: &scenarios.Spec{Size: -1}}}}
	_, err := s.Drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{wrong}})
	require.NoError(t, err)
	list, err := s.Client.Resource(s.Workload.GVR()).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 1, "it goes with its namespace")
	size, _ := s.Workload.SizeOf(&list.Items[0])
	assert.EqualValues(t, s.Workload.Smallest(), size)
}
