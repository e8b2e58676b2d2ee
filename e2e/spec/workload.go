package spec

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Workload is a workload.yaml: a custom resource, what an operator makes for it, and what it owes. Recordings hold it
// as it is, so that they can be judged without the repository. Paths are keys joined by dots, from the object's root.
type Workload struct {
	Name        string         `json:"name"` // the folder's name, and that of a scenario's own custom resource
	Description string         `json:"description"`
	Source      string         `json:"source,omitempty"` // repository and version of what it describes
	Resource    CustomResource `json:"resource"`
	// Definition is the file with the CustomResourceDefinition; empty: the operator brings it.
	Definition string `json:"definition,omitempty"`
	Template   string `json:"template"` // the file with one custom resource
	// ScaleSubresource says that the custom resource has one. The file says so only where it has no Definition.
	ScaleSubresource bool `json:"scaleSubresource,omitempty"`
	// Reference is the file with the main child that the custom resource of the template asks for. The floor writes it, and
	// every style is compared with it. Empty: there is no floor, and nothing is compared.
	Reference string          `json:"reference,omitempty"`
	Images    []string        `json:"images,omitempty"` // that the node must have, by their names in the catalogue
	Knobs     map[string]Knob `json:"knobs"`
	Children  []ChildKind     `json:"children"`
	Status    StatusPaths     `json:"status"`
	// AtOnce is how many custom resources the correctness matrix drives side by side at most, where the pods of one need a
	// good part of a machine; 0: as many as the harness does.
	AtOnce int `json:"atOnce,omitempty"`
	// Phases are moments of a custom resource in CEL; see Phases for what each means. A phase that is left out is as the kind
	// of the main child defines it.
	Phases WorkloadPhases `json:"phases"`
}

// CustomResource names the custom resource in the API.
type CustomResource struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Plural  string `json:"plural"`
}

// Name is plural.version.group, as in recordings.
func (r CustomResource) Name() string { return r.Plural + "." + r.Version + "." + r.Group }

// APIVersion is group/version.
func (r CustomResource) APIVersion() string { return r.Group + "/" + r.Version }

// Knob is a field of the custom resource that scenarios turn.
type Knob struct {
	Path   string `json:"path"`
	Effect Effect `json:"effect"`
	// Values are all that it can be set to, in ascending order; empty: every number from Min to Max.
	Values []int `json:"values,omitempty"`
	Min    int   `json:"min,omitempty"`
	Max    int   `json:"max,omitempty"`
	// Down says that it can be set to a lower value. It is nil where it can, to any.
	Down *Down `json:"down,omitempty"`
}

// Lowest is the lowest value.
func (k Knob) Lowest() int {
	if len(k.Values) > 0 {
		return k.Values[0]
	}
	return k.Min
}

// Highest is the highest value.
func (k Knob) Highest() int {
	if n := len(k.Values); n > 0 {
		return k.Values[n-1]
	}
	return k.Max
}

// Down restricts how a knob that scales is set to a lower value.
type Down struct {
	Only   []int  `json:"only"` // the values that it can be lowered to
	Reason string `json:"reason"`
}

// Takes reports whether a knob can be set to a value.
func (k Knob) Takes(value int) bool {
	if len(k.Values) > 0 {
		return slices.Contains(k.Values, value)
	}
	return k.Min <= value && value <= k.Max
}

// Range says what a knob can be set to.
func (k Knob) Range() string {
	if len(k.Values) == 0 {
		return fmt.Sprintf("%d to %d", k.Min, k.Max)
	}
	var texts []string
	for _, value := range k.Values {
		texts = append(texts, strconv.Itoa(value))
	}
	return strings.Join(texts, ", ")
}

// Lowers says why a knob cannot be set from one value to a lower one; "": it can, or it is none.
func (k Knob) Lowers(from, to int) string {
	if to >= from || k.Down == nil || slices.Contains(k.Down.Only, to) {
		return ""
	}
	return strings.TrimSuffix(k.Down.Reason, ".")
}

// Effect is what a knob changes.
type Effect string

// Scale is the effect of the one knob that says how many pods run.
const Scale Effect = "scale"

// ChildKind is a kind of object that the operator makes for a custom resource.
type ChildKind struct {
	ID       string `json:"id"`       // what expressions call it
	Resource string `json:"resource"` // plural.version.group; plural.version of the core group
	Kind     string `json:"kind"`
	// Main marks the one child that runs the pods; there is exactly one.
	Main  bool   `json:"main,omitempty"`
	Scale string `json:"scale,omitempty"` // the path of the number of its pods
}

// GroupResource is plural.group, as in roles and policies; plural of the core group.
func (c ChildKind) GroupResource() string {
	plural, rest, _ := strings.Cut(c.Resource, ".")
	if _, group, found := strings.Cut(rest, "."); found {
		return plural + "." + group
	}
	return plural
}

// HasTemplate reports whether a child makes its pods of a template that can be changed.
func (c ChildKind) HasTemplate() bool {
	return slices.Contains([]string{"deployments.apps", "statefulsets.apps", "daemonsets.apps", "replicasets.apps", "replicationcontrollers"}, c.GroupResource())
}

// StatusPaths are where the custom resource's status has what an operator can declare to write. An empty path means that
// the custom resource has no such field.
type StatusPaths struct {
	ObservedGeneration string `json:"observedGeneration,omitempty"`
	Replicas           string `json:"replicas,omitempty"` // how many pods there are
	Selector           string `json:"selector,omitempty"` // the label selector of the pods
	Nodes              string `json:"nodes,omitempty"`    // the names of the pods that run
	Conditions         string `json:"conditions,omitempty"`
}

// Of returns the path of a field; see StatusFields.
func (p StatusPaths) Of(field string) string {
	switch field {
	case StatusObservedGeneration:
		return p.ObservedGeneration
	case StatusReplicas:
		return p.Replicas
	case StatusSelector:
		return p.Selector
	case StatusNodes:
		return p.Nodes
	case StatusConditions:
		return p.Conditions
	}
	return ""
}

// WorkloadPhases are expressions in CEL, each true once the phase is reached.
type WorkloadPhases struct {
	Ready string `json:"ready,omitempty"` // beside the rollout of the main child, of the size that is asked for
}

// Main is the child that runs the pods.
func (w *Workload) Main() ChildKind {
	i := slices.IndexFunc(w.Children, func(c ChildKind) bool { return c.Main })
	if i < 0 {
		return ChildKind{}
	}
	return w.Children[i]
}

// ScaleKnob is the name of the knob that scales, and the knob.
func (w *Workload) ScaleKnob() (name string, knob Knob) {
	for name, knob := range w.Knobs {
		if knob.Effect == Scale {
			return name, knob
		}
	}
	return "", Knob{}
}

// Fields are the keys of a path.
func Fields(path string) []string { return strings.Split(path, ".") }

// Unsaid marks, in a file that opbench init wrote, what nobody but a person can say.
const Unsaid = "TODO"

// MergePatch is the merge patch that sets the field at a path; nil removes it.
func MergePatch(path []string, value any) ([]byte, error) {
	for _, key := range slices.Backward(path) {
		value = map[string]any{key: value}
	}
	return json.Marshal(value)
}
