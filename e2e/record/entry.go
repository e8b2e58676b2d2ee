// Package record is the flight recorder's file: what an entry is, how entries
// are written as they happen, and how they are read back. It knows files alone;
// package record/watch fills a recording from a live cluster.
//
// A recording is JSON Lines. Its first line is a header entry; every further
// line is one entry, in the order in which the harness saw things happen.
package record

import (
	"encoding/json"
	"time"
)

// Schema is the version of the entries that this package writes.
const Schema = 1

// Kind says what an entry holds; the field of the same name is then set.
type Kind string

// The kinds of entry.
const (
	KindHeader Kind = "header" // the first line
	KindBegin  Kind = "begin"  // a sample begins: its first action follows
	KindAction Kind = "action" // the harness wrote to the cluster
	KindWatch  Kind = "watch"  // a watch delivered an event
	KindGap    Kind = "gap"    // a watch was interrupted and is back
	KindEnd    Kind = "end"    // a sample ended
)

// Entry is one line of a recording. Time is nanoseconds on the recorder's
// monotonic clock since the recording began: the moment of delivery for a
// watch event, the moment after the API's reply for an action.
type Entry struct {
	Time   time.Duration `json:"t"`
	Kind   Kind          `json:"kind"`
	Header *Header       `json:"header,omitempty"`
	Begin  *Sample       `json:"begin,omitempty"`
	Action *Action       `json:"action,omitempty"`
	Watch  *Watch        `json:"watch,omitempty"`
	Gap    *Gap          `json:"gap,omitempty"`
	End    *End          `json:"end,omitempty"`
}

// Header is the first entry: what is needed to read the rest.
type Header struct {
	Schema  int       `json:"schema"`
	Run     string    `json:"run"`   // the run's id, as in the cluster's name
	Began   time.Time `json:"began"` // wall clock at Time 0, for people; never subtracted from anything
	Seed    uint64    `json:"seed"`
	Styles  []Style   `json:"styles"`
	Program string    `json:"program"` // what wrote it, with its version
}

// Style is what judging must know of an operator style, copied from its
// style.yaml so that a recording can be judged without the repository.
type Style struct {
	Name string `json:"name"`
	// ChildName is the Deployment's name as a text/template over the custom
	// resource's name and namespace; empty means that the Deployment is the
	// one whose controller owner reference is the custom resource.
	ChildName string  `json:"childName,omitempty"`
	Status    bool    `json:"status"` // it declares to write the status
	Phases    []Phase `json:"phases,omitempty"`
	// Idle names the inner phases that end a reconcile.
	Idle []string `json:"idle,omitempty"`
}

// Phase is an inner phase of a style: the first watch event after the intent,
// on an object of Resource, for which the rest holds.
type Phase struct {
	Name     string   `json:"name"`
	Resource string   `json:"resource"`         // as in Watch.Resource
	Event    string   `json:"event,omitempty"`  // ADDED, MODIFIED or DELETED; empty is any
	Path     string   `json:"path,omitempty"`   // gjson syntax, into the object
	Equals   []string `json:"equals,omitempty"` // any of these; empty means that the path exists
}

// Sample identifies one run of a scenario against a style, and what is wanted
// at its end.
type Sample struct {
	Style    string `json:"style"`
	Scenario string `json:"scenario"`
	Round    int    `json:"round"` // from 1: the replicate's block
	Warmup   bool   `json:"warmup,omitempty"`
	// Prepare marks what only brings about a scenario's given state: it is
	// recorded, but neither judged nor measured.
	Prepare   bool          `json:"prepare,omitempty"`
	Namespace string        `json:"namespace"`
	Name      string        `json:"name"`              // of the custom resource
	Size      *int          `json:"size,omitempty"`    // wanted; nil: the custom resource is to be gone
	Timeout   time.Duration `json:"timeout"`           // nanoseconds; later is a censored sample
	Window    time.Duration `json:"window"`            // nanoseconds; the quiescence window
	Expect    []string      `json:"expect"`            // oracles, by name
	Watches   []string      `json:"watches,omitempty"` // what was watched for it, as in Watch.Resource
}

// Action is a write of the harness. From is the intent, just before the
// request; the entry's Time is the acknowledgement.
type Action struct {
	From      time.Duration `json:"from"`
	Verb      string        `json:"verb"`     // create, patch, delete
	Resource  string        `json:"resource"` // as in Watch.Resource
	Namespace string        `json:"namespace,omitempty"`
	Name      string        `json:"name"`
	// Measured marks the scenario's own act; what prepares it is not measured.
	Measured   bool            `json:"measured,omitempty"`
	Object     json.RawMessage `json:"object,omitempty"` // the API's reply
	Generation int64           `json:"generation,omitempty"`
	Error      string          `json:"error,omitempty"`
}

// Watch is an event that a watch delivered.
type Watch struct {
	Event     string          `json:"event"`    // LISTED (there when the watch began), ADDED, MODIFIED, DELETED
	Resource  string          `json:"resource"` // plural.version.group, for example deployments.v1.apps; pods.v1 for the core group
	Namespace string          `json:"namespace,omitempty"`
	Name      string          `json:"name"`
	UID       string          `json:"uid"`
	Object    json.RawMessage `json:"object"` // without managedFields
}

// Gap says that nothing was heard of a resource from From until the entry's Time.
type Gap struct {
	From      time.Duration `json:"from"`
	Resource  string        `json:"resource"`
	Namespace string        `json:"namespace,omitempty"`
	Reason    string        `json:"reason"`
}

// Outcomes of a sample, as its driver saw it end.
const (
	Settled     = "settled"     // all that is waited for was seen, then the quiescence window passed
	TimedOut    = "timeout"     // the sample's timeout came first
	Interrupted = "interrupted" // the run was stopped, or the bed broke
)

// End says how a sample ended. Which oracle passes is not decided here.
type End struct {
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"` // what was last missing
	// Style, Scenario, Round and Namespace repeat the sample's, so that an end
	// finds its beginning when samples overlap.
	Style     string `json:"style"`
	Scenario  string `json:"scenario"`
	Round     int    `json:"round"`
	Namespace string `json:"namespace"`
}
