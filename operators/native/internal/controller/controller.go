// Package controller keeps a Deployment for every Memcached custom resource: it
// watches both and the pods, and reconciles one custom resource at a time, by
// level and not by edge, so that what happened while it was not looking (a
// restart, a broken watch) is made good by looking at what is there now.
package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	appsv1client "k8s.io/client-go/kubernetes/typed/apps/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"operatorbench/operators/native/internal/api"
	"operatorbench/operators/native/internal/plan"
)

const (
	// retryFirst and retryMost bound the wait before a failed reconcile is tried
	// again, where the options do not; it doubles with each failure.
	retryFirst = 5 * time.Millisecond
	retryMost  = 10 * time.Second
	// reconcileTimeout bounds one reconcile, and so how long a shutdown waits for
	// those that are under way.
	reconcileTimeout = 15 * time.Second
	// ownWrites bounds how long an own write stands in for a cache that has not
	// seen it yet; the watch brings it in milliseconds, as a rule.
	ownWrites = time.Minute
)

// Clients are the three API groups that a Controller talks to. The whole clientset
// would do as well, and make the program a fifth bigger.
type Clients struct {
	Dynamic dynamic.Interface // Memcacheds
	Apps    appsv1client.AppsV1Interface
	Core    corev1client.CoreV1Interface
}

// Options are what a Controller may be given; the zero value of each field but
// Recorder is usable.
type Options struct {
	// Recorder takes the events about custom resources.
	Recorder events.EventRecorder
	// Workers is how many custom resources are reconciled at a time, at least 1.
	Workers int
	// Resync is how often all custom resources are looked at again though nothing
	// was seen to change; zero is never.
	Resync time.Duration
	// RetryMost is the longest wait before a failed reconcile is tried again; zero is 10 s.
	RetryMost time.Duration
	// Clock gives the time of conditions; nil is the real one.
	Clock clock.PassiveClock
	// QueueMetrics makes the work queue's metrics; nil makes none.
	QueueMetrics workqueue.MetricsProvider
	// Observe is told of each reconcile's outcome and how long it took; may be nil.
	Observe func(outcome Outcome, took time.Duration)
}

// Outcome is how a reconcile ended.
type Outcome string

// The outcomes of a reconcile.
const (
	// OutcomeDone: nothing is left to do until something changes.
	OutcomeDone Outcome = "done"
	// OutcomeStale: the cache was older than the cluster; tried again at once.
	OutcomeStale Outcome = "stale"
	// OutcomeBlocked: something that is not the operator's to change is in the way.
	OutcomeBlocked Outcome = "blocked"
	// OutcomeError: the API refused or did not answer.
	OutcomeError Outcome = "error"
)

// Controller reconciles Memcached custom resources.
type Controller struct {
	clients Clients
	options Options

	memcacheds  cache.SharedIndexInformer
	deployments cache.SharedIndexInformer
	pods        cache.SharedIndexInformer
	handled     []cache.ResourceEventHandlerRegistration

	// These two lay the controller's own writes over the informers' caches, so that
	// a reconcile that follows a write on its heels does not repeat it.
	ownMemcacheds  cache.MutationCache
	ownDeployments cache.MutationCache

	queue workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

// New returns a controller of all namespaces. Nothing runs until Run.
func New(ctx context.Context, clients Clients, options Options) (*Controller, error) {
	if options.Recorder == nil {
		return nil, errors.New("make the Memcached controller: no event recorder was given")
	}
	options.Workers = max(options.Workers, 1)
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	c := &Controller{clients: clients, options: options}
	c.queue = workqueue.NewTypedRateLimitingQueueWithConfig(
		workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](retryFirst, cmp.Or(options.RetryMost, retryMost)),
		workqueue.TypedRateLimitingQueueConfig[cache.ObjectName]{Name: "memcached", MetricsProvider: options.QueueMetrics},
	)
	if err := c.makeInformers(); err != nil {
		return nil, err
	}
	if err := c.addHandlers(); err != nil {
		return nil, err
	}
	logger := klog.FromContext(ctx)
	// Adds are not kept (the false): a Deployment that the cache lacks may just have
	// been deleted. The reconcile asks the API about those instead.
	c.ownMemcacheds = cache.NewIntegerResourceVersionMutationCache(logger, c.memcacheds.GetStore(), nil, ownWrites, false)
	c.ownDeployments = cache.NewIntegerResourceVersionMutationCache(logger, c.deployments.GetStore(), nil, ownWrites, false)
	return c, nil
}

