package main

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// triesTheSame writes what could not be written once more, whatever is wanted by then.
func triesTheSame(o *operator) {
	failed := map[types.UID]*object{}
	update := o.update
	o.update = func(ctx context.Context, cr, have, next *object) (*object, error) {
		if was := failed[cr.GetUID()]; was != nil {
			next = was.DeepCopy()
			next.SetResourceVersion(have.GetResourceVersion())
		}
		made, err := update(ctx, cr, have, next)
		delete(failed, cr.GetUID())
		if apierrors.IsForbidden(err) {
			failed[cr.GetUID()] = next
		}
		return made, err
	}
}

// keepsError reports what a write has failed by until the next one goes well.
func keepsError(o *operator) {
	failed := map[types.UID]error{}
	update, report := o.update, o.report
	o.update = func(ctx context.Context, cr, have, next *object) (*object, error) {
		made, err := update(ctx, cr, have, next)
		failed[cr.GetUID()] = err
		return made, err
	}
	o.report = func(ctx context.Context, cr, have *object, problem error) error {
		if problem == nil {
			problem = failed[cr.GetUID()]
		}
		return report(ctx, cr, have, problem)
	}
}

// makesAnew deletes a Deployment that may not be changed: it creates it again once it has gone.
func makesAnew(o *operator) {
	update := o.update
	o.update = func(ctx context.Context, cr, have, next *object) (*object, error) {
		made, err := update(ctx, cr, have, next)
		if apierrors.IsForbidden(err) {
			return made, o.deleteChild(ctx, cr, metav1.DeletePropagationBackground)
		}
		return made, err
	}
}

// sweepsUp deletes a Deployment of its own that nobody owns, and whose custom resource is going or gone.
func sweepsUp(o *operator) {
	custom := o.custom
	o.custom = func(key name) *object {
		cr, at := custom(key), &object{}
		at.SetNamespace(key.Namespace)
		at.SetName(key.Name)
		have := o.known(at, at)
		if have == nil || len(have.GetOwnerReferences()) > 0 || cr != nil && cr.GetDeletionTimestamp() == nil {
			return cr
		}
		if err := o.deleteChild(context.Background(), at, metav1.DeletePropagationBackground); err != nil {
			o.failed(key)
		}
		return cr
	}
}

// forgetsLate hears of no custom resource that has a name of which another was deleted five seconds before, but of its
// creation.
func forgetsLate(o *operator) {
	var mu sync.Mutex
	forgotten := map[name]bool{}
	o.hears = func(c change) bool {
		key := name{Namespace: c.now.GetNamespace(), Name: c.now.GetName()}
		mu.Lock()
		defer mu.Unlock()
		if !c.added && c.before == nil {
			time.AfterFunc(5*time.Second, func() {
				mu.Lock()
				defer mu.Unlock()
				forgotten[key] = true
			})
		}
		if c.added {
			forgotten[key] = false
		}
		return !forgotten[key]
	}
}

// givesUpSoon waits two seconds for the answer to a write.
func givesUpSoon(o *operator) {
	within := func(ctx context.Context, write func(context.Context) (*object, error)) (*object, error) {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		made, err := write(ctx)
		return made, errors.Join(err, ctx.Err())
	}
	create, update := o.create, o.update
	o.create = func(ctx context.Context, cr, want *object) (*object, error) {
		return within(ctx, func(ctx context.Context) (*object, error) { return create(ctx, cr, want) })
	}
	o.update = func(ctx context.Context, cr, have, next *object) (*object, error) {
		return within(ctx, func(ctx context.Context) (*object, error) { return update(ctx, cr, have, next) })
	}
}
