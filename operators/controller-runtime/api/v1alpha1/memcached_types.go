package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MemcachedSpec is what the user wants.
type MemcachedSpec struct {
	// Size is the number of memcached pods; zero is a valid wish.
	//
	// A pointer, so that a size that is missing is not taken for zero, and of 64
	// bits, so that one beyond an int32 can be read and reported: a single object
	// that cannot be decoded would stop the watch of all.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	// +required
	Size *int64 `json:"size,omitempty"`
}

// MemcachedStatus is what the operator last saw.
type MemcachedStatus struct {
	// Nodes are the names of the pods that are ready, sorted.
	// +listType=set
	// +optional
	Nodes []string `json:"nodes,omitempty"`

	// Replicas is the number of the Deployment's pods, ready or not, for the scale
	// subresource.
	// +optional
	Replicas int32 `json:"replicas"`

	// Selector is the pods' label selector, for the scale subresource.
	// +optional
	Selector string `json:"selector,omitempty"`

	// ObservedGeneration is the newest generation that the operator acted on.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Conditions are Ready, Available, Progressing and Degraded.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Memcached asks for a number of memcached pods.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name="Size",type=integer,JSONPath=`.spec.size`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
type Memcached struct {
	metav1.TypeMeta `json:",inline"`

	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// +required
	Spec MemcachedSpec `json:"spec"`

	// +optional
	Status MemcachedStatus `json:"status,omitzero"`
}

// MemcachedList is a list of Memcacheds.
// +kubebuilder:object:root=true
type MemcachedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []Memcached `json:"items"`
}
