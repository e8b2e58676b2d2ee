package drive_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// slowAPI takes its time to answer writes to custom resources: each waits by
// itself, as for a server that serves many at once.
type slowAPI struct {
	dynamic.Interface

	takes func(verb, namespace string) (time.Duration, error)
}

func (a slowAPI) Resource(r schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	return slowResource{a.Interface.Resource(r), a, r}
}

type slowResource struct {
	dynamic.NamespaceableResourceInterface

	api      slowAPI
	resource schema.GroupVersionResource
}

func (r slowResource) Namespace(name string) dynamic.ResourceInterface {
	inner := r.NamespaceableResourceInterface.Namespace(name)
	if r.resource != resource {
		return inner
	}
	return slowSpace{inner, r.api, name}
}

type slowSpace struct {
	dynamic.ResourceInterface

	api       slowAPI
	namespace string
}

func (s slowSpace) wait(ctx context.Context, verb string) error {
	takes, err := s.api.takes(verb, s.namespace)
	select {
	case <-time.After(takes):
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s slowSpace) Create(ctx context.Context, o *unstructured.Unstructured, opts metav1.CreateOptions, sub ...string) (*unstructured.Unstructured, error) {
	if err := s.wait(ctx, "create"); err != nil {
		return nil, err
	}
	return s.ResourceInterface.Create(ctx, o, opts, sub...)
}

func (s slowSpace) Patch(ctx context.Context, name string, t types.PatchType, patch []byte, opts metav1.PatchOptions, sub ...string) (*unstructured.Unstructured, error) {
	if err := s.wait(ctx, "patch"); err != nil {
		return nil, err
	}
	return s.ResourceInterface.Patch(ctx, name, t, patch, opts, sub...)
}

func (s slowSpace) Delete(ctx context.Context, name string, opts metav1.DeleteOptions, sub ...string) error {
	if err := s.wait(ctx, "delete"); err != nil {
		return err
	}
	return s.ResourceInterface.Delete(ctx, name, opts, sub...)
}

// loaded is a stage whose API takes its time, and that is judged while it lasts.
type loaded struct {
	*stage

	gate chan struct{} // of an operator that can be stopped; nil: it cannot
}

var named = record.Style{Style: spec.Style{Name: spec.Floor, Child: spec.Child{Name: "{{.Name}}"}}} // the API of the tests gives no uids to find children by

func newLoaded(t *testing.T, takes func(verb, namespace string) (time.Duration, error)) *loaded {
	t.Helper()
	l := &loaded{stage: newStage(t)}
	l.recording.Reset()
	header := record.Header{
		Schema: record.Schema, Run: "abc123", Styles: []record.Style{named},
		Scenarios: []record.Scenario{{Name: "ramp", Group: spec.GroupLoad, Ramp: &steep}},
	}
	recorder, err := record.NewRecorder(&l.recording, header)
	require.NoError(t, err)
	live, err := judge.NewLive(recorder)
	require.NoError(t, err)
	t.Cleanup(live.Stop)
	l.Recorder, l.Judge, l.Client = recorder, live, slowAPI{l.Client, takes}
	l.Window, l.Matrix.Window = time.Second, 3*time.Second
	return l
}

// actions are the recorded ones, by namespace, in their order.
func (l *loaded) actions(t *testing.T) map[string][]record.Entry {
	t.Helper()
	all := map[string][]record.Entry{}
	for e := range l.recorded(t) {
		if e.Kind == record.KindAction {
			all[e.Action.Namespace] = append(all[e.Action.Namespace], e)
		}
	}
	return all
}

// rapid is three custom resources, 10 ms apart, each created and changed twice.
func rapid() scenarios.Scenario {
	return scenarios.Scenario{
		Name: "rapid", Group: spec.GroupLoad, Expect: []string{"stays-converged"},
		Load: &scenarios.Schedule{Resources: 3, Every: 10 * time.Millisecond, Pace: 100 * time.Millisecond, Within: time.Minute},
		Steps: []scenarios.Step{
			{Create: &scenarios.Spec{Size: 1}}, {Patch: &scenarios.Spec{Size: 2}}, {Patch: &scenarios.Spec{Size: 0}},
		},
	}
}

var floor = drive.Style{Style: record.Style{Style: spec.Style{Name: spec.Floor, Timeout: time.Minute, Control: spec.Harness}}}

// space is the namespace of one of rapid's custom resources.
func space(i int) string { return fmt.Sprintf("services-abc123-floor-1-%02d-rapid", i) }

// One that gets slow answers is late by itself, and in order; nobody else is. Latencies run from when the last step was
// due, so that its own have that in them; the samples end together.
func TestALoadIsSentByItsScheduleAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoaded(t, func(_, namespace string) (time.Duration, error) {
			if namespace == space(2) {
				return 250 * time.Millisecond, nil
			}
			return time.Millisecond, nil
		})
		require.NoError(t, l.drive(t.Context(), floor, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{rapid()}}))
		actions := l.actions(t)
		begins := actions[space(1)][0].Action.Intended
		var sent []string
		for i := 1; i <= 3; i++ {
			for step, e := range actions[space(i)] {
				a := e.Action
				assert.Equal(t, begins+rapid().Load.Starts()[i-1]+time.Duration(step)*rapid().Load.Pace, a.Intended)
				assert.True(t, a.Measured)
				sent = append(sent, fmt.Sprintf("%d %s due %v late %v", i, a.Verb, a.Intended-begins, a.From-a.Intended))
			}
		}
		assert.Equal(t, []string{
			"1 create due 0s late 0s", "1 patch due 100ms late 0s", "1 patch due 200ms late 0s",
			"2 create due 10ms late 0s", "2 patch due 110ms late 150ms", "2 patch due 210ms late 300ms",
			"3 create due 20ms late 0s", "3 patch due 120ms late 0s", "3 patch due 220ms late 0s",
		}, sent)
		assert.Equal(t, []string{"rapid settled", "rapid settled", "rapid settled"}, l.ends)
		assert.Equal(t, []string{space(1), space(2), space(3)}, l.made)
		assert.Equal(t, l.made, l.removed)

		j := l.judged(t)
		require.Len(t, j.Results, 3)
		var written []string
		for i, r := range j.Results {
			assert.Equal(t, spec.Pass, r.Outcome(), "%+v", r.Verdicts)
			assert.Equal(t, j.Results[0].Ended, r.Ended, "of %d", i)
			for _, s := range r.Samples {
				if s.Phase == spec.PhaseChildWritten {
					written = append(written, fmt.Sprintf("%s %s %.3f", s.Namespace, s.Outcome, s.Value))
				}
			}
		}
		assert.Equal(t, []string{space(1) + " ok 0.001", space(2) + " ok 0.550", space(3) + " ok 0.001"}, written)
	})
}

