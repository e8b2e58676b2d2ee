package spec

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// Style is a style.yaml: what is known of an operator style before there is a cluster. Recordings hold it as it is, so
// that they can be judged without the repository. Times are nanoseconds in JSON.
type Style struct {
	Name        string `json:"name"`                  // the folder's name
	Description string `json:"description,omitempty"` // one sentence
	Source      string `json:"source,omitempty"`      // where the operator comes from
	// Control says what the style is there to calibrate the harness with; empty: it is an operator.
	Control Control `json:"control,omitempty"`
	// Base is the style that has said what this one's style.yaml does not; empty: none has.
	Base string `json:"base,omitempty"`

	Images []Image `json:"images,omitempty"`  // that the node must have
	Stages []Stage `json:"install,omitempty"` // of the installation, in order
	// Upgrade is how the style's next version is installed; nil: it has none, and an
	// upgrade is a rollout of what is there.
	Upgrade    *Upgrade    `json:"upgrade,omitempty"`
	Components []Component `json:"components,omitempty"`
	// Workload names the workload whose custom resources the operator handles; empty: the default one.
	Workload string   `json:"workload,omitempty"`
	Child    Child    `json:"child"`
	Declares Declares `json:"declares"`
	Phases   []Phase  `json:"phases,omitempty"`
	Idle     []string `json:"idle,omitempty"` // the phases that end a reconcile, by name
	// Work are the kinds of object in which the style does its work for one
	// custom resource. Empty: it works in its own memory.
	Work []Work `json:"work,omitempty"`
	// Distinct says which objects of the manifests must not be alike.
	Distinct []Distinct `json:"distinct,omitempty"`
	// Differs is what the style's main child has otherwise than the workload's reference, with reasons.
	Differs []Difference `json:"differs,omitempty"`
	// Owned are the files and folders, relative to the style's, that a maintainer of such an operator writes and answers
	// for, beside those of its base's that an overlay uses. Empty: all but style.yaml, verdicts.yaml and
	// secrets.yaml. Left out where there is a base: what the base owns, and the style's folder.
	Owned []string `json:"owned,omitempty"`
	// Scaffold are those of the owned files and folders that a generator of such
	// projects wrote and nobody changed, but for names.
	Scaffold []string `json:"scaffold,omitempty"`
	// Framework is what the operator is built on; nil: it is not said.
	Framework *Framework `json:"framework,omitempty"`
	// Settings are what the knobs are set to that most frameworks have, by the names of Rules.
	Settings map[string]Setting `json:"settings,omitempty"`
	Warmup   Warmup             `json:"warmup"`
	Typical  Typical            `json:"typical"`
	Timeout  time.Duration      `json:"timeout,omitempty"` // a reconcile that takes longer is a censored sample
}

// Control is what the harness is calibrated with.
type Control string

// The controls.
const (
	// Harness: the harness itself writes the main child, the floor of every latency. Nothing is installed.
	Harness Control = "harness"
	// Idle: pods that do nothing, on which every oracle of convergence must fail.
	Idle Control = "idle"
)

// Image is an image that the node must have: one of fixtures/catalogue.yaml,
// by its name alone, or one that the style brings along.
type Image struct {
	Name       string `json:"name"`
	Reference  string `json:"reference,omitempty"`  // empty: the catalogue has it
	Dockerfile string `json:"dockerfile,omitempty"` // a folder that it is built from; neither this nor go: it is pulled
	Go         string `json:"go,omitempty"`         // a folder with a main package that it is built from
}

// UnmarshalJSON reads the name alone, too.
func (i *Image) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &i.Name) == nil {
		return nil
	}
	type plain Image
	return json.Unmarshal(text, (*plain)(i))
}

// Stage is a part of the installation: its manifests are applied, then its
// gates are awaited, then the next stage follows.
type Stage struct {
	Name      string   `json:"name"`
	Manifests []string `json:"manifests"` // files or folders, relative to the style's folder; ../STYLE/manifests/… is another style's
	Ready     []Gate   `json:"ready,omitempty"`
}

// Upgrade is the installation of a style's next version over what is there: its
// manifests are applied, then its gates are awaited.
type Upgrade struct {
	Manifests []string `json:"manifests"` // as a stage's
	Ready     []Gate   `json:"ready"`
	Replaces  []string `json:"replaces"` // the components whose pods are new then, by name
}

