package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
)

// world is an API in memory with one operator, in a bubble of synctest. There is
// no other controller: no garbage collector, no pods but those that a test makes.
type world struct {
	t        *testing.T
	client   *fake.FakeDynamicClient
	recorder *events.FakeRecorder
	operator *operator
	mutate   func(*operator)
	stop     func()
	forbid   atomic.Bool                                             // writes to Deployments are refused
	fails    atomic.Pointer[func(action clienttesting.Action) error] // what a request comes to; nil: nothing fails
}

func newWorld(t *testing.T, mutant string, there ...*object) *world {
	t.Helper()
	mutate, err := find(mutant)
	require.NoError(t, err)
	var objects []runtime.Object
	for _, obj := range there {
		objects = append(objects, obj)
	}
	w := &world{t: t, mutate: mutate, recorder: events.NewFakeRecorder(100)}
	w.client = fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		customs: "MemcachedList", deployments: "DeploymentList", pods: "PodList", configMaps: "ConfigMapList", secrets: "SecretList",
	}, objects...)
	w.client.PrependReactor("*", "deployments", func(action clienttesting.Action) (bool, runtime.Object, error) {
		refused := w.forbid.Load() && slices.Contains([]string{"create", "update", "patch"}, action.GetVerb())
		return refused, nil, apierrors.NewForbidden(deployments.GroupResource(), "memcached", nil)
	})
	w.client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		err := w.failure(action)
		return err != nil, nil, err
	})
	w.start()
	return w
}

func (w *world) failure(action clienttesting.Action) error {
	if fails := w.fails.Load(); fails != nil {
		return (*fails)(action)
	}
	return nil
}

// failing makes requests fail while something happens, and lets the operator recover.
func (w *world) failing(fails func(action clienttesting.Action) error, meanwhile func()) {
	w.fails.Store(&fails)
	meanwhile()
	w.wait(2 * time.Second)
	w.fails.Store(nil)
	w.wait(2 * time.Minute)
}

func (w *world) start() {
	w.t.Helper()
	o, err := newOperator(w.client, w.recorder, func(string) bool { return true }, w.mutate)
	require.NoError(w.t, err)
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.run(ctx)
	}()
	w.operator = o
	w.stop = func() { cancel(); <-done }
	w.wait(time.Second) // it asks a few times a second whether its caches are synced
}

// settle is longer than the first tries again of a reconcile that failed take.
const settle = 100 * time.Millisecond

// wait lets time go by, and then whatever is under way end.
func (w *world) wait(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// cr is a custom resource as the API makes it.
func cr(namespace, name string, size int) *object {
	made := &object{Object: map[string]any{
		"apiVersion": customs.GroupVersion().String(), "kind": "Memcached", "spec": map[string]any{"size": int64(size)},
	}}
	made.SetNamespace(namespace)
	made.SetName(name)
	made.SetUID(types.UID(namespace + "-" + name))
	made.SetGeneration(1)
	return made
}

func (w *world) custom(name string) *object {
	w.t.Helper()
	live, err := w.client.Resource(customs).Namespace("services").Get(w.t.Context(), name, metav1.GetOptions{})
	require.NoError(w.t, err)
	return live
}

func (w *world) put(resource schema.GroupVersionResource, made *object) {
	w.t.Helper()
	_, err := w.client.Resource(resource).Namespace(made.GetNamespace()).Create(w.t.Context(), made, metav1.CreateOptions{})
	require.NoError(w.t, err)
	w.wait(settle)
}

func (w *world) create(name string, size int) { w.put(customs, cr("services", name, size)) }

// edit changes an object as a person would.
func (w *world) edit(resource schema.GroupVersionResource, name string, change func(*object)) {
	w.t.Helper()
	client := w.client.Resource(resource).Namespace("services")
	live, err := client.Get(w.t.Context(), name, metav1.GetOptions{})
	require.NoError(w.t, err)
	change(live)
	_, err = client.Update(w.t.Context(), live, metav1.UpdateOptions{})
	require.NoError(w.t, err)
	w.wait(settle)
}

func (w *world) scale(name string, size int) {
	w.edit(customs, name, func(o *object) { resize(o, size) })
}

func resize(o *object, size int) {
	o.SetGeneration(o.GetGeneration() + 1)
	o.Object["spec"] = map[string]any{"size": int64(size)}
}

func (w *world) remove(resource schema.GroupVersionResource, name string) {
	w.t.Helper()
	require.NoError(w.t, w.client.Resource(resource).Namespace("services").Delete(w.t.Context(), name, metav1.DeleteOptions{}))
	w.wait(settle)
}

// pod is one that runs for a custom resource.
func pod(name, owner string) *object {
	return &object{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": name, "namespace": "services", "labels": map[string]any{instanceLabel: owner}},
		"status":   map[string]any{"phase": "Running"},
	}}
}

// deployments are all that there are, sorted, each as name=replicas.
func (w *world) deployments() string {
	var all []string
	for _, d := range w.list(deployments) {
		size, _, _ := unstructured.NestedInt64(d.Object, "spec", "replicas")
		all = append(all, fmt.Sprintf("%s=%d", d.GetName(), size))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func (w *world) list(resource schema.GroupVersionResource) []object {
	w.t.Helper()
	list, err := w.client.Resource(resource).Namespace(metav1.NamespaceAll).List(w.t.Context(), metav1.ListOptions{})
	require.NoError(w.t, err)
	return list.Items
}

// writes are the verbs of all writes to a resource, in their order. One that is
// repeated counts once: a cache that is late makes the operator send an update
// twice, and the API, unlike this one, refuses the second.
func (w *world) writes(resource schema.GroupVersionResource) string {
	var verbs []string
	for _, action := range w.client.Actions() {
		verb := action.GetVerb()
		if action.GetResource() == resource && !slices.Contains([]string{"get", "list", "watch"}, verb) {
			verbs = append(verbs, strings.TrimSuffix(verb+"/"+action.GetSubresource(), "/"))
		}
	}
	return strings.Join(slices.Compact(verbs), " ")
}

// field is what stands at a path of an object.
func field(o *object, path ...string) string {
	value, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
	return fmt.Sprint(value)
}

// messages are what a person can read: Events, and the condition.
func (w *world) messages(name string) string {
	status, _, _ := unstructured.NestedMap(w.custom(name).Object, "status")
	text := fmt.Sprint(condition(status)["message"])
	for {
		select {
		case event := <-w.recorder.Events:
			text += "\n" + event
		default:
			return text
		}
	}
}
