//go:build cluster

package styles_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/internal/clustertest"
	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/spec/workloads"
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

// recordWorkflow is where TestRealOperator writes the watch events of the first
// Workflow that it sees, for the test of the phases.
var recordWorkflow = flag.String("record-workflow", "", "write the watch events of a create's Workflow to this file")

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

// Each style of the house is installed, takes a custom resource through its
// life unless it is a control, and leaves nothing.
func TestRealOperator(t *testing.T) {
	all, err := styles.Find("../../../operators", styles.All)
	require.NoError(t, err)
	for _, operator := range all {
		t.Run(operator.Name, func(t *testing.T) { live(t, operator) })
	}
}

// The operator of README.md's walkthrough does what is promised of it.
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

	if operator.Control == "" {
		l := life{Cluster: c, style: operator, workload: w}
		l.reconcile(t, "create", 3, l.create)
		l.reconcile(t, "scale", 4, l.scale)
		l.reconcile(t, "delete", -1, l.remove)
	}

	start = time.Now()
	require.NoError(t, operator.Uninstall(t.Context(), c))
	c.Progress("uninstalled in %s", time.Since(start).Round(time.Millisecond))
	assert.Equal(t, before, inventory(t), "the cluster's objects before Install and after Uninstall")
	require.NoError(t, operator.Uninstall(t.Context(), c), "there is nothing to uninstall")
}

// life is that of the custom resource services-test/memcached.
type life struct {
	install.Cluster
	style    *styles.Style
	workload *workloads.Workload
}

var deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}

func (l life) customs() dynamic.ResourceInterface {
	return l.Kube.Dynamic.Resource(l.workload.GVR()).Namespace("services-test")
}

func (l life) create(ctx context.Context) error {
	_, err := l.customs().Create(ctx, l.workload.New("services-test", "memcached", 3), metav1.CreateOptions{})
	return err
}

func (l life) scale(ctx context.Context) error {
	_, err := l.customs().Patch(ctx, "memcached", types.MergePatchType, l.workload.SizePatch(4), metav1.PatchOptions{})
	return err
}

func (l life) remove(ctx context.Context) error {
	return l.customs().Delete(ctx, "memcached", metav1.DeleteOptions{})
}

// reconcile acts, and awaits the Deployment of the size (none if below zero) and
// then the style's own end. It tells when each phase was seen.
func (l life) reconcile(t *testing.T, what string, size int64, act func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), l.style.Timeout)
	defer cancel()
	seen := l.watchPhases(ctx, t)
	start := time.Now()
	require.NoError(t, act(ctx))
	l.awaitSize(ctx, t, size)
	l.Progress("%s: Deployment as wanted after %s", what, time.Since(start).Round(time.Millisecond))
	for range l.style.Phases {
		select {
		case at := <-seen:
			l.Progress("%s: %6.1fs %s", what, at.time.Sub(start).Seconds(), at.name)
		case <-ctx.Done():
			require.NoError(t, ctx.Err(), "%s: not every phase was seen", what)
		}
	}
}

// awaitSize follows the child, whatever its name: the namespace has no other.
func (l life) awaitSize(ctx context.Context, t *testing.T, size int64) {
	t.Helper()
	name, err := bounds.ChildName(l.style.Child, "services-test", "memcached")
	require.NoError(t, err)
	if name == "" {
		name = "memcached"
	}
	if size < 0 {
		require.NoError(t, l.Kube.WaitGone(ctx, deployments, "services-test", name))
		return
	}
	require.NoError(t, l.Kube.WaitFor(ctx, deployments, "services-test", name, "its replicas", func(obj *unstructured.Unstructured) (bool, string) {
		ready := gjson.GetBytes(marshal(obj), "status.readyReplicas").Int()
		wanted := gjson.GetBytes(marshal(obj), "spec.replicas").Int()
		return wanted == size && ready == size, fmt.Sprintf("spec.replicas %d, ready %d", wanted, ready)
	}))
}

func marshal(obj *unstructured.Unstructured) []byte {
	text, err := json.Marshal(obj.Object)
	if err != nil {
		panic(err) // what came from JSON goes to JSON
	}
	return text
}

type seen struct {
	name string
	time time.Time
}

// arrival is what a watch delivered.
type arrival struct {
	resource string
	event    watch.Event
	object   *unstructured.Unstructured
}

// watchPhases sends each phase of the style when it is first seen on an object
// that was not there before.
func (l life) watchPhases(ctx context.Context, t *testing.T) <-chan seen {
	t.Helper()
	found := make(chan seen, len(l.style.Phases))
	arrivals := make(chan arrival)
	watched := map[string]bool{}
	for _, phase := range l.style.Phases {
		if place := phase.Namespace + "/" + phase.Resource; !watched[place] {
			watched[place] = true
			l.watch(ctx, t, phase, arrivals)
		}
	}
	record := newRecorder(t, len(watched) > 0)
	go func() {
		done := map[string]bool{}
		for {
			select {
			case <-ctx.Done():
				return
			case a := <-arrivals:
				record(a)
				for _, phase := range l.style.Phases {
					if !done[phase.Name] && holds(phase, a.resource, string(a.event.Type), marshal(a.object)) {
						done[phase.Name] = true
						found <- seen{phase.Name, time.Now()}
					}
				}
			}
		}
	}()
	return found
}

