package main

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const finalizer = "cache.example.com/mutant"

// setFinalizers writes a custom resource's finalizers.
func (o *operator) setFinalizers(ctx context.Context, cr *object, finalizers []string) error {
	next := cr.DeepCopy()
	next.SetFinalizers(finalizers)
	_, err := o.client.Resource(customs).Namespace(cr.GetNamespace()).Update(ctx, next, metav1.UpdateOptions{FieldManager: manager})
	return err
}

// keepsFinalizer sets a finalizer and never removes it.
func keepsFinalizer(o *operator) {
	ensure := o.ensure
	o.ensure = func(ctx context.Context, cr *object, size int64) (*object, error) {
		if slices.Contains(cr.GetFinalizers(), finalizer) {
			return ensure(ctx, cr, size)
		}
		if err := o.setFinalizers(ctx, cr, append(cr.GetFinalizers(), finalizer)); err != nil {
			return nil, err
		}
		return nil, errFinalizer
	}
}

// deleteChild deletes the Deployment of a custom resource, if it is there.
func (o *operator) deleteChild(ctx context.Context, cr *object, how metav1.DeletionPropagation) error {
	err := o.client.Resource(deployments).Namespace(cr.GetNamespace()).Delete(ctx, cr.GetName(), metav1.DeleteOptions{PropagationPolicy: &how})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// finalizes makes an operator set a finalizer, and clean up before it removes that.
func finalizes(o *operator, clean func(ctx context.Context, cr *object) error) {
	keepsFinalizer(o)
	o.leaving = func(ctx context.Context, cr *object) error {
		i := slices.Index(cr.GetFinalizers(), finalizer)
		if i < 0 {
			return nil
		}
		if err := clean(ctx, cr); err != nil {
			return err
		}
		return o.setFinalizers(ctx, cr, slices.Delete(cr.GetFinalizers(), i, i+1))
	}
}

// orphans cleans up by itself, and leaves the ReplicaSets and pods behind.
func orphans(o *operator) {
	finalizes(o, func(ctx context.Context, cr *object) error {
		return o.deleteChild(ctx, cr, metav1.DeletePropagationOrphan)
	})
}

// deletionAsUpdate cleans up, and then goes on as after any other update.
func deletionAsUpdate(o *operator) {
	finalizes(o, func(ctx context.Context, cr *object) error {
		if err := o.deleteChild(ctx, cr, metav1.DeletePropagationBackground); err != nil {
			return err
		}
		size, err := o.size(cr)
		if err != nil {
			return err
		}
		want, err := o.want(cr, size)
		if err != nil {
			return err
		}
		_, err = o.createBlindly(ctx, cr, want)
		return err
	})
}

// triesOnce tries once to let a custom resource go.
func triesOnce(o *operator) {
	cleansUp(o)
	leaving, tried := o.leaving, map[string]bool{}
	o.leaving = func(ctx context.Context, cr *object) error {
		if tried[string(cr.GetUID())] {
			return nil
		}
		tried[string(cr.GetUID())] = true
		return leaving(ctx, cr)
	}
}
