// Package record is the flight recorder's file: what an entry is, how entries are written as they happen, and how they
// are read back. It knows files alone; package record/watch fills a recording from a live cluster.
//
// A recording is JSON Lines. Its first line is a header entry; every further
// line is one entry, in the order in which the harness saw things happen.
package record

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/spec"
)

// Schema is the version of the entries that this package writes, and the only one
// that it reads: no release has written another.
const Schema = 6

// AuditLog is the Resource of a Gap in the audit log: what follows from API calls is not complete where there is one.
const AuditLog = "audit"

// Kind says what an entry holds; the field of the same name is then set.
type Kind string

// The kinds of entry.
const (
	KindHeader    Kind = "header"    // the first line
	KindBegin     Kind = "begin"     // a sample begins: its first action follows
	KindAction    Kind = "action"    // the harness wrote to the cluster
	KindWatch     Kind = "watch"     // a watch delivered an event
	KindGap       Kind = "gap"       // a watch was interrupted and is back
	KindEnd       Kind = "end"       // a sample ended
	KindBlock     Kind = "block"     // a style was installed, has been driven, was removed
	KindUsage     Kind = "usage"     // what pods have used so far
	KindAudit     Kind = "audit"     // the API server answered a request of anyone
	KindClosed    Kind = "closed"    // a pod's request that was open, such as a watch, has ended
	KindFault     Kind = "fault"     // the harness broke something on purpose, or undid it
	KindHeld      Kind = "held"      // a custom resource had to be released by force
	KindInventory Kind = "inventory" // what there is at a sample's end
	KindLogs      Kind = "logs"      // the operator's logs were searched for secrets
	KindProbe     Kind = "probe"     // the managed system was asked
)

// Entry is one line of a recording. Time is nanoseconds on the recorder's monotonic clock since the recording began:
// the moment of delivery for a watch event, the moment after the API's reply for an action.
type Entry struct {
	Time      time.Duration `json:"t"`
	Kind      Kind          `json:"kind"`
	Header    *Header       `json:"header,omitempty"`
	Begin     *Sample       `json:"begin,omitempty"`
	Action    *Action       `json:"action,omitempty"`
	Watch     *Watch        `json:"watch,omitempty"`
	Gap       *Gap          `json:"gap,omitempty"`
	End       *End          `json:"end,omitempty"`
	Block     *Block        `json:"block,omitempty"`
	Usage     *Usage        `json:"usage,omitempty"`
	Audit     *Audit        `json:"audit,omitempty"`
	Closed    *Audit        `json:"closed,omitempty"`
	Fault     *Fault        `json:"fault,omitempty"`
	Held      *Held         `json:"held,omitempty"`
	Inventory *Inventory    `json:"inventory,omitempty"`
	Logs      *Logs         `json:"logs,omitempty"`
	Probe     *Question     `json:"probe,omitempty"`
}

// Header is the first entry: what is needed to read the rest.
type Header struct {
	Schema  int       `json:"schema"`
	Run     string    `json:"run"`   // the run's id, as in the cluster's name
	Began   time.Time `json:"began"` // wall clock at Time 0, for people; never subtracted from anything
	Seed    uint64    `json:"seed"`
	Styles  []Style   `json:"styles"`
	Program string    `json:"program"` // what wrote it, with its version
	// Scenarios are those that the run goes through, in their order.
	Scenarios []Scenario `json:"scenarios,omitempty"`
	// Workload is the custom resource, and what an operator owes for it; nil: the default one.
	Workload *spec.Workload `json:"workload,omitempty"`
	// Reference is the main child that a custom resource asks for: what every
	// style must bring about, but for what it declares to do otherwise.
	Reference json.RawMessage `json:"reference,omitempty"`
}

// Scenario is what a reader must know of a scenario, copied from its file.
type Scenario struct {
	Name        string `json:"name"`
	Group       string `json:"group"`
	Description string `json:"description"`
	StandsFor   string `json:"standsFor"`
	// Digest is that of what it did and expected, as scenarios.Scenario has it; empty: not recorded.
	Digest string `json:"digest,omitempty"`
	// Ramp is what a load with steps of growing rates was to find out; nil: it is none.
	Ramp *spec.Ramp `json:"ramp,omitempty"`
}

