// Package wire reads recorded Kubernetes objects: what judging needs of them, and nothing else, in one pass over their
// text. Whatever is not of the form in which recordings are written is left to encoding/json, which has the last word.
package wire

import "encoding/json"

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
	Waiting            string   // of a pod: why a container waits, where the node says it in a sentence
	Unplaced           string   // of a pod: what the scheduler says, where it finds no node for it
	Asks               []string // of a custom resource, and of a pod without a node: what it asks of one; see Asks

	Fields map[string]any // all of it, where an expression of the workload reads it; nil: none does
	Detail *Detail        // nil outside of the correctness matrix
}

// Condition is a condition in the status of a custom resource.
type Condition struct {
	Notice

	ObservedGeneration int64  `json:"observedGeneration"` // 0: it does not say
	LastTransitionTime string `json:"lastTransitionTime"`
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
}

// workload is the part that a pod, and an object that runs pods, have.
type workload struct {
	Spec struct {
		Replicas *int `json:"replicas"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration int64  `json:"observedGeneration"`
		Replicas           int    `json:"replicas"`
		ReadyReplicas      int    `json:"readyReplicas"`
		UpdatedReplicas    int    `json:"updatedReplicas"`
		Phase              string `json:"phase"`
	} `json:"status"`
}

// read takes what judging needs out of an object's JSON, but for the spec and status of a custom resource.
func (o *Object) read(raw json.RawMessage, custom bool) error {
	quick := *o
	if quick.skim(raw, custom) {
		*o = quick
		return nil
	}
	var in wire
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	o.take(&in)
	if custom {
		return nil
	}
	var runs workload
	if err := json.Unmarshal(raw, &runs); err != nil {
		return err
	}
	o.takeWorkload(&runs)
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
	o.Replicas = 1
}

func (o *Object) takeWorkload(in *workload) {
	if in.Spec.Replicas != nil {
		o.Replicas = *in.Spec.Replicas
	}
	s := &in.Status
	o.ObservedGeneration, o.Phase = s.ObservedGeneration, s.Phase
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
	Generation int64 // the generation that it reports on; 0: it does not say
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
