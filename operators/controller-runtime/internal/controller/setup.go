package controller

import (
	"context"
	"fmt"
	"net/http"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	cachev1alpha1 "operatorbench.local/memcached-operator/api/v1alpha1"
)

const (
	// retryFirst is the shortest wait before a failed reconcile is tried again, which
	// doubles with each failure.
	retryFirst = 5 * time.Millisecond
	// reconcileTimeout bounds one reconcile; the default is for ever.
	reconcileTimeout = 15 * time.Second
)

// Pace is how much the controller does at a time, and how soon again.
type Pace struct {
	// Workers is how many custom resources are reconciled at a time. The default of
	// controller-runtime is one, which a single slow request would hold up.
	Workers int
	// RetryMost is the longest wait before a failed reconcile is tried again. The
	// default is 16 minutes: too long for a right that was given back, or for an API
	// server that returns.
	RetryMost time.Duration
	// PriorityQueue puts what the first list of the cache holds behind what changes, as is
	// controller-runtime's default since v0.23. Without it whoever comes first is first.
	PriorityQueue bool
}

// SetupWithManager has the manager run the controller.
func (r *MemcachedReconciler) SetupWithManager(mgr ctrl.Manager, pace Pace) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("memcached").
		For(&cachev1alpha1.Memcached{}, builder.WithPredicates(ofCustomResources())).
		Owns(&appsv1.Deployment{}, builder.WithPredicates(predicate.ResourceVersionChangedPredicate{})).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(requestsOfPod), builder.WithPredicates(podChanged())).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: pace.Workers,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](retryFirst, pace.RetryMost),
			ReconciliationTimeout:   reconcileTimeout,
			UsePriorityQueue:        &pace.PriorityQueue,
		}).
		Complete(r)
}

// ofCustomResources passes what can change the wish: the operator's own writes of
// the status, and annotations, do not.
func ofCustomResources() predicate.Predicate {
	return predicate.Or[client.Object](predicate.GenerationChangedPredicate{}, replaced())
}

// replaced passes a custom resource that was deleted and made again while the watch
// was broken. The informer tells of it as of an update, and both may be of
// generation 1, so that GenerationChangedPredicate would drop it.
func replaced() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		DeleteFunc:  func(event.DeleteEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
		UpdateFunc:  func(e event.UpdateEvent) bool { return e.ObjectOld.GetUID() != e.ObjectNew.GetUID() },
	}
}

// podChanged passes the changes of a pod that the status shows: a pod changes a
// dozen times on its way up.
func podChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, isPod := e.ObjectOld.(*corev1.Pod)
		after, isPodToo := e.ObjectNew.(*corev1.Pod)
		return !isPod || !isPodToo || podReady(before) != podReady(after) || stuck(before) != stuck(after) || before.UID != after.UID
	}}
}

// requestsOfPod asks for the custom resource that a pod was made for.
func requestsOfPod(_ context.Context, pod client.Object) []reconcile.Request {
	name := deploymentOf(pod)
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: pod.GetNamespace(), Name: name}}}
}

// CacheOptions limit the caches to what the operator made: by default they would
// hold every Deployment and pod of the cluster.
func CacheOptions() cache.Options {
	mine := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{managedByLabel: managedBy})}
	return cache.Options{
		ByObject:         map[client.Object]cache.ByObject{&appsv1.Deployment{}: mine, &corev1.Pod{}: mine},
		DefaultTransform: cache.TransformStripManagedFields(),
	}
}

// CachesSynced returns a check that passes once the caches hold what there was
// when they began to watch: from then on no change is missed. The scaffold's check
// is a ping, which passes at once. The first call makes the caches watch, also of a
// replica that does not lead: it is ready to take over.
func CachesSynced(c cache.Cache) healthz.Checker {
	kinds := []client.Object{&cachev1alpha1.Memcached{}, &appsv1.Deployment{}, &corev1.Pod{}}
	return func(req *http.Request) error {
		for _, kind := range kinds {
			informer, err := c.GetInformer(req.Context(), kind, cache.BlockUntilSynced(false))
			if err != nil {
				return fmt.Errorf("watch %T: %w", kind, err)
			}
			if !informer.HasSynced() {
				return fmt.Errorf("the cache of %T is not synced yet", kind)
			}
		}
		return nil
	}
}
