package controller

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	appsv1client "k8s.io/client-go/kubernetes/typed/apps/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"operatorbench/operators/native/internal/api"
	"operatorbench/operators/native/internal/plan"
)

const namespace = "services"

// wait bounds what a test waits for; what it waits for comes at once or never.
const wait = 20 * time.Second

// world is a controller among fake clients. Its caches are filled by hand (see) or
// by its informers (Run), so that a test says what the controller has seen.
type world struct {
	*Controller
	kube     *fake.Clientset
	dynamic  *dynamicfake.FakeDynamicClient
	recorder *events.FakeRecorder
}

// The fakes of one API group do not say, as the whole fake clientset does, that they
// cannot stream a list.
type fakeApps struct{ appsv1client.AppsV1Interface }

func (fakeApps) IsWatchListSemanticsUnSupported() bool { return true }

type fakeCore struct{ corev1client.CoreV1Interface }

func (fakeCore) IsWatchListSemanticsUnSupported() bool { return true }

func newWorld(t *testing.T, memcacheds []runtime.Object, objects ...runtime.Object) *world {
	t.Helper()
	w := &world{
		kube: fake.NewClientset(objects...),
		dynamic: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
			map[schema.GroupVersionResource]string{api.Resource(): "MemcachedList"}, memcacheds...),
		recorder: events.NewFakeRecorder(100),
	}
	keepPromises(&w.kube.Fake, w.kube.Tracker())
	keepPromises(&w.dynamic.Fake, w.dynamic.Tracker())
	c, err := New(t.Context(), Clients{
		Dynamic: w.dynamic, Apps: fakeApps{w.kube.AppsV1()}, Core: fakeCore{w.kube.CoreV1()},
	}, Options{Recorder: w.recorder, Workers: 2})
	require.NoError(t, err)
	w.Controller = c
	return w
}

// see puts objects into the controller's caches.
func (w *world) see(t *testing.T, objects ...runtime.Object) {
	t.Helper()
	for _, object := range objects {
		switch object := object.(type) {
		case *unstructured.Unstructured:
			require.NoError(t, w.memcacheds.GetStore().Add(object))
		case *appsv1.Deployment:
			require.NoError(t, w.deployments.GetStore().Add(object))
		case *corev1.Pod:
			require.NoError(t, w.pods.GetStore().Add(object))
		default:
			t.Fatalf("no cache of %T", object)
		}
	}
}

func (w *world) reconcileExample(t *testing.T) (Outcome, error) {
	t.Helper()
	return w.reconcile(t.Context(), cache.NewObjectName(namespace, "example"))
}

// writes lists what was written to either API, as "verb resource/subresource".
func (w *world) writes() []string {
	writes := []string{}
	for _, action := range append(w.kube.Actions(), w.dynamic.Actions()...) {
		switch action.GetVerb() {
		case "get", "list", "watch":
			continue
		}
		write := action.GetVerb() + " " + action.GetResource().Resource
		if action.GetSubresource() != "" {
			write += "/" + action.GetSubresource()
		}
		writes = append(writes, write)
	}
	return writes
}

func (w *world) events() []string {
	var all []string
	for {
		select {
		case event := <-w.recorder.Events:
			all = append(all, event)
		default:
			return all
		}
	}
}

func (w *world) deployment(t *testing.T) *appsv1.Deployment {
	t.Helper()
	d, err := w.kube.AppsV1().Deployments(namespace).Get(context.Background(), "example", metav1.GetOptions{})
	require.NoError(t, err)
	return d
}

// scale sets the custom resource's size in the API, as its user does.
func (w *world) scale(t *testing.T, size int64) *unstructured.Unstructured {
	t.Helper()
	patch := fmt.Appendf(nil, `{"metadata": {"generation": 2}, "spec": {"size": %d}}`, size)
	scaled, err := w.dynamic.Resource(api.Resource()).Namespace(namespace).
		Patch(t.Context(), "example", types.MergePatchType, patch, metav1.PatchOptions{})
	require.NoError(t, err)
	return scaled
}

