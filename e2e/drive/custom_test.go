package drive_test

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	resource    = schema.GroupVersionResource{Group: "cache.example.com", Version: "v1alpha1", Resource: "memcacheds"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
)
