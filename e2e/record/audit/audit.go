// Package audit records what the API server's audit log tells: every request of an operator's components and of the
// harness, who made it, and when it was answered.
package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/record"
	"operatorbench/e2e/record/watch"
)

// Stages of a request, as the API server names them.
const (
	started  = "ResponseStarted"  // of a long request only: a watch, a log that is followed
	complete = "ResponseComplete" // the answer is there
	panicked = "Panic"            // the API server failed
)

// event is what is read of a line: an Event of audit.k8s.io/v1. What a request or its answer holds is not even decoded,
// nor are annotations; of an address, which may hold tokens, nothing is kept but that it asks for a dry run.
type event struct {
	Kind       string    `json:"kind"`
	APIVersion string    `json:"apiVersion"`
	AuditID    string    `json:"auditID"`
	Stage      string    `json:"stage"`
	Verb       string    `json:"verb"`
	Dry        dry       `json:"requestURI"`
	User       user      `json:"user"`
	UserAgent  string    `json:"userAgent"`
	ObjectRef  reference `json:"objectRef"` // empty for a request of no resource
	Status     struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
	Received time.Time `json:"requestReceivedTimestamp"`
	At       time.Time `json:"stageTimestamp"`
}

// dry reports whether an address asks for a dry run.
type dry bool

func (d *dry) UnmarshalJSON(text []byte) error {
	*d = dry(bytes.Contains(text, []byte("dryRun=All")))
	return nil
}

type user struct {
	Username string              `json:"username"`
	Extra    map[string][]string `json:"extra"`
}

type reference struct {
	Resource    string `json:"resource"`
	APIGroup    string `json:"apiGroup"`
	APIVersion  string `json:"apiVersion"`
	Subresource string `json:"subresource"`
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
}

// podName is where the API server says which pod a service account's token was issued for.
const podName = "authentication.kubernetes.io/pod-name"

// parse reads one line of the log. Its errors quote nothing from a line that is not understood: it might be a secret.
func parse(line []byte) (event, error) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("a line of %d bytes is no audit event: %w", len(line), reason(err))
	}
	switch {
	case e.Kind != "Event" || e.APIVersion != "audit.k8s.io/v1":
		return e, fmt.Errorf("a line of %d bytes is no Event of audit.k8s.io/v1", len(line))
	case e.AuditID == "" || e.Stage == "" || e.Verb == "" || e.Received.IsZero() || e.At.IsZero():
		return e, fmt.Errorf("an audit event of %d bytes lacks its auditID, stage, verb or a time", len(line))
	}
	return e, nil
}

// reason leaves out of a decoder's error what it quotes.
func reason(err error) error {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%w, at byte %d", err, syntax.Offset)
	case errors.As(err, &mismatch):
		return fmt.Errorf("%s is no %s", mismatch.Field, mismatch.Type)
	}
	return errors.New("a time is not in RFC 3339")
}

// entry is the event in a recording.
func (e *event) entry() *record.Audit {
	a := &record.Audit{
		Received: e.Received.UTC(), Answered: e.At.UTC(),
		User: e.User.Username, Agent: e.UserAgent,
		Verb: e.Verb, Subresource: e.ObjectRef.Subresource,
		Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name, Code: e.Status.Code, DryRun: bool(e.Dry),
	}
	if e.ObjectRef.Resource != "" {
		a.Resource = watch.ResourceName(schema.GroupVersionResource{
			Group: e.ObjectRef.APIGroup, Version: e.ObjectRef.APIVersion, Resource: e.ObjectRef.Resource,
		})
	}
	if pods := e.User.Extra[podName]; len(pods) > 0 {
		a.Pod = pods[0]
	}
	return a
}
