package judge_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// missing is what the story's open sample waits for after its last entry.
func missing(t *testing.T, s *story) string {
	t.Helper()
	all := live(t, s)
	require.NotEmpty(t, all)
	return all[len(all)-1]
}

// A state that came true before the intent was not brought about by it.
func TestStateReachedBeforeTheIntentHasNoLatency(t *testing.T) {
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	s.begin(2000, "native", "scale up", 4, func(b *record.Sample) { b.Expect = []string{"converged"} })
	s.see(2001, "MODIFIED", deployment(2, 4, 4, 4))
	s.act(2010, 2015, "patch", custom(2, 4, 1))
	s.end(3020, record.Settled)
	for _, p := range phases(s.result()) {
		assert.NotRegexp(t, "^(child written|ready)", p)
	}
}

// Latencies run from the first measured action, whatever comes before and after it.
func TestIntentIsTheFirstMeasuredAction(t *testing.T) {
	s := newStory(t)
	s.begin(0, "native", "burst", 3, func(b *record.Sample) { b.Expect = []string{"converged"} })
	s.act(10, 15, "create", custom(1, 1, 0))
	s.entries[len(s.entries)-1].Action.Measured = false
	s.act(20, 24, "patch", custom(2, 2, 0))
	s.act(30, 35, "patch", custom(3, 3, 0))
	s.see(60, "ADDED", deployment(1, 3, 3, 3))
	s.end(1100, record.Settled)
	assert.Equal(t, []string{"acknowledged ok 4", "child written ok 40", "ready ok 40", "status written wrong 1080", "quiet ok 40"}, phases(s.result()))
}

// The garbage collector takes the owner reference off what it orphans: a
// ReplicaSet left so is garbage all the same.
func TestOrphanedReplicaSetIsGarbage(t *testing.T) {
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	s.begin(2000, "native", "delete", -1)
	s.done(2010, "delete", custom(1, 3, 1))
	orphan := replicaSet()
	delete(orphan.object, "metadata")
	s.see(2018, "MODIFIED", orphan)
	s.see(2020, "DELETED", deployment(1, 3, 3, 3))
	assert.Equal(t, "ReplicaSet cache-deployment-5d is still there", missing(t, s))
	s.end(12010, record.TimedOut)
	assert.Equal(t, spec.Fail, s.verdict("garbage").Outcome)
}

// A replica of the old size that still terminates is waited for.
func TestSurplusReplicaIsWaitedFor(t *testing.T) {
	s := newStory(t)
	s.begin(0, "argo", "scale down", 1)
	s.act(10, 15, "patch", custom(2, 1, 0))
	surplus := deployment(2, 1, 2, 1)
	surplus.object["status"].(fields)["updatedReplicas"] = 1
	s.see(20, "ADDED", surplus)
	assert.Equal(t, "Deployment cache-deployment still has 2 replicas, wanted 1", missing(t, s))
}

// A pod that terminates does not run any more, whatever its phase says.
func TestStatusMustNotNameATerminatingPod(t *testing.T) {
	s := newStory(t)
	s.created()
	leaving := pod(3, "Running")
	leaving.object["metadata"].(fields)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	s.see(900, "MODIFIED", leaving)
	s.end(1910, record.Settled)
	assert.Contains(t, s.verdict("status").Message, "expected status.nodes to name the running pods [p1 p2]")
}

// A status that matches the old generation is stale as soon as the action is
// acknowledged, though the watch has not shown the new one yet.
func TestStatusOfTheOldGenerationIsStale(t *testing.T) {
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	s.begin(2000, "native", "annotate and touch", 3)
	s.act(2010, 2015, "patch", custom(2, 3, 1, "p1", "p2", "p3"))
	assert.Equal(t, "status.observedGeneration of cache is 1, wanted 2", missing(t, s))
}

// The watch can show a patch before its reply: that does not make it a patch
// that changed nothing.
func TestPatchSeenBeforeItsReplyCausesAReconcile(t *testing.T) {
	s := newStory(t)
	s.begin(0, "argo", "touch", 1)
	s.see(1, "LISTED", deployment(1, 1, 1, 1))
	s.see(12, "MODIFIED", custom(2, 1, 0).at(50))
	s.act(10, 15, "patch", custom(2, 1, 0).at(50))
	assert.Equal(t, `inner phase "workflow finished" has not happened`, missing(t, s))
}

// The garbage collector deletes what is owned: a style may have nothing to do with it.
func TestDeletionNeedsNoWorkOfAStyleWithOwnerReferences(t *testing.T) {
	for owned, want := range map[bool]string{true: "", false: `inner phase "workflow finished" has not happened`} {
		t.Run(strconv.FormatBool(owned), func(t *testing.T) {
			s := newStory(t)
			style := argo
			style.Declares.OwnerReferences.Supported = owned
			s.entries[0].Header.Styles = []record.Style{style}
			s.begin(0, "argo", "delete", 1, func(b *record.Sample) { b.Size = nil })
			s.see(1, "LISTED", custom(1, 1, 0))
			s.done(10, "delete", custom(1, 1, 0))
			assert.Equal(t, want, missing(t, s))
		})
	}
}

// Namespaces of earlier samples are not "elsewhere": what still dies there is
// no inner phase of the sample that is open now.
func TestEarlierNamespacesAreNotInnerPhases(t *testing.T) {
	style := record.Style{Style: spec.Style{Name: "native", Phases: []spec.Phase{{Name: "helper pod gone", Resource: spec.Pods, Event: "DELETED"}}}}
	s := newStory(t, style)
	s.begin(0, "native", "create", 1, func(b *record.Sample) { b.Namespace = "earlier" })
	s.end(1000, record.Settled)
	s.begin(2000, "native", "create", 1, func(b *record.Sample) { b.Expect = []string{"converged"} })
	s.act(2010, 2015, "create", custom(1, 1, 0))
	s.see(2020, "ADDED", deployment(1, 1, 1, 1))
	old, helper := pod(1, "Running"), pod(2, "Running")
	old.namespace, helper.namespace = "earlier", "native-system"
	s.see(2030, "DELETED", old)
	s.see(2040, "DELETED", helper)
	s.end(3100, record.Settled)
	assert.Contains(t, phases(s.result()), "helper pod gone ok 30")
}
