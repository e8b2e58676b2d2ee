package main

import (
	"context"
	"log/slog"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

var (
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	secrets    = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

// beside does something more once the Deployment was created.
func beside(o *operator, do func(ctx context.Context, cr *object) error) {
	create := o.create
	o.create = func(ctx context.Context, cr, want *object) (*object, error) {
		made, err := create(ctx, cr, want)
		if err == nil {
			err = do(ctx, cr)
		}
		return made, err
	}
}

// leavesConfigMap makes a ConfigMap for each custom resource in a namespace, which
// nothing removes.
func leavesConfigMap(o *operator, namespace func(cr *object) string) {
	beside(o, func(ctx context.Context, cr *object) error {
		config := &object{}
		config.SetAPIVersion("v1")
		config.SetKind("ConfigMap")
		config.SetName(cr.GetNamespace() + "-" + cr.GetName())
		_, err := o.client.Resource(configMaps).Namespace(namespace(cr)).Create(ctx, config, metav1.CreateOptions{FieldManager: manager})
		if apierrors.IsAlreadyExists(err) {
			err = nil
		}
		return err
	})
}

// configMapLeft leaves it beside the Deployment, configMapElsewhere where nobody looks.
func configMapLeft(o *operator) { leavesConfigMap(o, (*object).GetNamespace) }

func configMapElsewhere(o *operator) {
	leavesConfigMap(o, func(*object) string { return metav1.NamespacePublic })
}

// ownerOtherwise changes the owner reference of the Deployment.
func ownerOtherwise(o *operator, edit func(*metav1.OwnerReference)) {
	wants(o, func(_, deployment *object) {
		owners := deployment.GetOwnerReferences()
		edit(&owners[0])
		deployment.SetOwnerReferences(owners)
	})
	o.mine = anyones
}

// ownerNotController owns the Deployment, but does not control it.
func ownerNotController(o *operator) {
	ownerOtherwise(o, func(r *metav1.OwnerReference) { r.Controller = nil })
}

// ownerNotBlocking lets a custom resource go before its Deployment.
func ownerNotBlocking(o *operator) {
	ownerOtherwise(o, func(r *metav1.OwnerReference) { r.BlockOwnerDeletion = nil })
}

// editsSpec takes a size above 3 for a mistake, and mends it for the user.
func editsSpec(o *operator) {
	const enough = 3
	size := o.size
	o.size = func(cr *object) (int64, error) {
		wanted, err := size(cr)
		if err != nil || wanted <= enough {
			return wanted, err
		}
		client := o.client.Resource(customs).Namespace(cr.GetNamespace())
		_, err = client.Patch(context.Background(), cr.GetName(), types.MergePatchType, []byte(`{"spec":{"size":3}}`), metav1.PatchOptions{FieldManager: manager})
		return enough, err
	}
}

// rewritesStatus writes the status five times a second, whether it changed or not.
func rewritesStatus(o *operator) {
	const pace = time.Second / 5
	last := map[types.UID]time.Time{}
	report := o.report
	o.report = func(ctx context.Context, cr, have *object, problem error) error {
		if err := report(ctx, cr, have, problem); err != nil {
			return err
		}
		if since := time.Since(last[cr.GetUID()]); since < pace {
			o.queue.AddAfter(name{Namespace: cr.GetNamespace(), Name: cr.GetName()}, pace-since)
			return nil
		}
		last[cr.GetUID()] = time.Now()
		o.queue.AddAfter(name{Namespace: cr.GetNamespace(), Name: cr.GetName()}, pace)
		client := o.client.Resource(customs).Namespace(cr.GetNamespace())
		live, err := client.Get(ctx, cr.GetName(), metav1.GetOptions{})
		if err == nil {
			_, err = client.UpdateStatus(ctx, live, metav1.UpdateOptions{FieldManager: manager})
		}
		if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
			err = nil
		}
		return err
	}
}

// lateBy is how late every fifth custom resource is handled: within the harness's patience.
const lateBy = 15 * time.Second

// lateAtTimes handles every fifth custom resource late.
func lateAtTimes(o *operator) {
	const fifth = 5
	due := map[types.UID]time.Time{}
	custom := o.custom
	o.custom = func(key name) *object {
		cr := custom(key)
		if cr == nil {
			return nil
		}
		at, known := due[cr.GetUID()]
		if !known {
			if at = time.Now(); len(due)%fifth == fifth-1 {
				at = at.Add(lateBy)
			}
			due[cr.GetUID()] = at
		}
		if wait := time.Until(at); wait > 0 {
			o.queue.AddAfter(key, wait)
			return nil
		}
		return cr
	}
}

// logsSecrets tells its log what is in the Secrets of a custom resource's namespace.
func logsSecrets(o *operator) {
	beside(o, func(ctx context.Context, cr *object) error {
		list, err := o.client.Resource(secrets).Namespace(cr.GetNamespace()).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for i := range list.Items {
			data, _, _ := unstructured.NestedMap(list.Items[i].Object, "data")
			slog.Info("found a secret", "name", list.Items[i].GetName(), "data", data)
		}
		return nil
	})
}
