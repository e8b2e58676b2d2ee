//go:build cluster

package fault_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/drive/fault"
	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/internal/clustertest"
	"operatorbench/e2e/internal/nodetest"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

// shared is the cluster that these tests share; TestMain makes it known.
var shared *clustertest.Cluster

func TestMain(m *testing.M) {
	cluster.ReapIfAsked()
	shared = clustertest.New()
	os.Exit(shared.Main(m))
}

const (
	run   = "faulttest"
	space = "services-faulttest"
	name  = "memcached"
	soon  = 5 * time.Minute // a reconcile of the slowest style, on a machine that has much else to do
)

// scene is a style that is installed, and a namespace for custom resources.
type scene struct {
	*kube.Client

	t        *testing.T
	style    *styles.Style
	injector *fault.Injector
}

// installed brings a style and the namespace to the cluster until the test ends.
func installed(t *testing.T, style string) *scene {
	t.Helper()
	client, err := shared.Client()
	require.NoError(t, err)
	node, err := shared.Node()
	require.NoError(t, err)
	found, err := styles.Find("../../../operators", style)
	require.NoError(t, err)
	operator := found[0]
	store, err := nodetest.Store(t.Context())
	require.NoError(t, err)
	require.NoError(t, node.LoadImages(t.Context(), func(w io.Writer) error { return store.Archive(t.Context(), w, operator.ImageNames()...) }))
	c := install.Cluster{Kube: client, Run: run, Progress: func(format string, args ...any) { t.Logf(format, args...) }}
	w := workloadtest.Default(t)
	namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": space}}}
	objects := []*unstructured.Unstructured{w.CRD(), namespace}
	t.Cleanup(func() {
		assert.NoError(t, operator.Uninstall(context.Background(), c))
		assert.NoError(t, client.Delete(context.Background(), kube.Owner{Run: run}, objects))
	})
	require.NoError(t, client.Apply(t.Context(), kube.Owner{Run: run}, objects))
	require.NoError(t, install.ProveGarbageCollection(t.Context(), c, w, space))
	require.NoError(t, operator.Install(t.Context(), c))
	return &scene{Client: client, t: t, style: operator, injector: &fault.Injector{
		Kube: client.Typed, Dynamic: client.Dynamic, Owner: kube.Owner{Run: run}, Style: operator.Style, Workload: w, Node: node,
		Installed: func(ctx context.Context) ([]*unstructured.Unstructured, error) {
			return install.Find(ctx, c, operator.Name)
		},
	}}
}

// begin breaks something, and sees to it that it is whole again when the test ends.
func (s *scene) begin(t *testing.T, f scenarios.Fault) fault.Broken {
	t.Helper()
	began := time.Now()
	broken, err := s.injector.Begin(t.Context(), f, fault.Target{Namespace: space, Name: name})
	require.NoError(t, err)
	t.Logf("%+v: broken within %s: %v", f, time.Since(began).Round(time.Millisecond), broken.Objects)
	require.NotEmpty(t, broken.Objects)
	if broken.Undo != nil {
		t.Cleanup(func() { assert.NoError(t, broken.Undo(context.Background())) })
	}
	return broken
}

// mend makes it whole again, twice: the second time there is nothing to do.
func (s *scene) mend(t *testing.T, broken fault.Broken) {
	t.Helper()
	require.NotNil(t, broken.Undo)
	began := time.Now()
	require.NoError(t, broken.Undo(context.Background()))
	t.Logf("whole again within %s", time.Since(began).Round(time.Millisecond))
	require.NoError(t, broken.Undo(context.Background()))
}

func (s *scene) create(t *testing.T, size int) {
	t.Helper()
	crs := s.Dynamic.Resource(s.injector.Workload.GVR()).Namespace(space)
	_, err := crs.Create(t.Context(), s.injector.Workload.New(space, name, size), metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, crs.Delete(context.Background(), name, metav1.DeleteOptions{}))
		eventually(t, "no Deployment", func() bool { return len(s.children(t)) == 0 })
	})
}

func (s *scene) scale(t *testing.T, size int) {
	t.Helper()
	patch := s.injector.Workload.SizePatch(size)
	_, err := s.Dynamic.Resource(s.injector.Workload.GVR()).Namespace(space).Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{})
	require.NoError(t, err)
}

// children are the Deployments of custom resources.
func (s *scene) children(t *testing.T) []appsv1.Deployment {
	t.Helper()
	list, err := s.Typed.AppsV1().Deployments(space).List(context.Background(), metav1.ListOptions{})
	require.NoError(t, err)
	return list.Items
}

// awaitReady waits until the custom resource has its pods.
func (s *scene) awaitReady(t *testing.T, size int32) {
	t.Helper()
	eventually(t, fmt.Sprintf("a Deployment of %d ready pods", size), func() bool {
		children := s.children(t)
		return len(children) == 1 && *children[0].Spec.Replicas == size && children[0].Status.ReadyReplicas == size
	})
}

// pods lists a component's.
func (s *scene) pods(t *testing.T, component string) []corev1.Pod {
	t.Helper()
	c, found := s.style.Component(component)
	require.True(t, found)
	list, err := s.Typed.CoreV1().Pods(c.Namespace).List(context.Background(), metav1.ListOptions{LabelSelector: c.Selector})
	require.NoError(t, err)
	return list.Items
}

// versions are those of the custom resource's definition.
func (s *scene) versions(t *testing.T) []any {
	t.Helper()
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	live, err := s.Dynamic.Resource(definitions).Get(t.Context(), s.injector.Workload.GVR().GroupResource().String(), metav1.GetOptions{})
	require.NoError(t, err)
	versions, found, err := unstructured.NestedSlice(live.Object, "spec", "versions")
	require.NoError(t, err)
	require.True(t, found)
	return versions
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	began := time.Now()
	require.Eventually(t, holds, soon, 100*time.Millisecond, what)
	t.Logf("%s: after %s", what, time.Since(began).Round(100*time.Millisecond))
}
