package judge_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

// busy works by Workflows in a namespace of its own, each for one custom resource.
var busy = record.Style{Style: spec.Style{
	Name:   "busy",
	Child:  spec.Child{Name: "{{.Name}}-deployment"},
	Phases: argo.Phases,
	Idle:   argo.Idle,
	Work: []spec.Work{{
		Resource: workflows, Namespace: "argo-events",
		Of:       spec.FieldCondition{Path: "spec.for", Matches: "^{{.Namespace}}/{{.Name}}$"},
		Ended:    spec.FieldCondition{Path: "status.phase", Equals: []string{"Succeeded", "Failed"}},
		Messages: []string{"status.message", "status.nodes.#.message"},
	}},
}, Installed: spec.Installed{Namespaces: []string{"argo-events"}}}

func newOverlap(tb testing.TB) *story {
	tb.Helper()
	s := newStory(tb)
	s.entries[0].Header.Styles = append(s.entries[0].Header.Styles, busy)
	s.entries[0].Header.Scenarios = []record.Scenario{{Name: "create", Group: "basic"}, {Name: "kill", Group: "fault"}}
	return s
}

// ofMatrix makes a sample one of the correctness matrix, in a namespace.
func ofMatrix(namespace string, expect ...string) func(*record.Sample) {
	return func(b *record.Sample) { b.Matrix, b.Namespace, b.Expect = true, namespace, expect }
}

// workFor is a Workflow for a custom resource, as "namespace/name".
func workFor(name, of, phase string) thing {
	x := workflow(name, phase)
	x.object["spec"] = fields{"for": of}
	return x
}

func (x thing) in(namespace string) thing {
	x.namespace, x.uid = namespace, x.uid+"-"+namespace
	return x
}

// opened returns the open samples after the story's last entry, by namespace.
func opened(t *testing.T, s *story, namespaces ...string) map[string]*timeline.Timeline {
	t.Helper()
	splitter := timeline.NewSplitter()
	for _, e := range s.entries {
		_, err := splitter.Add(e)
		require.NoError(t, err)
	}
	open := map[string]*timeline.Timeline{}
	for _, namespace := range namespaces {
		open[namespace] = splitter.Open(namespace)
		require.NotNil(t, open[namespace])
	}
	return open
}

// On a node with the first version of cgroups, Kubernetes 1.37 adds to the status of a pod without a memory limit, 76 to 86 s
// after its start, that it has none: nothing has moved.
func TestWhatTheNodeSaysOfAPodsLimitsIsNoMovement(t *testing.T) {
	for name, test := range map[string]struct {
		change func(status fields)
		moves  bool
	}{
		"the limits alone":     {func(fields) {}, false},
		"and it is not ready":  {func(status fields) { status["conditions"] = []any{fields{"type": "Ready", "status": "False"}} }, true},
		"and it has ended":     {func(status fields) { status["phase"] = "Failed" }, true},
		"none, as it was made": {func(status fields) { delete(status, "resources") }, true},
	} {
		s := newStory(t)
		s.created(matrix("converged"))
		started := pod(2, "Running")
		started.object["status"].(fields)["resources"] = fields{}
		s.see(750, "MODIFIED", started)
		limited := pod(2, "Running")
		status := limited.object["status"].(fields)
		status["resources"] = fields{"limits": fields{"memory": "9007199254740988Ki"}}
		test.change(status)
		s.see(80000, "MODIFIED", limited)
		last := at(750)
		if test.moves {
			last = at(80000)
		}
		assert.Equal(t, last, opened(t, s, "services")["services"].LastEvent(), name)
	}
}

// told names the watch events that a sample was told of.
func toldOf(t *timeline.Timeline) []string {
	var list []string
	for _, e := range t.Events {
		if e.Kind == record.KindWatch {
			list = append(list, e.Watch.Event+" "+e.Watch.Name)
		}
	}
	return list
}

// kubeEvent is an Event of Kubernetes about an object.
func kubeEvent(name, namespace, about, note string) thing {
	return thing{resource: spec.Events, namespace: namespace, name: name, uid: name, object: fields{
		"regarding": fields{"uid": about}, "note": note,
	}}
}

