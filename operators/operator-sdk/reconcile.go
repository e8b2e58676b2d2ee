package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const (
	// finalizer holds a custom resource until the operator has seen its deletion.
	finalizer = "cache.example.com/finalizer"
	// available says that the Deployment is as it was asked for, not that its pods are
	// ready; degraded that the custom resource is going.
	available, degraded = "Available", "Degraded"
	// port is the sample's spec.containerPort, which the definition here does not have.
	port = 11211
)

// reconciler is the sample's: the same writes, in the same order.
type reconciler struct {
	client.Client
	recorder record.EventRecorder
	image    string // of the pods
}

func (r *reconciler) setUp(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).Named("memcached").For(&Memcached{}).Owns(&appsv1.Deployment{}).
		WithOptions(controller.Options{
			// As in all styles (docs/settings.md). The sample has the defaults, one and 16 minutes.
			MaxConcurrentReconciles: 8,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](5*time.Millisecond, 10*time.Second),
		}).Complete(r)
}

// Reconcile brings a custom resource's Deployment to the wanted size.
func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	m := &Memcached{}
	if err := r.Get(ctx, req.NamespacedName, m); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if len(m.Status.Conditions) == 0 {
		if err := r.say(ctx, m, available, metav1.ConditionUnknown, "Reconciling", "Starting reconciliation"); err != nil {
			return ctrl.Result{}, err
		}
		if err := r.Get(ctx, req.NamespacedName, m); err != nil {
			return ctrl.Result{}, fmt.Errorf("read the custom resource again: %w", err)
		}
	}
	// Of one that is going, too: the API server then refuses it.
	if controllerutil.AddFinalizer(m, finalizer) {
		if err := r.Update(ctx, m); err != nil {
			return ctrl.Result{}, fmt.Errorf("add the finalizer: %w", err)
		}
	}
	if m.DeletionTimestamp != nil {
		return ctrl.Result{}, r.finalize(ctx, m)
	}
	found := &appsv1.Deployment{}
	err := r.Get(ctx, req.NamespacedName, found)
	switch {
	case apierrors.IsNotFound(err):
		return r.create(ctx, m)
	case err != nil:
		return ctrl.Result{}, fmt.Errorf("read the Deployment: %w", err)
	case *found.Spec.Replicas != m.Spec.Size:
		return r.resize(ctx, m, found)
	}
	return ctrl.Result{}, r.say(ctx, m, available, metav1.ConditionTrue, "Reconciling",
		fmt.Sprintf("Deployment for custom resource (%s) with %d replicas created successfully", m.Name, m.Spec.Size))
}

// say writes a condition with the whole status.
func (r *reconciler) say(ctx context.Context, m *Memcached, kind string, status metav1.ConditionStatus, reason, message string) error {
	meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{Type: kind, Status: status, Reason: reason, Message: message})
	if err := r.Status().Update(ctx, m); err != nil {
		return fmt.Errorf("update the status: %w", err)
	}
	return nil
}

// finalize lets a custom resource go. There is nothing to clean up: the garbage
// collector deletes the Deployment, by its owner reference.
func (r *reconciler) finalize(ctx context.Context, m *Memcached) error {
	if !controllerutil.ContainsFinalizer(m, finalizer) {
		return nil
	}
	if err := r.say(ctx, m, degraded, metav1.ConditionUnknown, "Finalizing", "Performing finalizer operations for the custom resource: "+m.Name); err != nil {
		return err
	}
	r.recorder.Event(m, corev1.EventTypeWarning, "Deleting", fmt.Sprintf("Custom Resource %s is being deleted from the namespace %s", m.Name, m.Namespace))
	if err := r.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
		return fmt.Errorf("read the custom resource again: %w", err)
	}
	if err := r.say(ctx, m, degraded, metav1.ConditionTrue, "Finalizing", "Finalizer operations for custom resource "+m.Name+" were successfully accomplished"); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(m, finalizer)
	if err := r.Update(ctx, m); err != nil {
		return fmt.Errorf("remove the finalizer: %w", err)
	}
	return nil
}

// create makes the Deployment.
func (r *reconciler) create(ctx context.Context, m *Memcached) (ctrl.Result, error) {
	deployment, err := r.deployment(m)
	if err != nil {
		if err := r.say(ctx, m, available, metav1.ConditionFalse, "Reconciling", fmt.Sprintf("Failed to create Deployment for the custom resource (%s): (%s)", m.Name, err)); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{}, fmt.Errorf("define the Deployment: %w", err)
	}
	if err := r.Create(ctx, deployment); err != nil {
		return ctrl.Result{}, fmt.Errorf("create the Deployment: %w", err)
	}
	return ctrl.Result{RequeueAfter: time.Minute}, nil
}

// resize brings the Deployment to the wanted size, and says nothing of it: the next
// reconcile, which it asks for, does.
func (r *reconciler) resize(ctx context.Context, m *Memcached, found *appsv1.Deployment) (ctrl.Result, error) {
	found.Spec.Replicas = ptr.To(m.Spec.Size)
	if failed := r.Update(ctx, found); failed != nil {
		if err := r.Get(ctx, client.ObjectKeyFromObject(m), m); err != nil {
			return ctrl.Result{}, fmt.Errorf("read the custom resource again: %w", err)
		}
		if err := r.say(ctx, m, available, metav1.ConditionFalse, "Resizing", fmt.Sprintf("Failed to update the size for the custom resource (%s): (%s)", m.Name, failed)); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{}, fmt.Errorf("update the Deployment: %w", failed)
	}
	return ctrl.Result{Requeue: true}, nil //nolint:staticcheck // as the sample does
}

// deployment is what a custom resource asks for. Its labels are the same for all
// custom resources.
func (r *reconciler) deployment(m *Memcached) (*appsv1.Deployment, error) {
	_, tag, _ := strings.Cut(r.image, ":")
	labels := map[string]string{
		"app.kubernetes.io/name": "memcached-operator", "app.kubernetes.io/version": tag, "app.kubernetes.io/managed-by": "MemcachedController",
	}
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: m.Name, Namespace: m.Namespace},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(m.Spec.Size),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					SecurityContext: &corev1.PodSecurityContext{
						RunAsNonRoot: ptr.To(true), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
					},
					Containers: []corev1.Container{{
						Name: "memcached", Image: r.image, ImagePullPolicy: corev1.PullIfNotPresent,
						// The sample's -m=64 is 64 MB to memcached 1.4.36, and none to 1.6.18, which ends.
						Command: []string{"memcached", "--memory-limit=64", "-o", "modern", "-v"},
						Ports:   []corev1.ContainerPort{{Name: "memcached", ContainerPort: port}},
						SecurityContext: &corev1.SecurityContext{
							RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To(int64(1001)), AllowPrivilegeEscalation: ptr.To(false),
							Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
						},
					}},
				},
			},
		},
	}
	return d, ctrl.SetControllerReference(m, d, r.Scheme())
}
