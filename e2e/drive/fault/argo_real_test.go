//go:build cluster

package fault_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

var workflows = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "workflows"}

// Faults of a style whose components make others.
func TestArgo(t *testing.T) {
	s := installed(t, "argo")
	for _, test := range []struct {
		name string
		run  func(*testing.T, *scene)
	}{
		{"suspend", suspend},
		{"kill", killEach},
		{"stop a managed component", stopManaged},
		{"stop all", stopAll},
		{"upgrade", upgradeAll},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, s) })
	}
}

// workflow returns the one Workflow that there is.
func (s *scene) workflow(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	list, err := s.Dynamic.Resource(workflows).Namespace("argo-events").List(context.Background(), metav1.ListOptions{})
	require.NoError(t, err)
	if len(list.Items) != 1 {
		return nil
	}
	return &list.Items[0]
}

func suspend(t *testing.T, s *scene) {
	cr := fault.Target{Namespace: space, Name: name}
	_, err := s.injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultSuspend, What: "work"}, cr)
	require.ErrorContains(t, err, "has 0 work objects for it")
	s.create(t, 1)
	eventually(t, "a Workflow", func() bool { return s.workflow(t) != nil })
	_, err = s.injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultSuspend, What: "work"}, fault.Target{Namespace: space, Name: "memcache"})
	require.ErrorContains(t, err, "has 0 work objects for it", "a name that begins in the same way")
	broken := s.begin(t, scenarios.Fault{Kind: spec.FaultSuspend, What: "work"})
	assert.Equal(t, []string{"workflows/argo-events/" + s.workflow(t).GetName()}, broken.Objects)
	eventually(t, "the controller says that it is suspended", func() bool {
		held, _, _ := unstructured.NestedBool(s.workflow(t).Object, "spec", "suspend")
		phase, _, _ := unstructured.NestedString(s.workflow(t).Object, "status", "phase")
		return held && phase == "Running"
	})
	s.mend(t, broken)
	_, found, _ := unstructured.NestedFieldNoCopy(s.workflow(t).Object, "spec", "suspend")
	assert.False(t, found, "it is as it was")
	s.awaitReady(t, 1)
	eventually(t, "the end of the Workflow", func() bool {
		phase, _, _ := unstructured.NestedString(s.workflow(t).Object, "status", "phase")
		return phase == "Succeeded"
	})
	_, err = s.injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultSuspend, What: "work"}, cr)
	require.ErrorContains(t, err, "has 1 work objects for it that can be suspended, all of which have ended")
}

func killEach(t *testing.T, s *scene) {
	for _, c := range s.style.Components {
		before := s.pods(t, c.Name)
		broken := s.begin(t, scenarios.Fault{Kind: spec.FaultKill, What: c.Name})
		assert.Len(t, broken.Objects, len(before))
		assert.Nil(t, broken.Undo)
		eventually(t, "a new pod of "+c.Name, func() bool {
			pods := s.pods(t, c.Name)
			return len(pods) == 1 && pods[0].UID != before[0].UID && len(pods[0].Status.ContainerStatuses) > 0 && pods[0].Status.ContainerStatuses[0].Ready
		})
	}
}

// stopManaged stops what the events controller would start again.
func stopManaged(t *testing.T, s *scene) {
	for _, component := range []string{"eventsource", "eventbus"} {
		broken := s.begin(t, scenarios.Fault{Kind: spec.FaultStop, What: component})
		require.Len(t, broken.Objects, 2)
		assert.Equal(t, "deployments/argo-events/controller-manager", broken.Objects[0])
		assert.Empty(t, s.pods(t, component))
		assert.Empty(t, s.pods(t, "events-controller"))
		assert.NotEmpty(t, s.pods(t, "sensor"), "what was not named runs on")
		s.mend(t, broken)
		assert.Len(t, s.pods(t, component), 1)
		assert.Len(t, s.pods(t, "events-controller"), 1)
	}
}

func stopAll(t *testing.T, s *scene) {
	broken := s.begin(t, scenarios.Fault{Kind: spec.FaultStop, What: "all"})
	assert.Len(t, broken.Objects, len(s.style.Components))
	for _, c := range s.style.Components {
		assert.Empty(t, s.pods(t, c.Name), c.Name)
	}
	s.mend(t, broken)
	for _, c := range s.style.Components {
		assert.Len(t, s.pods(t, c.Name), 1, c.Name)
	}
}

func upgradeAll(t *testing.T, s *scene) {
	old := map[string]bool{}
	for _, c := range s.style.Components {
		for _, pod := range s.pods(t, c.Name) {
			old[string(pod.UID)] = true
		}
	}
	broken := s.begin(t, scenarios.Fault{Kind: spec.FaultUpgrade, What: "all"})
	assert.Len(t, broken.Objects, len(s.style.Components))
	for _, c := range s.style.Components {
		pods := s.pods(t, c.Name)
		require.Len(t, pods, 1, c.Name)
		assert.False(t, old[string(pods[0].UID)], c.Name)
	}
}