// watch sends the events of a phase's resource, on objects that are not there yet.
func (l life) watch(ctx context.Context, t *testing.T, phase spec.Phase, arrivals chan<- arrival) {
	t.Helper()
	parts := append(strings.SplitN(phase.Resource, ".", 3), "")
	gvr := schema.GroupVersionResource{Resource: parts[0], Version: parts[1], Group: parts[2]}
	resource := l.Kube.Dynamic.Resource(gvr).Namespace(phase.Namespace)
	old, err := resource.List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	events, err := resource.Watch(ctx, metav1.ListOptions{ResourceVersion: old.GetResourceVersion()})
	require.NoError(t, err)
	go func() {
		defer events.Stop()
		for event := range events.ResultChan() {
			obj, ok := event.Object.(*unstructured.Unstructured)
			if !ok || slices.ContainsFunc(old.Items, func(o unstructured.Unstructured) bool { return o.GetUID() == obj.GetUID() }) {
				continue
			}
			select {
			case arrivals <- arrival{phase.Resource, event, obj}:
			case <-ctx.Done():
				return
			}
		}
	}()
}

// newRecorder returns what writes a watch event to the file that the flag names,
// if that is not there yet.
func newRecorder(t *testing.T, wanted bool) func(arrival) {
	t.Helper()
	if _, err := os.Stat(*recordWorkflow); !wanted || *recordWorkflow == "" || err == nil {
		return func(arrival) {}
	}
	file, err := os.Create(filepath.Clean(*recordWorkflow))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, file.Close()) })
	return func(a arrival) {
		line, _ := json.Marshal(map[string]any{"resource": a.resource, "event": a.event.Type, "object": progressOf(a.object)})
		_, _ = file.Write(append(line, '\n'))
	}
}

// progressOf keeps of a Workflow or a pod what tells how far it is.
func progressOf(obj *unstructured.Unstructured) map[string]any {
	status := map[string]any{}
	status["phase"], _, _ = unstructured.NestedString(obj.Object, "status", "phase")
	if nodes, found, _ := unstructured.NestedMap(obj.Object, "status", "nodes"); found {
		kept := map[string]any{}
		for id, node := range nodes {
			fields, _ := node.(map[string]any)
			kept[id] = map[string]any{"displayName": fields["displayName"], "type": fields["type"], "phase": fields["phase"]}
		}
		status["nodes"] = kept
	}
	metadata := map[string]any{"namespace": obj.GetNamespace(), "name": obj.GetName()}
	if obj.GetKind() == "Pod" {
		metadata["labels"], metadata["annotations"] = obj.GetLabels(), obj.GetAnnotations()
	}
	return map[string]any{"metadata": metadata, "status": status}
}

// A style that never gets ready ends at its deadline, with an error that says
// what was waited for and what was last seen; after it nothing is left.
func TestInstallThatNeverGetsReady(t *testing.T) {
	c := connect(t)
	operator, err := styles.Load("testdata/never-ready")
	require.NoError(t, err)
	before := inventory(t)
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	err = operator.Install(ctx, c)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	t.Log(err)
	assert.ErrorContains(t, err, "install operator never-ready: stage operator: not ready: waited for the rollout of Deployment never-ready/never")
	assert.Regexp(t, "ErrImagePull|ImagePullBackOff", err.Error())
	require.NoError(t, operator.Uninstall(t.Context(), c))
	assert.Equal(t, before, inventory(t))
}

// Nothing is touched where an object stands that this run did not make: neither
// by Install, not even in an earlier stage, nor by Uninstall.
func TestInstallRefusesWhatItDidNotMake(t *testing.T) {
	c := connect(t)
	operator, err := styles.Load("testdata/never-ready")
	require.NoError(t, err)
	stranger := c
	stranger.Run = "stranger"
	foreign := &unstructured.Unstructured{Object: map[string]any{"rules": []any{}}}
	foreign.SetAPIVersion("rbac.authorization.k8s.io/v1")
	foreign.SetKind("ClusterRole")
	foreign.SetName("never-ready")
	apply(t, stranger, foreign)
	before := inventory(t)
	var refused *kube.ForeignError
	require.ErrorAs(t, operator.Install(t.Context(), c), &refused)
	assert.Equal(t, []string{"ClusterRole never-ready"}, refused.Objects)
	assert.Equal(t, before, inventory(t))
	require.NoError(t, operator.Uninstall(t.Context(), c))
	assert.Equal(t, before, inventory(t))
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
