package drive

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"

	"operatorbench/e2e/bed/kube"
	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/fixtures/workloads/memcached"
)

// request is one write to the API.
type request struct {
	verb            string // create, patch, update, apply, scale, read scale, delete
	resource        schema.GroupVersionResource
	namespace, name string
	mayFail         bool // it is recorded, and for the oracles to judge
	nudge           bool
	generation      func(context.Context) (int64, error)                      // of the custom resource, where the reply has none; nil: it has
	do              func(context.Context) (*unstructured.Unstructured, error) // the reply of a deletion is nil
}

func resourceName(r schema.GroupVersionResource) string { return watch.ResourceName(r) }

// What the harness writes to a custom resource that no operator reads.
const (
	touched   = "operatorbench/touched" // an annotation
	applicant = "operatorbench-apply"   // the manager of a server-side apply
)

// request turns a step on a custom resource into a request.
func (t *trial) request(step scenarios.Step) request {
	namespace, custom := t.place(step.On)
	client := t.Client.Resource(memcached.Resource).Namespace(namespace)
	r := request{verb: "patch", resource: memcached.Resource, namespace: namespace, name: custom}
	merge := func(patch string) {
		r.do = func(ctx context.Context) (*unstructured.Unstructured, error) {
			return client.Patch(ctx, custom, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		}
	}
	switch {
	case step.Create != nil:
		r.verb, r.do = "create", func(ctx context.Context) (*unstructured.Unstructured, error) {
			return client.Create(ctx, memcached.New(namespace, custom, step.Create.Size), metav1.CreateOptions{})
		}
	case step.Patch != nil:
		// What `kubectl apply` sends: a merge patch.
		merge(fmt.Sprintf(`{"spec":{"size":%d}}`, step.Patch.Size))
	case step.Apply != nil:
		r.verb, r.do = "apply", func(ctx context.Context) (*unstructured.Unstructured, error) {
			return client.Apply(ctx, custom, memcached.New(namespace, custom, step.Apply.Size),
				metav1.ApplyOptions{FieldManager: applicant, Force: true})
		}
	case step.Scale != nil:
		return t.scale(r, step.Scale.Size)
	case step.Annotate > 0:
		merge(t.touch())
	case step.Finalize != nil:
		r.mayFail = !*step.Finalize // an operator that took it away has let the custom resource go
		r.verb, r.do = "update", func(ctx context.Context) (*unstructured.Unstructured, error) {
			return kube.Hold(ctx, client, custom, *step.Finalize)
		}
	case step.Submit != nil:
		return t.submit(*step.Submit, r)
	default:
		r.verb, r.do = "delete", func(ctx context.Context) (*unstructured.Unstructured, error) {
			return nil, client.Delete(ctx, custom, metav1.DeleteOptions{})
		}
	}
	return r
}

// scale changes the size as autoscalers do: they read the scale subresource, write
// another number into it, and try again when somebody else has written meanwhile.
func (t *trial) scale(r request, size int) request {
	client := t.Client.Resource(r.resource).Namespace(r.namespace)
	r.verb = record.Scale
	r.do = func(ctx context.Context) (reply *unstructured.Unstructured, err error) {
		err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
			is, err := client.Get(ctx, r.name, metav1.GetOptions{}, subresourceScale)
			if err != nil {
				return err
			}
			if err := unstructured.SetNestedField(is.Object, int64(size), "spec", "replicas"); err != nil {
				return err
			}
			reply, err = client.Update(ctx, is, metav1.UpdateOptions{}, subresourceScale)
			return err
		})
		return reply, err
	}
	r.generation = func(ctx context.Context) (int64, error) {
		custom, err := client.Get(ctx, r.name, metav1.GetOptions{})
		if err != nil {
			return 0, fmt.Errorf("read the generation after %s: %w", r.verb, err)
		}
		return custom.GetGeneration(), nil
	}
	return r
}

const subresourceScale = "scale"

// readScale reads the scale subresource once all is at rest.
func (t *trial) readScale(ctx context.Context) error {
	if err := t.reach(ctx, scenarios.AwaitHandled, t.quiet); err != nil {
		return err
	}
	client := t.Client.Resource(memcached.Resource).Namespace(t.sample.Namespace)
	_, err := t.send(ctx, request{
		verb: record.ReadScale, resource: memcached.Resource, namespace: t.sample.Namespace, name: t.sample.Name,
		do: func(ctx context.Context) (*unstructured.Unstructured, error) {
			return client.Get(ctx, t.sample.Name, metav1.GetOptions{}, subresourceScale)
		},
	})
	return err
}

// touch is a patch that changes an annotation, and nothing else.
func (t *trial) touch() string {
	return fmt.Sprintf(`{"metadata":{"annotations":{%q:"%d"}}}`, touched, t.Recorder.Now())
}

// nudge makes the operator look at the custom resource again.
func (t *trial) nudge() request {
	r := t.request(scenarios.Step{Annotate: 1})
	r.nudge, r.mayFail = true, true // it may be gone
	return r
}

// submit sends a custom resource that is wrong as kubectl does: strictly, so
// that a field that nobody knows is an error.
func (t *trial) submit(s scenarios.Submit, r request) request {
	object := (&unstructured.Unstructured{Object: s.Object}).DeepCopy()
	group, err := schema.ParseGroupVersion(object.GetAPIVersion())
	if err == nil && !group.Empty() {
		r.resource = group.WithResource(memcached.Resource.Resource)
	}
	client := t.Client.Resource(r.resource).Namespace(r.namespace)
	r.mayFail = s.Refused
	if s.Patch {
		r.do = func(ctx context.Context) (*unstructured.Unstructured, error) {
			patch, err := json.Marshal(object.Object)
			if err != nil {
				return nil, fmt.Errorf("write the patch: %w", err)
			}
			return client.Patch(ctx, r.name, types.MergePatchType, patch, metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict})
		}
		return r
	}
	object.SetNamespace(r.namespace)
	if object.GetName() == "" {
		object.SetName(r.name)
	}
	r.verb, r.name = "create", object.GetName()
	r.do = func(ctx context.Context) (*unstructured.Unstructured, error) {
		return client.Create(ctx, object, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	}
	return r
}
