// Package v1alpha1 is the API group cache.example.com in its version v1alpha1.
// +kubebuilder:object:generate=true
// +groupName=cache.example.com
package v1alpha1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

// GroupVersion is the group and version of this package's kinds.
var GroupVersion = schema.GroupVersion{Group: "cache.example.com", Version: "v1alpha1"}

// AddToScheme teaches a scheme this package's kinds.
var AddToScheme = (&scheme.Builder{GroupVersion: GroupVersion}).Register(&Memcached{}, &MemcachedList{}).AddToScheme
