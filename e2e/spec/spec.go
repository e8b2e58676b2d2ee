// Package spec holds what everything else speaks of: what a style.yaml says, and the words that files, recordings,
// verdicts and reports have in common. Its types and constants depend on the standard library alone.
package spec

// Resources of the cluster's own that judging knows, as plural.version.group.
const (
	Deployments = "deployments.v1.apps"
	ReplicaSets = "replicasets.v1.apps"
	Pods        = "pods.v1"
	Events      = "events.v1.events.k8s.io"
)