// Sample identifies one run of a scenario against a style, and what is wanted at its end.
type Sample struct {
	Style    string `json:"style"`
	Variant  string `json:"variant,omitempty"`
	Scenario string `json:"scenario"`
	Round    int    `json:"round"` // from 1: the replicate's block
	Warmup   bool   `json:"warmup,omitempty"`
	// Prepare marks what only brings about a scenario's given state: it is recorded, but neither judged nor measured.
	Prepare   bool          `json:"prepare,omitempty"`
	Namespace string        `json:"namespace"`
	Name      string        `json:"name"`              // of the custom resource
	Size      *int          `json:"size,omitempty"`    // wanted; nil: the custom resource is to be gone
	Timeout   time.Duration `json:"timeout"`           // nanoseconds; later is a censored sample
	Window    time.Duration `json:"window"`            // nanoseconds; the quiescence window
	Expect    []string      `json:"expect"`            // oracles, by name
	Watches   []string      `json:"watches,omitempty"` // what was watched for it, as in Watch.Resource

	// Matrix marks a sample of the correctness matrix. Others may overlap with
	// it, so that its latencies are not compared; of its faults, the recovery is.
	Matrix bool `json:"matrix,omitempty"`
	// Load marks one of the many custom resources of a load, each a sample of its own. They begin and end together. A phase
	// counts from the last time that it was reached, and inner phases are not told apart.
	Load bool `json:"load,omitempty"`
	// Shared: others of the load are in its namespace. They are told apart by the names of their custom resources.
	Shared bool `json:"shared,omitempty"`
	// Rate is how many changes a second were due in the sample's step of a ramp; 0: it is of none.
	Rate int `json:"rate,omitempty"`
	// Stage is that of a growth which it is in, one of the Stages of a growth, and Held how many custom resources were
	// there when that began; empty: it is of no growth.
	Stage string `json:"stage,omitempty"`
	Held  int    `json:"held,omitempty"`
	// Others are further custom resources, each with what is wanted of it.
	Others []Other `json:"others,omitempty"`
	// Unmeetable: what is asked for last cannot be brought about. Size is then
	// the last that could; nil: there has been none, and no Deployment is wanted.
	Unmeetable bool `json:"unmeetable,omitempty"`
	// Cause is a regular expression (RE2, any case): a message that a person can find out from must match it.
	Cause string `json:"cause,omitempty"`
	// Patience is how long nothing may move before the sample is given up, in nanoseconds; 0: until its timeout.
	Patience time.Duration `json:"patience,omitempty"`
	// Reason says why the scenario is not applicable to the style; the sample then ends at once, without an action.
	Reason string `json:"reason,omitempty"`
}

// OfStep reports whether it is in a step of a ramp or a stage of a growth: what counts of it is when the main child is
// written.
func (s *Sample) OfStep() bool { return s.Rate > 0 || s.Stage != "" }

// Stages of a growth.
const (
	StageFill     = "fill"     // custom resources are created until there are so many
	StageRest     = "rest"     // nothing is asked of the operator
	StageMore     = "more"     // what creating one more takes is measured
	StageDown     = "down"     // some are created while the operator is stopped, which is then started
	StageNewcomer = "newcomer" // and some when it has written the first of these
	StageBeside   = "beside"   // objects that are not the operator's are created
)

// Part is a stage of a growth, from the entry that has it until the next of its kind.
type Part struct {
	Stage   string `json:"stage"`
	Customs int    `json:"customs"` // custom resources that are there when it begins
	// Beside is the kind of the objects that are not the operator's which were created last, so many: Each; empty: there
	// are none.
	Beside string `json:"beside,omitempty"`
	Each   int    `json:"each,omitempty"`
	// CPU is the processor time that the harness has used by then, in nanoseconds, and Memory the most that it has held, in
	// bytes.
	CPU    time.Duration `json:"cpu"`
	Memory int64         `json:"memory"`
}

// Other is a custom resource beside the sample's own.
type Other struct {
	Namespace string `json:"namespace"` // the sample's, or a second one that is watched for it too
	Name      string `json:"name"`
	Size      *int   `json:"size,omitempty"` // wanted at the end; nil: it is to be gone
}

// Fault is one thing that the harness breaks on purpose. It is recorded for each sample that it is a part of.
type Fault struct {
	// Stage is Begun once it is broken, Over once it is whole again.
	Stage string `json:"stage"`
	// From is just before the first request of breaking it or of mending it; if a fault is over at once, it is
	// the Over entry's own time. Recovery is counted from the Over entry's From.
	From      time.Duration `json:"from"`
	Kind      string        `json:"kind"` // kill, stop, restart, forbid, forbidReading, refuse, mutate, occupy, removeImage, definition, cut, silence, suspend, upgrade, upgrading, deleteWorkload, scaleWorkload, double
	What      string        `json:"what"` // the component, resource or image that it is done to
	Namespace string        `json:"namespace"`
	Objects   []string      `json:"objects,omitempty"` // that were acted on, for example pods/argo/workflow-controller-x
	Error     string        `json:"error,omitempty"`
}

