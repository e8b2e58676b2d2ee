package drive_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// gated is an operator that takes 40 ms for each custom resource, and can be stopped.
func gated(t *testing.T) *loaded {
	t.Helper()
	l := newLoaded(t, func(string, string) (time.Duration, error) { return time.Millisecond, nil })
	l.gate = make(chan struct{}, 1)
	l.gate <- struct{}{}
	l.operator(t, 40*time.Millisecond)
	return l
}

// Begin stops the operator.
func (l *loaded) Begin(_ context.Context, f scenarios.Fault, _ fault.Target) (fault.Broken, error) {
	if f != (scenarios.Fault{Kind: spec.FaultStop, What: spec.AllComponents}) {
		return fault.Broken{}, fmt.Errorf("%s %s", f.Kind, f.What)
	}
	open := <-l.gate
	return fault.Broken{Undo: func(context.Context) error {
		l.gate <- open
		return nil
	}}, nil
}

// An operator that takes 40 ms for each custom resource, one after the other, is as fast with ten as with none; started
// again it writes for what was created meanwhile, and for a newcomer last of all.
func TestAGrowth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := gated(t)
		scenario := scenarios.Scenario{
			Name: "growth", Group: spec.GroupLoad, Expect: []string{"stays-converged"}, Steps: []scenarios.Step{{Create: &scenarios.Spec{}}},
			Load: &scenarios.Schedule{Namespaces: 2, Every: 20 * time.Millisecond, Within: time.Minute, Growth: &scenarios.Growth{
				To: []int{0, 10}, Changes: 5, Pace: 100 * time.Millisecond, Rest: 5 * time.Second, Down: 4, Newcomers: 1,
				Bystanders: scenarios.Bystanders{Each: 3, Kinds: []string{"configmaps", "pods"}},
			}},
		}
		var looks []int
		style := drive.Style{Style: record.Style{Style: spec.Style{Name: spec.Floor, Timeout: time.Minute}}, Faults: l, Look: func(context.Context) { looks = append(looks, len(l.gate)) }}
		require.NoError(t, l.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{scenario}}))
		assert.Equal(t, []int{1}, looks, "once, and the operator was there")
		var parts []string
		for e := range l.recorded(t) {
			if e.Block != nil {
				p := e.Block.Part
				parts = append(parts, fmt.Sprintf("%s %d %s %d", p.Stage, p.Customs, p.Beside, p.Each))
				assert.Positive(t, p.CPU)
				assert.Positive(t, p.Memory)
			}
		}
		assert.Equal(t, []string{
			"rest 0  0", "more 0  0", "fill 5  0", "rest 10  0", "more 10  0", "down 15  0", "newcomer 19  0", "rest 20  0",
			"beside 20 configmaps 3", "rest 20 configmaps 3", "beside 20 pods 3", "rest 20 pods 3",
		}, parts)
		j := l.judged(t)
		require.Len(t, j.Results, 20)
		for _, r := range j.Results {
			assert.Equal(t, record.Settled, r.End, r.Reason)
			assert.Equal(t, spec.Pass, r.Outcome(), "%+v", r.Verdicts)
		}
		set := result.New(nil, j)
		require.Empty(t, set.Rates())
		require.Len(t, set.Growths(), 1)
		growth := set.Growths()[0]
		require.Len(t, growth.Levels, 2)
		for i, customs := range []int{0, 10} {
			level := growth.Levels[i]
			assert.Equal(t, customs, level.Customs)
			assert.Equal(t, 5, level.More.N)
			assert.InDelta(t, 0.041, level.More.P99.Value, 1e-9)
		}
		back := growth.Back
		require.NotNil(t, back)
		assert.Equal(t, 15, back.Customs)
		assert.Equal(t, 4, back.Down)
		assert.InDelta(t, 0.04, back.First.P50.Value, 1e-9)
		assert.InDelta(t, 0.16, back.Whole.P50.Value, 1e-9, "the newcomer is none of these")
		assert.InDelta(t, 0.16, back.Wait.P50.Value, 1e-9)
		assert.InDelta(t, 1, back.Share.P50.Value, 1e-9, "it is the last")
		beside := l.Client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"})
		_, err := beside.Namespace(l.made[2]).Get(t.Context(), "bystander-00003", metav1.GetOptions{})
		require.NoError(t, err)
		assert.ElementsMatch(t, l.made, l.removed)
		assert.NotContains(t, l.recording.String(), "bystander-", "they are nobody's")
	})
}