// Where samples overlap, each hears of the objects that work for it, of the operator's own pods, and of nothing else
// outside of its namespace.
func TestWorkGoesToItsOwnSample(t *testing.T) {
	s := newOverlap(t)
	s.begin(0, "busy", "create", 1, ofMatrix("a"))
	s.begin(1, "busy", "kill", 1, ofMatrix("b"))
	s.see(10, "ADDED", workFor("w-a", "a/cache", "Running"))
	s.see(11, "ADDED", workFor("w-b", "b/cache", "Running"))
	s.see(12, "ADDED", workFor("w-other", "a/other", "Running"))
	s.see(13, "ADDED", workflow("w-nobody", "Running"))
	step := pod(1, "Pending").named("step-b", "step-b")
	step.namespace, step.object["metadata"] = "argo-events", fields{"ownerReferences": owner("w-b")}
	s.see(14, "ADDED", step)
	s.see(15, "ADDED", kubeEvent("e-step", "argo-events", "step-b", "pulled"))
	s.see(16, "ADDED", kubeEvent("e-job", "argo-events", "w-a", "submitted"))
	s.see(17, "ADDED", kubeEvent("e-nobody", "argo-events", "w-nobody", "submitted"))
	operator := pod(2, "Running").named("operator", "operator")
	operator.namespace = "argo-events"
	s.see(18, "MODIFIED", operator)
	s.see(19, "ADDED", kubeEvent("e-operator", "argo-events", "operator", "started"))
	s.see(20, "MODIFIED", pod(3, "Running").in("elsewhere"))
	s.see(21, "DELETED", workFor("w-b", "b/cache", "Running"))
	s.see(22, "DELETED", step)

	open := opened(t, s, "a", "b")
	shared := []string{"MODIFIED operator", "ADDED e-operator"}
	assert.Equal(t, append([]string{"ADDED w-a", "ADDED e-job"}, shared...), toldOf(open["a"]))
	assert.Equal(t, append(append([]string{"ADDED w-b", "ADDED step-b", "ADDED e-step"}, shared...), "DELETED w-b", "DELETED step-b"), toldOf(open["b"]))
	assert.Equal(t, at(16-6), open["a"].LastEvent(), "neither Events nor the operator's pods keep it from being quiet")
	assert.Equal(t, at(22), open["b"].LastEvent())
}

// An action in a namespace that is of no open sample is none of theirs: a custom
// resource of the same name there is another one.
func TestActionsElsewhereAreNotTheSamples(t *testing.T) {
	s := newOverlap(t)
	s.begin(0, "native", "create", 1, ofMatrix("services"))
	s.act(10, 15, "create", custom(1, 1, 0).in("stranger"))
	assert.Equal(t, unacknowledged, missing(t, s))
	s.done(20, "create", custom(1, 1, 0).at(100))
	s.act(30, 35, "create", custom(1, 1, 0).in("another"))
	s.see(40, "ADDED", deployment(1, 1, 1, 1))
	s.see(50, "MODIFIED", custom(1, 1, 1, "p1"))
	assert.Empty(t, missing(t, s))
}

// A name is not a regular expression.
func TestWorkIsMatchedByTheWholeName(t *testing.T) {
	s := newOverlap(t)
	s.begin(0, "busy", "create", 1, ofMatrix("a.b"))
	s.begin(1, "busy", "create", 1, ofMatrix("axb"))
	s.see(10, "ADDED", workFor("w", "axb/cache", "Running"))
	open := opened(t, s, "a.b", "axb")
	assert.Empty(t, toldOf(open["a.b"]))
	assert.Equal(t, []string{"ADDED w"}, toldOf(open["axb"]))
}

// Outside of the matrix nothing overlaps, and all is as it ever was.
func TestWorkOutsideOfTheMatrix(t *testing.T) {
	s := newOverlap(t)
	s.begin(0, "busy", "create", 1)
	s.see(10, "ADDED", workflow("w", "Running"))
	assert.Equal(t, []string{"ADDED w"}, toldOf(opened(t, s, "services")["services"]))
}

