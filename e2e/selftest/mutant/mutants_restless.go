package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// notesOnPods notes on a custom resource's pods when it last looked at them, again
// and again.
func notesOnPods(o *operator) {
	ensure := o.ensure
	o.ensure = func(ctx context.Context, cr *object, size int64) (*object, error) {
		have, err := ensure(ctx, cr, size)
		if err != nil {
			return have, err
		}
		key := name{Namespace: cr.GetNamespace(), Name: cr.GetName()}
		o.queue.AddAfter(key, pace)
		now := time.Now().Truncate(pace).Format(time.RFC3339Nano)
		note := fmt.Appendf(nil, `{"metadata":{"annotations":{"looked":%q}}}`, now)
		found, _ := o.pods.GetIndexer().ByIndex(byInstance, key.String()) // there is such an index
		for _, one := range found {
			pod := asObject(one)
			if pod.GetDeletionTimestamp() != nil || pod.GetAnnotations()["looked"] == now {
				continue
			}
			_, err := o.client.Resource(pods).Namespace(pod.GetNamespace()).
				Patch(ctx, pod.GetName(), types.MergePatchType, note, metav1.PatchOptions{FieldManager: manager})
			if err != nil {
				return have, err
			}
		}
		return have, nil
	}
}

// eventEachTime makes an Event at every reconcile.
func eventEachTime(o *operator) {
	report := o.report
	o.report = func(ctx context.Context, cr, have *object, problem error) error {
		o.recorder.Eventf(cr, have, corev1.EventTypeNormal, "Reconciled", "Reconcile", "Reconciled Memcached %s", cr.GetName())
		return report(ctx, cr, have, problem)
	}
}
