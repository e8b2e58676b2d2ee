// Package api holds the Memcached custom resource as this operator reads and
// writes it.
//
// The types are hand-written and small, and they are read out of unstructured
// objects rather than decoded by a typed client: one custom resource that does
// not fit (a definition without validation lets "size: three" in) would make a
// typed list fail as a whole, and with it every other resource of the cluster.
package api

import (
	"errors"
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// Group is the API group of the custom resource.
	Group = "cache.example.com"
	// Version is the API version that this operator reads and writes.
	Version = "v1alpha1"
	// Kind is the kind of the custom resource.
	Kind = "Memcached"
	// ConditionReady is the type of the one condition that the operator keeps.
	ConditionReady = "Ready"
)

// Resource returns the name of the custom resource in the API's paths.
func Resource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: Group, Version: Version, Resource: "memcacheds"}
}

// APIVersion returns the group and version as owner references spell them.
func APIVersion() string {
	return schema.GroupVersion{Group: Group, Version: Version}.String()
}

// Memcached asks for a number of memcached pods.
type Memcached struct {
	metav1.ObjectMeta
	Spec   MemcachedSpec
	Status MemcachedStatus
}

// MemcachedSpec is what the user wants.
type MemcachedSpec struct {
	// Size is the number of memcached pods; zero is a valid wish.
	Size int32
}

// MemcachedStatus is what the operator last saw.
type MemcachedStatus struct {
	// Nodes are the names of the pods that are ready, sorted.
	Nodes []string `json:"nodes"`
	// Replicas is the number of pods of the Deployment, ready or not; the scale
	// subresource reads it.
	Replicas int32 `json:"replicas"`
	// Selector is the label selector of the pods in its string form; the scale
	// subresource reads it.
	Selector string `json:"selector,omitempty"`
	// ObservedGeneration is the newest generation that the operator acted on.
	ObservedGeneration int64 `json:"observedGeneration"`
	// Conditions hold ConditionReady, and what others may have put beside it.
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ErrInvalidSize says that spec.size is missing, no whole number, or out of range.
var ErrInvalidSize = errors.New("spec.size is not usable")

// FromUnstructured reads a custom resource. With an error that wraps
// ErrInvalidSize everything but the spec is still filled in, so that the status
// can say what is wrong.
func FromUnstructured(u *unstructured.Unstructured) (*Memcached, error) {
	m := &Memcached{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:         u.GetNamespace(),
			Name:              u.GetName(),
			UID:               u.GetUID(),
			Generation:        u.GetGeneration(),
			ResourceVersion:   u.GetResourceVersion(),
			DeletionTimestamp: u.GetDeletionTimestamp(),
		},
		Status: readStatus(u),
	}
	size, err := readSize(u)
	if err != nil {
		return m, err
	}
	m.Spec.Size = size
	return m, nil
}

func readSize(u *unstructured.Unstructured) (int32, error) {
	value, found, err := unstructured.NestedFieldNoCopy(u.Object, "spec", "size")
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrInvalidSize, err)
	}
	if !found || value == nil {
		return 0, fmt.Errorf("%w: it is missing", ErrInvalidSize)
	}
	number, ok := value.(int64)
	if !ok {
		return 0, fmt.Errorf("%w: want a whole number, have %v (%T)", ErrInvalidSize, value, value)
	}
	if number < 0 || number > math.MaxInt32 {
		return 0, fmt.Errorf("%w: want 0 to %d, have %d", ErrInvalidSize, math.MaxInt32, number)
	}
	return int32(number), nil
}

// readStatus reads the status; one that cannot be read counts as empty, because the
// operator is about to write it anew anyway.
func readStatus(u *unstructured.Unstructured) MemcachedStatus {
	fields, found, err := unstructured.NestedMap(u.Object, "status")
	if err != nil || !found {
		return MemcachedStatus{}
	}
	var s MemcachedStatus
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &s); err != nil {
		return MemcachedStatus{}
	}
	return s
}

// WithStatus returns a copy of the custom resource with the status in it, and
// whether that differs from what was there. Fields of the status that the
// operator does not know are kept.
func WithStatus(u *unstructured.Unstructured, s MemcachedStatus) (*unstructured.Unstructured, bool, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&s)
	if err != nil {
		return nil, false, fmt.Errorf("encode the status of %s/%s: %w", u.GetNamespace(), u.GetName(), err)
	}
	out := u.DeepCopy()
	have, _, err := unstructured.NestedMap(out.Object, "status")
	if err != nil || have == nil {
		have = map[string]any{}
	}
	changed := false
	for name, value := range fields {
		if !equality.Semantic.DeepEqual(have[name], value) {
			have[name] = value
			changed = true
		}
	}
	if !changed {
		return out, false, nil
	}
	if err := unstructured.SetNestedMap(out.Object, have, "status"); err != nil {
		return nil, false, fmt.Errorf("set the status of %s/%s: %w", u.GetNamespace(), u.GetName(), err)
	}
	return out, true, nil
}
