// Package operators holds what is compared: one folder an operator style. A
// style is its style.yaml and its manifests; this package reads them, installs
// a style in a cluster and takes it away again. A new style needs no Go.
package operators

import (
	"context"
	"time"

	"operatorbench/e2e/bed/kube"
)

// Operator is one operator style.
type Operator interface {
	// Install returns when the operator will really see what happens to a
	// custom resource. Nothing is touched if an object of the same name exists
	// that this run did not make.
	Install(ctx context.Context, c Cluster) error
	// Uninstall returns when nothing of the operator is left, whatever part of
	// an Install went before it.
	Uninstall(ctx context.Context, c Cluster) error
	// Style says what the operator is.
	Style() Style
}

// Cluster is where an operator is installed, and on behalf of which run.
type Cluster struct {
	Kube *kube.Client
	// Run is the run's id; everything that is made carries it as a label.
	Run string
	// Progress, if not nil, is told in a few words what is being done.
	Progress func(format string, args ...any)
}

func (c Cluster) progress(format string, args ...any) {
	if c.Progress != nil {
		c.Progress(format, args...)
	}
}

func (c Cluster) owner(style string) kube.Owner {
	return kube.Owner{Run: c.Run, Style: style}
}

// bounded gives a context without a deadline one.
func bounded(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}
