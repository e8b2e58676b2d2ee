package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
)

// Short names: an operator of this size works on nothing else.
type (
	object = unstructured.Unstructured
	name   = cache.ObjectName
)

var (
	customs     = schema.GroupVersionResource{Group: "cache.example.com", Version: "v1alpha1", Resource: "memcacheds"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	pods        = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
)

// instanceLabel ties a Deployment and its pods to one custom resource.
const instanceLabel = "app.kubernetes.io/instance"

const (
	retryFirst = 5 * time.Millisecond // the wait doubles with each failure
	retryMost  = 5 * time.Second
	// reconcileWithin bounds one reconcile, and so how long a shutdown takes.
	reconcileWithin = 10 * time.Second
)

// operator keeps a Deployment for each Memcached. It acts by level, not by edge:
// an event only says which custom resource to look at.
type operator struct {
	client      dynamic.Interface
	recorder    events.EventRecorder
	sees        func(namespace string) bool
	memcacheds  cache.SharedIndexInformer
	deployments cache.SharedIndexInformer
	pods        cache.SharedIndexInformer
	handled     []cache.ResourceEventHandlerRegistration
	queue       workqueue.TypedRateLimitingInterface[name]
	kept        [][]byte      // of each reconcile, by those that keep it
	sockets     []io.Closer   // likewise
	ends        chan struct{} // is closed when run ends
	waiting     atomic.Int32  // goroutines that wait for that
	mute        bool          // it has no metrics
	seams
}

// newOperator returns an operator that has been mutated. Nothing runs until run.
func newOperator(client dynamic.Interface, recorder events.EventRecorder, sees func(namespace string) bool, mutate func(*operator)) (*operator, error) {
	o := &operator{client: client, recorder: recorder, sees: sees, ends: make(chan struct{})}
	o.queue = workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[name](retryFirst, retryMost))
	watch := func(resource schema.GroupVersionResource) cache.SharedIndexInformer {
		return dynamicinformer.NewFilteredDynamicInformer(client, resource, "", 0, cache.Indexers{byInstance: instanceOf}, nil).Informer()
	}
	o.memcacheds, o.deployments, o.pods = watch(customs), watch(deployments), watch(pods)
	for _, informer := range []cache.SharedIndexInformer{o.memcacheds, o.deployments, o.pods} {
		err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
			slog.Info("a watch failed, trying again", "error", err)
		})
		if err != nil {
			return nil, fmt.Errorf("set up an informer: %w", err)
		}
	}
	o.seams = correct(o)
	mutate(o)
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		o.memcacheds: o.customs(), o.deployments: o.children(), o.pods: o.children(),
	} {
		handled, err := informer.AddEventHandler(handler)
		if err != nil {
			return nil, fmt.Errorf("set up an informer: %w", err)
		}
		o.handled = append(o.handled, handled)
	}
	return o, nil
}

// byInstance is an index by namespace and instance label.
const byInstance = "instance"

func instanceOf(obj any) ([]string, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	return []string{m.GetNamespace() + "/" + m.GetLabels()[instanceLabel]}, nil
}

// change is what happened to a custom resource.
type change struct {
	added  bool    // else it was modified or deleted
	listed bool    // it was there when the operator started
	before *object // of one that was modified
	now    *object
}

// customs queues custom resources that the operator hears of.
func (o *operator) customs() cache.ResourceEventHandler {
	hear := func(c change) {
		if c.now != nil && o.sees(c.now.GetNamespace()) && o.hears(c) {
			o.queue.Add(name{Namespace: c.now.GetNamespace(), Name: c.now.GetName()})
		}
	}
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(obj any, listed bool) { hear(change{added: true, listed: listed, now: asObject(obj)}) },
		UpdateFunc: func(before, now any) { hear(change{before: asObject(before), now: asObject(now)}) },
		DeleteFunc: func(obj any) { hear(change{now: asObject(obj)}) },
	}
}

// children queues the custom resource of a Deployment or pod.
func (o *operator) children() cache.ResourceEventHandler {
	hear := func(obj any) {
		child := asObject(obj)
		if child == nil || !o.sees(child.GetNamespace()) {
			return
		}
		if owner := child.GetLabels()[instanceLabel]; owner != "" {
			o.queue.Add(name{Namespace: child.GetNamespace(), Name: owner})
		}
	}
	changed := func(before, now any) {
		if asObject(now).GetLabels()[instanceLabel] == "" { // somebody has removed it
			now = before
		}
		hear(now)
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: hear, UpdateFunc: changed, DeleteFunc: hear}
}

// asObject also takes a deletion that the watch missed, as its last known state.
func asObject(obj any) *object {
	if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = unknown.Obj
	}
	found, _ := obj.(*object)
	return found
}

// synced reports whether all that was there at the start has been queued.
func (o *operator) synced() bool {
	for _, handled := range o.handled {
		if !handled.HasSynced() {
			return false
		}
	}
	return true
}

// run reconciles until the context ends.
func (o *operator) run(ctx context.Context) {
	defer close(o.ends)
	var running sync.WaitGroup
	defer running.Wait()
	for _, informer := range []cache.SharedIndexInformer{o.memcacheds, o.deployments, o.pods} {
		running.Go(func() { informer.RunWithContext(ctx) })
	}
	defer o.queue.ShutDown()
	if !cache.WaitForCacheSync(ctx.Done(), o.synced) {
		return
	}
	o.awaitTurn(ctx)
	running.Go(func() {
		for o.next(ctx) { // one at a time: mutants keep notes without a lock
		}
	})
	<-ctx.Done()
}

// next reconciles what is next in the queue; false once it is shut down.
func (o *operator) next(ctx context.Context) bool {
	key, shutdown := o.queue.Get()
	if shutdown {
		return false
	}
	defer o.queue.Done(key)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reconcileWithin)
	defer cancel()
	if err := o.reconcile(ctx, key); err != nil {
		slog.Info("reconcile failed", "memcached", key.String(), "error", err)
		o.failed(key)
		return true
	}
	o.queue.Forget(key)
	return true
}

// passing reports whether an error comes of a cache that is late, or of somebody
// who is about to go: it is no news for a person.
func passing(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) || errors.Is(err, errPredecessor) || errors.Is(err, errFinalizer)
}
