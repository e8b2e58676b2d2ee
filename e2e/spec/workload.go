package spec

import (
	"encoding/json"
	"fmt"
	"maps"
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
	// WholeStatus says that the Definition has no status subresource: who writes the status writes the whole object, and
	// each such write is a generation. No file says so.
	WholeStatus bool `json:"wholeStatus,omitempty"`
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
	// Names is what the name of a custom resource must match as a whole (RE2): the API server refuses any other. Empty: it
	// takes any.
	Names string `json:"names,omitempty"`
	// Admission says that a webhook of the operator decides on each write of a custom resource: while nothing of the
	// operator answers, the API server takes none.
	Admission bool `json:"admission,omitempty"`
	// Phases are moments of a custom resource in CEL; see Phases for what each means. A phase that is left out is as the
	// kind of the main child defines it.
	Phases WorkloadPhases `json:"phases"`
	// Pause is the merge patch by which a custom resource is paused, so that its operator writes nothing of it; without its
	// fields it goes on. Nil: it cannot be paused.
	Pause map[string]any `json:"pause,omitempty"`
	// Probe asks the managed system itself. Nil: it is not asked.
	Probe *Probe `json:"probe,omitempty"`
	// Quorum says how many pods must be ready all along while they are replaced; see Majority. Empty: none need be.
	Quorum string `json:"quorum,omitempty"`
}

// Probe is how the managed system is asked itself: over a TCP connection to one of the pods that are ready, as through
// a Service.
type Probe struct {
	Ask ProbeRequest `json:"ask"` // is answered as long as it serves
	// Gap is the longest time without an answer that is no failure while pods are replaced or lost, in seconds; 0: any is
	// none.
	Gap   int           `json:"gap,omitempty"`
	Write *ProbeRequest `json:"write,omitempty"` // stores what Read is answered with
	Read  *ProbeRequest `json:"read,omitempty"`
	// Kept says that what Write stored is on volumes: it is there when all pods have been killed at once.
	Kept bool `json:"kept,omitempty"`
}

// ProbeRequest is one question.
type ProbeRequest struct {
	Port   int    `json:"port"`
	Send   string `json:"send,omitempty"` // empty: the pod speaks first
	Expect string `json:"expect"`         // an expression (RE2) of the answer
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
	// To is what a knob that does not scale is turned to. The template has another value there, or none.
	To any `json:"to,omitempty"`
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

// The effects.
const (
	Scale   Effect = "scale"   // how many pods run; one knob has it
	Roll    Effect = "roll"    // each pod is replaced, or started anew
	InPlace Effect = "inPlace" // every pod stays
)

// Majority is the quorum of a cluster whose members vote.
const Majority = "majority"

// ChildKind is a kind of object that the operator makes for a custom resource.
type ChildKind struct {
	ID       string `json:"id"`       // what expressions call it
	Resource string `json:"resource"` // plural.version.group; plural.version of the core group
	Kind     string `json:"kind"`
	// Name is that of a child beside the main one, where it is known before the child is there: a template, as Child.Name.
	Name string `json:"name,omitempty"`
	// Main marks the one child that runs the pods; there is exactly one.
	Main  bool   `json:"main,omitempty"`
	Scale string `json:"scale,omitempty"` // the path of the number of its pods
	// Many says of the main child that it is the pods themselves, each one that the custom resource controls.
	Many bool `json:"many,omitempty"`
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

// Occupiable are the children beside the main one whose places somebody else can take: the name is known, and so is what an
// object of the kind may be that is nobody's child.
func (w *Workload) Occupiable() []ChildKind {
	kinds := []string{"configmaps", "secrets", "services", "serviceaccounts", "roles.rbac.authorization.k8s.io"}
	return slices.DeleteFunc(slices.Clone(w.Children), func(c ChildKind) bool {
		return c.Main || c.Name == "" || !c.HasTemplate() && !slices.Contains(kinds, c.GroupResource())
	})
}

// RunsPods reports whether a child is a pod, or of one of Kubernetes' kinds that make pods.
func (c ChildKind) RunsPods() bool {
	return c.HasTemplate() || slices.Contains([]string{"pods", "jobs.batch", "cronjobs.batch"}, c.GroupResource())
}

// StatusPaths are where the custom resource's status has what an operator can declare to write. An empty path means
// that the custom resource has no such field.
type StatusPaths struct {
	ObservedGeneration string `json:"observedGeneration,omitempty"`
	Replicas           string `json:"replicas,omitempty"` // how many pods there are
	Selector           string `json:"selector,omitempty"` // the label selector of the pods
	Nodes              string `json:"nodes,omitempty"`    // the names of the pods that run
	Conditions         string `json:"conditions,omitempty"`
	Message            string `json:"message,omitempty"` // a text that tells a person what is wrong, beside what conditions say
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

// WorkloadPhases are expressions in CEL, each true once the phase is reached. In them, a child beside the main one is the
// list of what there is of its kind in the namespace.
type WorkloadPhases struct {
	Ready  string `json:"ready,omitempty"`  // beside the rollout of the main child, of the size that is asked for
	Failed string `json:"failed,omitempty"` // it says that it cannot be brought about: it is not ready, whatever Ready says
	Paused string `json:"paused,omitempty"` // it says that nothing is done for it
	// Gone is true once nothing is left of a deleted one, beside its main child and pods. In it, the main child is such a
	// list, too, and the custom resource is what it was last.
	Gone string `json:"gone,omitempty"`
}

// Named are the expressions that a workload has, by the phases' names.
func (p WorkloadPhases) Named() map[string]string {
	named := map[string]string{"ready": p.Ready, "failed": p.Failed, "paused": p.Paused, "gone": p.Gone}
	maps.DeleteFunc(named, func(_, text string) bool { return text == "" })
	return named
}

// Main is the child that runs the pods.
func (w *Workload) Main() ChildKind {
	i := slices.IndexFunc(w.Children, func(c ChildKind) bool { return c.Main })
	if i < 0 {
		return ChildKind{}
	}
	return w.Children[i]
}

// ChildIDs are what expressions call the children.
func (w *Workload) ChildIDs() []string {
	var ids []string
	for _, child := range w.Children {
		if !slices.Contains(ids, child.ID) {
			ids = append(ids, child.ID)
		}
	}
	return ids
}

// ScaleKnob is the name of the knob that scales, and the knob.
func (w *Workload) ScaleKnob() (name string, knob Knob) {
	return w.Turned(Scale)
}

// Turned is the knob with an effect, the first by name; empty: there is none.
func (w *Workload) Turned(effect Effect) (name string, knob Knob) {
	for _, name := range slices.Sorted(maps.Keys(w.Knobs)) {
		if knob := w.Knobs[name]; knob.Effect == effect {
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
