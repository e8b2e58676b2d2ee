package drive_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// scalable makes the fake's custom resources have a scale subresource.
func (s *stage) scalable(t *testing.T) {
	t.Helper()
	fake, ok := s.Client.(*dynamicfake.FakeDynamicClient)
	require.True(t, ok)
	scale := func(size int64) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": map[string]any{"name": "memcached", "uid": "u", "resourceVersion": "7"},
			"spec": map[string]any{"replicas": size}, "status": map[string]any{"replicas": size, "selector": "app=memcached"},
		}}
	}
	size := int64(1)
	fake.PrependReactor("get", resource.Resource, func(a clienttesting.Action) (bool, runtime.Object, error) {
		return a.GetSubresource() == "scale", scale(size), nil
	})
	fake.PrependReactor("update", resource.Resource, func(a clienttesting.Action) (bool, runtime.Object, error) {
		update, ok := a.(clienttesting.UpdateAction)
		if !ok || a.GetSubresource() != "scale" {
			return false, nil, nil
		}
		object, _ := update.GetObject().(*unstructured.Unstructured)
		size, _, _ = unstructured.NestedInt64(object.Object, "spec", "replicas")
		return true, scale(size), nil
	})
}

// actions are the recorded ones.
func (s *stage) actions(t *testing.T) []*record.Action {
	t.Helper()
	var list []*record.Action
	for e := range s.recorded(t) {
		if e.Kind == record.KindAction {
			list = append(list, e.Action)
		}
	}
	return list
}

func TestTheScaleSubresourceIsWrittenAndReadBack(t *testing.T) {
	s, _, style := newMatrixStage(t)
	s.scalable(t)
	scaled := scenarios.Scenario{Name: "scaled", Group: spec.GroupBasic, Expect: []string{"status"}, Custom: "named.otherwise", Steps: []scenarios.Step{
		{Create: &scenarios.Spec{Size: 1}}, {Scale: &scenarios.Spec{Size: 2}}, {ReadScale: &struct{}{}},
	}}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{scaled}}))
	assert.Equal(t, []string{"scaled settled"}, s.ends)
	list := s.actions(t)
	require.Len(t, list, 3)
	for _, a := range list {
		assert.Equal(t, "named.otherwise", a.Name)
	}
	assert.Equal(t, "scale", list[1].Verb)
	assert.True(t, list[1].Measured)
	assert.Contains(t, string(list[1].Object), `"spec":{"replicas":2}`)
	assert.Equal(t, "read scale", list[2].Verb)
	assert.False(t, list[2].Measured, "nothing is asked for")
	assert.Contains(t, string(list[2].Object), `"selector":"app=memcached"`)
}

func TestASeriesDoesNotWait(t *testing.T) {
	s, _, style := newMatrixStage(t)
	s.missing = "nothing is handled"
	series := scenarios.Scenario{Name: "many", Group: spec.GroupBasic, Expect: []string{"series"}, Letters: 63, Steps: []scenarios.Step{
		{Series: &scenarios.Series{Count: 5, Every: 10 * time.Millisecond}},
	}}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{series}}))
	var names []string
	list := s.actions(t)
	for i, a := range list {
		names = append(names, a.Name)
		assert.GreaterOrEqual(t, a.From-list[0].From, time.Duration(i)*10*time.Millisecond-5*time.Millisecond, "they are at their pace")
	}
	assert.Equal(t, []string{"series-01", "series-02", "series-03", "series-04", "series-05"}, names)
	require.Len(t, s.made, 1)
	assert.Len(t, s.made[0], 63)
	assert.True(t, slices.ContainsFunc(strings.Split(s.recording.String(), "\n"), func(line string) bool {
		return strings.Contains(line, `"kind":"begin"`) && strings.Contains(line, `"others":[{`) && strings.Contains(line, "series-05")
	}))
}

// The namespaces of a series apart are made before it, watched as the sample's own, and each is deleted once its custom
// resource has been gone for a while; the others go at the end.
func TestASeriesApartHasNamespaces(t *testing.T) {
	s, _, style := newMatrixStage(t)
	series := scenarios.Scenario{Name: "apart", Group: spec.GroupBasic, Expect: []string{"series"}, Steps: []scenarios.Step{
		{Series: &scenarios.Series{Count: 4, Every: time.Millisecond, Keep: 1, Apart: true}},
	}}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{series}}))
	require.Len(t, s.made, 5)
	own := s.made[0]
	assert.Equal(t, []string{own + "-s01", own + "-s02", own + "-s03", own + "-s04"}, s.made[1:])
	assert.Equal(t, []string{own + "-s01", own + "-s02"}, s.deleted[:2])
	var acts []string
	for _, a := range s.actions(t) {
		acts = append(acts, a.Verb+" "+strings.TrimPrefix(a.Namespace, own)+"/"+a.Name)
	}
	assert.Equal(t, []string{
		"create -s01/series-01", "create -s02/series-02", "delete -s01/series-01", "create -s03/series-03", "delete -s02/series-02",
		"create -s04/series-04", "delete -s03/series-03",
	}, acts)
}

// Before the first step the operator is left alone, and what the scenario wants calm is watched for so long, whatever
// moves.
func TestACalmMinuteIsWatchedToItsEnd(t *testing.T) {
	s, _, style := newMatrixStage(t)
	const before, window = 50 * time.Millisecond, 100 * time.Millisecond
	calm := scenarios.Scenario{Name: "calm", Group: spec.GroupBasic, Expect: []string{"stays-converged"}, Before: before, Window: window, Steps: []scenarios.Step{{Create: &scenarios.Spec{Size: 1}}}}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Wave: 1, Scenarios: []scenarios.Scenario{calm}}))
	var began, ended time.Duration
	for e := range s.recorded(t) {
		switch e.Kind {
		case record.KindBegin:
			began = e.Time
			assert.Equal(t, window, e.Begin.Window)
		case record.KindAction:
			assert.GreaterOrEqual(t, e.Action.From-began, before)
		case record.KindEnd:
			ended = e.Time
			assert.Equal(t, record.Settled, e.End.Outcome)
		}
	}
	assert.GreaterOrEqual(t, ended-began, before+window)
}
