//go:build cluster

package fault_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

const operator = "operator" // the one component of the native style

// Each kind of fault really breaks something of a real operator, and is undone.
func TestNative(t *testing.T) {
	s := installed(t, "native")
	for _, test := range []struct {
		name string
		run  func(*testing.T, *scene)
	}{
		{"kill", kill},
		{"stop", stop},
		{"upgrade", upgrade},
		{"forbid", forbid},
		{"refuse", refuse},
		{"refuseUpdates", refuseUpdates},
		{"slow", slow},
		{"definition", definition},
		{"removeImage", removeImage},
		{"suspend", suspendNothing},
		{"api-server", apiServer},
		{"node", node},
		{"foreign", foreign},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, s) })
	}
}

func kill(t *testing.T, s *scene) {
	before := s.pods(t, operator)
	broken := s.begin(t, scenarios.Fault{Kind: spec.FaultKill, What: operator})
	assert.Equal(t, []string{"pods/memcached-operator/" + before[0].Name}, broken.Objects)
	assert.Nil(t, broken.Undo, "it is over at once")
	s.create(t, 2)
	s.awaitReady(t, 2)
	assert.NotEqual(t, before[0].UID, s.pods(t, operator)[0].UID)
	_, err := s.injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultKill, What: "bus"}, fault.Target{})
	assert.ErrorContains(t, err, `style native has no component "bus": it declares operator`)
}

func stop(t *testing.T, s *scene) {
	broken := s.begin(t, scenarios.Fault{Kind: spec.FaultStop, What: "all"})
	assert.Equal(t, []string{"deployments/memcached-operator/memcached-operator"}, broken.Objects)
	assert.Empty(t, s.pods(t, operator))
	_, err := s.injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultKill, What: operator}, fault.Target{})
	require.ErrorContains(t, err, "it has no pod")
	s.create(t, 1)
	s.mend(t, broken)
	s.awaitReady(t, 1)
}

func upgrade(t *testing.T, s *scene) {
	before := s.pods(t, operator)
	broken := s.begin(t, scenarios.Fault{Kind: spec.FaultUpgrade, What: "all"})
	assert.Nil(t, broken.Undo)
	after := s.pods(t, operator)
	require.Len(t, after, 1)
	assert.NotEqual(t, before[0].UID, after[0].UID)
	assert.True(t, after[0].Status.ContainerStatuses[0].Ready)
}

func forbid(t *testing.T, s *scene) {
	rules := func() []rbacv1.PolicyRule {
		role, err := s.Typed.RbacV1().ClusterRoles().Get(t.Context(), "memcached-operator", metav1.GetOptions{})
		require.NoError(t, err)
		return role.Rules
	}
	before := rules()
	broken := s.begin(t, scenarios.Fault{Kind: spec.FaultForbid, What: "deployments.apps"})
	assert.Equal(t, []string{"clusterroles/memcached-operator"}, broken.Objects)
	assert.NotEqual(t, before, rules())
	s.create(t, 2)
	s.awaitSaid(t, "forbidden")
	assert.Empty(t, s.children(t))
	s.mend(t, broken)
	assert.Equal(t, before, rules())
	s.awaitReady(t, 2)
	_, err := s.injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultForbid, What: "statefulsets.apps"}, fault.Target{Namespace: space, Name: name})
	require.ErrorContains(t, err, "none of the roles of style native lets it create, update, patch, delete, deletecollection statefulsets.apps")
}

// awaitSaid waits until the custom resource says some texts.
func (s *scene) awaitSaid(t *testing.T, texts ...string) {
	t.Helper()
	eventually(t, fmt.Sprintf("the custom resource to say %q", texts), func() bool {
		cr, err := s.Dynamic.Resource(s.injector.Workload.GVR()).Namespace(space).Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		said, err := cr.MarshalJSON()
		require.NoError(t, err)
		return !slices.ContainsFunc(texts, func(text string) bool { return !bytes.Contains(said, []byte(text)) })
	})
}