// An inner phase of another's Workflow is not the sample's.
func TestMissingWaitsForTheWorkOfTheSample(t *testing.T) {
	s := newOverlap(t)
	s.begin(0, "busy", "create", 1, ofMatrix("services"))
	s.done(10, "create", custom(1, 1, 0).at(100))
	assert.Contains(t, lacksNow(t, s, spec.PointWorking), "the operator has not begun")
	s.see(17, "ADDED", workFor("w-b", "b/cache", "Running"))
	assert.Contains(t, lacksNow(t, s, spec.PointWorking), "the operator has not begun")
	s.see(18, "ADDED", workFor("w-1", "services/cache", "Running"))
	assert.Empty(t, lacksNow(t, s, spec.PointWorking))
	s.see(19, "ADDED", workFor("w-2", "services/cache", "Pending"))
	s.see(20, "ADDED", deployment(1, 1, 1, 1))
	assert.Empty(t, lacksNow(t, s, spec.PointReady))
	for _, missing := range []func(*testing.T, *story) string{missing, func(t *testing.T, s *story) string {
		t.Helper()
		return lacksNow(t, s, spec.PointHandled)
	}} {
		t.Run("", func(t *testing.T) {
			s := &story{t: t, entries: s.entries[:len(s.entries):len(s.entries)], version: s.version}
			assert.Equal(t, "workflows/w-1 and 1 more have not ended", missing(t, s))
			s.see(30, "MODIFIED", workFor("w-b", "b/cache", "Succeeded"))
			s.see(31, "MODIFIED", workFor("w-2", "services/cache", "Failed"))
			assert.Equal(t, "workflows/w-1 has not ended", missing(t, s))
			s.see(32, "DELETED", workFor("w-1", "services/cache", "Running"))
			assert.Empty(t, missing(t, s))
		})
	}
}

// Work that an earlier sample in the namespace left is waited for, too; it is no
// sign that the operator has begun with what was asked for since.
func TestWorkThatWasLeft(t *testing.T) {
	s := newOverlap(t)
	s.begin(0, "busy", "create", 1, ofMatrix("services"), func(b *record.Sample) { b.Prepare = true })
	s.done(10, "create", custom(1, 1, 0).at(100))
	s.see(20, "ADDED", deployment(1, 1, 1, 1))
	s.see(21, "ADDED", workFor("w-1", "services/cache", "Running"))
	s.see(22, "ADDED", workFor("w-b", "b/cache", "Running"))
	s.end(30, record.Settled)
	s.begin(40, "busy", "create", 1, ofMatrix("services"))
	s.done(50, "patch", custom(1, 1, 0).at(101))
	assert.Equal(t, "workflows/w-1 has not ended", missing(t, s))
	assert.Contains(t, lacksNow(t, s, spec.PointWorking), "the operator has not begun")
	require.Len(t, opened(t, s, "services")["services"].Before, 3)
}

// A sample's further custom resources are awaited, wherever they are.
func TestMissingWaitsForEachCustomResource(t *testing.T) {
	one := 1
	s := newOverlap(t)
	s.begin(0, "busy", "two namespaces", 2, ofMatrix("services"), func(b *record.Sample) {
		b.Others = []record.Other{{Namespace: "services", Name: "gone"}, {Namespace: "services-2", Name: "cache", Size: &one}}
	})
	s.done(10, "create", custom(1, 2, 0).at(100))
	s.see(20, "ADDED", deployment(1, 2, 2, 2))
	second := custom(1, 1, 0).in("services-2")
	s.act(30, 35, "create", second.at(101))
	assert.Equal(t, "the watch has not shown the create of memcacheds/cache", missing(t, s))
	s.see(36, "ADDED", second.at(101))
	assert.Equal(t, "of services-2/cache: there is no Deployment cache-deployment", missing(t, s))
	s.see(40, "ADDED", deployment(1, 1, 1, 1).in("services-2"))
	s.see(41, "ADDED", workFor("w-2", "services-2/cache", "Running"))
	assert.Equal(t, "workflows/w-2 has not ended", missing(t, s))
	s.see(42, "MODIFIED", workFor("w-2", "services-2/cache", "Succeeded"))
	assert.Empty(t, missing(t, s))
	third := custom(1, 1, 0).named("gone", "cr3")
	s.done(50, "create", third.at(102))
	s.see(60, "ADDED", deployment(1, 1, 1, 1).named("gone-deployment", "d3"))
	assert.Equal(t, "of services/gone: the custom resource gone is still there", missing(t, s))
	s.see(70, "DELETED", third)
	assert.Equal(t, "of services/gone: Deployment gone-deployment is still there", missing(t, s))
	s.see(71, "DELETED", deployment(1, 1, 1, 1).named("gone-deployment", "d3"))
	assert.Empty(t, missing(t, s))
	assert.Empty(t, lacksNow(t, s, spec.PointReady), "points concern the sample's own")
}

