package fault_test

import (
	"context"
	"errors"
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
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// workload is a Deployment of a run that is complete.
func workload(name string, replicas int32) *appsv1.Deployment {
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name, Labels: kube.Owner{Run: "mine"}.Labels()},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}}},
		},
		Status: appsv1.DeploymentStatus{Replicas: replicas, UpdatedReplicas: replicas, AvailableReplicas: replicas},
	}
}

// bench is a cluster in memory with three Deployments, among them the manager
// makes the worker.
func bench() (*fake.Clientset, *fault.Injector) {
	var objects []runtime.Object
	for name, replicas := range map[string]int32{"manager": 1, "worker": 2, "other": 3} {
		objects = append(objects, workload(name, replicas))
	}
	typed := fake.NewClientset(objects...)
	return typed, &fault.Injector{
		Kube: typed, Dynamic: dynamicfake.NewSimpleDynamicClient(scheme.Scheme, objects...),
		Owner: kube.Owner{Run: "mine"},
		Style: spec.Style{Name: "some", Components: []spec.Component{
			{Name: "manager", Namespace: "n", Selector: "app=manager"},
			{Name: "worker", Namespace: "n", Selector: "app=worker", ManagedBy: "manager"},
			{Name: "other", Namespace: "n", Selector: "app=other"},
		}},
	}
}

func replicas(t *testing.T, typed *fake.Clientset) map[string]int32 {
	t.Helper()
	list, err := typed.AppsV1().Deployments("n").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	found := map[string]int32{}
	for _, d := range list.Items {
		found[d.Name] = *d.Spec.Replicas
	}
	return found
}

// failing makes patches of a Deployment fail while the function says so.
func failing(typed *fake.Clientset, name string, fails func() bool) {
	typed.PrependReactor("patch", "deployments", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch, is := action.(clienttesting.PatchAction)
		if is && patch.GetName() == name && fails() {
			return true, nil, errors.New("the API server is away")
		}
		return false, nil, nil
	})
}

var whole = map[string]int32{"manager": 1, "worker": 2, "other": 3}

func TestStopAndUndo(t *testing.T) {
	typed, injector := bench()
	broken, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultStop, What: "worker"}, fault.Target{})
	require.NoError(t, err)
	assert.Equal(t, []string{"deployments/n/manager", "deployments/n/worker"}, broken.Objects, "what would start it again goes first")
	assert.Equal(t, map[string]int32{"manager": 0, "worker": 0, "other": 3}, replicas(t, typed))
	require.NoError(t, broken.Undo(context.Background()))
	assert.Equal(t, whole, replicas(t, typed))
	writes := len(typed.Actions())
	require.NoError(t, broken.Undo(context.Background()))
	assert.Len(t, typed.Actions(), writes, "it is done: nothing more is written")
}

func TestStopAllGoesBackInReverseOrder(t *testing.T) {
	_, injector := bench()
	broken, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultStop, What: "all"}, fault.Target{})
	require.NoError(t, err)
	assert.Equal(t, []string{"deployments/n/manager", "deployments/n/other", "deployments/n/worker"}, broken.Objects)
}

func TestBeginThatFailsHalfWayTakesBackWhatItDid(t *testing.T) {
	typed, injector := bench()
	calls := 0
	failing(typed, "worker", func() bool { calls++; return calls == 1 })
	broken, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultStop, What: "worker"}, fault.Target{})
	require.ErrorContains(t, err, "stop component worker: scale deployments/n/worker to 0: the API server is away")
	assert.Nil(t, broken.Undo, "there is nothing left to undo")
	assert.Equal(t, whole, replicas(t, typed))
}

func TestWhatCannotBeTakenBackIsToldAndCanBeTriedAgain(t *testing.T) {
	typed, injector := bench()
	away := false
	failing(typed, "manager", func() bool { return away })
	broken, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultStop, What: "worker"}, fault.Target{})
	require.NoError(t, err)
	away = true
	err = broken.Undo(context.Background())
	require.ErrorContains(t, err, "deployments/n/manager is still scaled to 0")
	require.ErrorContains(t, err, "by hand: kubectl -n n scale deployments/manager --replicas=1")
	assert.Equal(t, map[string]int32{"manager": 0, "worker": 2, "other": 3}, replicas(t, typed), "the rest is undone nevertheless")
	away = false
	require.NoError(t, broken.Undo(context.Background()))
	assert.Equal(t, whole, replicas(t, typed))
}

func TestNothingOfAnotherRunIsTouched(t *testing.T) {
	typed, injector := bench()
	injector.Owner.Run = "yours"
	for _, f := range []scenarios.Fault{{Kind: spec.FaultStop, What: "all"}, {Kind: spec.FaultUpgrade, What: "all"}} {
		_, err := injector.Begin(t.Context(), f, fault.Target{})
		require.ErrorContains(t, err, "refusing to touch Deployment n/manager: neither it nor what made it nor its namespace carries the label operatorbench/run=yours of this run")
	}
	for _, action := range typed.Actions() {
		assert.Equal(t, "list", action.GetVerb())
	}
}