// Gate is a sign that a stage is ready. Exactly one field is set.
type Gate struct {
	Rollout   *Rollout   `json:"rollout,omitempty"`
	Condition *Condition `json:"condition,omitempty"`
	Log       *Log       `json:"log,omitempty"`
	Field     *Field     `json:"field,omitempty"`
}

// String names what the gate waits for.
func (g Gate) String() string {
	switch {
	case g.Rollout != nil:
		return fmt.Sprintf("the rollout of %s %s/%s", g.Rollout.Kind, g.Rollout.Namespace, g.Rollout.Name)
	case g.Condition != nil:
		return fmt.Sprintf("condition %s of %s %s", g.Condition.Type, g.Condition.Kind, path.Join(g.Condition.Namespace, g.Condition.Name))
	case g.Log != nil:
		where := "the log of " + g.Log.Component
		if g.Log.Pods > 1 {
			where = fmt.Sprintf("the logs of %d pods of %s", g.Log.Pods, g.Log.Component)
		}
		return fmt.Sprintf("%q in %s", g.Log.Contains, where)
	case g.Field != nil:
		return fmt.Sprintf("%s = %s of %s %s", g.Field.Path, strings.Join(g.Field.Equals, " or "), g.Field.Kind, path.Join(g.Field.Namespace, g.Field.Name))
	}
	return "nothing"
}

// Rollout is complete when every pod of a workload is new and available.
type Rollout struct {
	Kind      string `json:"kind"` // Deployment, StatefulSet or DaemonSet
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// Condition holds when it is True in the status of an object.
type Condition struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"` // empty for a cluster-scoped object
	Name       string `json:"name"`
	Type       string `json:"type"`
}

// Log is there when a line in the logs of so many of a component's pods contains a text.
type Log struct {
	Component string `json:"component"`
	Contains  string `json:"contains"`
	Pods      int    `json:"pods,omitempty"` // 0 is 1
}

// Field holds when a path of an object has a wanted value.
type Field struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Namespace  string   `json:"namespace,omitempty"` // empty for a cluster-scoped object
	Name       string   `json:"name"`
	Path       string   `json:"path"`   // gjson syntax, into the object
	Equals     []string `json:"equals"` // any of these
	// Tells leads to what a person reads of why it has another value (gjson syntax),
	// beside the reason and the message next to it; empty: nowhere.
	Tells string `json:"tells,omitempty"`
}

// Component is a part of the operator that runs in pods of its own.
type Component struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Selector  string `json:"selector"` // a label selector
	// ManagedBy names the component that makes this one's workload, and would scale it up again; empty: none.
	ManagedBy string `json:"managedBy,omitempty"`
	// Metrics is the port at which its pods serve Prometheus' metrics over HTTP, under /metrics; 0: none is known.
	Metrics int `json:"metrics,omitempty"`
}

// MetricsPorts are the ports at which components serve metrics, by namespace.
func (s Style) MetricsPorts() map[string]int {
	ports := map[string]int{}
	for _, c := range s.Components {
		if c.Metrics > 0 {
			ports[c.Namespace] = c.Metrics
		}
	}
	return ports
}

// Child says how the main child of a custom resource is found. Exactly one field is set.
type Child struct {
	Name           string `json:"name,omitempty"`           // a text/template over .Name and .Namespace of the custom resource
	OwnerReference bool   `json:"ownerReference,omitempty"` // the one whose controller owner reference is the custom resource
}

// Declares says what the operator is meant to do beyond its children.
type Declares struct {
	Status          Declaration `json:"status"`          // it writes the custom resource's status
	OwnerReferences Declaration `json:"ownerReferences"` // its main child is owned by the custom resource
	DriftRepair     Declaration `json:"driftRepair"`     // it undoes what others change in its main child
}

// Declaration is a yes, or a no with its reason; a no without one: it is not known.
type Declaration struct {
	Supported bool   `json:"supported"`
	Reason    string `json:"reason,omitempty"` // of a no
	// Fields are those of the status that the operator writes, and Ready is the type of the condition that says that
	// the pods that are asked for are ready; empty: none does. Of the status alone.
	Fields []string `json:"fields,omitempty"`
	Ready  string   `json:"ready,omitempty"`
	// Busy is the condition that says that a reconcile is under way; nil: none does. Of the status alone.
	Busy *Busy `json:"busy,omitempty"`
	// Without says of fields that it does not write, why not.
	Without map[string]string `json:"without,omitempty"`
}