// Where the operator gives all of its Deployments one name, what one custom
// resource leaves and another wants is not waited for.
func TestASharedDeploymentIsNotLeftOver(t *testing.T) {
	shared := busy
	shared.Name, shared.Child.Name = "shared", "the-deployment"
	s := newOverlap(t)
	s.entries[0].Header.Styles = append(s.entries[0].Header.Styles, shared)
	s.begin(0, "shared", "delete the other", 2, ofMatrix("services"), func(b *record.Sample) {
		b.Others = []record.Other{{Namespace: "services", Name: "other"}}
	})
	s.see(5, "LISTED", custom(1, 2, 0).at(90))
	s.see(5, "LISTED", custom(1, 2, 0).named("other", "cr2").at(91))
	s.see(5, "LISTED", deployment(1, 2, 2, 2).named("the-deployment", "d1"))
	s.act(10, 15, "delete", thing{resource: customs, namespace: "services", name: "other"})
	s.see(16, "DELETED", custom(1, 2, 0).named("other", "cr2"))
	assert.Empty(t, missing(t, s))
	s.see(20, "DELETED", deployment(1, 2, 2, 2).named("the-deployment", "d1"))
	assert.Equal(t, "there is no Deployment the-deployment", missing(t, s))
}

// What was written and not shown yet would be judged by the state before it.
func TestTheStateIsThatAfterTheWrite(t *testing.T) {
	s := newOverlap(t)
	s.begin(0, "busy", "drift", 2, ofMatrix("services"))
	s.see(5, "LISTED", custom(1, 2, 0).at(100))
	s.see(5, "LISTED", deployment(1, 2, 2, 2).at(101))
	s.act(10, 15, "patch", deployment(2, 1, 2, 2).at(105))
	assert.Equal(t, "the watch has not shown the patch of deployments/cache-deployment", missing(t, s))
	assert.Equal(t, "the watch has not shown the patch of deployments/cache-deployment", lacksNow(t, s, spec.PointReady))
	s.see(20, "MODIFIED", deployment(2, 1, 2, 2).at(105))
	assert.Equal(t, "Deployment cache-deployment asks for 1 replicas, wanted 2", missing(t, s))
	s.see(30, "MODIFIED", deployment(3, 2, 2, 2).at(106))
	assert.Empty(t, missing(t, s))

	s.act(40, 45, "delete", thing{resource: spec.Deployments, namespace: "services", name: "cache-deployment"})
	s.entries[len(s.entries)-1].Action.Object = nil
	assert.Equal(t, "the watch has not shown the delete of deployments/cache-deployment", missing(t, s))
	s.see(50, "DELETED", deployment(3, 2, 2, 2).at(107))
	assert.Equal(t, "there is no Deployment cache-deployment", missing(t, s))
}

// The watch can be faster than the reply.
func TestTheWatchShowsAWriteBeforeItsReply(t *testing.T) {
	s := newOverlap(t)
	s.begin(0, "busy", "create", 1, ofMatrix("services"))
	s.see(14, "ADDED", custom(1, 1, 0).at(100))
	s.see(14, "ADDED", deployment(1, 1, 1, 1))
	s.act(10, 15, "create", custom(1, 1, 0).at(100))
	assert.Empty(t, missing(t, s))
}

