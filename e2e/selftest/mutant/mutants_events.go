package main

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// ignoresListed looks at edges alone: what was there before it started is never
// looked at.
func ignoresListed(o *operator) {
	o.hears = func(c change) bool { return !c.listed }
}

// addedOnly never hears of an update.
func addedOnly(o *operator) {
	o.hears = func(c change) bool { return c.added }
}

// ignoresApplies takes only what was written by an Update for a change, as a
// filter on managedFields may.
func ignoresApplies(o *operator) {
	remembered := map[string]int64{} // the size that it knows of
	o.size = func(cr *object) (int64, error) {
		for _, entry := range cr.GetManagedFields() {
			if size, known := remembered[string(cr.GetUID())]; known && entry.Operation == metav1.ManagedFieldsOperationApply {
				return size, nil
			}
		}
		size, err := sizeOf(cr)
		if err == nil {
			remembered[string(cr.GetUID())] = size
		}
		return size, err
	}
}

// forgetsNamespace remembers custom resources by name alone: the second of a name
// gets its Deployment where the first one is.
func forgetsNamespace(o *operator) {
	first := map[string]string{} // namespaces by name
	wants(o, func(cr, deployment *object) {
		if first[cr.GetName()] == "" {
			first[cr.GetName()] = cr.GetNamespace()
		}
		deployment.SetNamespace(first[cr.GetName()])
	})
	o.mine = anyones
}

// givesUp does not try again after an error: it has one try for each custom resource.
func givesUp(o *operator) {
	tried := map[string]error{} // by uid
	create := o.create
	o.create = func(ctx context.Context, cr, want *object) (*object, error) {
		if err := tried[string(cr.GetUID())]; err != nil {
			return nil, err
		}
		made, err := create(ctx, cr, want)
		if err != nil && !passing(err) {
			tried[string(cr.GetUID())] = err
		}
		return made, err
	}
}

// forgetsForbidden ends what reads a resource when that is forbidden.
func forgetsForbidden(o *operator) {
	for _, informer := range []cache.SharedIndexInformer{o.memcacheds, o.deployments, o.pods} {
		_ = informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, _ *cache.Reflector, err error) { // it has not begun
			if apierrors.IsForbidden(err) {
				<-ctx.Done()
			}
		})
	}
}

// lag is how late the cache of laggingCache is.
const lag = time.Second

// laggingCache acts on stale reads: custom resources that have gone are still
// there for it for a second, and it does not ask the API either.
func laggingCache(o *operator) {
	type memory struct {
		object *object
		until  time.Time // zero: it has not gone
	}
	seen := map[name]memory{}
	custom := o.custom
	o.custom = func(key name) *object {
		if cr := custom(key); cr != nil {
			seen[key] = memory{object: cr}
			return cr
		}
		m := seen[key]
		if m.until.IsZero() {
			m.until = time.Now().Add(lag)
			seen[key] = m
		}
		if time.Now().After(m.until) {
			return nil
		}
		return m.object
	}
	o.create = o.createBlindly
}