// pod is one of a component's, which somebody's object alone owns.
func pod(name, of string, uid types.UID, owners ...metav1.OwnerReference) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name, UID: uid, Labels: map[string]string{"app": of, kube.LabelRun: "mine", "app.kubernetes.io/managed-by": "operatorbench"}, OwnerReferences: owners},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: "main", Ready: true, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(time.Now().Add(-time.Minute))}},
		}}},
	}
}

// A style that says its next version is upgraded by that alone, and nothing of it is rolled out beside.
func TestAnUpgradeIsTheNextVersion(t *testing.T) {
	for name, f := range map[string]scenarios.Fault{"whole": {Kind: spec.FaultUpgrade, What: "all"}, "begun": {Kind: spec.FaultUpgrading, What: "all"}} {
		t.Run(name, func(t *testing.T) {
			typed, injector := bench()
			require.NoError(t, typed.Tracker().Add(pod("worker-1", "worker", "old")))
			require.NoError(t, typed.Tracker().Add(pod("manager-1", "manager", "stays")))
			injector.Style.Upgrade = &spec.Upgrade{Replaces: []string{"worker"}}
			serves := make(chan struct{})
			injector.Next = func(ctx context.Context) error {
				if err := typed.CoreV1().Pods("n").Delete(ctx, "worker-1", metav1.DeleteOptions{}); err != nil {
					return err
				}
				if f.Kind != spec.FaultUpgrade {
					<-serves
				}
				return typed.Tracker().Add(pod("worker-2", "worker", "new"))
			}
			broken, err := injector.Begin(t.Context(), f, fault.Target{})
			require.NoError(t, err)
			assert.Equal(t, []string{"deployments/n/worker"}, broken.Objects)
			if f.Kind == spec.FaultUpgrading {
				_, err := typed.CoreV1().Pods("n").Get(t.Context(), "worker-2", metav1.GetOptions{})
				require.Error(t, err, "it has only begun")
				close(serves)
				require.NoError(t, broken.Undo(t.Context()))
			}
			_, err = typed.CoreV1().Pods("n").Get(t.Context(), "worker-2", metav1.GetOptions{})
			require.NoError(t, err, "the new one serves")
			for _, action := range typed.Actions() {
				assert.NotEqual(t, "patch", action.GetVerb())
			}
		})
	}
}

// Where the run is stopped, nothing installs on beside what removes the style.
func TestAnUpgradeEndsWithTheRun(t *testing.T) {
	for _, kind := range []string{spec.FaultUpgrade, spec.FaultUpgrading} {
		t.Run(kind, func(t *testing.T) {
			typed, injector := bench()
			require.NoError(t, typed.Tracker().Add(pod("worker-1", "worker", "old")))
			injector.Style.Upgrade = &spec.Upgrade{Replaces: []string{"worker"}}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			ended := false
			injector.Next = func(upgrading context.Context) error {
				if err := typed.CoreV1().Pods("n").Delete(upgrading, "worker-1", metav1.DeleteOptions{}); err != nil {
					return err
				}
				if kind == spec.FaultUpgrade {
					stop()
				}
				<-upgrading.Done()
				ended = true
				return upgrading.Err()
			}
			broken, err := injector.Begin(ctx, scenarios.Fault{Kind: kind, What: "all"}, fault.Target{})
			if kind == spec.FaultUpgrading {
				require.NoError(t, err)
				assert.False(t, ended, "it goes on")
				stop()
				err = broken.Undo(ctx)
			}
			require.ErrorIs(t, err, context.Canceled)
			assert.True(t, ended)
		})
	}
}

func TestAnUpgradeThatDoesNotServeIsTold(t *testing.T) {
	_, injector := bench()
	injector.Style.Upgrade = &spec.Upgrade{Replaces: []string{"worker"}}
	injector.Next = func(context.Context) error { return errors.New("the next version waits for its definition") }
	_, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultUpgrade, What: "all"}, fault.Target{})
	require.ErrorContains(t, err, "upgrade: the next version waits for its definition")
}

// What another component makes is taken away behind that one's back: it is not stopped before.
func TestTheWorkloadOfAManagedComponent(t *testing.T) {
	t.Run("scaled", func(t *testing.T) {
		typed, injector := bench()
		broken, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultScaleOwn, What: "worker"}, fault.Target{})
		require.NoError(t, err)
		assert.Equal(t, map[string]int32{"manager": 1, "worker": 0, "other": 3}, replicas(t, typed))
		require.NoError(t, broken.Undo(t.Context()))
		assert.Equal(t, whole, replicas(t, typed))
	})
	t.Run("deleted", func(t *testing.T) {
		_, injector := bench()
		deployments := injector.Dynamic.Resource(appsv1.SchemeGroupVersion.WithResource("deployments")).Namespace("n")
		broken, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultDeleteOwn, What: "worker"}, fault.Target{})
		require.NoError(t, err)
		assert.Equal(t, []string{"deployments/n/worker"}, broken.Objects)
		_, err = deployments.Get(t.Context(), "worker", metav1.GetOptions{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
		require.NoError(t, broken.Undo(t.Context()))
		_, err = deployments.Get(t.Context(), "worker", metav1.GetOptions{})
		require.NoError(t, err, "nobody made it again until the end")
	})
	t.Run("of nobody", func(t *testing.T) {
		_, injector := bench()
		_, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultDeleteOwn, What: "other"}, fault.Target{})
		require.ErrorContains(t, err, `style some has no component "other" that another one makes (managedBy)`)
	})
}