// An operator that is behind writes what is out of date after it was right: none
// of the samples ends before that.
func TestALoadGoesOnWhileAnythingMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoaded(t, func(string, string) (time.Duration, error) { return time.Millisecond, nil })
		deployments := l.Client.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace(space(1))
		go func() {
			for _, replicas := range []int{2, 0} { // at 2.5 s and at 5 s
				<-time.After(2500 * time.Millisecond)
				patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas)
				_, err := deployments.Patch(context.Background(), "memcached", types.MergePatchType, patch, metav1.PatchOptions{})
				assert.NoError(t, err)
			}
		}()
		require.NoError(t, l.drive(t.Context(), floor, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{rapid()}}))
		j := l.judged(t)
		for _, r := range j.Results {
			assert.Equal(t, spec.Pass, r.Outcome(), "%+v", r.Verdicts)
			assert.Equal(t, 8*time.Second, r.Ended)
		}
		for _, s := range j.Results[0].Samples {
			if s.Phase == spec.PhaseChildWritten {
				assert.InDelta(t, 5-0.3, s.Value, 1e-9)
			}
		}
	})
}

// Nobody writes Deployments: every sample is censored when the time is over.
func TestALoadThatNobodyHandlesIsCensored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoaded(t, func(string, string) (time.Duration, error) { return time.Millisecond, nil })
		require.NoError(t, l.drive(t.Context(), drive.Style{Style: record.Style{Style: spec.Style{Name: spec.Floor}}}, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{rapid()}}))
		assert.Equal(t, []string{"rapid timeout", "rapid timeout", "rapid timeout"}, l.ends)
		j := l.judged(t)
		for i, r := range j.Results {
			last := r.Samples[slices.IndexFunc(r.Samples, func(s judge.Sample) bool { return s.Phase == spec.PhaseChildWritten })]
			assert.Equal(t, judge.Timeout, last.Outcome)
			assert.InDelta(t, 60+0.02-0.01*float64(i), last.Value, 1e-9, "until a minute after the last step of all")
		}
	})
}