func refuse(t *testing.T, s *scene) {
	policies := func() int {
		selector := metav1.ListOptions{LabelSelector: kube.LabelRun + "=" + run}
		policies, err := s.Typed.AdmissionregistrationV1().ValidatingAdmissionPolicies().List(context.Background(), selector)
		require.NoError(t, err)
		bindings, err := s.Typed.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().List(context.Background(), selector)
		require.NoError(t, err)
		return len(policies.Items) + len(bindings.Items)
	}
	s.create(t, 1)
	s.awaitReady(t, 1)
	broken := s.begin(t, scenarios.Fault{Kind: spec.FaultRefuse, What: "deployments.apps"})
	assert.Equal(t, 2, policies())
	_, err := s.injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultRefuse, What: "deployments.apps"}, fault.Target{Namespace: space, Name: name})
	require.ErrorContains(t, err, "they are refused already")
	assert.Equal(t, 2, policies(), "the one that is there stays")

	s.scale(t, 3) // the operator may not follow, the harness may
	child := s.children(t)[0]
	child.Annotations["harness"] = "may write"
	_, err = s.Typed.AppsV1().Deployments(space).Update(t.Context(), &child, metav1.UpdateOptions{})
	require.NoError(t, err)
	s.awaitSaid(t, "refused on purpose")
	assert.EqualValues(t, 1, *s.children(t)[0].Spec.Replicas)
	// The cluster's own parts are let through: what the harness asks of the
	// Deployment is done, and its status tells it.
	_, err = s.Typed.AppsV1().Deployments(space).Patch(t.Context(), child.Name, types.MergePatchType, []byte(`{"spec":{"replicas":2}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	s.awaitReady(t, 2)
	s.mend(t, broken)
	assert.Zero(t, policies())
	s.awaitReady(t, 3)

	// The garbage collector deletes what is refused to others.
	broken = s.begin(t, scenarios.Fault{Kind: spec.FaultRefuse, What: "deployments.apps"})
	background := metav1.DeletePropagationBackground
	crs := s.Dynamic.Resource(s.injector.Workload.GVR()).Namespace(space)
	require.NoError(t, crs.Delete(t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &background}))
	eventually(t, "the garbage collector has deleted the Deployment", func() bool { return len(s.children(t)) == 0 })
	s.mend(t, broken)
	_, err = crs.Create(t.Context(), s.injector.Workload.New(space, name, 0), metav1.CreateOptions{}) // which the test deletes
	require.NoError(t, err)
	_, err = s.injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultRefuse, What: "nothings.apps"}, fault.Target{Namespace: space, Name: name})
	require.ErrorContains(t, err, "the cluster serves no nothings.apps")
}

func refuseUpdates(t *testing.T, s *scene) {
	broken := s.begin(t, scenarios.Fault{Kind: spec.FaultRefuseUpdates, What: "deployments.apps"})
	s.create(t, 1) // is no update
	s.awaitReady(t, 1)
	s.scale(t, 2)
	s.awaitSaid(t, "updates of deployments.apps", "refused on purpose")
	assert.EqualValues(t, 1, *s.children(t)[0].Spec.Replicas)
	s.mend(t, broken)
	s.awaitReady(t, 2)
}

func slow(t *testing.T, s *scene) {
	hooks := func() int {
		list, err := s.Typed.AdmissionregistrationV1().ValidatingWebhookConfigurations().List(context.Background(), metav1.ListOptions{LabelSelector: kube.LabelRun + "=" + run})
		require.NoError(t, err)
		return len(list.Items)
	}
	broken := s.begin(t, scenarios.Fault{Kind: spec.FaultSlow, What: "deployments.apps"})
	assert.Equal(t, 1, hooks())
	began := time.Now()
	s.create(t, 1)
	eventually(t, "the operator's Deployment", func() bool { return len(s.children(t)) == 1 })
	assert.GreaterOrEqual(t, time.Since(began), 4*time.Second)
	s.awaitReady(t, 1)
	child := s.children(t)[0]
	began = time.Now()
	_, err := s.Typed.AppsV1().Deployments(space).Patch(t.Context(), child.Name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"harness":"is quick"}}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	assert.Less(t, time.Since(began), 2*time.Second, "the harness's own writes do not wait")
	s.mend(t, broken)
	assert.Zero(t, hooks())
}

func definition(t *testing.T, s *scene) {
	crs := s.Dynamic.Resource(s.injector.Workload.GVR()).Namespace(space)
	before := s.versions(t)
	r := s.record(t)
	broken := s.begin(t, scenarios.Fault{Kind: spec.FaultDefinition, What: "tutorial"})
	assert.NotEqual(t, before, s.versions(t))
	_, err := crs.Create(t.Context(), s.injector.Workload.New(space, "wrong", -1), metav1.CreateOptions{})
	require.NoError(t, err)
	s.create(t, 1)
	s.awaitReady(t, 1) // the operator writes its status still
	s.mend(t, broken)
	_, err = crs.Create(t.Context(), s.injector.Workload.New(space, "other", -1), metav1.CreateOptions{})
	require.True(t, apierrors.IsInvalid(err), "%v", err)
	_, err = crs.Get(t.Context(), "wrong", metav1.GetOptions{})
	require.NoError(t, err, "what is invalid now is still there")
	require.NoError(t, crs.Delete(t.Context(), "wrong", metav1.DeleteOptions{}))
	assert.Equal(t, before, s.versions(t))
	for resource := range r.end(t) {
		assert.Equal(t, customs, resource, "only the custom resource is served anew")
	}
}

func removeImage(t *testing.T, s *scene) {
	s.create(t, 1)
	s.awaitReady(t, 1)
	broken := s.begin(t, scenarios.Fault{Kind: spec.FaultRemoveImage, What: "workload"})
	s.scale(t, 2)
	var reason string
	eventually(t, "the kubelet says that it cannot get the image", func() bool {
		pods, err := s.Typed.CoreV1().Pods(space).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		ready := 0
		reason = ""
		for _, pod := range pods.Items {
			for _, status := range pod.Status.ContainerStatuses {
				if status.Ready {
					ready++
					assert.Zero(t, status.RestartCount, "what runs of it runs on")
				}
				if status.State.Waiting != nil {
					reason = status.State.Waiting.Reason + ": " + status.State.Waiting.Message
				}
			}
		}
		return ready == 1 && bytes.Contains([]byte(reason), []byte("ImagePull"))
	})
	t.Log(reason)
	s.mend(t, broken)
	s.awaitReady(t, 2)
	node, err := shared.Node()
	require.NoError(t, err)
	left, err := node.Exec(t.Context(), "sh", "-c", "ls /etc/containerd/certs.d; ctr -n k8s.io images ls -q | grep invalid || true")
	require.NoError(t, err)
	assert.Empty(t, left)
}

func suspendNothing(t *testing.T, s *scene) {
	_, err := s.injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultSuspend, What: "work"}, fault.Target{Namespace: space, Name: name})
	require.ErrorContains(t, err, "style native has 0 work objects for it that can be suspended")
}

// apiServer is restarted twice: the second time it must not be put off.
func apiServer(t *testing.T, s *scene) {
	r := s.record(t)
	for range 2 {
		broken := s.begin(t, scenarios.Fault{Kind: spec.FaultRestart, What: "api-server"})
		s.mend(t, broken)
	}
	s.create(t, 1)
	s.awaitReady(t, 1)
	r.check(t)
}

func node(t *testing.T, s *scene) {
	s.create(t, 1)
	s.awaitReady(t, 1)
	before := s.pods(t, operator)[0]
	r := s.record(t)
	broken := s.begin(t, scenarios.Fault{Kind: spec.FaultRestart, What: "node"})
	s.mend(t, broken)
	after := s.pods(t, operator)[0]
	assert.Equal(t, before.UID, after.UID)
	assert.NotEqual(t, before.Status.ContainerStatuses[0].ContainerID, after.Status.ContainerStatuses[0].ContainerID)
	s.scale(t, 2)
	s.awaitReady(t, 2)
	r.check(t)
}

// foreign is a cluster of somebody else's, and a run that made nothing in it.
func foreign(t *testing.T, s *scene) {
	stranger := *s.injector
	stranger.Node, stranger.Owner = nil, kube.Owner{Run: "stranger"}
	for _, f := range []scenarios.Fault{{Kind: spec.FaultRestart, What: "node"}, {Kind: spec.FaultRestart, What: "api-server"}, {Kind: spec.FaultRemoveImage, What: "workload"}} {
		_, err := stranger.Begin(t.Context(), f, fault.Target{Namespace: space, Name: name})
		assert.ErrorContains(t, err, "the cluster is not the harness's own")
	}
	before := s.pods(t, operator)[0]
	for _, f := range []scenarios.Fault{{Kind: spec.FaultKill, What: operator}, {Kind: spec.FaultStop, What: operator}, {Kind: spec.FaultUpgrade, What: "all"}, {Kind: spec.FaultForbid, What: "deployments.apps"}, {Kind: spec.FaultDefinition, What: "tutorial"}} {
		_, err := stranger.Begin(t.Context(), f, fault.Target{Namespace: space, Name: name})
		assert.ErrorContains(t, err, "refusing to touch")
	}
	after := s.pods(t, operator)[0]
	assert.Equal(t, before.UID, after.UID)
	assert.Equal(t, before.ResourceVersion, after.ResourceVersion)
}
