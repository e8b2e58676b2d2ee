package install

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec/workloads"
)

const (
	// collectedWithin bounds the proof where the context has no deadline. A
	// collector learns of a new definition once in 30 s.
	collectedWithin = 2 * time.Minute
	// promptly is what a collector that watches the definition stays far below.
	promptly = 2 * time.Second
	// discardWithin bounds the removal of a throw-away object.
	discardWithin = 10 * time.Second
	// proof is the name of the throw-away objects.
	proof = "operatorbench-garbage-proof"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// ProveGarbageCollection returns when the cluster's garbage collector is known to watch a workload's custom resources:
// a throw-away one is deleted until what it owns follows within two seconds. For a definition that is seconds old this
// can take half a minute, which would otherwise be measured as an operator's. It is to be called before an operator is
// installed, which would act on the throw-away, unless the operator brings the definition.
func ProveGarbageCollection(ctx context.Context, c Cluster, w *workloads.Workload, namespace string) error {
	ctx, cancel := kube.Bounded(ctx, collectedWithin)
	defer cancel()
	for {
		took, err := collect(ctx, c, w, namespace)
		if err != nil {
			return fmt.Errorf("prove that the garbage collector watches %s: %w", w.GVR().GroupResource(), err)
		}
		c.progress("garbage collection of %s took %s", w.Resource.Plural, took.Round(time.Millisecond))
		if took < promptly {
			return nil
		}
	}
}

// collect makes a custom resource and a ConfigMap that it owns, deletes the one, and
// returns how long it took from its end until the other was gone.
func collect(ctx context.Context, c Cluster, w *workloads.Workload, namespace string) (took time.Duration, err error) {
	owners := c.Kube.Dynamic.Resource(w.GVR()).Namespace(namespace)
	dependents := c.Kube.Dynamic.Resource(configMaps).Namespace(namespace)
	defer func() {
		if err != nil { // otherwise both are gone
			err = errors.Join(err, discard(ctx, owners), discard(ctx, dependents))
		}
	}()
	owner, err := owners.Create(ctx, stamp(w.New(namespace, proof, w.Smallest()), c), metav1.CreateOptions{})
	if err != nil {
		return 0, fmt.Errorf("create %s %s/%s: %w", w.Resource.Kind, namespace, proof, err)
	}
	if _, err := dependents.Create(ctx, stamp(ownedBy(owner, w), c), metav1.CreateOptions{}); err != nil {
		return 0, fmt.Errorf("create ConfigMap %s/%s: %w", namespace, proof, err)
	}
	if err := owners.Delete(ctx, proof, metav1.DeleteOptions{}); err != nil {
		return 0, fmt.Errorf("delete %s %s/%s: %w", w.Resource.Kind, namespace, proof, err)
	}
	if err := c.Kube.WaitGone(ctx, w.GVR(), namespace, proof); err != nil { // an operator may have given it a finalizer
		return 0, err
	}
	start := time.Now()
	if err := c.Kube.WaitGone(ctx, configMaps, namespace, proof); err != nil {
		return 0, err
	}
	return time.Since(start), nil
}

// discard removes a throw-away object, even when the proof was cancelled.
func discard(ctx context.Context, resource dynamic.ResourceInterface) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardWithin)
	defer cancel()
	err := resource.Delete(ctx, proof, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func ownedBy(owner *unstructured.Unstructured, w *workloads.Workload) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetAPIVersion("v1")
	object.SetKind("ConfigMap")
	object.SetNamespace(owner.GetNamespace())
	object.SetName(proof)
	object.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, w.Kind())})
	return object
}

func stamp(object *unstructured.Unstructured, c Cluster) *unstructured.Unstructured {
	object.SetLabels(c.owner("").Labels())
	return object
}
