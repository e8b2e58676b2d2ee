// Package controller keeps one Deployment for each Memcached custom resource.
package controller

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	cachev1alpha1 "operatorbench.local/memcached-operator/api/v1alpha1"
)

// MemcachedReconciler reconciles a Memcached: by level and not by edge, so that
// it does not matter which event brought it, or whether one was missed.
type MemcachedReconciler struct {
	client.Client               // reads from the watches' cache
	APIReader     client.Reader // asks the API server
	Scheme        *runtime.Scheme
	Recorder      events.EventRecorder
	// Applies has Deployments written by server-side apply, and none asked for before.
	Applies bool
}

// Every verb here is one that the operator uses, and none that it does not.
//
// An API server with the admission plugin OwnerReferencesPermissionEnforcement (OpenShift's;
// not on by default) also wants memcacheds/finalizers: update, for blockOwnerDeletion.
//
// +kubebuilder:rbac:groups=cache.example.com,resources=memcacheds,verbs=get;list;watch
// +kubebuilder:rbac:groups=cache.example.com,resources=memcacheds/status,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=core,resources=pods,verbs=list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const (
	// lateRetry is when a write upon a late cache is tried again: the event that the
	// cache lacks takes milliseconds. As an error it would be logged as one.
	lateRetry = 20 * time.Millisecond
	// blockedRetry is how often what is in the way is looked at again: a Deployment
	// without the operator's label is in no cache, so that no event tells of its end.
	blockedRetry = 10 * time.Second
)

// Reconcile brings one custom resource's Deployment and status to what they must
// be. One that is gone or going needs nothing: its Deployment's owner reference
// makes the garbage collector delete it.
func (r *MemcachedReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	result, err := r.reconcile(ctx, req)
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: lateRetry}, nil
	}
	return result, err
}

func (r *MemcachedReconciler) reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	m := &cachev1alpha1.Memcached{}
	if err := r.Get(ctx, req.NamespacedName, m); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if m.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	deployment, err := r.reconcileDeployment(ctx, m)
	if errors.Is(err, errOutdated) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return ctrl.Result{}, nil // the event that tells of it is on its way
	}
	trouble := problemOf(err)
	if err != nil && trouble == nil {
		return ctrl.Result{}, err
	}
	if err := r.updateStatus(ctx, m, deployment, trouble); err != nil {
		return ctrl.Result{}, err
	}
	switch {
	case trouble == nil || trouble.reason == reasonInvalidSize:
		return ctrl.Result{}, nil
	case trouble.reason == reasonNotOwned || trouble.reason == reasonPredecessor:
		return ctrl.Result{RequeueAfter: blockedRetry}, nil
	}
	return ctrl.Result{}, err
}

// reconcileDeployment makes the custom resource's Deployment what it must be, and
// returns it. It writes only what differs.
func (r *MemcachedReconciler) reconcileDeployment(ctx context.Context, m *cachev1alpha1.Memcached) (*appsv1.Deployment, error) {
	d := &appsv1.Deployment{}
	err := r.Get(ctx, client.ObjectKeyFromObject(m), d)
	found := err == nil
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("get Deployment %s from the cache: %w", m.Name, err)
	}
	size, err := sizeOf(m)
	if err != nil {
		// The pods stay as they are, and the status goes on telling of them.
		if found && checkOwner(d, m) == nil {
			return d, err
		}
		return nil, err
	}
	if !found {
		var created bool
		if d, created, err = r.create(ctx, m, size); created || err != nil {
			return d, err
		}
	}
	if err := checkOwner(d, m); err != nil {
		return nil, err
	}
	if d.DeletionTimestamp != nil {
		return d, nil // its end is an event, upon which a new one is made
	}
	return d, r.repair(ctx, m, d, size)
}

// errOutdated says that the cache's custom resource is not what the API server has.
var errOutdated = errors.New("the cache is behind the API server")

