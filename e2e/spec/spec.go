// Package spec holds what everything else speaks of: what a style.yaml says, and
// the words that files, recordings, verdicts and reports have in common. Its
// types and constants depend on the standard library alone.
package spec

// The custom resource that every operator style is given.
const (
	CustomGroup   = "cache.example.com"
	CustomVersion = "v1alpha1"
	CustomKind    = "Memcached"
	CustomPlural  = "memcacheds"

	CustomAPIVersion = CustomGroup + "/" + CustomVersion
)

// The resources that are judged, as plural.version.group.
const (
	CustomResources = CustomPlural + "." + CustomVersion + "." + CustomGroup
	Deployments     = "deployments.v1.apps"
	ReplicaSets     = "replicasets.v1.apps"
	Pods            = "pods.v1"
	Events          = "events.v1.events.k8s.io"
)