// Busy is a condition of a custom resource that is True, with this reason, while the operator reconciles it.
type Busy struct {
	Type   string `json:"type"`
	Reason string `json:"reason"`
}

// Field reports whether a field of the status is written, and of one that is not, why; "": the style does not say.
func (d Declaration) Field(name string) (written bool, reason string) {
	switch {
	case !d.Supported:
		return false, d.Reason
	case slices.Contains(d.Fields, name):
		return true, ""
	}
	return false, d.Without[name]
}

// UnmarshalJSON reads true or false, too.
func (d *Declaration) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &d.Supported) == nil {
		return nil
	}
	type plain Declaration
	return json.Unmarshal(text, (*plain)(d))
}

// Known reports whether the style says whether it does this.
func (d Declaration) Known() bool { return d.Supported || d.Reason != "" }

// Named is a declaration with its name.
type Named struct {
	Name string
	Declaration
}

// All lists the declarations, by their names in style.yaml.
func (d Declares) All() []Named {
	return []Named{{"status", d.Status}, {"ownerReferences", d.OwnerReferences}, {"driftRepair", d.DriftRepair}}
}

// Phase is an inner phase of a reconcile: the first watch event after the
// intent, on an object of Resource, for which the rest holds.
type Phase struct {
	Name      string   `json:"name"`
	Resource  string   `json:"resource"`            // plural.version.group, for example deployments.v1.apps; pods.v1 for the core group
	Namespace string   `json:"namespace,omitempty"` // empty: that of the custom resource
	Event     string   `json:"event,omitempty"`     // Added, Modified or Deleted; empty: any
	Path      string   `json:"path,omitempty"`      // gjson syntax, into the object
	Equals    []string `json:"equals,omitempty"`    // any of these; empty: the path exists
	// Where are further conditions on the object, which must all hold: they say which objects are meant.
	Where []FieldCondition `json:"where,omitempty"`
}

// FieldCondition holds where a path of an object has a wanted value.
type FieldCondition struct {
	Path    string   `json:"path"`              // gjson syntax
	Equals  []string `json:"equals,omitempty"`  // any of these
	Matches string   `json:"matches,omitempty"` // a regular expression (RE2) that matches somewhere in the value
}

// Work says how an object in which a style does its work is read.
type Work struct {
	Resource  string `json:"resource"`  // plural.version.group
	Namespace string `json:"namespace"` // where the style works
	// Of says which custom resource it is for: Matches is a text/template over
	// .Name and .Namespace of the custom resource, each quoted for RE2.
	Of       FieldCondition `json:"of"`
	Ended    FieldCondition `json:"ended"`              // holds once nothing more comes of it
	Messages []string       `json:"messages,omitempty"` // gjson paths at which a person reads what went wrong
	Suspend  string         `json:"suspend,omitempty"`  // path, keys joined by dots, of a boolean that holds it up; empty: it cannot be
}

// Distinct says of a kind of object that two of them must not do the same: two
// that have at every path some value in common are refused.
type Distinct struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Paths      []string `json:"paths"`  // gjson syntax; each leads to a value or to a list of them
	Reason     string   `json:"reason"` // what goes wrong otherwise, and what to do
}

// Difference is a path of the main child, with all that is below it, that a
// style has otherwise than the reference, and why.
type Difference struct {
	Path   string `json:"path"` // keys and indices joined by dots: spec.template.spec.containers.0.args
	Reason string `json:"reason"`
}

// Warmup says whether a fresh install handles one custom resource before
// anything is measured, because its first reconcile is slower.
type Warmup struct {
	Skip string `json:"skip,omitempty"` // why there is none; empty: there is one
}

// Typical are times for planning rounds, never for judging.
type Typical struct {
	Install   time.Duration `json:"install,omitempty"`
	Reconcile time.Duration `json:"reconcile,omitempty"`
}

// Component returns the component of a name.
func (s Style) Component(name string) (Component, bool) {
	for _, component := range s.Components {
		if component.Name == name {
			return component, true
		}
	}
	return Component{}, false
}

// ImageNames lists the names of the images that the node must have.
func (s Style) ImageNames() []string {
	var names []string
	for _, image := range s.Images {
		names = append(names, image.Name)
	}
	return names
}
