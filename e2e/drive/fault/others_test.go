package fault_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// What is in the way goes when it is mended, and nothing that has taken its place.
func TestSomebodyElsesChildIsRemovedAlone(t *testing.T) {
	for kind, controlled := range map[string]bool{"orphan": false, "controlled": true} {
		for _, replaced := range []bool{false, true} {
			_, injector := bench()
			injector.Workload = workloadtest.Default(t)
			root := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "kube-root-ca.crt", UID: "root"}}
			fake := dynamicfake.NewSimpleDynamicClient(scheme.Scheme, root)
			injector.Dynamic = fake
			client := injector.Dynamic.Resource(injector.Workload.MainGVR()).Namespace("n")

			broken, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultOccupy, What: kind}, fault.Target{Namespace: "n", Name: "cache", Child: "its-child"})
			require.NoError(t, err)
			assert.Equal(t, []string{"deployments/n/its-child"}, broken.Objects)
			made, err := client.Get(t.Context(), "its-child", metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, controlled, metav1.GetControllerOf(made) != nil)

			if replaced { // the operator has deleted it, and made its own
				made.SetUID("another")
				require.NoError(t, fake.Tracker().Update(injector.Workload.MainGVR(), made, "n"))
				fake.PrependReactor("delete", "deployments", func(action clienttesting.Action) (bool, runtime.Object, error) {
					is := action.(clienttesting.DeleteActionImpl).DeleteOptions.Preconditions
					wrong := is != nil && is.UID != nil && *is.UID != "another"
					return wrong, nil, apierrors.NewConflict(injector.Workload.MainGVR().GroupResource(), "its-child", errors.New("another uid"))
				})
			}
			require.NoError(t, broken.Undo(t.Context()))
			list, err := client.List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			assert.Equal(t, replaced, len(list.Items) == 1)
		}
	}
	_, injector := bench()
	injector.Workload = workloadtest.Default(t)
	_, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultOccupy, What: "orphan"}, fault.Target{Namespace: "n", Name: "cache"})
	require.ErrorContains(t, err, "occupy the place of the main child of n/cache: nobody knows its name")
}

// Every child that has a name, and that anybody can make, is another's, and all of them go when it is mended.
func TestSomebodyElsesChildrenAreRemovedAlone(t *testing.T) {
	_, injector := bench()
	injector.Workload = workloadtest.Queue(t)
	injector.Workload.Children = append(injector.Workload.Children,
		spec.ChildKind{ID: "front", Resource: "services.v1", Kind: "Service", Name: "{{.Name}}-front"},
		spec.ChildKind{ID: "secret", Resource: "secrets.v1", Kind: "Secret", Name: "{{.Name}}"},
		spec.ChildKind{ID: "job", Resource: "jobs.v1.batch", Kind: "Job", Name: "{{.Name}}"})
	root := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "kube-root-ca.crt", UID: "root"}}
	fake := dynamicfake.NewSimpleDynamicClient(scheme.Scheme, root)
	injector.Dynamic = fake
	for what, controllers := range map[string]int{spec.OccupyChildren: 1, spec.OccupyOrphanChildren: 0} {
		broken, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultOccupy, What: what}, fault.Target{Namespace: "n", Name: "queue"})
		require.NoError(t, err)
		assert.Equal(t, []string{"services/n/queue-front", "secrets/n/queue"}, broken.Objects)
		for _, resource := range []string{"services", "secrets"} {
			list, err := fake.Resource(corev1.SchemeGroupVersion.WithResource(resource)).Namespace("n").List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			require.Len(t, list.Items, 1)
			require.Len(t, list.Items[0].GetOwnerReferences(), controllers, what)
			if controllers > 0 {
				assert.Equal(t, "root", string(metav1.GetControllerOf(&list.Items[0]).UID))
			}
		}
		require.NoError(t, broken.Undo(t.Context()))
		for _, resource := range []string{"services", "secrets"} {
			list, err := fake.Resource(corev1.SchemeGroupVersion.WithResource(resource)).Namespace("n").List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			assert.Empty(t, list.Items)
		}
	}

	fake.PrependReactor("create", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewAlreadyExists(corev1.Resource("secrets"), "queue")
	})
	_, err := injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultOccupy, What: "children"}, fault.Target{Namespace: "n", Name: "queue"})
	require.ErrorContains(t, err, "occupy the place of secrets/n/queue")
	list, err := fake.Resource(corev1.SchemeGroupVersion.WithResource("services")).Namespace("n").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Empty(t, list.Items, "what was done is taken back")
}

// A policy adds to what is written, is this run's own by its labels, and goes when it is mended.
func TestAPolicyAddsToWhatIsWritten(t *testing.T) {
	typed, injector := bench()
	injector.Workload = workloadtest.Default(t)
	typed.Resources = []*metav1.APIResourceList{{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{{Name: "deployments", Kind: "Deployment", Namespaced: true}}}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "one"}}
	require.NoError(t, typed.Tracker().Add(node))
	begin := func() (fault.Broken, error) {
		return injector.Begin(t.Context(), scenarios.Fault{Kind: spec.FaultMutate, What: "deployments.apps"}, fault.Target{Namespace: "n", Name: "cache"})
	}
	_, err := begin()
	require.ErrorContains(t, err, "none of 1 nodes says that it has an image of a program that does nothing (…/pause:…)")

	node.Status.Images = []corev1.ContainerImage{{Names: []string{"example.org/other:1"}}, {Names: []string{"example.org/pause:3"}}}
	require.NoError(t, typed.Tracker().Update(corev1.SchemeGroupVersion.WithResource("nodes"), node, ""))
	fake, ok := injector.Dynamic.(*dynamicfake.FakeDynamicClient)
	require.True(t, ok)
	policies := func() int {
		list, err := typed.AdmissionregistrationV1().MutatingAdmissionPolicies().List(t.Context(), metav1.ListOptions{LabelSelector: kube.LabelRun + "=mine"})
		require.NoError(t, err)
		bindings, err := typed.AdmissionregistrationV1().MutatingAdmissionPolicyBindings().List(t.Context(), metav1.ListOptions{LabelSelector: kube.LabelRun + "=mine"})
		require.NoError(t, err)
		return len(list.Items) + len(bindings.Items)
	}
	fake.PrependReactor("create", "deployments", func(action clienttesting.Action) (bool, runtime.Object, error) {
		tried, is := action.(clienttesting.CreateAction).GetObject().DeepCopyObject().(*unstructured.Unstructured)
		require.True(t, is)
		if policies() == 2 {
			tried.SetAnnotations(map[string]string{"operatorbench/policy": "yes"})
		}
		return true, tried, nil
	})
	broken, err := begin()
	require.NoError(t, err)
	assert.Equal(t, []string{"mutatingadmissionpolicies/operatorbench-n-deployments.apps"}, broken.Objects)
	p, err := typed.AdmissionregistrationV1().MutatingAdmissionPolicies().Get(t.Context(), "operatorbench-n-deployments.apps", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Contains(t, p.Spec.Mutations[0].ApplyConfiguration.Expression, `containers{name: "operatorbench-sidecar", image: "example.org/pause:3"}`)
	_, err = begin()
	require.ErrorContains(t, err, "already exists")
	assert.Equal(t, 2, policies(), "the one that is there stays")
	require.NoError(t, broken.Undo(t.Context()))
	assert.Zero(t, policies())
}
