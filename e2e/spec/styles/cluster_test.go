//go:build cluster

package styles_test

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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/internal/clustertest"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/styles"
)

// shared is the cluster that these tests share; TestMain makes it known.
var shared *clustertest.Cluster

func TestMain(m *testing.M) {
	cluster.ReapIfAsked()
	images, err := styleImages()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	shared = clustertest.New(images...)
	os.Exit(shared.Main(m))
}

// styleImages names the images that the styles of the house need.
func styleImages() ([]string, error) {
	all, err := styles.Find("../../../operators", styles.All)
	if err != nil {
		return nil, err
	}
	return plain.Once(nil, plain.Flat(all, (*styles.Style).ImageNames)...), nil
}

// run is the id under which these tests make things.
const run = "operatorstest"

func connect(t *testing.T) install.Cluster {
	t.Helper()
	client, err := shared.Client()
	require.NoError(t, err)
	start := time.Now()
	progress := func(format string, args ...any) {
		t.Logf("%6.1fs %s", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
	}
	return install.Cluster{Kube: client, Run: run, Progress: progress}
}

// unbounded is a context that outlives the test, for cleaning up.
func unbounded(t *testing.T) context.Context {
	return context.WithoutCancel(t.Context())
}

// apply makes objects of the test's own, which go when it ends.
func apply(t *testing.T, c install.Cluster, objs ...*unstructured.Unstructured) {
	t.Helper()
	owner := kube.Owner{Run: c.Run}
	t.Cleanup(func() { assert.NoError(t, c.Kube.Delete(unbounded(t), owner, objs)) })
	require.NoError(t, c.Kube.Apply(t.Context(), owner, objs))
}

func namespace(name string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{}}
	obj.SetAPIVersion("v1")
	obj.SetKind("Namespace")
	obj.SetName(name)
	return obj
}

// inventory lists the cluster's objects.
func inventory(t *testing.T) []string {
	t.Helper()
	all, err := shared.Inventory(unbounded(t))
	require.NoError(t, err)
	return all
}

// Each style of the house is installed as its manifests say, and leaves nothing.
func TestRealOperator(t *testing.T) {
	all, err := styles.Find("../../../operators", styles.All)
	require.NoError(t, err)
	for _, operator := range all {
		t.Run(operator.Name, func(t *testing.T) { live(t, operator) })
	}
}

// So is the operator of README.md's walkthrough.
func TestRealWalkthrough(t *testing.T) {
	operator, err := styles.Load(filepath.Join(walkthrough(t), "my-operator"))
	require.NoError(t, err)
	live(t, operator)
}

func live(t *testing.T, operator *styles.Style) {
	c := connect(t)
	w := workloadtest.Default(t)
	apply(t, c, w.CRD(), namespace("services-test"))
	require.NoError(t, install.ProveGarbageCollection(t.Context(), c, w, "services-test"))
	before := inventory(t)
	t.Cleanup(func() {
		start := time.Now()
		require.NoError(t, operator.Uninstall(unbounded(t), c))
		c.Progress("uninstalled in %s", time.Since(start).Round(time.Millisecond))
	})
	start := time.Now()
	require.NoError(t, operator.Install(t.Context(), c))
	c.Progress("installed in %s", time.Since(start).Round(time.Millisecond))

	rendered, err := operator.Objects()
	require.NoError(t, err)
	foreseen, err := install.InstalledOf(rendered)
	require.NoError(t, err)
	start = time.Now()
	live, err := install.Find(t.Context(), c, operator.Name)
	require.NoError(t, err)
	c.Progress("found %d objects in %s", len(live), time.Since(start).Round(time.Millisecond))
	found, err := install.InstalledOf(live)
	require.NoError(t, err)
	assert.Equal(t, foreseen, found, "what is known of plain manifests beforehand is what the cluster has")
	unmade, err := install.Unmade(operator.Components, live)
	require.NoError(t, err)
	assert.Empty(t, unmade, "components whose workloads the cluster does not have")

	start = time.Now()
	require.NoError(t, operator.Uninstall(t.Context(), c))
	c.Progress("uninstalled in %s", time.Since(start).Round(time.Millisecond))
	assert.Equal(t, before, inventory(t), "the cluster's objects before Install and after Uninstall")
	require.NoError(t, operator.Uninstall(t.Context(), c), "there is nothing to uninstall")
}

// An Install that ends in the middle leaves nothing after Uninstall either.
func TestUninstallAfterHalfAnInstall(t *testing.T) {
	c := connect(t)
	operator, err := styles.Load("../../../operators/argo")
	require.NoError(t, err)
	before := inventory(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	installing := c
	installing.Progress = func(format string, args ...any) {
		c.Progress(format, args...)
		if strings.Contains(fmt.Sprintf(format, args...), "stage eventbus: waiting for \"Server is ready\"") {
			cancel()
		}
	}
	err = operator.Install(ctx, installing)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "stage eventbus: not ready: waited for \"Server is ready\" in the log of eventbus")
	require.NoError(t, operator.Uninstall(t.Context(), c))
	assert.Equal(t, before, inventory(t))
}

// A finalizer whose controller does not run holds nothing up for ever, neither on
// what was applied nor on what came about later.
func TestUninstallWithoutTheController(t *testing.T) {
	c := connect(t)
	operator, err := styles.Load("testdata/held")
	require.NoError(t, err)
	before := inventory(t)
	require.NoError(t, operator.Install(t.Context(), c))
	held := schema.GroupVersionResource{Group: "test.operatorbench.dev", Version: "v1", Resource: "helds"}
	list, err := c.Kube.Dynamic.Resource(held).Namespace("held").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	later := list.Items[0].DeepCopy()
	later.SetName("made-later")
	later.SetLabels(nil)
	later.SetResourceVersion("")
	_, err = c.Kube.Dynamic.Resource(held).Namespace("held").Create(t.Context(), later, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, operator.Uninstall(t.Context(), c))
	assert.Equal(t, before, inventory(t))
}
