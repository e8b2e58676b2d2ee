package main

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cleansUp is no fault: as most operators do, it has a finalizer, deletes what it
// has made, and lets the custom resource go.
func cleansUp(o *operator) {
	finalizes(o, func(ctx context.Context, cr *object) error {
		if have := o.known(cr, cr); have != nil && o.mine(cr, have) == nil {
			return o.deleteChild(ctx, cr, metav1.DeletePropagationBackground)
		}
		return nil // what somebody else has made stays
	})
}

// keepsUnless lets go of those custom resources only that it may release.
func keepsUnless(o *operator, may func(cr *object) bool) {
	cleansUp(o)
	leaving := o.leaving
	o.leaving = func(ctx context.Context, cr *object) error {
		if !may(cr) {
			return nil
		}
		return leaving(ctx, cr)
	}
}

// keepsAtZero has nothing to clean up where there are no pods, and forgets its
// finalizer.
func keepsAtZero(o *operator) {
	keepsUnless(o, func(cr *object) bool { size, err := o.size(cr); return err != nil || size > 0 })
}

// keepsChanged only knows what it has seen being made.
func keepsChanged(o *operator) {
	keepsUnless(o, func(cr *object) bool { return cr.GetGeneration() <= deletedFirst })
}

// deletedFirst is the generation of a custom resource that was never changed: its
// deletion counts as one.
const deletedFirst = 2
