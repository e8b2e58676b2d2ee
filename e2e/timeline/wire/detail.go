package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"operatorbench/e2e/spec"
)

// Detail is what only oracles of the correctness matrix read of an object. It is
// not read of the many objects of a recording that is there for its latencies.
type Detail struct {
	Spec       string            // of a custom resource or its main child: its JSON text
	Labels     map[string]string // of a pod or a main child
	Notes      map[string]string // annotations of a main child
	Owners     []OwnerReference  // of a main child
	Conditions []Notice          // of any but an Event
	Containers []Container       // of a pod, those that begin it first
	// Told is what an Event says, or the status of a pod.
	Notice
	Regarding Regarding // of an Event
}

// OwnerReference is one of an object's owner references.
type OwnerReference struct {
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
	Controller bool   `json:"controller"`
}

// Notice is a message for people.
type Notice struct {
	Type    string `json:"type"`   // of a condition; Normal or Warning of an Event
	Status  string `json:"status"` // of a condition
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Text is the message with its reason, as people see it.
func (m Notice) Text() string {
	if m.Reason == "" || m.Message == "" {
		return m.Reason + m.Message
	}
	return m.Reason + ": " + m.Message
}

// Regarding names the object that an Event is about.
type Regarding struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// Container is the status of one container of a pod.
type Container struct {
	Name         string `json:"name"`
	RestartCount int    `json:"restartCount"`
	State        struct {
		Waiting    *Notice      `json:"waiting"`
		Terminated *Termination `json:"terminated"`
	} `json:"state"`
	LastState struct {
		Terminated *Termination `json:"terminated"`
	} `json:"lastState"`
}

// Termination is how a container ended.
type Termination struct {
	ExitCode int    `json:"exitCode"`
	Reason   string `json:"reason"`
	Message  string `json:"message"`
}

// Text says how it ended, as people see it.
func (d Termination) Text() string {
	return fmt.Sprintf("exit code %d, %s", d.ExitCode, Notice{Reason: d.Reason, Message: d.Message}.Text())
}

// waits finds where a pod's status says why it waits.
var waits = NewLookup([]string{"status.conditions", "status.initContainerStatuses", "status.containerStatuses"})

// readWaiting reads that the scheduler finds no node for a pod, or else its first container that waits and whose node
// says why, such as for an image that it cannot pull. A container that is about to start has a reason and no message.
func (o *Object) readWaiting(raw json.RawMessage) error {
	if !bytes.Contains(raw, []byte(`"waiting"`)) && !bytes.Contains(raw, []byte(corev1.PodReasonUnschedulable)) {
		return nil
	}
	var conditions []Notice
	var inits, others []Container
	if err := decodeAll(waits.In(raw, unbounded), &conditions, &inits, &others); err != nil {
		return err
	}
	for _, c := range conditions {
		if c.Type == string(corev1.PodScheduled) && c.Status == string(corev1.ConditionFalse) && c.Reason == corev1.PodReasonUnschedulable {
			o.Unplaced = c.Text()
			return o.readAsks(raw)
		}
	}
	for _, c := range slices.Concat(inits, others) {
		if w := c.State.Waiting; w != nil && w.Message != "" {
			o.Waiting = "container " + c.Name + " waits: " + w.Text()
			return nil
		}
	}
	return nil
}

// wireDetail is the part of an object's JSON that Detail is made from. Events of
// the core group call regarding involvedObject, and note message.
type wireDetail struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
		Notes  map[string]string `json:"annotations"`
		Owners []OwnerReference  `json:"ownerReferences"`
	} `json:"metadata"`
	Spec   json.RawMessage `json:"spec"`
	Status struct {
		Conditions            []Notice    `json:"conditions"`
		ContainerStatuses     []Container `json:"containerStatuses"`
		InitContainerStatuses []Container `json:"initContainerStatuses"`
		Reason                string      `json:"reason"`
		Message               string      `json:"message"`
	} `json:"status"`
	Regarding      Regarding `json:"regarding"`
	InvolvedObject Regarding `json:"involvedObject"`
	Type           string    `json:"type"`
	Reason         string    `json:"reason"`
	Note           string    `json:"note"`
	Message        string    `json:"message"`
}

// ReadDetail reads an object's details. They hold no part of the text.
func (l *Layout) ReadDetail(resource string, raw json.RawMessage) (*Detail, error) {
	var in wireDetail
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, err
		}
	}
	d := &Detail{}
	switch {
	case resource == spec.Events:
		d.Regarding, d.Notice = in.Regarding, Notice{Type: in.Type, Reason: in.Reason, Message: in.Note}
		if d.Regarding == (Regarding{}) {
			d.Regarding = in.InvolvedObject
		}
		if d.Message == "" {
			d.Message = in.Message
		}
	case resource == spec.Pods:
		d.Labels, d.Notice = in.Metadata.Labels, Notice{Reason: in.Status.Reason, Message: in.Status.Message}
		d.Conditions = in.Status.Conditions
		d.Containers = slices.Concat(in.Status.InitContainerStatuses, in.Status.ContainerStatuses)
	case resource == l.Customs || resource == l.Mains:
		d.Spec, d.Conditions, d.Owners = string(in.Spec), in.Status.Conditions, in.Metadata.Owners
		if resource == l.Mains {
			d.Labels, d.Notes = in.Metadata.Labels, in.Metadata.Notes
		}
	default:
		d.Conditions = in.Status.Conditions
	}
	return d, nil
}

// Alarms reports whether a condition says that something is amiss.
func (m Notice) Alarms() bool {
	good := slices.Contains([]string{"Available", "Progressing", "Ready", "PodScheduled"}, m.Type)
	return good == (m.Status != "True")
}