// What an installer makes has neither our label nor an owner: it is this run's where its namespace is.
func TestWhatIsWithinANamespaceOfTheRun(t *testing.T) {
	typed, injector := bench()
	injector.Style.Components = []spec.Component{{Name: "made", Namespace: "n", Selector: "app=made"}}
	made := pod("made-1", "made", "new")
	made.Labels = map[string]string{"app": "made"}
	require.NoError(t, typed.Tracker().Add(made))
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: kube.Owner{Run: "another"}.Labels()}}
	require.NoError(t, typed.Tracker().Add(namespace))
	_, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultKill, What: "made"}, fault.Target{})
	require.ErrorContains(t, err, "refusing to touch pod n/made-1")

	namespace.Labels = kube.Owner{Run: "mine", Style: "some"}.Labels()
	_, err = typed.CoreV1().Namespaces().Update(t.Context(), namespace, metav1.UpdateOptions{})
	require.NoError(t, err)
	_, err = injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultKill, What: "made"}, fault.Target{})
	require.NoError(t, err)
}

// A cluster role, which has no namespace, is this run's where it is bound to accounts in namespaces of the run alone, and is no older.
func TestAClusterRoleThatAnInstallerMade(t *testing.T) {
	began := time.Now().Add(-time.Hour)
	account := func(namespace string) rbacv1.Subject {
		return rbacv1.Subject{Kind: "ServiceAccount", Namespace: namespace, Name: "manager"}
	}
	for name, c := range map[string]struct {
		made     time.Time
		subjects []rbacv1.Subject
		refused  bool
	}{
		"bound here alone": {began.Add(time.Second), []rbacv1.Subject{account("n")}, false},
		"older":            {began.Add(-time.Second), []rbacv1.Subject{account("n")}, true},
		"shared":           {began.Add(time.Second), []rbacv1.Subject{account("n"), account("others")}, true},
		"a person's":       {began.Add(time.Second), []rbacv1.Subject{{Kind: "User", Name: "n"}}, true},
		"not bound":        {began.Add(time.Second), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			role := &rbacv1.ClusterRole{
				TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole"},
				ObjectMeta: metav1.ObjectMeta{Name: "made", CreationTimestamp: metav1.NewTime(c.made)},
				Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"create"}}},
			}
			typed, injector := bench()
			for _, obj := range []runtime.Object{
				role,
				&rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "made"}, RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "made"}, Subjects: c.subjects},
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: kube.Owner{Run: "mine"}.Labels(), CreationTimestamp: metav1.NewTime(began)}},
			} {
				require.NoError(t, typed.Tracker().Add(obj))
			}
			injector.Installed = func(context.Context) ([]*unstructured.Unstructured, error) {
				fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(role)
				return []*unstructured.Unstructured{{Object: fields}}, err
			}
			_, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultForbid, What: "deployments.apps"}, fault.Target{Namespace: "n", Name: "some"})
			if c.refused {
				require.ErrorContains(t, err, "refusing to touch ClusterRole")
			} else {
				require.ErrorContains(t, err, "no service account that style some binds", "it is refused for nothing but what this test leaves out")
			}
		})
	}
}

// What an installer makes is this run's where its only owner is, though that does not control it.
func TestAnOwnerThatDoesNotControl(t *testing.T) {
	typed, injector := bench()
	injector.Style.Components = []spec.Component{{Name: "made", Namespace: "n", Selector: "app=made"}}
	typed.Resources = []*metav1.APIResourceList{{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{{Name: "deployments", Kind: "Deployment", Namespaced: true}}}}
	made := pod("made-1", "made", "new", metav1.OwnerReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "manager"})
	made.Labels = map[string]string{"app": "made"}
	require.NoError(t, typed.Tracker().Add(made))
	_, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultKill, What: "made"}, fault.Target{})
	require.NoError(t, err)

	made = pod("made-2", "made", "other", metav1.OwnerReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "manager"}, metav1.OwnerReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "foreign"})
	made.Labels = map[string]string{"app": "made"}
	require.NoError(t, typed.Tracker().Add(made))
	_, err = injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultKill, What: "made"}, fault.Target{})
	require.ErrorContains(t, err, "refusing to touch pod n/made-2", "of two owners one may be another's")
}
