package wire

import (
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"
	whole "k8s.io/apimachinery/pkg/util/json"

	"operatorbench/e2e/spec"
)

// Layout says which fields are read of each resource, and where a custom resource has them.
type Layout struct {
	Customs string   // the custom resource, as plural.version.group
	Mains   string   // the child that runs its pods
	Others  []string // of other children that are looked at

	fields bool    // expressions of the workload read objects
	custom *Lookup // what is read of a custom resource, by slot
	scale  *Lookup // and of its scale subresource
}

// unset is a path that no object has.
const unset = "absent-by-declaration"

// NewLayout is how the objects of a workload are read. others are the resources of children beside the main one that are
// looked at.
func NewLayout(w *spec.Workload, others ...string) *Layout {
	_, knob := w.ScaleKnob()
	paths := []string{knob.Path, w.Status.ObservedGeneration, w.Status.Replicas, w.Status.Selector, w.Status.Nodes, w.Status.Conditions, w.Status.Message}
	for i, path := range paths {
		if path == "" {
			paths[i] = unset
		}
	}
	return &Layout{
		Others:  others,
		Customs: w.Resource.Name(), Mains: w.Main().Resource,
		fields: w.Phases != (spec.WorkloadPhases{}), custom: behindMetadata(paths...),
		scale: behindMetadata("spec.replicas", unset, "status.replicas", "status.selector", unset, unset, unset),
	}
}

// IsRead reports whether objects of a resource are parsed: of all others (a
// style's Workflows, say) only the inner phases' paths are read.
func (l *Layout) IsRead(resource string) bool {
	return resource == l.Customs || resource == l.Mains || resource == spec.ReplicaSets || resource == spec.Pods || slices.Contains(l.Others, resource)
}

// Detailed reports whether a resource's objects have details.
func (l *Layout) Detailed(resource string) bool { return l.IsRead(resource) || resource == spec.Events }

// Read takes what judging needs out of an object's JSON.
func (l *Layout) Read(o *Object, raw json.RawMessage) error {
	custom, other := o.Resource == l.Customs, slices.Contains(l.Others, o.Resource)
	var err error
	switch {
	case custom:
		err = o.read(raw, l.custom, o.status()...)
	case other && o.Resource != spec.Pods && o.Resource != spec.ReplicaSets:
		err = o.read(raw, bare)
	default:
		err = o.read(raw, runs, &o.Replicas, &o.ObservedGeneration, &o.StatusReplicas, &o.ReadyReplicas, &o.UpdatedReplicas, &o.Phase)
	}
	if err != nil {
		return err
	}
	if l.fields && (custom || other || o.Resource == l.Mains) {
		if err := whole.Unmarshal(raw, &o.Fields); err != nil { // integers stay integers
			return err
		}
	}
	switch {
	case custom:
		return o.readAsks(raw)
	case o.Resource == spec.Pods:
		o.Granted = gjson.GetBytes(raw, "status.resources.limits").Exists()
		return o.readWaiting(raw)
	}
	return nil
}

// ReadScale reads what the scale subresource of a custom resource answered.
func (l *Layout) ReadScale(o *Object, raw json.RawMessage) error {
	return o.read(raw, l.scale, o.status()...)
}