// Stages of a fault. Of one that lasts no time, both come one after the other.
const (
	Begun = "begun"
	Over  = "over"
)

// Held is a custom resource that samples have left, and that its operator did not release: it was deleted while the
// operator still ran, and its finalizers were not taken away. The harness has then removed them by force. It comes
// behind the last sample of its namespace.
type Held struct {
	Style      string        `json:"style"`
	Variant    string        `json:"variant,omitempty"`
	Namespace  string        `json:"namespace"`
	Name       string        `json:"name"`
	Finalizers []string      `json:"finalizers"`
	Waited     time.Duration `json:"waited"` // nanoseconds, from the request for its deletion
}

// Action is a write of the harness. From is the intent, just before the
// request; the entry's Time is the acknowledgement.
type Action struct {
	From time.Duration `json:"from"`
	// Intended is when an open-loop schedule had the request due: latencies of a
	// load run from that of its last action. 0: there was no schedule.
	Intended  time.Duration `json:"intended,omitempty"`
	Verb      string        `json:"verb"`     // create, patch, update, apply (server-side), scale, read scale, delete
	Resource  string        `json:"resource"` // as in Watch.Resource
	Namespace string        `json:"namespace,omitempty"`
	Name      string        `json:"name"`
	// Measured marks the scenario's own act; what prepares it is not measured.
	Measured bool `json:"measured,omitempty"`
	// Nudge marks a write that changes nothing that is wanted: it only makes
	// the operator look again, when it had not recovered by itself.
	Nudge bool `json:"nudge,omitempty"`
	// Wrong says which wrong value the write sets, where it does: the API server may refuse it.
	Wrong      string          `json:"wrong,omitempty"`
	Turned     string          `json:"turned,omitempty"` // the knob that the write turns, if it is not the one that scales
	Paused     *bool           `json:"paused,omitempty"` // whether the write pauses the custom resource, or lets it go on; nil: neither
	Orphan     bool            `json:"orphan,omitempty"` // a deletion that what the custom resource owns is to outlive
	Object     json.RawMessage `json:"object,omitempty"` // the API's reply
	Generation int64           `json:"generation,omitempty"`
	Error      string          `json:"error,omitempty"`
}

// Verbs of the scale subresource, as `kubectl scale` and autoscalers use it. The API's reply is a Scale then.
const (
	Scale     = "scale"
	ReadScale = "read scale" // no write, but what the API said
)

// Watch is an event that a watch delivered.
type Watch struct {
	Event     string          `json:"event"`    // LISTED (there when the watch began), ADDED, MODIFIED, DELETED
	Resource  string          `json:"resource"` // plural.version.group, for example deployments.v1.apps; pods.v1 for the core group
	Namespace string          `json:"namespace,omitempty"`
	Name      string          `json:"name"`
	UID       string          `json:"uid"`
	Object    json.RawMessage `json:"object"` // without managedFields, and with (withheld) in the place of values that may be secret
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
	Interrupted = "interrupted" // the run was stopped, or the test environment broke
)

// End says how a sample ended. Which oracle passes is not decided here.
type End struct {
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"` // what was last missing
	// Await is the point of the reconcile at which the scenario's steps stopped, since it did
	// not come in time; see spec.Points. Empty: the steps came to their end.
	Await string `json:"await,omitempty"`
	// Rested is when the sample had come to rest, before what was left of its faults was undone; 0: it did not.
	Rested time.Duration `json:"rested,omitempty"`
	// Style, Scenario, Round and Namespace repeat the sample's, so that an end
	// finds its beginning when samples overlap.
	Style     string `json:"style"`
	Variant   string `json:"variant,omitempty"`
	Scenario  string `json:"scenario"`
	Round     int    `json:"round"`
	Namespace string `json:"namespace"`
	Name      string `json:"name,omitempty"` // of the custom resource, where the sample is Shared
}

// Block marks how far a block is: one style's turn in one round. Styles take
// turns on the cluster; between Installing and Removed no other is there.
type Block struct {
	Style   string `json:"style"`
	Variant string `json:"variant,omitempty"`
	Round   int    `json:"round"` // from 1; 0 only warms up
	Stage   string `json:"stage"`
	// Wave tells apart, in one round, the blocks of the correctness matrix,
	// from 1; 0: this is the block whose latencies and cost are measured.
	Wave int `json:"wave,omitempty"`
	// Load is the one scenario of a load's block: it costs what many changes at once cost, which is not told.
	Load string `json:"load,omitempty"`
	// Installed is, in the stage Found, what the cluster has of the style: its
	// namespaces and grants stand in place of the header's.
	Installed *spec.Installed `json:"installed,omitempty"`
	// Part is, in the stage Parted, what begins then.
	Part *Part `json:"part,omitempty"`
}