// status is the status that the API holds.
func (w *world) status(t *testing.T) api.MemcachedStatus {
	t.Helper()
	u, err := w.dynamic.Resource(api.Resource()).Namespace(namespace).Get(context.Background(), "example", metav1.GetOptions{})
	require.NoError(t, err)
	m, _ := api.FromUnstructured(u)
	return m.Status
}

func memcached(size any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": api.APIVersion(), "kind": api.Kind,
		"metadata": map[string]any{
			"namespace": namespace, "name": "example", "uid": "cr-uid",
			"generation": int64(1), "resourceVersion": "1",
		},
		"spec": map[string]any{"size": size},
	}}
}

// deployed is the Deployment that the controller itself makes for size.
func deployed(t *testing.T, size int64) *appsv1.Deployment {
	t.Helper()
	w := newWorld(t, []runtime.Object{memcached(size)})
	w.see(t, memcached(size))
	_, err := w.reconcileExample(t)
	require.NoError(t, err)
	d := w.deployment(t)
	d.UID, d.ResourceVersion = "deployment-uid", "10"
	return d
}

func TestReconcileCreates(t *testing.T) {
	tests := []struct {
		size   int64
		reason string
	}{
		{3, plan.ReasonReplicasNotReady},
		// Right at once, only because fakes leave generations at zero.
		{0, plan.ReasonAllReplicasReady},
	}
	for _, tt := range tests {
		size := tt.size
		w := newWorld(t, []runtime.Object{memcached(size)})
		w.see(t, memcached(size))
		outcome, err := w.reconcileExample(t)
		require.NoError(t, err)
		assert.Equal(t, OutcomeDone, outcome)
		assert.Equal(t, []string{"patch deployments", "update memcacheds/status"}, w.writes())
		d := w.deployment(t)
		assert.EqualValues(t, size, *d.Spec.Replicas)
		assert.EqualValues(t, "cr-uid", metav1.GetControllerOf(d).UID)
		require.Len(t, w.events(), 1)
		status := w.status(t)
		assert.EqualValues(t, 1, status.ObservedGeneration)
		assert.Equal(t, tt.reason, status.Conditions[0].Reason)
	}
}

func TestReconcileWritesNothingWhenNothingDiffers(t *testing.T) {
	d := deployed(t, 3)
	w := newWorld(t, []runtime.Object{memcached(int64(3))}, d)
	w.see(t, memcached(int64(3)), d)
	for range 3 {
		_, err := w.reconcileExample(t)
		require.NoError(t, err)
		// What the watch would bring.
		u, err := w.dynamic.Resource(api.Resource()).Namespace(namespace).Get(t.Context(), "example", metav1.GetOptions{})
		require.NoError(t, err)
		w.see(t, u)
	}
	assert.Equal(t, []string{"update memcacheds/status"}, w.writes(), "one status, and nothing more")
	assert.Empty(t, w.events())
}

func TestReconcileRepairs(t *testing.T) {
	tests := []struct {
		name   string
		change func(d *appsv1.Deployment)
		event  string
	}{
		{
			"replicas",
			func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](7) },
			"Normal Scaled Scaled Deployment example from 7 to 3 replicas",
		},
		{
			"image",
			func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "other" },
			"Normal Repaired Brought Deployment example back to what is wanted: spec.template.spec.containers[0].image",
		},
		{
			"owner reference",
			func(d *appsv1.Deployment) { d.OwnerReferences = nil },
			"Normal Repaired Brought Deployment example back to what is wanted: metadata.ownerReferences",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wanted := deployed(t, 3)
			changed := wanted.DeepCopy()
			tt.change(changed)
			w := newWorld(t, []runtime.Object{memcached(int64(3))}, changed)
			// A fake does not count resource versions up.
			w.kube.PrependReactor("patch", "deployments", func(clienttesting.Action) (bool, runtime.Object, error) {
				repaired := wanted.DeepCopy()
				repaired.ResourceVersion = "11"
				return true, repaired, nil
			})
			w.see(t, memcached(int64(3)), changed)
			_, err := w.reconcileExample(t)
			require.NoError(t, err)
			assert.Contains(t, w.writes(), "patch deployments")
			assert.Equal(t, []string{tt.event}, w.events())

			w.kube.ClearActions()
			_, err = w.reconcileExample(t)
			require.NoError(t, err)
			assert.NotContains(t, w.writes(), "patch deployments", "an own write counts before the watch brings it")
		})
	}
}