// A sample can begin with a drift or a fault: what is asked for was asked before.
func TestPointsOfWhatWasGiven(t *testing.T) {
	s := newOverlap(t)
	s.see(1, "LISTED", custom(1, 2, 0))
	s.begin(5, "busy", "kill", 2, ofMatrix("services"))
	assert.Equal(t, "there is no Deployment cache-deployment", lacksNow(t, s, spec.PointReady))
	assert.Equal(t, unacknowledged, lacksNow(t, s, spec.PointWorking))
	assert.Equal(t, unacknowledged, missing(t, s))
	s.breaks(10, 12, record.Begun, "kill", "operator")
	s.see(20, "ADDED", deployment(1, 2, 2, 2))
	assert.Empty(t, lacksNow(t, s, spec.PointReady))
	assert.Empty(t, missing(t, s))
}

// What is to be deleted is marked so by the API server: the operator has not begun.
func TestADeletionTimestampIsNoWriteOfTheOperator(t *testing.T) {
	s := newOverlap(t)
	s.begin(0, "busy", "delete", -1, ofMatrix("services"))
	s.see(5, "LISTED", custom(1, 2, 0))
	s.act(10, 15, "delete", thing{resource: customs, namespace: "services", name: "cache"})
	doomed := custom(2, 2, 0)
	doomed.object["metadata"].(fields)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	doomed.object["metadata"].(fields)["finalizers"] = []string{"hold"}
	s.see(16, "MODIFIED", doomed)
	assert.Contains(t, lacksNow(t, s, spec.PointWorking), "the operator has not begun")
	s.see(20, "MODIFIED", doomed)
	assert.Empty(t, lacksNow(t, s, spec.PointWorking))
}

// An Event about the custom resource is a sign of the operator, too.
func TestAnEventIsASignOfTheOperator(t *testing.T) {
	s := newOverlap(t)
	s.begin(0, "busy", "create", 1, ofMatrix("services"))
	s.done(10, "create", custom(1, 1, 0).at(100))
	s.see(20, "ADDED", kubeEvent("e1", "services", "another", "seen"))
	assert.Contains(t, lacksNow(t, s, spec.PointWorking), "the operator has not begun")
	s.see(21, "ADDED", kubeEvent("e2", "services", "cr1", "seen"))
	assert.Empty(t, lacksNow(t, s, spec.PointWorking))
}

// refuse is an action that the API server refuses.
func (s *story) refuse(from, to float64, change ...func(*record.Action)) {
	a := &record.Action{
		From: at(from), Verb: "patch", Resource: customs, Namespace: s.sample.Namespace, Name: "cache", Measured: true, Error: "spec.size: Invalid value",
	}
	for _, f := range change {
		f(a)
	}
	s.add(record.Entry{Time: at(to), Kind: record.KindAction, Action: a})
}

func TestARefusalThatIsWantedIsNotMissing(t *testing.T) {
	for expect, want := range map[string]string{
		"refused":   "",
		"converged": "patch of memcacheds.v1alpha1.cache.example.com cache was refused: spec.size: Invalid value",
	} {
		s := newOverlap(t)
		s.see(1, "LISTED", custom(1, 1, 0))
		s.see(1, "LISTED", deployment(1, 1, 1, 1))
		s.begin(5, "busy", "bad size", 1, ofMatrix("services", expect))
		s.refuse(10, 15)
		assert.Equal(t, want, missing(t, s))
	}
	s := newOverlap(t)
	s.begin(5, "busy", "kill", -1, ofMatrix("services", "gone"))
	s.breaks(10, 12, record.Begun, "kill", "operator")
	s.refuse(20, 25, func(a *record.Action) { a.Nudge, a.Measured = true, false })
	assert.Empty(t, missing(t, s), "a nudge may find nothing")
}

