// Package fault breaks things on purpose, and makes them whole again: parts of
// an operator style, its rights, and the cluster below it.
package fault

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/workloads"
)

// Node is the machine that a cluster runs on, where the harness may touch it.
type Node interface {
	// Exec runs a command in the node and returns what it printed. The error of
	// a command that fails carries its output.
	Exec(ctx context.Context, command ...string) (string, error)
	// Restart stops the node as a power failure would, and starts it again.
	Restart(ctx context.Context) error
}

// Injector breaks and mends. Fields are set once.
type Injector struct {
	Kube    kubernetes.Interface
	Dynamic dynamic.Interface
	// Owner marks what the injector itself makes, so that it can be found and removed.
	Owner kube.Owner
	Style spec.Style
	// Workload is what the style handles.
	Workload *workloads.Workload
	// Installed returns what the cluster has of the style, which was installed from manifests in Folder.
	Installed func(ctx context.Context) ([]*unstructured.Unstructured, error)
	Folder    string
	// Next installs the style's next version and returns when that serves; it is asked where the style has one.
	Next func(ctx context.Context) error
	Node Node // nil: the cluster is not the harness's own; faults below Kubernetes are refused
}

// Target is the custom resource of the sample that a fault is a part of.
type Target struct {
	Namespace, Name string
	// Child is the name that its main child had when it was deleted; empty: it was not, or had none.
	Child string
}

// Broken is what a fault did.
type Broken struct {
	Objects []string // that were acted on, for example pods/argo/workflow-controller-x
	// Undo makes it whole again, and returns when it serves again. Nil: the
	// fault was over when Begin returned. It may be called again after an error.
	Undo func(ctx context.Context) error
}
