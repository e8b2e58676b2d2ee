package drive

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/leak"
	"operatorbench/e2e/record/watch"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/workloads"
)

// Style is an operator style that is installed, with what only it needs.
type Style struct {
	record.Style
	// Faults breaks what a scenario wants broken. Only the matrix needs it.
	Faults Breaker
	// Inventory lists what is there at the end of a sample of the matrix, and Logs searches
	// the operator's logs for secrets at the end of a wave; nil: nobody does.
	Inventory InventoryTaker
	Logs      Searcher
	// Look looks at what the operator's pods have used and done, before a load stops them and around each step of a ramp;
	// nil: nobody does.
	Look func(ctx context.Context)
}

// InventoryTaker finds what there is in namespaces, the sample's own first, and what
// names them elsewhere; see package inventory.
type InventoryTaker interface {
	Take(ctx context.Context, namespaces ...string) record.Inventory
}

// Searcher puts a secret into namespaces, and searches logs for these; see package leak.
type Searcher interface {
	Mark(ctx context.Context, namespace string) (leak.Mark, error)
	Search(ctx context.Context, marks []leak.Mark) record.Logs
}

func (s Style) look(ctx context.Context) {
	if s.Look != nil {
		s.Look(ctx)
	}
}

// isFloor reports whether the driver itself writes what the custom resource asks
// for, right after each action: the floor of every latency.
func (s Style) isFloor() bool { return s.Control == spec.Harness }

// Patience replaces the matrix's, if it is not 0: of the idle control nothing ever moves.
func (s Style) Patience() time.Duration {
	if s.Control == spec.Idle {
		return s.Timeout
	}
	return 0
}

// ownResources are watched in the namespaces that a style runs in itself.
var ownResources = []schema.GroupVersionResource{
	{Version: "v1", Resource: "pods"},
	{Group: "events.k8s.io", Version: "v1", Resource: "events"},
}

// watches lists what is watched in the style's own namespaces: its pods, and what
// its inner phases and work objects are read from.
func (s Style) watches() []watch.Target {
	var all []watch.Target
	for _, namespace := range s.Namespaces {
		for _, resource := range ownResources {
			all = append(all, watch.Target{Resource: resource, Namespace: namespace})
		}
	}
	for _, phase := range s.Phases {
		target := watch.Target{Resource: workloads.GVR(phase.Resource), Namespace: phase.Namespace}
		if phase.Namespace != "" && !slices.Contains(all, target) { // in the custom resource's namespace everything is watched anyway
			all = append(all, target)
		}
	}
	for _, work := range s.Work {
		resource := workloads.GVR(work.Resource)
		all = slices.DeleteFunc(all, func(w watch.Target) bool { return w.Resource == resource && w.Namespace == work.Namespace })
		all = append(all, watch.Target{Resource: resource, Namespace: work.Namespace, Of: watch.Of{Path: work.Of.Path, Matches: work.Of.Matches}})
	}
	return all
}