// Stages of a block, in their order.
const (
	Installing = "installing" // its installation begins
	Installed  = "installed"  // it will see every event from now on
	Found      = "found"      // the cluster has other rights or namespaces of it than its manifests, and the header, say
	Rested     = "rested"     // it has come to rest: what it uses from now on is idle; where that is measured
	Parted     = "parted"     // a part of a growth begins
	Driven     = "driven"     // its last sample has ended
	Removed    = "removed"    // nothing of it is left
)

// Usage is what the kubelet reports of a node's pods.
type Usage struct {
	Node string `json:"node"`
	// Pods are those in the namespaces of the style that is installed.
	Pods []PodUsage `json:"pods,omitempty"`
	// All is in recordings of earlier versions: CPU time of all of the node's pods. Nothing reads it.
	All int64 `json:"all,omitempty"`
	// Others is in recordings of earlier versions: CPU time of the pods elsewhere. Nothing reads it.
	Others int64 `json:"others,omitempty"`
	// Machine is the harness's, on which the cluster is, too; nil: it is on another, or this is not its first node.
	Machine *Machine `json:"machine,omitempty"`
	// Fairness is the API server's, likewise; nil: it does not say.
	Fairness *Fairness `json:"fairness,omitempty"`
}

// PodUsage is what one pod has used.
type PodUsage struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	CPU       int64  `json:"cpu"`    // nanoseconds since the pod started
	Memory    int64  `json:"memory"` // working set in bytes
	// Throttled is how the CPU limits of the pod's containers held it back; nil:
	// it was not asked for at this look, or is not known.
	Throttled *Throttled `json:"throttled,omitempty"`
	// Kept is what it keeps, as the kubelet's metrics and its own say, by their names; nil: nobody was asked, or nobody knows.
	Kept map[string]float64 `json:"kept,omitempty"`
	// Done is what its own metrics count of what it has done since it started, likewise; see Reconciled and Waited.
	Done map[string]float64 `json:"done,omitempty"`
}

// Reconciled are the metrics of how many reconciles a program has done: histograms of their time, of client-go's work
// queues, on which controller-runtime's are modelled, and of shell-operator's hooks.
func Reconciled() []string {
	return []string{"workqueue_work_duration_seconds", "shell_operator_hook_run_seconds"}
}

// Requeued counts what such a queue is to hand out again later: after an error, or by a timer.
const Requeued = "workqueue_retries_total"

// Waited is for how long a program's client held back its own requests, by a limit of its own, in seconds: a histogram
// of client-go's rate limiter, as Kubernetes' components name it. (shell-operator's metric of such a name is of requests:
// kube-client v1.9.1 registers it as client-go's RequestLatency.)
const Waited = "rest_client_rate_limiter_duration_seconds"

// Throttled is how CPU limits have held a pod back since it started. The kernel counts in periods of 100 ms, and the
// container runtime may tell of whole seconds alone.
type Throttled struct {
	Time             time.Duration `json:"time"`             // nanoseconds, over all of its containers
	Periods          int64         `json:"periods"`          // in which it ran under a limit
	ThrottledPeriods int64         `json:"throttledPeriods"` // in which it used the limit up
}

// Audit is one request to the API server, as its audit log tells of it. The entry's Time is when the harness read it;
// the log's own times are of the API server's wall clock, with microseconds.
type Audit struct {
	Received    time.Time `json:"received"`
	Answered    time.Time `json:"answered"`
	User        string    `json:"user"`
	Pod         string    `json:"pod,omitempty"`      // that the service account's token was issued for
	Agent       string    `json:"agent,omitempty"`    // user agent
	Verb        string    `json:"verb"`               // get, list, watch, create, update, patch, delete, deletecollection
	Resource    string    `json:"resource,omitempty"` // as in Watch.Resource
	Subresource string    `json:"subresource,omitempty"`
	Namespace   string    `json:"namespace,omitempty"`
	Name        string    `json:"name,omitempty"`
	Code        int       `json:"code"` // HTTP status
	DryRun      bool      `json:"dryRun,omitempty"`
	// Open marks one that goes on, such as a watch; an entry of the kind closed tells when it ends.
	Open bool `json:"open,omitempty"`
}