// A port's number is the key of its list, so that an apply would put one beside the other.
func TestReconcileReplacesPortsThatAnApplyCannotMerge(t *testing.T) {
	changed := deployed(t, 3)
	wanted := changed.Spec.Template.Spec.Containers[0].Ports[0]
	changed.Spec.Template.Spec.Containers[0].Ports[0].ContainerPort++
	w := newWorld(t, []runtime.Object{memcached(int64(3))}, changed)
	w.kube.PrependReactor("patch", "deployments", func(action clienttesting.Action) (bool, runtime.Object, error) {
		applies := action.(clienttesting.PatchAction).GetPatchType() == types.ApplyPatchType
		return applies, nil, apierrors.NewInvalid(appsv1.SchemeGroupVersion.WithKind("Deployment").GroupKind(), "example", nil)
	})
	w.see(t, memcached(int64(3)), changed)
	outcome, err := w.reconcileExample(t)
	require.NoError(t, err)
	assert.Equal(t, OutcomeDone, outcome)
	assert.Equal(t, []corev1.ContainerPort{wanted}, w.deployment(t).Spec.Template.Spec.Containers[0].Ports)
	assert.Len(t, w.events(), 1)
}

func TestReconcileAppliesForRealOverOthersChanges(t *testing.T) {
	d := deployed(t, 3)
	w := newWorld(t, []runtime.Object{memcached(int64(3))}, d)
	scaled := d.DeepCopy()
	scaled.Spec.Replicas = ptr.To[int32](9)
	scaled, err := w.kube.AppsV1().Deployments(namespace).Update(t.Context(), scaled, metav1.UpdateOptions{FieldManager: "kubectl"})
	require.NoError(t, err)
	w.see(t, memcached(int64(3)), scaled)
	_, err = w.reconcileExample(t)
	require.NoError(t, err)
	assert.EqualValues(t, 3, *w.deployment(t).Spec.Replicas, "the field's other manager is overruled")
}

func TestReconcileOfAnOutdatedSpecUndoesNoScale(t *testing.T) {
	d := deployed(t, 1)
	w := newWorld(t, []runtime.Object{memcached(int64(1))}, d)
	w.see(t, memcached(int64(1)), d)
	scaled := w.scale(t, 4)
	outcome, err := w.reconcileExample(t)
	require.True(t, apierrors.IsConflict(err), "the outdated status is refused, not: %v", err)
	assert.Equal(t, OutcomeStale, outcome, "tried again at once")
	assert.Empty(t, w.status(t).Conditions)

	// What the watch brings.
	w.see(t, scaled)
	outcome, err = w.reconcileExample(t)
	require.NoError(t, err)
	assert.Equal(t, OutcomeDone, outcome)
	assert.EqualValues(t, 4, *w.deployment(t).Spec.Replicas)
	assert.EqualValues(t, 2, w.status(t).ObservedGeneration)
}

// The cache may still hold a custom resource that the API no longer has: the watch
// of Deployments can tell of the garbage collector's work before the watch of custom
// resources tells why it was done.
func TestReconcileCreatesForWhatTheAPIHasAlone(t *testing.T) {
	deleting := memcached(int64(3))
	deleting.SetDeletionTimestamp(ptr.To(metav1.Now()))
	deleting.SetFinalizers([]string{"somebody/else"})
	deleting.SetResourceVersion("2")
	successor := memcached(int64(3))
	successor.SetUID("another-uid")
	successor.SetResourceVersion("2")
	scaled := memcached(int64(5))
	scaled.SetGeneration(2)
	scaled.SetResourceVersion("2")
	tests := []struct {
		name   string
		is     []runtime.Object // in the API
		writes []string         // once the cache was found to be outdated
	}{
		{"gone", nil, []string{}},
		{"on its way out", []runtime.Object{deleting}, []string{}},
		{"another of the same name", []runtime.Object{successor}, []string{"patch deployments", "update memcacheds/status"}},
		{"of another size", []runtime.Object{scaled}, []string{"patch deployments", "update memcacheds/status"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.is)
			w.see(t, memcached(int64(3)))
			outcome, err := w.reconcileExample(t)
			require.Error(t, err)
			assert.Equal(t, OutcomeStale, outcome, "tried again at once")
			assert.Empty(t, w.writes())
			assert.Empty(t, w.events())

			// The watch has still not told; the API has.
			_, err = w.reconcileExample(t)
			assert.Equal(t, len(tt.is) == 0, err != nil, "nobody knows yet of one that is gone: %v", err)
			assert.Equal(t, tt.writes, w.writes())
			if len(tt.writes) > 0 {
				wanted, _ := api.FromUnstructured(tt.is[0].(*unstructured.Unstructured))
				d := w.deployment(t)
				assert.Equal(t, wanted.Spec.Size, *d.Spec.Replicas)
				assert.Equal(t, wanted.UID, metav1.GetControllerOf(d).UID)
			}
		})
	}
}