// create makes the Deployment. False: there is one that the cache does not have,
// because it is late or because it holds only what carries the operator's label.
func (r *MemcachedReconciler) create(ctx context.Context, m *cachev1alpha1.Memcached, size int32) (*appsv1.Deployment, bool, error) {
	d := &appsv1.Deployment{}
	d.Namespace, d.Name = m.Namespace, m.Name
	write := r.post
	if r.Applies {
		write = r.apply
	}
	err := write(ctx, m, d, size)
	if errors.Is(err, errTaken) {
		if err := r.APIReader.Get(ctx, client.ObjectKeyFromObject(m), d); err != nil {
			return nil, false, fmt.Errorf("get Deployment %s, which exists: %w", m.Name, err)
		}
		return d, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	r.tell(ctx, m, d, corev1.EventTypeNormal, "Created", "Create", fmt.Sprintf("Created Deployment %s with %d replicas", d.Name, size))
	return d, true, nil
}

// errTaken says that there is a Deployment of the name.
var errTaken = errors.New("there is a Deployment of this name")

// post creates the Deployment.
//
// The API server is asked first whether the custom resource is still as the cache
// says: watches are independent, and that of Deployments can tell of the garbage
// collector's work before that of custom resources tells of the deletion that was
// its cause.
func (r *MemcachedReconciler) post(ctx context.Context, m *cachev1alpha1.Memcached, d *appsv1.Deployment, size int32) error {
	live := &cachev1alpha1.Memcached{}
	switch err := r.APIReader.Get(ctx, client.ObjectKeyFromObject(m), live); {
	case apierrors.IsNotFound(err):
		return errOutdated
	case err != nil:
		return fmt.Errorf("ask whether Memcached %s is still there: %w", m.Name, err)
	case live.UID != m.UID || live.Generation != m.Generation || live.DeletionTimestamp != nil:
		return errOutdated
	}
	if err := r.want(d, m, size); err != nil {
		return err
	}
	err := r.Create(ctx, d)
	if apierrors.IsAlreadyExists(err) {
		return errTaken
	}
	if err != nil {
		return fmt.Errorf("create Deployment %s: %w", m.Name, err)
	}
	return nil
}

// repair brings a Deployment back to what is wanted, whether the wish has changed
// or somebody else wrote to it. What others added stays. A strategic merge patch
// sends the difference alone, so that fields which this program's types do not
// have are kept; the resource version in it makes a write upon a late cache fail.
func (r *MemcachedReconciler) repair(ctx context.Context, m *cachev1alpha1.Memcached, d *appsv1.Deployment, size int32) error {
	before := d.DeepCopy()
	if err := r.want(d, m, size); err != nil {
		return err
	}
	if equality.Semantic.DeepEqual(before, d) {
		return nil
	}
	if r.Applies {
		if err := r.apply(ctx, m, d, size); err != nil {
			return err
		}
	} else if err := r.Patch(ctx, d, client.StrategicMergeFrom(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("patch Deployment %s: %w", d.Name, err)
	}
	r.tell(ctx, m, d, corev1.EventTypeNormal, "Updated", "Update", fmt.Sprintf("Brought Deployment %s to what is wanted, with %d replicas", d.Name, size))
	return nil
}

// updateStatus writes the status if it changed. The write carries the resource
// version that was read: a status made from an outdated one is refused.
func (r *MemcachedReconciler) updateStatus(ctx context.Context, m *cachev1alpha1.Memcached, d *appsv1.Deployment, trouble *problem) error {
	pods := &corev1.PodList{}
	if err := r.List(ctx, pods, client.InNamespace(m.Namespace), selectorOf(m)); err != nil {
		return fmt.Errorf("list the pods of Memcached %s: %w", m.Name, err)
	}
	status := statusOf(m, d, pods.Items, trouble)
	if equality.Semantic.DeepEqual(m.Status, status) {
		return nil
	}
	known := meta.FindStatusCondition(m.Status.Conditions, conditionReady)
	isNew := known == nil || trouble == nil || known.Reason != trouble.reason || known.Message != trouble.message
	m.Status = status
	// Not found: it is gone, or its definition has no status subresource, where an
	// event must do.
	if err := client.IgnoreNotFound(r.Status().Update(ctx, m)); err != nil {
		return fmt.Errorf("update the status of Memcached %s: %w", m.Name, err)
	}
	if trouble != nil && isNew && trouble.reason != reasonPredecessor {
		r.tell(ctx, m, nil, corev1.EventTypeWarning, trouble.reason, "Reconcile", trouble.message)
	}
	return nil
}

// tell writes an event about the custom resource, and a line to the log.
func (r *MemcachedReconciler) tell(ctx context.Context, m *cachev1alpha1.Memcached, d *appsv1.Deployment, kind, reason, action, note string) {
	logf.FromContext(ctx).Info(note, "reason", reason)
	var related runtime.Object // nil as an interface, too
	if d != nil {
		related = d
	}
	r.Recorder.Eventf(m, related, kind, reason, action, "%s", note)
}

// sizeOf is the wanted number of pods.
func sizeOf(m *cachev1alpha1.Memcached) (int32, error) {
	size := m.Spec.Size
	switch {
	case size == nil:
		return 0, &problem{reasonInvalidSize, "spec.size is missing: want a number from 0"}
	case *size < 0 || *size > math.MaxInt32:
		return 0, &problem{reasonInvalidSize, fmt.Sprintf("spec.size is out of range: want 0 to %d, have %d", math.MaxInt32, *size)}
	}
	return int32(*size), nil
}
