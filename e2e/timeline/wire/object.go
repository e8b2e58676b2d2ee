// Package wire reads recorded Kubernetes objects: what judging needs of them, and
// nothing else, in one pass over their text. Whatever is not of the form in which
// recordings are written is left to encoding/json, which has the last word.
package wire

import (
	"encoding/json"

	"operatorbench/e2e/spec"
)

// Object is what judging reads of a Kubernetes object.
type Object struct {
	Resource, Namespace, Name, UID string

	ResourceVersion string
	Generation      int64
	Controller      string // uid of the controller among the owner references; empty: none
	Deleting        bool   // it has a deletion timestamp
	Finalizers      []string

	Size     int // spec.size of a custom resource
	Replicas int // spec.replicas of a Deployment or ReplicaSet; 1 where absent, as the API defines

	ObservedGeneration int64    // status.observedGeneration
	StatusReplicas     int      // status.replicas
	ReadyReplicas      int      // status.readyReplicas
	UpdatedReplicas    int      // status.updatedReplicas
	Nodes              []string // status.nodes of a custom resource
	Selector           string   // status.selector of a custom resource
	Conditions         []Condition
	Phase              string // status.phase of a pod

	Detail *Detail // nil outside of the correctness matrix
}

// Condition is a condition in the status of a custom resource.
type Condition struct {
	Notice

	ObservedGeneration int64 `json:"observedGeneration"` // 0: it does not say
}

// wire is the part of an object's JSON that Object is made from.
type wire struct {
	Metadata struct {
		UID               string   `json:"uid"`
		ResourceVersion   string   `json:"resourceVersion"`
		Generation        int64    `json:"generation"`
		DeletionTimestamp *string  `json:"deletionTimestamp"`
		Finalizers        []string `json:"finalizers"`
		OwnerReferences   []struct {
			UID        string `json:"uid"`
			Controller bool   `json:"controller"`
		} `json:"ownerReferences"`
	} `json:"metadata"`
	Spec struct {
		Size     int  `json:"size"`
		Replicas *int `json:"replicas"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration int64    `json:"observedGeneration"`
		Replicas           int      `json:"replicas"`
		ReadyReplicas      int      `json:"readyReplicas"`
		UpdatedReplicas    int      `json:"updatedReplicas"`
		Nodes              []string `json:"nodes"`
		Phase              string   `json:"phase"`

		Selector   json.RawMessage `json:"selector"`
		Conditions json.RawMessage `json:"conditions"`
	} `json:"status"`
}

// IsRead tells whether objects of a resource are parsed: of all others (a
// style's Workflows, say) only the inner phases' paths are read.
func IsRead(resource string) bool {
	switch resource {
	case spec.CustomResources, spec.Deployments, spec.ReplicaSets, spec.Pods:
		return true
	}
	return false
}

// Read takes what judging needs out of an object's JSON.
func (o *Object) Read(raw json.RawMessage) error {
	quick := *o
	if quick.skim(raw) {
		*o = quick
		return nil
	}
	var in wire
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	o.take(&in)
	if o.Resource != spec.CustomResources {
		return nil
	}
	for raw, into := range map[*json.RawMessage]any{&in.Status.Selector: &o.Selector, &in.Status.Conditions: &o.Conditions} {
		if len(*raw) == 0 {
			continue
		}
		if err := json.Unmarshal(*raw, into); err != nil {
			return err
		}
	}
	return nil
}

func (o *Object) take(in *wire) {
	meta := &in.Metadata
	if o.UID == "" {
		o.UID = meta.UID
	}
	o.ResourceVersion, o.Generation = meta.ResourceVersion, meta.Generation
	o.Deleting, o.Finalizers = meta.DeletionTimestamp != nil, meta.Finalizers
	for _, owner := range meta.OwnerReferences {
		if owner.Controller {
			o.Controller = owner.UID
		}
	}
	o.Size, o.Replicas = in.Spec.Size, 1
	if in.Spec.Replicas != nil {
		o.Replicas = *in.Spec.Replicas
	}
	s := &in.Status
	o.ObservedGeneration, o.Nodes, o.Phase = s.ObservedGeneration, s.Nodes, s.Phase
	o.StatusReplicas, o.ReadyReplicas, o.UpdatedReplicas = s.Replicas, s.ReadyReplicas, s.UpdatedReplicas
}

// Notices are what the object's conditions say: outside of the correctness matrix only
// those of a custom resource are read.
func (o *Object) Notices() []Notice {
	if o.Detail != nil {
		return o.Detail.Conditions
	}
	var list []Notice
	for _, c := range o.Conditions {
		list = append(list, c.Notice)
	}
	return list
}

// Readiness is what the condition that a style declares for it says.
type Readiness struct {
	There, Yes bool
	Reason     string
	Generation int64 // of which it says so; 0: it does not tell
}

// Ready looks for the condition of a type.
func (o *Object) Ready(kind string) Readiness {
	for _, c := range o.Conditions {
		if c.Type == kind && kind != "" {
			return Readiness{true, c.Status == "True", c.Reason, c.ObservedGeneration}
		}
	}
	return Readiness{}
}