func TestReconcileLeavesAlone(t *testing.T) {
	deleting := memcached(int64(3))
	deleting.SetDeletionTimestamp(ptr.To(metav1.Now()))
	deleting.SetFinalizers([]string{"somebody/else"})
	tests := []struct {
		name string
		see  []runtime.Object
	}{
		{"a custom resource that is gone", nil},
		{"a custom resource that is being deleted", []runtime.Object{deleting}},
		{"a gone custom resource's Deployment", []runtime.Object{deployed(t, 3)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.see(t, tt.see...)
			outcome, err := w.reconcileExample(t)
			require.NoError(t, err)
			assert.Equal(t, OutcomeDone, outcome)
			assert.Empty(t, w.writes())
		})
	}
}

func TestReconcileDoesNotTakeOver(t *testing.T) {
	foreign := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "example"}}
	foreign.Spec.Replicas = ptr.To[int32](1)
	predecessors := deployed(t, 2)
	predecessors.OwnerReferences[0].UID = "an-older-uid"
	tests := []struct {
		name   string
		is     *appsv1.Deployment
		seen   bool
		reason string
		events int
	}{
		{"a foreign Deployment that the cache does not hold", foreign, false, plan.ReasonDeploymentNotOwned, 1},
		{"a predecessor's Deployment", predecessors, true, plan.ReasonPredecessorDeleting, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, []runtime.Object{memcached(int64(3))}, tt.is)
			w.see(t, memcached(int64(3)))
			if tt.seen {
				w.see(t, tt.is)
			}
			for range 2 {
				outcome, err := w.reconcileExample(t)
				require.Error(t, err)
				assert.Equal(t, OutcomeBlocked, outcome)
				u, err := w.dynamic.Resource(api.Resource()).Namespace(namespace).Get(t.Context(), "example", metav1.GetOptions{})
				require.NoError(t, err)
				w.see(t, u)
			}
			assert.Equal(t, []string{"update memcacheds/status"}, w.writes(), "told once, in the status")
			assert.Equal(t, tt.reason, w.status(t).Conditions[0].Reason)
			assert.Len(t, w.events(), tt.events)
		})
	}
}

func TestReconcileOfAnInvalidSizeKeepsTheDeployment(t *testing.T) {
	for _, size := range []any{int64(-1), "three", nil, 1.5} {
		d := deployed(t, 3)
		w := newWorld(t, []runtime.Object{memcached(size)}, d)
		w.see(t, memcached(size), d)
		outcome, err := w.reconcileExample(t)
		require.ErrorIs(t, err, api.ErrInvalidSize)
		assert.Equal(t, OutcomeDone, outcome, "trying again would not help")
		assert.Equal(t, []string{"update memcacheds/status"}, w.writes())
		assert.Equal(t, plan.ReasonInvalidSize, w.status(t).Conditions[0].Reason)
		require.Len(t, w.events(), 1)
	}
}

