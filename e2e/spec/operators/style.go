package operators

import (
	"path/filepath"
	"time"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/bed/images"
	"operatorbench/e2e/bed/kube"
)

// Style is a style.yaml, read and checked.
type Style struct {
	Name        string // the folder's name
	Description string // one sentence
	Source      string // where the operator comes from
	Folder      string // where style.yaml was found
	// Control says what the style is there to calibrate the harness with; empty:
	// it is an operator.
	Control Control
	// Base is the style that has said what this one's style.yaml does not; empty:
	// none has.
	Base string

	Images     []string // that the node must have: names in fixtures/images/catalogue.yaml, or of Own
	Own        []images.Image
	Stages     []Stage // of the installation, in order
	Components []Component
	Child      Child
	Declares   Declares
	Phases     []Phase
	Idle       []string // the phases that end a reconcile, by name
	// Work are the kinds of object in which the style does its work for one
	// custom resource. Empty: it works in its own memory.
	Work []Work
	// Differs is what the style's Deployment has otherwise than the reference
	// (memcached.Deployment), with reasons.
	Differs []Difference
	// Owned are the files and folders, relative to Folder, that who maintains
	// such an operator writes and answers for, beside those that an overlay uses of
	// what its base owns. Empty: all but style.yaml, verdicts.yaml and secrets.yaml.
	Owned []string
	// Scaffold are those of the owned files and folders that a generator of such
	// projects wrote and nobody changed, but for names.
	Scaffold []string
	// Warmup says whether a fresh install handles one custom resource before
	// anything is measured, because its first reconcile is slower.
	Warmup  Declaration
	Typical Typical
	Timeout time.Duration // a reconcile that takes longer is a censored sample

	own  []ownImage
	node *yaml.Node // what it was read from, for the lines of errors
}

// Control is what the harness is calibrated with.
type Control string

// The controls.
const (
	// Harness: the harness itself writes the Deployment, the floor of every
	// latency. Nothing is installed.
	Harness Control = "harness"
	// Idle: pods that do nothing, on which every oracle of convergence must fail.
	Idle Control = "idle"
)

// Stage is a part of the installation: its manifests are applied, then its
// gates are awaited, then the next stage follows.
type Stage struct {
	Name      string
	Manifests []string // files or folders, relative to the style's folder; ../STYLE/manifests/… is another style's
	Ready     []Gate
}

// Gate is a sign that a stage is ready. Exactly one field is set.
type Gate struct {
	Rollout   *Rollout
	Condition *Condition
	Log       *Log
}

// Rollout is complete when every pod of a workload is new and available.
type Rollout struct {
	Kind      string // Deployment, StatefulSet or DaemonSet
	Namespace string
	Name      string
}

// Condition holds when it is True in the status of an object.
type Condition struct {
	APIVersion string
	Kind       string
	Namespace  string // empty for a cluster-scoped object
	Name       string
	Type       string
}

// Log is there when a line in the logs of so many of a component's pods contains
// a text.
type Log struct {
	Component string
	Contains  string
	Pods      int
}

// Component is a part of the operator that runs in pods of its own.
type Component struct {
	Name      string
	Namespace string
	Selector  string // a label selector
	// ManagedBy names the component that makes this one's workload, and would
	// scale it up again; empty: none.
	ManagedBy string
}

// Work says how an object in which a style does its work is read.
type Work struct {
	Resource  string // plural.version.group
	Namespace string
	// Of says which custom resource it is for: Matches is a text/template over
	// .Name and .Namespace of the custom resource, each quoted for RE2.
	Of       FieldCondition
	Ended    FieldCondition // holds once nothing more comes of it
	Messages []string       // gjson paths at which a person reads what went wrong
	Suspend  string         // path, keys joined by dots, of a boolean that holds it up; empty: it cannot be
}

// Difference is a path of the Deployment, with all that is below it, that a
// style has otherwise than the reference, and why.
type Difference struct {
	Path   string // keys and indices joined by dots
	Reason string
}

// Child says how the Deployment of a custom resource is found. Exactly one
// field is set.
type Child struct {
	Name           string // a text/template over .Name and .Namespace of the custom resource
	OwnerReference bool   // the Deployment whose controller owner reference is the custom resource
}

// DeploymentName returns the name of a custom resource's Deployment. It is empty
// if the Deployment is to be found by its owner reference.
func (c Child) DeploymentName(namespace, name string) (string, error) {
	if c.OwnerReference {
		return "", nil
	}
	return expand("child.name", c.Name, namespace, name)
}

// Declares says what the operator is meant to do beyond its Deployment.
type Declares struct {
	Status          Declaration // it writes the custom resource's status
	OwnerReferences Declaration // its Deployment is owned by the custom resource
	DriftRepair     Declaration // it undoes what others change in its Deployment
}

// Declaration is a yes, or a no with its reason.
type Declaration struct {
	Supported bool
	Reason    string
	// Fields are those of the status that the operator writes, and Ready is the
	// type of the condition that says that spec.size pods are ready; "": none does.
	// Of the status alone.
	Fields []string
	Ready  string
}

// What of the status an operator can declare to write.
const (
	StatusNodes              = "nodes"
	StatusObservedGeneration = "observedGeneration"
	StatusReplicas           = "replicas"
	StatusSelector           = "selector"
	StatusConditions         = "conditions"
)

// StatusFields lists what of the status an operator can declare to write.
func StatusFields() []string {
	return []string{StatusNodes, StatusObservedGeneration, StatusReplicas, StatusSelector, StatusConditions}
}

// Phase is an inner phase of a reconcile: the first watch event after the
// intent, on an object of Resource, for which the rest holds.
type Phase struct {
	Name      string
	Resource  string   // plural.version.group, for example deployments.v1.apps; pods.v1 for the core group
	Namespace string   // empty: that of the custom resource
	Event     string   // ADDED, MODIFIED or DELETED; empty: any
	Path      string   // gjson syntax, into the object
	Equals    []string // any of these; empty: the path exists
	// Where are further conditions on the object, all of which must hold: they
	// say which objects are meant.
	Where []FieldCondition
}

// FieldCondition holds where a path of an object has a wanted value.
type FieldCondition struct {
	Path    string   // gjson syntax
	Equals  []string // any of these
	Matches string   // a regular expression (RE2) that matches somewhere in the value
}

// Typical are times for planning rounds, never for judging.
type Typical struct {
	Install   time.Duration
	Reconcile time.Duration
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

// Plan says what Install would touch. It reads the manifests alone.
func (s Style) Plan() (kube.Footprint, error) {
	objs, err := s.Objects()
	if err != nil {
		return kube.Footprint{}, err
	}
	return kube.Plan(objs), nil
}

// Objects renders everything that Install applies, in its order.
func (s Style) Objects() ([]*unstructured.Unstructured, error) {
	stages, err := s.render()
	return flatten(stages), err
}

// render returns the objects of each stage.
func (s Style) render() ([][]*unstructured.Unstructured, error) {
	stages := make([][]*unstructured.Unstructured, len(s.Stages))
	for i, stage := range s.Stages {
		for j, manifests := range stage.Manifests {
			objs, err := kube.RenderPath(filepath.Join(s.Folder, manifests))
			if err != nil {
				return nil, s.problem(i, j, err)
			}
			stages[i] = append(stages[i], objs...)
		}
	}
	return stages, nil
}

func flatten(stages [][]*unstructured.Unstructured) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, objs := range stages {
		all = append(all, objs...)
	}
	return all
}
