package drive_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// resource is the custom resource of the default workload.
var resource = schema.GroupVersionResource{Group: "cache.example.com", Version: "v1alpha1", Resource: "memcacheds"}

// What is watched and written follows from the workload. There are ReplicaSets only below Deployments, and nothing is watched twice.
func TestAnyWorkloadIsDriven(t *testing.T) {
	s := newStage(t)
	s.Workload = workloadtest.Queue(t)
	driven := scenarios.Scenario{Name: "some", Group: "latency", Steps: []scenarios.Step{
		{Create: &scenarios.Spec{Size: 1}},
		{Patch: &scenarios.Spec{Size: 3}},
		{Submit: &scenarios.Submit{Patch: true, Object: map[string]any{"spec": map[string]any{"cluster": map[string]any{"members": int64(5)}}}}},
	}}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{driven}}))
	var sizes []int64
	for e := range s.recorded(t) {
		switch {
		case e.Begin != nil:
			assert.Equal(t, "queue", e.Begin.Name)
			assert.Equal(t, []string{"queues.v1.queue.example.com", "statefulsets.v1.apps", "services.v1", "secrets.v1", "pods.v1", "events.v1.events.k8s.io"}, e.Begin.Watches)
		case e.Action != nil:
			assert.Equal(t, "queues.v1.queue.example.com", e.Action.Resource)
			assert.Equal(t, "queue", e.Action.Name)
			object := &unstructured.Unstructured{}
			require.NoError(t, object.UnmarshalJSON(e.Action.Object))
			size, _ := s.Workload.SizeOf(object)
			sizes = append(sizes, size)
		}
	}
	assert.Equal(t, []int64{1, 3, 5}, sizes)
}

// A knob that does not scale is turned, and a pause ends without a trace of it.
func TestAKnobIsTurnedAndAPauseEnds(t *testing.T) {
	s := newStage(t)
	s.Workload = workloadtest.Queue(t)
	yes, no := true, false
	driven := scenarios.Scenario{Name: "some", Group: "latency", Steps: []scenarios.Step{
		{Create: &scenarios.Spec{Size: 1}}, {Turn: spec.Roll}, {Pause: &yes}, {Patch: &scenarios.Spec{Size: 3}}, {Pause: &no},
	}}
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{driven}}))
	var was, said []string
	for e := range s.recorded(t) {
		if e.Action == nil || e.Action.Verb == "delete" {
			continue
		}
		object := &unstructured.Unstructured{}
		require.NoError(t, object.UnmarshalJSON(e.Action.Object))
		colour, _, _ := unstructured.NestedString(object.Object, "spec", "colour")
		_, paused, _ := unstructured.NestedBool(object.Object, "spec", "paused")
		was = append(was, fmt.Sprintf("%s %v %v", colour, paused, object.GetAnnotations()))
		if said = append(said, e.Action.Turned); e.Action.Paused != nil {
			said[len(said)-1] = strconv.FormatBool(*e.Action.Paused)
		}
	}
	by := "map[queue.example.com/by:somebody]"
	assert.Equal(t, []string{" false map[]", "red false map[]", "red true " + by, "red true " + by, "red false map[]"}, was)
	assert.Equal(t, []string{"", "colour", "true", "", "false"}, said)
}

func TestTheDefaultWorkloadIsWatchedAsEver(t *testing.T) {
	s := newStage(t)
	require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: basic(t, "create")}))
	for e := range s.recorded(t) {
		if e.Begin != nil {
			assert.Equal(t, []string{
				"memcacheds.v1alpha1.cache.example.com", "deployments.v1.apps", "replicasets.v1.apps", "pods.v1", "events.v1.events.k8s.io",
			}, e.Begin.Watches)
		}
	}
}

// A request that the operator's webhook has not answered is sent again, as a person would; one that it refuses is not.
func TestARequestThatNoWebhookAnswersIsSentAgain(t *testing.T) {
	for name, test := range map[string]struct {
		admission bool
		with      error
		want      []string
	}{
		"not answered":               {true, apierrors.NewInternalError(errors.New("failed calling webhook")), []string{""}},
		"refused":                    {true, apierrors.NewForbidden(resource.GroupResource(), "queue", errors.New("it is too long")), []string{"refused"}},
		"a workload without webhook": {false, apierrors.NewInternalError(errors.New("failed")), []string{"refused"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.Workload = workloadtest.Queue(t)
			s.Workload.Admission = test.admission
			tries := 0
			fake, _ := s.Client.(*dynamicfake.FakeDynamicClient)
			fake.PrependReactor("create", s.Workload.Resource.Plural, func(clienttesting.Action) (bool, runtime.Object, error) {
				tries++
				return tries == 1, nil, test.with
			})
			driven := scenarios.Scenario{Name: "some", Group: "latency", Steps: []scenarios.Step{{Create: &scenarios.Spec{Size: 1}}}}
			require.NoError(t, s.drive(t.Context(), style, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{driven}}))
			var got []string
			for e := range s.recorded(t) {
				if e.Action != nil && e.Action.Verb == "create" {
					said := e.Action.Error
					if said != "" {
						said = "refused"
					}
					got = append(got, said)
				}
			}
			assert.Equal(t, test.want, got)
		})
	}
}