// A definition may have no status subresource: the tutorial's has none.
func TestReconcileTellsWithoutAStatus(t *testing.T) {
	for _, size := range []any{int64(-1), int64(1 << 31), nil} {
		w := newWorld(t, []runtime.Object{memcached(size)})
		w.dynamic.PrependReactor("update", "memcacheds", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewNotFound(api.Resource().GroupResource(), "example")
		})
		w.see(t, memcached(size))
		outcome, err := w.reconcileExample(t)
		require.ErrorIs(t, err, api.ErrInvalidSize)
		assert.Equal(t, OutcomeDone, outcome, "trying again would not help")
		events := w.events()
		require.Len(t, events, 1)
		assert.Contains(t, events[0], "Warning InvalidSize spec.size is not usable")
	}
}

func TestReconcileOfOneThatGoesMeanwhile(t *testing.T) {
	d := deployed(t, 3)
	w := newWorld(t, nil, d)
	w.see(t, memcached(int64(3)), d)
	outcome, err := w.reconcileExample(t)
	require.True(t, apierrors.IsNotFound(err), "not: %v", err)
	assert.Equal(t, OutcomeStale, outcome)
	assert.Empty(t, w.events())
}

func TestReconcileAfterARefusal(t *testing.T) {
	deployments := schema.GroupResource{Group: "apps", Resource: "deployments"}
	terminating := apierrors.NewForbidden(deployments, "example", nil)
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	tests := []struct {
		name    string
		refusal error
		outcome Outcome
		reason  string // of the Ready condition; empty: no status is written
	}{
		{"conflict", apierrors.NewConflict(deployments, "example", nil), OutcomeStale, ""},
		{"too many requests", apierrors.NewTooManyRequests("later", 1), OutcomeError, ""},
		{"no connection", context.DeadlineExceeded, OutcomeError, ""},
		{"the namespace goes", terminating, OutcomeDone, ""},
		{"forbidden", apierrors.NewForbidden(deployments, "example", nil), OutcomeError, plan.ReasonApplyFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, []runtime.Object{memcached(int64(3))})
			w.kube.PrependReactor("patch", "deployments", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, tt.refusal
			})
			w.see(t, memcached(int64(3)))
			outcome, err := w.reconcileExample(t)
			require.ErrorIs(t, err, tt.refusal)
			assert.Equal(t, tt.outcome, outcome)
			if tt.reason == "" {
				assert.Equal(t, []string{"patch deployments"}, w.writes())
				return
			}
			assert.Equal(t, tt.reason, w.status(t).Conditions[0].Reason)
		})
	}
}

// TestRun drives the running controller by what its watches bring.
func TestRun(t *testing.T) {
	w := newWorld(t, []runtime.Object{memcached(int64(1))})
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	deployments, err := w.kube.AppsV1().Deployments(namespace).Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	assert.False(t, w.Synced(), "not ready before it runs")
	stopped := make(chan struct{})
	go func() {
		w.Run(ctx)
		close(stopped)
	}()

	// One that was there before the start.
	awaitReplicas(t, deployments, watch.Added, 1)
	assert.True(t, w.Synced())
	// A scale; the status of the size before it may not be written yet.
	w.scale(t, 4)
	awaitReplicas(t, deployments, watch.Modified, 4)
	// A Deployment deleted by hand.
	require.NoError(t, w.kube.AppsV1().Deployments(namespace).Delete(ctx, "example", metav1.DeleteOptions{}))
	awaitReplicas(t, deployments, watch.Added, 4)

	cancel()
	select {
	case <-stopped:
	case <-time.After(wait):
		t.Fatal("the controller goes on after its context ended")
	}
}

// TestTheManifestAllowsWhatIsDone holds the ClusterRole against what the controller
// asks of the API from its start to a repair.
func TestTheManifestAllowsWhatIsDone(t *testing.T) {
	scaled := deployed(t, 9)
	w := newWorld(t, []runtime.Object{memcached(int64(3))}, scaled)
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	deployments, err := w.kube.AppsV1().Deployments(namespace).Watch(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	w.kube.ClearActions()
	stopped := make(chan struct{})
	go func() {
		w.Run(ctx)
		close(stopped)
	}()
	awaitReplicas(t, deployments, watch.Modified, 3)
	require.NoError(t, w.kube.AppsV1().Deployments(namespace).Delete(ctx, "example", metav1.DeleteOptions{}))
	awaitReplicas(t, deployments, watch.Added, 3)
	cancel()
	<-stopped

	allowed := allowedByTheManifest(t)
	for _, action := range append(w.kube.Actions(), w.dynamic.Actions()...) {
		r := action.GetResource()
		right := action.GetVerb() + " " + r.Group + "/" + r.Resource
		if action.GetSubresource() != "" {
			right += "/" + action.GetSubresource()
		}
		if right == "delete apps/deployments" {
			continue // this test's own
		}
		assert.Contains(t, allowed, right)
	}
}

func allowedByTheManifest(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "manifests", "02-rbac.yaml"))
	require.NoError(t, err)
	var allowed []string
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var role rbacv1.ClusterRole
		require.NoError(t, yaml.Unmarshal([]byte(document), &role))
		for _, rule := range role.Rules {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					allowed = append(allowed, verb+" "+rule.APIGroups[0]+"/"+resource)
				}
			}
		}
	}
	require.NotEmpty(t, allowed)
	return allowed
}