// A request that fails ends its own custom resource's steps, and is no latency;
// the others are waited for.
func TestARequestOfALoadThatFailsIsNoLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoaded(t, func(verb, namespace string) (time.Duration, error) {
			if verb == "patch" && namespace == space(3) {
				return 0, errors.New("the server is on holiday")
			}
			return time.Millisecond, nil
		})
		require.NoError(t, l.drive(t.Context(), floor, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{rapid()}}))
		assert.Equal(t, []string{"rapid settled", "rapid settled", "rapid interrupted"}, l.ends)
		assert.Len(t, l.actions(t)[space(3)], 2, "the step after it is not made")
		assert.Contains(t, l.recording.String(), "the server is on holiday")
		assert.Less(t, l.Recorder.Now(), 10*time.Second, "nobody waits for what was never asked for")
	})
}

func TestALoadThatIsStoppedEndsItsSamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoaded(t, func(string, string) (time.Duration, error) { return time.Millisecond, nil })
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond) // in the midst of the steps
		defer cancel()
		require.ErrorIs(t, l.drive(ctx, floor, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{rapid()}}), context.DeadlineExceeded)
		assert.Equal(t, []string{"rapid interrupted", "rapid interrupted", "rapid interrupted"}, l.ends)
		assert.Equal(t, l.made, l.removed)
	})
}

// A style warms up alone, in a namespace of its own, in which pods may start;
// none of the load's is to.
func TestALoadWarmsUpFirstAndKeepsPodsFromStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoaded(t, func(string, string) (time.Duration, error) { return time.Millisecond, nil })
		require.NoError(t, l.drive(t.Context(), floor, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{rapid()}, Warmup: basic(t, "create")}))
		assert.Equal(t, []string{"create timeout", "rapid settled", "rapid settled", "rapid settled"}, l.ends, "nothing makes pods here")
		assert.Equal(t, 1, l.warmups)
		assert.Equal(t, []string{"services-abc123-floor-1-warmup", space(1), space(2), space(3)}, l.made)
		ranges := l.Client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "limitranges"})
		_, err := ranges.Namespace(l.made[0]).Get(t.Context(), "unstartable", metav1.GetOptions{})
		require.Error(t, err)
		limits, err := ranges.Namespace(space(2)).Get(t.Context(), "unstartable", metav1.GetOptions{})
		require.NoError(t, err)
		list, _, err := unstructured.NestedSlice(limits.Object, "spec", "limits")
		require.NoError(t, err)
		require.Len(t, list, 1)
		assert.Equal(t, map[string]any{
			"type": "Container", "default": map[string]any{"operatorbench/nowhere": "1"}, "defaultRequest": map[string]any{"operatorbench/nowhere": "1"},
		}, list[0])
	})
}

// Custom resources that share namespaces are dealt out to them, and told apart by their names:
// a load does as it does where each has a namespace of its own.
func TestALoadWhoseCustomResourcesShareNamespaces(t *testing.T) {
	judged := func(namespaces int) (results []string, made []string) {
		synctest.Test(t, func(t *testing.T) {
			l := newLoaded(t, func(string, string) (time.Duration, error) { return time.Millisecond, nil })
			shared := rapid()
			shared.Load.Resources, shared.Load.Namespaces = 5, namespaces
			require.NoError(t, l.drive(t.Context(), floor, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{shared}}))
			j := l.judged(t)
			places := map[string]bool{}
			for _, r := range j.Results {
				places[r.Namespace] = true
				text := fmt.Sprintf("%s %s", r.End, r.Outcome())
				for _, s := range r.Samples {
					text += fmt.Sprintf(" %s %s %v", s.Phase, s.Outcome, s.Value)
				}
				results = append(results, text)
			}
			assert.Len(t, places, 5)
			made = l.made
			assert.Equal(t, l.made, l.removed)
		})
		return results, made
	}
	own, _ := judged(0)
	require.Len(t, own, 5)
	shared, made := judged(2)
	assert.Equal(t, own, shared)
	assert.Equal(t, []string{space(1), space(2)}, made)
}