// A number of custom resources that is not reached in time is the last.
func TestAGrowthEndsWhereItIsNotFilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoaded(t, func(string, string) (time.Duration, error) { return time.Millisecond, nil })
		l.operator(t, time.Second)
		scenario := scenarios.Scenario{
			Name: "growth", Group: spec.GroupLoad, Expect: []string{"stays-converged"}, Steps: []scenarios.Step{{Create: &scenarios.Spec{}}},
			Load: &scenarios.Schedule{Namespaces: 2, Every: 20 * time.Millisecond, Within: 10 * time.Second, Growth: &scenarios.Growth{
				To: []int{2, 40, 100}, Changes: 1, Pace: 100 * time.Millisecond, Rest: 5 * time.Second,
			}},
		}
		style := drive.Style{Style: record.Style{Style: spec.Style{Name: spec.Floor, Timeout: time.Minute}}}
		require.NoError(t, l.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{scenario}}))
		j := l.judged(t)
		assert.Len(t, j.Results, 40)
		growth := result.New(nil, j).Growths()
		require.Len(t, growth, 1)
		require.Len(t, growth[0].Levels, 1)
		assert.Nil(t, growth[0].Back)
	})
}

// The pods of a load with fake nodes may start: there is no LimitRange that keeps them from it, and the namespaces ask
// for the nodes.
func TestALoadWithFakeNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoaded(t, func(string, string) (time.Duration, error) { return time.Millisecond, nil })
		api, _ := l.Client.(slowAPI)
		fake, ok := api.Interface.(*dynamicfake.FakeDynamicClient)
		require.True(t, ok)
		var labels string
		fake.PrependReactor("patch", "namespaces", func(a clienttesting.Action) (bool, runtime.Object, error) {
			patch, _ := a.(clienttesting.PatchAction)
			labels = patch.GetName() + ": " + string(patch.GetPatch())
			return true, &unstructured.Unstructured{}, nil
		})
		many := scenarios.Scenario{
			Name: "many", Group: spec.GroupLoad, Expect: []string{"stays-converged"}, Steps: []scenarios.Step{{Create: &scenarios.Spec{Size: 1}}},
			Load: &scenarios.Schedule{Resources: 3, Namespaces: 1, Within: time.Second, Nodes: 1},
		}
		require.NoError(t, l.drive(t.Context(), floor, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{many}}))
		assert.Equal(t, l.made[0]+`: {"metadata":{"labels":{"operatorbench/nodes":"fake"}}}`, labels)
		ranges, err := l.Client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "limitranges"}).Namespace(l.made[0]).Get(t.Context(), "unstartable", metav1.GetOptions{})
		require.Error(t, err, ranges)
	})
}

// stopsAgain is an operator that stops again just after its start.
type stopsAgain struct{ *loaded }

func (l stopsAgain) Begin(ctx context.Context, f scenarios.Fault, at fault.Target) (fault.Broken, error) {
	broken, err := l.loaded.Begin(ctx, f, at)
	undo := broken.Undo
	broken.Undo = func(ctx context.Context) error {
		err := undo(ctx)
		<-time.After(60 * time.Millisecond)
		<-l.gate
		return err
	}
	return broken, err
}

// Newcomers that are not written in time are censored, and so is what was created before: the style's turn goes on.
func TestNewcomersThatAreLateEndNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := gated(t)
		scenario := scenarios.Scenario{
			Name: "growth", Group: spec.GroupLoad, Expect: []string{"stays-converged"}, Steps: []scenarios.Step{{Create: &scenarios.Spec{}}},
			Load: &scenarios.Schedule{Namespaces: 2, Every: 20 * time.Millisecond, Within: 10 * time.Second, Growth: &scenarios.Growth{
				To: []int{0}, Changes: 2, Pace: 100 * time.Millisecond, Rest: 5 * time.Second, Down: 4, Newcomers: 2,
			}},
		}
		style := drive.Style{Style: record.Style{Style: spec.Style{Name: spec.Floor, Timeout: time.Minute}}, Faults: stopsAgain{l}, Look: func(context.Context) {}}
		require.NoError(t, l.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{scenario}}))
		l.gate <- struct{}{}
		j := l.judged(t)
		ends := map[string]int{}
		for _, r := range j.Results {
			ends[r.Stage+" "+r.End]++
		}
		assert.Equal(t, map[string]int{"more " + record.Settled: 2, "down " + record.Settled: 2, "down " + record.TimedOut: 2, "newcomer " + record.TimedOut: 2}, ends)
	})
}