func (c *Controller) makeInformers() error {
	mine := labels.Set{plan.ManagedByLabel: plan.Manager}.String()
	c.memcacheds = newInformer(c.clients.Dynamic.Resource(api.Resource()), c.clients.Dynamic, &unstructured.Unstructured{}, "",
		cache.SharedIndexInformerOptions{
			ResyncPeriod:      c.options.Resync,
			Indexers:          cache.Indexers{byInstance: instanceOfMemcached},
			ObjectDescription: api.Resource().String(),
		})
	c.deployments = newInformer(c.clients.Apps.Deployments(metav1.NamespaceAll), c.clients.Apps, &appsv1.Deployment{}, mine,
		cache.SharedIndexInformerOptions{})
	c.pods = newInformer(c.clients.Core.Pods(metav1.NamespaceAll), c.clients.Core, &corev1.Pod{}, mine,
		cache.SharedIndexInformerOptions{Indexers: cache.Indexers{byInstance: instanceOfPod}})
	for _, informer := range c.informers() {
		if err := informer.SetTransform(slim); err != nil {
			return fmt.Errorf("set up an informer: %w", err)
		}
	}
	return nil
}

// source is what an informer reads: a resource of a typed or a dynamic client,
// whose List returns an L.
type source[L runtime.Object] interface {
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// newInformer returns an informer of what matches the label selector, in all
// namespaces. The client says whether it can stream a list.
func newInformer[L runtime.Object](s source[L], client any, example runtime.Object, selector string, options cache.SharedIndexInformerOptions) cache.SharedIndexInformer {
	listWatch := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector = selector
			return s.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = selector
			return s.Watch(ctx, o)
		},
	}
	return cache.NewSharedIndexInformerWithOptions(cache.ToListWatcherWithWatchListSemantics(listWatch, client), example, options)
}

func (c *Controller) informers() []cache.SharedIndexInformer {
	return []cache.SharedIndexInformer{c.memcacheds, c.deployments, c.pods}
}

// Synced reports whether every object that existed at the start is in the caches
// and has been queued. From then on nothing that happens is missed.
func (c *Controller) Synced() bool {
	for _, handler := range c.handled {
		if !handler.HasSynced() {
			return false
		}
	}
	return true
}

// Run reconciles until the context ends, then lets the reconciles that are under
// way finish. It may be called once.
func (c *Controller) Run(ctx context.Context) {
	logger := klog.FromContext(ctx)
	var watching, workers sync.WaitGroup
	defer watching.Wait()
	for _, informer := range c.informers() {
		watching.Go(func() { informer.RunWithContext(ctx) })
	}
	defer c.queue.ShutDown()
	logger.Info("Waiting for the caches")
	if !cache.WaitForCacheSync(ctx.Done(), c.Synced) {
		logger.Info("Stopping before the caches were synced")
		return
	}
	logger.Info("Caches are synced, reconciling", "workers", c.options.Workers)
	for range c.options.Workers {
		workers.Go(func() { c.work(ctx) })
	}
	<-ctx.Done()
	logger.Info("Stopping: finishing the reconciles that are under way", "queued", c.queue.Len())
	c.queue.ShutDown()
	workers.Wait()
}

// work reconciles one key after the other until the queue is shut down.
func (c *Controller) work(ctx context.Context) {
	for {
		key, shutdown := c.queue.Get()
		if shutdown {
			return
		}
		// A queue that is shut down still hands out what is in it; that is left to the
		// next start, which looks at everything anyway.
		if ctx.Err() == nil {
			c.process(ctx, key)
		}
		c.queue.Done(key)
	}
}

// process reconciles one key and decides when it is looked at again.
func (c *Controller) process(ctx context.Context, key cache.ObjectName) {
	logger := klog.FromContext(ctx).WithValues("memcached", key.String())
	// A reconcile that has begun ends by itself also while the process stops.
	ctx, cancel := context.WithTimeout(klog.NewContext(context.WithoutCancel(ctx), logger), reconcileTimeout)
	defer cancel()

	start := time.Now()
	outcome, err := c.reconcile(ctx, key)
	took := time.Since(start)
	if c.options.Observe != nil {
		c.options.Observe(outcome, took)
	}
	switch outcome {
	case OutcomeDone:
		c.queue.Forget(key)
	case OutcomeError:
		logger.Error(err, "Reconcile failed, will try again", "failures", c.queue.NumRequeues(key)+1)
		c.queue.AddRateLimited(key)
	default:
		logger.V(1).Info("Reconcile will be tried again", "outcome", outcome, "why", err)
		c.queue.AddRateLimited(key)
	}
	logger.V(2).Info("Reconciled", "outcome", outcome, "took", took)
}

// slim drops from cached objects what the operator never reads.
func slim(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetManagedFields(nil)
	}
	return slimPod(object), nil
}
