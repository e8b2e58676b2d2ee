package controller

import (
	"context"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cachev1alpha1 "operatorbench.local/memcached-operator/api/v1alpha1"
)

// apply writes a Deployment by server-side apply, new or found. Nothing is asked
// before: a Deployment for a custom resource that is gone has no owner, and goes.
//
// A new one is applied without force, so that fields which somebody else set are a
// conflict (errTaken) and not taken over. A found one is applied with force, by its
// UID and resource version, so that a write upon a late cache fails.
func (r *MemcachedReconciler) apply(ctx context.Context, m *cachev1alpha1.Memcached, d *appsv1.Deployment, size int32) error {
	wanted, err := r.configuration(m, size)
	if err != nil {
		return err
	}
	options := []client.ApplyOption{client.FieldOwner(managedBy)}
	isNew := d.ResourceVersion == ""
	if !isNew {
		wanted.WithUID(d.UID).WithResourceVersion(d.ResourceVersion)
		options = append(options, client.ForceOwnership)
	}
	err = r.Apply(ctx, wanted, options...)
	if isNew && apierrors.IsConflict(err) {
		return errTaken
	}
	if err != nil {
		return fmt.Errorf("apply Deployment %s: %w", m.Name, err)
	}
	// It has what the API server answered.
	d.UID, d.Generation = ptr.Deref(wanted.UID, d.UID), ptr.Deref(wanted.Generation, d.Generation)
	return nil
}

// configuration is all that the operator wants of a Deployment, and nothing else.
func (r *MemcachedReconciler) configuration(m *cachev1alpha1.Memcached, size int32) (*appsv1ac.DeploymentApplyConfiguration, error) {
	d := &appsv1.Deployment{}
	d.Namespace, d.Name = m.Namespace, m.Name
	if err := r.want(d, m, size); err != nil {
		return nil, err
	}
	text, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("write down Deployment %s: %w", m.Name, err)
	}
	wanted := appsv1ac.Deployment(m.Name, m.Namespace)
	if err := json.Unmarshal(text, wanted); err != nil {
		return nil, fmt.Errorf("read Deployment %s: %w", m.Name, err)
	}
	// A Deployment's type cannot leave these out, and nothing is wanted of them.
	wanted.Status, wanted.Spec.Strategy = nil, nil
	for i := range wanted.Spec.Template.Spec.Containers {
		wanted.Spec.Template.Spec.Containers[i].Resources = nil
	}
	return wanted, nil
}
