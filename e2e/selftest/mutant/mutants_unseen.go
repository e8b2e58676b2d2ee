package main

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// The faults of this file were written before anybody looked which oracle would find them, and driven as they are.

// scalesByZero scales to nothing first, and then to what is wanted.
func scalesByZero(o *operator) {
	update := o.update
	o.update = func(ctx context.Context, cr, have, next *object) (*object, error) {
		was, _, _ := unstructured.NestedInt64(have.Object, "spec", "replicas")
		wants, _, _ := unstructured.NestedInt64(next.Object, "spec", "replicas")
		if was > 0 && wants > was {
			if err := o.patch(ctx, have, `{"spec":{"replicas":0}}`); err != nil {
				return nil, err
			}
			return have, o.patch(ctx, have, `{"spec":{"replicas":`+strconv.FormatInt(wants, 10)+`}}`)
		}
		return update(ctx, cr, have, next)
	}
}

// pollsAPI asks the API server for each Deployment five times a second.
func pollsAPI(o *operator) {
	ensure := o.ensure
	o.ensure = func(ctx context.Context, cr *object, size int64) (*object, error) {
		o.queue.AddAfter(name{Namespace: cr.GetNamespace(), Name: cr.GetName()}, 200*time.Millisecond)
		_, err := o.client.Resource(deployments).Namespace(cr.GetNamespace()).Get(ctx, cr.GetName(), metav1.GetOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return nil, err
		}
		return ensure(ctx, cr, size)
	}
}

// watchesAgain opens a watch of the Deployments at each reconcile, and closes none.
func watchesAgain(o *operator) {
	ensure := o.ensure
	o.ensure = func(ctx context.Context, cr *object, size int64) (*object, error) {
		if _, err := o.client.Resource(deployments).Namespace(cr.GetNamespace()).Watch(context.WithoutCancel(ctx), metav1.ListOptions{}); err != nil {
			return nil, err
		}
		return ensure(ctx, cr, size)
	}
}

// sleepsAtStart handles nothing in its first half minute.
func sleepsAtStart(o *operator) {
	custom, since := o.custom, time.Now()
	o.custom = func(key name) *object {
		if left := time.Until(since.Add(30 * time.Second)); left > 0 {
			o.queue.AddAfter(key, left)
			return nil
		}
		return custom(key)
	}
}

// zeroIsDefault takes a size of 0 for none, as it is the zero value, and sets 1.
func zeroIsDefault(o *operator) {
	o.size = func(cr *object) (int64, error) {
		size, err := sizeOf(cr)
		if err == nil && size == 0 {
			size = 1
		}
		return size, err
	}
}

// byGeneration looks at a custom resource once for each of its generations.
func byGeneration(o *operator) {
	ensure := o.ensure
	o.ensure = func(ctx context.Context, cr *object, size int64) (*object, error) {
		observed, _, _ := unstructured.NestedInt64(cr.Object, "status", "observedGeneration")
		if observed == cr.GetGeneration() {
			want, err := o.want(cr, size)
			if err != nil {
				return nil, err
			}
			return o.known(cr, want), nil
		}
		return ensure(ctx, cr, size)
	}
}

// dropsConflicts takes it for done when another has written in between.
func dropsConflicts(o *operator) {
	update := o.update
	o.update = func(ctx context.Context, cr, have, next *object) (*object, error) {
		made, err := update(ctx, cr, have, next)
		if apierrors.IsConflict(err) {
			slog.Info("somebody else was quicker", "deployment", next.GetName())
			return have, nil
		}
		return made, err
	}
}

// loosesPod takes the label from its oldest pod when it scales, so that nothing counts that one any more.
func loosesPod(o *operator) {
	update := o.update
	o.update = func(ctx context.Context, cr, have, next *object) (*object, error) {
		made, err := update(ctx, cr, have, next)
		list := o.podsOf(cr)
		if err != nil || len(list) == 0 {
			return made, err
		}
		oldest := slices.MinFunc(list, func(a, b *object) int { return a.GetCreationTimestamp().Compare(b.GetCreationTimestamp().Time) })
		body := []byte(`{"metadata":{"labels":{"` + instanceLabel + `":null}}}`)
		_, err = o.client.Resource(pods).Namespace(oldest.GetNamespace()).Patch(ctx, oldest.GetName(), types.MergePatchType, body, metav1.PatchOptions{FieldManager: manager})
		return made, err
	}
}