// Account returns the service account that asked; false: another user did.
func (a *Audit) Account() (namespace, name string, is bool) {
	account, is := strings.CutPrefix(a.User, "system:serviceaccount:")
	namespace, name, _ = strings.Cut(account, ":")
	return namespace, name, is
}

// Writes reports whether the request is one to change objects. A creation may be none: of a dry run, of a connection to a
// pod, of a token, or of a question about rights.
func (a *Audit) Writes() bool {
	if a.DryRun || !slices.Contains(spec.WriteVerbs(), a.Verb) {
		return false
	}
	asks := slices.Contains([]string{"exec", "attach", "portforward", "proxy", "token"}, a.Subresource) ||
		strings.Contains(a.Resource, ".authorization.k8s.io") && strings.Contains(a.Resource, "reviews.") || strings.HasPrefix(a.Resource, "tokenreviews.")
	return !asks
}

// OfEvents reports whether the request is about Kubernetes' Events, of either of their two APIs.
func (a *Audit) OfEvents() bool { return strings.HasPrefix(a.Resource, "events.") }

// Inventory is what the driver found at a sample's end of the resources that the style may write: all that is in the
// sample's namespaces, but for what the cluster makes in every namespace and the harness's own, and elsewhere what
// names one of them. Of several, the last counts.
type Inventory struct {
	Namespace string   `json:"namespace"`           // the sample's
	Resources []string `json:"resources,omitempty"` // that were listed, as in Watch.Resource
	Unlisted  []string `json:"unlisted,omitempty"`  // those that could not be, and why
	Objects   []Item   `json:"objects,omitempty"`
}

// Item is an object, as its metadata tell of it.
type Item struct {
	Resource   string   `json:"resource"`
	Namespace  string   `json:"namespace,omitempty"`
	Name       string   `json:"name"`
	UID        string   `json:"uid"`
	Deleting   bool     `json:"deleting,omitempty"`
	Finalizers []string `json:"finalizers,omitempty"`
	Managers   []string `json:"managers,omitempty"` // who wrote to it, by the names of field managers
	Owners     []Owner  `json:"owners,omitempty"`
}

// Owner is an owner reference.
type Owner struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	UID                string `json:"uid"`
	Controller         bool   `json:"controller,omitempty"`
	BlockOwnerDeletion bool   `json:"blockOwnerDeletion,omitempty"`
}

// Logs says that the logs of the operator's components were searched for secrets at the end of a wave: for the value of
// a Secret that the harness had put into each sample's namespace, and for tokens of service accounts.
type Logs struct {
	Style   string   `json:"style"`
	Variant string   `json:"variant,omitempty"`
	Round   int      `json:"round"`
	Wave    int      `json:"wave"`
	Read    []string `json:"read,omitempty"`   // namespace/pod/container
	Unread  []string `json:"unread,omitempty"` // those that could not be, and why
	Leaks   []Leak   `json:"leaks,omitempty"`
	Ends    []LogEnd `json:"ends,omitempty"`  // of containers that were restarted, as their logs told it
	Lines   *int     `json:"lines,omitempty"` // that all of them have; nil: some could not be read
}

// LogEnd is what a container's log tells of its end.
type LogEnd struct {
	Container string `json:"container"` // namespace/pod/container
	Line      string `json:"line"`      // the last that speaks of an error, or else the last; none that has a secret
}

// Leak is a secret in a log. The recording does not have its value.
type Leak struct {
	Container string `json:"container"`           // namespace/pod/container
	What      string `json:"what"`                // Secret namespace/name, or token of a service account
	Namespace string `json:"namespace,omitempty"` // of the sample whose Secret it is; empty: it is of none
	Lines     int    `json:"lines"`
}

// Question is one question to the managed system itself, to a pod that was ready. The entry's Time is when it was
// answered, or given up.
type Question struct {
	From      time.Duration `json:"from"`          // just before
	What      string        `json:"what"`          // ask, write or read, as the workload's probe has them
	Namespace string        `json:"namespace"`     // of the custom resource
	Name      string        `json:"name"`          // likewise
	Pod       string        `json:"pod,omitempty"` // that was asked; empty: none was
	OK        bool          `json:"ok"`            // it answered as expected
	Class     string        `json:"class,omitempty"`
	Error     string        `json:"error,omitempty"`
}

// The classes of errors of a probe.
const (
	ProbeUnasked = "unasked" // the API server did not pass the question on: nothing is known
	ProbeNoPod   = "no pod"  // no pod was ready
	ProbeRefused = "refused" // the pod took no connection, or broke it off without an answer
	ProbeTimeout = "timeout" // no answer came in time
	ProbeWrong   = "wrong"   // another one came
)
