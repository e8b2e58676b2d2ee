package spec

import (
	"slices"
	"time"
)

// Floor is the name of the style in which the harness itself writes the main child and no operator is there: its
// latencies are the cluster's and the observer's own. Reports show it before all others.
const Floor = "floor"

// The points of a reconcile that can be awaited in the midst of a sample. They concern the size that the custom
// resource asks for at that time, which need not be what is wanted at the sample's end.
const (
	PointWorking = "working" // the operator has begun: a first inner phase, a work object, a write to the Deployment or the custom resource, even one that is refused, or an Event about that
	PointWritten = "written" // the Deployment asks for the size; of a deleted custom resource, there is none
	PointReady   = "ready"   // and exactly so many pods are ready; of a deleted custom resource, all is gone
	PointRested  = "rested"  // and nothing has moved for the sample's quiescence window
	PointHandled = "handled" // ready, and nothing is under way: the status is written where it is declared, work objects have ended
	PointStuck   = "stuck"   // a message names the cause
	PointDenied  = "denied"  // the API server has refused the operator a read
	PointRetried = "retried" // the API server has refused the operator's writes for RetriedFor
	PointUnready = "unready" // fewer pods are ready than are asked for, and the status does not say otherwise
	PointGone    = "gone"    // the custom resource and all that was made for it are gone

	// PointCollected is reached when all that was made for deleted custom resources
	// has been collected as garbage. No step awaits it.
	PointCollected = "collected"
	// PointAnswered is reached when the last wrong value is brought about, or a status or an Event says otherwise. No step
	// awaits it.
	PointAnswered = "answered"
)

// Points lists the points that a step can await.
func Points() []string {
	return []string{PointWorking, PointWritten, PointReady, PointRested, PointHandled, PointStuck, PointDenied, PointRetried, PointUnready, PointGone}
}

// RetriedFor is how much later than the first refused write the one comes that PointRetried waits for: who doubles its
// wait from a second, without a limit, then waits for more than another minute.
const RetriedFor = time.Minute

// The groups of scenarios.
const (
	GroupLatency = "latency" // one life of a custom resource, repeated and measured
	GroupLoad    = "load"    // many custom resources at once, measured
	GroupBasic   = "basic"   // what is left of the plain needs; this and the following make up the correctness matrix
	GroupLevel   = "level"   // level against edge: drift, bursts, races, no-ops
	GroupInput   = "input"   // what no operator can bring about
	GroupFault   = "fault"   // parts of the operator or of the cluster fail
	GroupUpgrade = "upgrade" // the operator is replaced
)

// Groups lists the groups, in their order.
func Groups() []string {
	return []string{GroupLatency, GroupLoad, GroupBasic, GroupLevel, GroupInput, GroupFault, GroupUpgrade}
}

// InMatrix reports whether the scenarios of a group make up the correctness matrix; the others are measured.
func InMatrix(group string) bool { return group != GroupLatency && group != GroupLoad }

// What a probe is asked for.
const (
	ProbeAsk   = "ask"
	ProbeWrite = "write"
	ProbeRead  = "read"
)

// OtherOwner is the ConfigMap that the cluster makes in each namespace. It stands for somebody else's object where one
// is to own the main child beside the custom resource, or in its place.
const OtherOwner = "kube-root-ca.crt"

// OracleServes is the oracle of the scenarios in which the managed system is asked all along.
const OracleServes = "serves"

// The kinds of fault, as scenario files and recordings name them.
const (
	FaultKill          = "kill"
	FaultStop          = "stop"
	FaultUpgrade       = "upgrade"
	FaultUpgrading     = "upgrading"
	FaultDeleteOwn     = "deleteWorkload"
	FaultScaleOwn      = "scaleWorkload"
	FaultDouble        = "double"
	FaultRestart       = "restart"
	FaultForbid        = "forbid"
	FaultForbidRead    = "forbidReading"
	FaultRefuse        = "refuse"
	FaultRefuseUpdates = "refuseUpdates"
	FaultSlow          = "slow"
	FaultMutate        = "mutate"
	FaultOccupy        = "occupy"
	FaultRemoveImage   = "removeImage"
	FaultDefinition    = "definition"
	FaultSuspend       = "suspend"
	FaultCut           = "cut"
	FaultSilence       = "silence"
)

// AllComponents is what a fault is done to that is done to every component.
const AllComponents = "all"

// Whose objects a fault of the kind occupy puts in the place of the main child, or of the other children: of another
// controller, or of nobody.
const (
	OccupyControlled     = "controlled"
	OccupyOrphan         = "orphan"
	OccupyChildren       = "children"
	OccupyOrphanChildren = "orphan-children"
)

// OccupiesChildren reports whether a fault of the kind occupy is done to the other children than the main one.
func OccupiesChildren(what string) bool {
	return what == OccupyChildren || what == OccupyOrphanChildren
}

// What a fault of the kind restart restarts.
const (
	RestartAPIServer = "api-server"
	RestartNode      = "node"
)

// Outcome is what an oracle says of a sample, and what several verdicts come to.
type Outcome string

// The outcomes of a verdict.
const (
	Pass          Outcome = "pass"
	Fail          Outcome = "fail"
	NotApplicable Outcome = "not applicable" // by the style's own declaration, or for this kind of sample
	Invalid       Outcome = "invalid"        // the test environment or the recording broke, not the style
)

// What only samples and sums of them can be.
const (
	// Late is a sample that was given up when its time was over, where no
	// oracle says more: a load that a style is behind with, work that never ends.
	Late  Outcome = "late"
	Flaky Outcome = "flaky" // some samples passed and some failed
)

// Events of a watch.
const (
	Listed   = "LISTED" // it was there when the watch began
	Added    = "ADDED"
	Modified = "MODIFIED"
	Deleted  = "DELETED"
)

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

// The phases that every style has, in their order; a style's inner phases follow.
const (
	PhaseAcknowledged  = "acknowledged"   // the API server's reply to the first measured action
	PhaseChildWritten  = "child written"  // the Deployment asks for the wanted replicas
	PhaseReady         = "ready"          // exactly these replicas exist, up to date and ready
	PhaseStatusWritten = "status written" // status is of the current generation, names as many pods and says that they are ready; as far as declared
	PhaseQuiet         = "quiet"          // the last event before the quiescence window passed
	PhaseGone          = "CR gone"        // the custom resource was removed
	PhaseChildGone     = "child gone"     // no Deployment of it is left
	PhasePodsGone      = "pods gone"      // nor any pod of that Deployment
	PhaseAllGone       = "all gone"       // nor children whose names the workload says, nor what its phases.gone names
)

// Phases lists the phases that every style has, in their order.
func Phases() []string {
	return []string{
		PhaseAcknowledged, PhaseChildWritten, PhaseReady, PhaseStatusWritten,
		PhaseGone, PhaseChildGone, PhasePodsGone, PhaseAllGone, PhaseQuiet,
	}
}

// Inner reports whether a phase is a style's own: not one that every style has.
func Inner(phase string) bool { return !slices.Contains(Phases(), phase) }