func awaitReplicas(t *testing.T, deployments watch.Interface, kind watch.EventType, size int32) {
	t.Helper()
	deadline := time.After(wait)
	var last watch.Event
	for {
		select {
		case event, open := <-deployments.ResultChan():
			require.True(t, open, "the watch ended; last seen: %v", last)
			d, ok := event.Object.(*appsv1.Deployment)
			if last = event; ok && event.Type == kind && *d.Spec.Replicas == size {
				return
			}
		case <-deadline:
			t.Fatalf("no Deployment %s with %d replicas within %s; last seen: %v", kind, size, wait, last)
		}
	}
}

func TestSlimKeepsWhatTheStatusIsMadeOf(t *testing.T) {
	waits := corev1.ContainerStatus{Name: "memcached", Image: "memcached:none", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull"}}}
	runs := corev1.ContainerStatus{Name: "other", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
	ready := []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	slimmed, err := slim(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "a", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}},
		Spec:       corev1.PodSpec{NodeName: "node"},
		Status: corev1.PodStatus{
			Phase: corev1.PodPending, Conditions: ready, PodIP: "10.0.0.1",
			ContainerStatuses: []corev1.ContainerStatus{runs, {Name: waits.Name, Image: waits.Image, State: waits.State, RestartCount: 3}},
		},
	})
	require.NoError(t, err)
	assert.Equal(t, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "a"},
		Status:     corev1.PodStatus{Phase: corev1.PodPending, Conditions: ready, ContainerStatuses: []corev1.ContainerStatus{waits}},
	}, slimmed)
}

func TestPodsQueueTheirMemcached(t *testing.T) {
	w := newWorld(t, nil)
	w.see(t, memcached(int64(1)))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: "example-abc-1", Labels: map[string]string{plan.InstanceLabel: "example"},
	}}
	ready := pod.DeepCopy()
	ready.Status = corev1.PodStatus{
		Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
	}
	stuck := pod.DeepCopy()
	stuck.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "memcached", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull"}},
	}}
	elsewhere := pod.DeepCopy()
	elsewhere.Namespace = "elsewhere"
	handler := w.queueing(w.queueInstance, samePod)
	tests := []struct {
		name   string
		happen func()
		queued int
	}{
		{"added", func() { handler.OnAdd(pod, false) }, 1},
		{"became ready", func() { handler.OnUpdate(pod, ready) }, 1},
		{"cannot be started", func() { handler.OnUpdate(pod, stuck) }, 1},
		{"still cannot", func() { handler.OnUpdate(stuck, stuck.DeepCopy()) }, 0},
		{"changed in what does not matter", func() { handler.OnUpdate(pod, pod.DeepCopy()) }, 0},
		{"deleted", func() { handler.OnDelete(ready) }, 1},
		{"deletion that the watch missed", func() {
			handler.OnDelete(cache.DeletedFinalStateUnknown{Key: "services/example-abc-1", Obj: ready})
		}, 1},
		{"another namespace's", func() { handler.OnAdd(elsewhere, false) }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.happen()
			require.Equal(t, tt.queued, w.queue.Len())
			for range tt.queued {
				key, _ := w.queue.Get()
				assert.Equal(t, cache.NewObjectName(namespace, "example"), key)
				w.queue.Done(key)
			}
		})
	}
}
