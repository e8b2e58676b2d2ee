package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The faults of this file were read in published operators.

// diesAfterWrite panics once its Deployment has been created.
func diesAfterWrite(o *operator) {
	beside(o, func(context.Context, *object) error { panic("assignment to entry in nil map") })
}

// neverScales makes Deployments of the right size, leaves them at it, and says that all is well.
func neverScales(o *operator) {
	merge := o.merge
	o.merge = func(cr, have, want *object) *object {
		next := merge(cr, have, want)
		next.Object["spec"].(map[string]any)["replicas"] = have.Object["spec"].(map[string]any)["replicas"]
		return next
	}
}

// stopsAfterOne handles one custom resource of each namespace.
func stopsAfterOne(o *operator) {
	custom, first := o.custom, map[string]string{} // names by namespace
	o.custom = func(key name) *object {
		if first[key.Namespace] == "" {
			first[key.Namespace] = key.Name
		}
		if first[key.Namespace] != key.Name {
			return nil
		}
		return custom(key)
	}
}

// oneSelector selects the pods of all custom resources.
func oneSelector(o *operator) {
	wants(o, func(_, deployment *object) {
		_ = unstructured.SetNestedStringMap(deployment.Object, map[string]string{"app": "memcached"}, "spec", "selector", "matchLabels") // there is one
		_ = unstructured.SetNestedField(deployment.Object, "memcached", "spec", "template", "metadata", "labels", "app")
	})
	o.mine = anyones
}

// retriesDeleted takes it for an error that a custom resource has gone.
func retriesDeleted(o *operator) {
	custom, tries := o.custom, map[name]int{}
	o.custom = func(key name) *object {
		if cr := custom(key); cr != nil {
			return cr
		}
		ctx, cancel := context.WithTimeout(context.Background(), reconcileWithin)
		defer cancel()
		_, err := o.client.Resource(customs).Namespace(key.Namespace).Get(ctx, key.Name, metav1.GetOptions{})
		slog.Error("reconcile failed", "memcached", key.String(), "error", err)
		o.queue.AddAfter(key, min(retryFirst<<min(tries[key], 10), retryMost))
		tries[key]++
		return nil
	}
}

// finalizesLate adds its finalizer to whatever has none, also to what is being deleted.
func finalizesLate(o *operator) {
	o.leaving = func(ctx context.Context, cr *object) error {
		if slices.Contains(cr.GetFinalizers(), finalizer) {
			return nil
		}
		if err := o.setFinalizers(ctx, cr, append(cr.GetFinalizers(), finalizer)); err != nil {
			return fmt.Errorf("add the finalizer: %w", err)
		}
		return nil
	}
}

// dropsErrors takes a Deployment that was refused for one that was made.
func dropsErrors(o *operator) {
	create := o.create
	o.create = func(ctx context.Context, cr, want *object) (*object, error) {
		made, err := create(ctx, cr, want)
		if err != nil && !passing(err) {
			return want, nil
		}
		return made, err
	}
}

// statusLater writes the status a minute after what it tells of.
func statusLater(o *operator) {
	report, since, generations := o.report, map[string]time.Time{}, map[string]int64{} // by uid
	o.report = func(ctx context.Context, cr, have *object, problem error) error {
		uid := string(cr.GetUID())
		if generations[uid] != cr.GetGeneration() {
			generations[uid], since[uid] = cr.GetGeneration(), time.Now()
		}
		if left := time.Until(since[uid].Add(time.Minute)); left > 0 {
			o.queue.AddAfter(name{Namespace: cr.GetNamespace(), Name: cr.GetName()}, left)
			return nil
		}
		return report(ctx, cr, have, problem)
	}
}

// crashesOnSecond panics at every second custom resource of a namespace, again and again.
func crashesOnSecond(o *operator) {
	custom, first := o.custom, map[string]string{} // names by namespace
	o.custom = func(key name) *object {
		cr := custom(key)
		if cr != nil && first[key.Namespace] == "" {
			first[key.Namespace] = key.Name
		}
		if cr != nil && first[key.Namespace] != key.Name {
			panic("index out of range [1] with length 1")
		}
		return cr
	}
}

// waitsEverLonger doubles its wait after each error, and knows no longest one.
func waitsEverLonger(o *operator) {
	failures := map[name]int{}
	o.failed = func(key name) {
		o.queue.AddAfter(key, time.Second<<failures[key])
		failures[key]++
	}
}

// looksAfterDeleted goes on with what it does for a custom resource every ten seconds when that has gone.
func looksAfterDeleted(o *operator) {
	custom := o.custom
	o.custom = func(key name) *object {
		cr := custom(key)
		if cr == nil {
			ctx, cancel := context.WithTimeout(context.Background(), reconcileWithin)
			defer cancel()
			_, err := o.client.Resource(pods).Namespace(key.Namespace).List(ctx, metav1.ListOptions{LabelSelector: instanceLabel + "=" + key.Name})
			slog.Info("looked at the pods", "memcached", key.String(), "error", err)
			o.queue.AddAfter(key, 10*time.Second)
		}
		return cr
	}
}
