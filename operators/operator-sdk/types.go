package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Memcached is the custom resource, as the sample's types have it. Their form is
// behaviour: an int32 cannot hold every number that a definition may allow, and
// omitempty leaves a size of 0 out of every write.
type Memcached struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MemcachedSpec   `json:"spec,omitempty"`
	Status MemcachedStatus `json:"status,omitempty"`
}

// MemcachedSpec is what is wanted.
type MemcachedSpec struct {
	Size int32 `json:"size,omitempty"`
}

// MemcachedStatus is what was seen: conditions, and nothing else.
type MemcachedStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// MemcachedList is a list of custom resources.
type MemcachedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Memcached `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (m *Memcached) DeepCopyObject() runtime.Object {
	out := *m
	m.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Status.Conditions = nil
	for _, condition := range m.Status.Conditions {
		out.Status.Conditions = append(out.Status.Conditions, *condition.DeepCopy())
	}
	return &out
}

// DeepCopyObject implements runtime.Object.
func (l *MemcachedList) DeepCopyObject() runtime.Object {
	out := *l
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = nil
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*Memcached))
	}
	return &out
}

// addToScheme makes the types known.
func addToScheme(s *runtime.Scheme) {
	version := schema.GroupVersion{Group: "cache.example.com", Version: "v1alpha1"}
	s.AddKnownTypes(version, &Memcached{}, &MemcachedList{})
	metav1.AddToGroupVersion(s, version)
}