// What cannot be brought about is told, and what was before stays.
func TestMissingWaitsForAMessage(t *testing.T) {
	s := newOverlap(t)
	s.see(1, "LISTED", custom(1, 1, 0))
	s.see(1, "LISTED", deployment(1, 1, 1, 1))
	s.begin(5, "busy", "huge", 1, ofMatrix("services", "diagnosable"), func(b *record.Sample) { b.Unmeetable, b.Cause = true, "too (big|large)" })
	s.done(10, "patch", custom(2, 1<<31, 0).at(100))
	none := "no message names the cause (too (big|large))"
	assert.Equal(t, none, missing(t, s))
	assert.Equal(t, none, lacksNow(t, s, spec.PointStuck))
	s.see(20, "MODIFIED", deployment(2, 0, 0, 0))
	assert.Equal(t, "Deployment cache-deployment asks for 0 replicas, wanted 1", missing(t, s))
	s.see(21, "MODIFIED", deployment(3, 1, 1, 1))
	speaks := workFor("w-1", "services/cache", "Failed")
	speaks.object["status"] = fields{"phase": "Failed", "nodes": []any{fields{"message": "well"}, fields{"message": "Too LARGE a size"}}}
	other := workFor("w-2", "b/cache", "Failed")
	other.object["status"] = speaks.object["status"]
	s.see(22, "ADDED", other)
	assert.Equal(t, none, missing(t, s))
	s.see(23, "ADDED", speaks)
	assert.Empty(t, missing(t, s))
	assert.Empty(t, lacksNow(t, s, spec.PointStuck))
}

func TestNotApplicableWithAReason(t *testing.T) {
	s := newOverlap(t)
	s.begin(5, "busy", "kill", 1, ofMatrix("services", "converged", "recovers"), func(b *record.Sample) { b.Reason = "it has no bus" })
	s.end(6, record.Settled)
	r := s.result()
	assert.Equal(t, spec.NotApplicable, r.Outcome())
	for _, v := range r.Verdicts {
		assert.Equal(t, judge.Verdict{Oracle: v.Oracle, Outcome: spec.NotApplicable, Message: "it has no bus"}, v)
	}
	assert.Nil(t, r.Recovery)
}

func TestResultsOfTheMatrix(t *testing.T) {
	s := newOverlap(t)
	for i, change := range []func(*record.Sample){func(*record.Sample) {}, ofMatrix("services", "converged")} {
		ms := 1000 * float64(i)
		s.begin(ms, "busy", "create", 1, change)
		s.act(ms+10, ms+15, "create", custom(1, 1, 0).at(100))
		s.see(ms+16, "ADDED", custom(1, 1, 0).at(100))
		s.see(ms+20, "ADDED", deployment(1, 1, 1, 1))
		s.end(ms+900, record.Settled)
		r := s.result()
		assert.Equal(t, "basic", r.Group)
		assert.Equal(t, i == 1, r.Matrix)
		assert.Equal(t, i == 0, len(r.Samples) > 0, "others overlap with it")
	}
}

// Between the samples of a wave what is in their namespaces stays known; of the
// next wave nothing is.
func TestWhatIsKnownInAWave(t *testing.T) {
	wave := func(s *story, number int, stage string) {
		s.add(record.Entry{Time: at(float64(len(s.entries))), Kind: record.KindBlock, Block: &record.Block{Style: "busy", Round: 1, Wave: number, Stage: stage}})
	}
	s := newOverlap(t)
	wave(s, 1, record.Installed)
	s.see(1, "LISTED", pod(7, "Running").in("argo-events"))
	s.begin(5, "busy", "create", 1, ofMatrix("services"), func(b *record.Sample) { b.Prepare = true })
	s.see(6, "ADDED", custom(1, 1, 0))
	s.see(7, "ADDED", deployment(1, 1, 1, 1).in("services-2"))
	s.end(8, record.Settled)
	wave(s, 1, record.Driven) // another's
	s.begin(9, "busy", "create", 1, ofMatrix("services"), func(b *record.Sample) {
		b.Others = []record.Other{{Namespace: "services-2", Name: "cache"}}
	})
	before := func() []string {
		var list []string
		for _, e := range opened(t, s, "services")["services"].Before {
			list = append(list, fmt.Sprintf("%s/%s", e.Watch.Namespace, e.Watch.Name))
		}
		return list
	}
	assert.Equal(t, []string{"argo-events/p7", "services/cache", "services-2/cache-deployment"}, before())
	s.end(20, record.Settled)
	wave(s, 2, record.Installing)
	s.begin(30, "busy", "create", 1, ofMatrix("services"), func(b *record.Sample) {
		b.Others = []record.Other{{Namespace: "services-2", Name: "cache"}}
	})
	assert.Empty(t, before())
}
