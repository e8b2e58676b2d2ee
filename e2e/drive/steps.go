package drive

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
	"operatorbench/fixtures/memcached"
	"operatorbench/fixtures/scenarios"
)

// steps performs a sample's steps one after the other, each as one request.
func (r *round) steps(ctx context.Context, sample record.Sample, steps []scenarios.Step) error {
	client := r.Client.Resource(memcached.Resource).Namespace(sample.Namespace)
	for _, step := range steps {
		verb, request := act(client, sample, step)
		from := r.Recorder.Now()
		reply, err := request(ctx)
		at := r.Recorder.Now()
		if recorded := r.recordAction(verb, sample, from, at, reply, err); recorded != nil {
			return recorded
		}
		if err != nil {
			return fmt.Errorf("%s Memcached %s/%s: %w", verb, sample.Namespace, sample.Name, err)
		}
		if r.style.Null {
			if err := r.reconcileNull(ctx, sample, step, reply); err != nil {
				return fmt.Errorf("null operator: %w", err)
			}
		}
	}
	return nil
}

// act turns a step into a request. The reply of a deletion is nil.
func act(client dynamic.ResourceInterface, sample record.Sample, step scenarios.Step) (verb string, request func(context.Context) (*unstructured.Unstructured, error)) {
	switch {
	case step.Create != nil:
		return "create", func(ctx context.Context) (*unstructured.Unstructured, error) {
			return client.Create(ctx, memcached.New(sample.Namespace, sample.Name, step.Create.Size), metav1.CreateOptions{})
		}
	case step.Patch != nil:
		// What `kubectl apply` sends: a merge patch. A server-side apply of an
		// older custom resource is a hazard of its own for some styles.
		patch := fmt.Appendf(nil, `{"spec":{"size":%d}}`, step.Patch.Size)
		return "patch", func(ctx context.Context) (*unstructured.Unstructured, error) {
			return client.Patch(ctx, sample.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		}
	default:
		return "delete", func(ctx context.Context) (*unstructured.Unstructured, error) {
			return nil, client.Delete(ctx, sample.Name, metav1.DeleteOptions{})
		}
	}
}

func (r *round) recordAction(verb string, sample record.Sample, from, at time.Duration, reply *unstructured.Unstructured, failure error) error {
	action := &record.Action{
		From: from, Verb: verb, Resource: watch.ResourceName(memcached.Resource),
		Namespace: sample.Namespace, Name: sample.Name, Measured: !sample.Prepare,
	}
	if failure != nil {
		action.Error = failure.Error()
	} else if reply != nil {
		unstructured.RemoveNestedField(reply.Object, "metadata", "managedFields")
		action.Generation = reply.GetGeneration()
		raw, err := json.Marshal(reply.Object)
		if err != nil {
			return fmt.Errorf("record the reply to %s: %w", verb, err)
		}
		action.Object = raw
	}
	return r.Recorder.Record(record.Entry{Time: at, Kind: record.KindAction, Action: action})
}
