// Package wire reads recorded Kubernetes objects: what judging needs of them, and nothing else, in one pass over their
// text.
package wire

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"operatorbench/e2e/plain"
)

// Object is what judging reads of a Kubernetes object.
type Object struct {
	Resource, Namespace, Name, UID string

	ResourceVersion string
	Generation      int64
	Controller      string // uid of the controller among the owner references; empty: none
	Deleting        bool   // it has a deletion timestamp
	Finalizers      []string

	Size     int // how many pods a custom resource asks for
	Replicas int // spec.replicas of what runs pods; 1 where absent, as the API defines

	ObservedGeneration int64    // status.observedGeneration, of a custom resource at the workload's path
	StatusReplicas     int      // status.replicas, likewise
	ReadyReplicas      int      // status.readyReplicas
	UpdatedReplicas    int      // status.updatedReplicas
	Nodes              []string // of a custom resource: the names of its pods
	Selector           string   // of a custom resource: its pods' label selector
	Conditions         []Condition
	Message            string   // of a custom resource: what its status tells a person, beside its conditions
	Phase              string   // status.phase of a pod
	Granted            bool     // of a pod: its status says which limits its node has given it
	Waiting            string   // of a pod: why a container waits, where the node says it in a sentence
	Unplaced           string   // of a pod: what the scheduler says, where it finds no node for it
	Asks               []string // of a custom resource, and of a pod without a node: what it asks of one; see Asks

	Fields map[string]any // all of it, where an expression of the workload reads it; nil: none does
	Detail *Detail        // nil outside of the correctness matrix
}

// OnlyGranted reports whether nothing that is read of a pod is otherwise than before, but that its node says which limits it
// has given it.
func (o *Object) OnlyGranted(before *Object) bool {
	if before == nil || before.Granted || !o.Granted {
		return false
	}
	same := *before
	same.Granted, same.ResourceVersion, same.Fields = true, o.ResourceVersion, o.Fields
	return reflect.DeepEqual(&same, o)
}

// Condition is a condition in the status of a custom resource.
type Condition struct {
	Notice

	ObservedGeneration int64  `json:"observedGeneration"` // 0: it does not say
	LastTransitionTime string `json:"lastTransitionTime"`
}

// What is read of every object, by slot; and behind it, of a pod and of what runs pods.
var (
	metadata = []string{"metadata.uid", "metadata.deletionTimestamp", "metadata.ownerReferences", "metadata.resourceVersion", "metadata.generation", "metadata.finalizers"}
	bare     = behindMetadata()
	runs     = behindMetadata("spec.replicas", "status.observedGeneration", "status.replicas", "status.readyReplicas", "status.updatedReplicas", "status.phase")
)

// behindMetadata is a lookup of an object's metadata, and behind it of further paths.
func behindMetadata(paths ...string) *Lookup { return NewLookup(slices.Concat(metadata, paths)) }

// read takes an object's metadata, and what a lookup finds behind it. A value of another type is an error.
func (o *Object) read(raw json.RawMessage, look *Lookup, behind ...any) error {
	if !bytes.HasPrefix(raw, []byte("{")) {
		if err := json.Unmarshal(raw, &struct{}{}); err != nil { // null is an object without anything
			return err
		}
	}
	found := look.In(raw, unbounded)
	if o.UID == "" {
		o.UID = found[0].String()
	}
	o.Deleting = found[1] != nil && string(found[1]) != "null"
	o.Controller = gjson.GetBytes(found[2], "#(controller==true).uid").String()
	o.Replicas = 1 // where absent
	return decodeAll(found[3:], append([]any{&o.ResourceVersion, &o.Generation, &o.Finalizers}, behind...)...)
}

// Version is the resource version, which a later write raises; 0: it is none that can be compared.
func (o *Object) Version() uint64 {
	version, err := strconv.ParseUint(o.ResourceVersion, 10, 64)
	if err != nil {
		return 0
	}
	return version
}

// unbounded allows for any number of steps.
func unbounded(int) bool { return true }

// status is where what a custom resource has at the paths of its workload goes, by slot.
func (o *Object) status() []any {
	return []any{&o.Size, &o.ObservedGeneration, &o.StatusReplicas, &o.Selector, &o.Nodes, &o.Conditions, &o.Message}
}

// Notices are what the object's conditions say: outside of the correctness matrix only
// those of a custom resource are read.
func (o *Object) Notices() []Notice {
	if o.Detail != nil {
		return o.Detail.Conditions
	}
	return plain.Map(o.Conditions, func(c Condition) Notice { return c.Notice })
}

// Condition is the condition of a type; without one of its own: there is none.
func (o *Object) Condition(kind string) Condition {
	c, _ := plain.Find(o.Conditions, func(c Condition) bool { return c.Type == kind && kind != "" })
	return c
}

// True reports whether the condition is there, and is True.
func (c Condition) True() bool { return c.Status == "True" }
