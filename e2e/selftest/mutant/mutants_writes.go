package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// createBlindly creates a Deployment without a look at what there is.
func (o *operator) createBlindly(ctx context.Context, _, want *object) (*object, error) {
	return o.client.Resource(deployments).Namespace(want.GetNamespace()).Create(ctx, want, metav1.CreateOptions{FieldManager: manager})
}

// patch sends a merge patch of a Deployment.
func (o *operator) patch(ctx context.Context, deployment *object, patch string) error {
	_, err := o.client.Resource(deployments).Namespace(deployment.GetNamespace()).
		Patch(ctx, deployment.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: manager})
	return err
}

// doubleCreate makes two Deployments of each custom resource.
func doubleCreate(o *operator) {
	create := o.create
	o.create = func(ctx context.Context, cr, want *object) (*object, error) {
		made, err := create(ctx, cr, want)
		if err != nil {
			return made, err
		}
		twin := want.DeepCopy()
		twin.SetName(want.GetName() + "-again")
		_, err = o.createBlindly(ctx, cr, twin)
		return made, err
	}
}

// ignoresReplicas scales when the size changes, and not when somebody else has
// scaled the Deployment.
func ignoresReplicas(o *operator) {
	scaled := map[string]int64{} // to what, by uid
	merge := o.merge
	o.merge = func(cr, have, want *object) *object {
		next := merge(cr, have, want)
		size, _, _ := unstructured.NestedInt64(want.Object, "spec", "replicas")
		if last, known := scaled[string(cr.GetUID())]; known && last == size {
			next.Object["spec"].(map[string]any)["replicas"] = have.Object["spec"].(map[string]any)["replicas"]
		}
		scaled[string(cr.GetUID())] = size
		return next
	}
}

// ignoresImage never looks at the pod template of a Deployment that is there.
func ignoresImage(o *operator) {
	merge := o.merge
	o.merge = func(cr, have, want *object) *object {
		next := merge(cr, have, want)
		next.Object["spec"].(map[string]any)["template"] = have.Object["spec"].(map[string]any)["template"]
		return next
	}
}

// once creates one Deployment for each key.
func once(o *operator, key func(cr *object) string) {
	made := map[string]bool{}
	create := o.create
	o.create = func(ctx context.Context, cr, want *object) (*object, error) {
		if made[key(cr)] {
			return nil, nil
		}
		deployment, err := create(ctx, cr, want)
		made[key(cr)] = err == nil
		return deployment, err
	}
}

// ignoresDeleted does not make a Deployment anew that somebody has deleted.
func ignoresDeleted(o *operator) {
	once(o, func(cr *object) string { return string(cr.GetUID()) })
}

// oncePerName takes a custom resource of a name that it has known for that one.
func oncePerName(o *operator) {
	once(o, func(cr *object) string { return cr.GetNamespace() + "/" + cr.GetName() })
}

// recreatesOnScale deletes the Deployment to scale it.
func recreatesOnScale(o *operator) {
	update := o.update
	o.update = func(ctx context.Context, cr, have, next *object) (*object, error) {
		was, _, _ := unstructured.NestedInt64(have.Object, "spec", "replicas")
		size, _, _ := unstructured.NestedInt64(next.Object, "spec", "replicas")
		if was == size {
			return update(ctx, cr, have, next)
		}
		err := o.client.Resource(deployments).Namespace(have.GetNamespace()).Delete(ctx, have.GetName(), metav1.DeleteOptions{})
		return nil, err // the deletion is an event, upon which a new one is made
	}
}

// pace is how long restless mutants rest: shorter than the harness's window, and
// long enough for others to write, too.
const pace = time.Second

// restless notes on the Deployment when it last looked at it, again and again.
func restless(o *operator) {
	ensure := o.ensure
	o.ensure = func(ctx context.Context, cr *object, size int64) (*object, error) {
		have, err := ensure(ctx, cr, size)
		if err != nil || have == nil {
			return have, err
		}
		o.queue.AddAfter(name{Namespace: cr.GetNamespace(), Name: cr.GetName()}, pace)
		now := time.Now().Truncate(pace).Format(time.RFC3339Nano)
		if have.GetAnnotations()["looked"] == now {
			return have, nil
		}
		return have, o.patch(ctx, have, fmt.Sprintf(`{"metadata":{"annotations":{"looked":%q}}}`, now))
	}
}

// neighbour scales every memcached Deployment of the namespace to the size of its
// own when it makes that. Those to whom they belong put it right again.
func neighbour(o *operator) {
	create := o.create
	o.create = func(ctx context.Context, cr, want *object) (*object, error) {
		made, err := create(ctx, cr, want)
		if err != nil {
			return made, err
		}
		size, _, _ := unstructured.NestedInt64(want.Object, "spec", "replicas")
		for _, other := range o.deployments.GetStore().List() {
			d := asObject(other)
			if d.GetNamespace() != cr.GetNamespace() || d.GetName() == want.GetName() || !labels.Set(d.GetLabels()).Has("app") {
				continue
			}
			if err := o.patch(ctx, d, fmt.Sprintf(`{"spec":{"replicas":%d}}`, size)); err != nil {
				return made, err
			}
		}
		return made, nil
	}
}

// leaksPod starts a pod beside the Deployment, which nothing removes.
func leaksPod(o *operator) {
	create := o.create
	o.create = func(ctx context.Context, cr, want *object) (*object, error) {
		made, err := create(ctx, cr, want)
		if err != nil {
			return made, err
		}
		template, _, _ := unstructured.NestedMap(want.Object, "spec", "template")
		pod := &object{Object: template}
		pod.SetAPIVersion("v1")
		pod.SetKind("Pod")
		pod.SetName(cr.GetName() + "-probe")
		pod.SetLabels(map[string]string{"app": "memcached-probe"})
		_, err = o.client.Resource(pods).Namespace(cr.GetNamespace()).Create(ctx, pod, metav1.CreateOptions{FieldManager: manager})
		if apierrors.IsAlreadyExists(err) {
			err = nil
		}
		return made, err
	}
}
