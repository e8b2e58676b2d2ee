package judge_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// queue is a workload with other names, paths and kinds than the default one, and a condition of its own.
var queue = spec.Workload{
	Name: "queue", Template: "cr.yaml",
	Resource: spec.CustomResource{Group: "example.org", Version: "v1beta1", Kind: "Queue", Plural: "queues"},
	Knobs:    map[string]spec.Knob{"members": {Path: "spec.cluster.replicas", Effect: spec.Scale}},
	Children: []spec.ChildKind{{ID: "server", Resource: "statefulsets.v1.apps", Kind: "StatefulSet", Main: true, Scale: "spec.replicas"}},
	Status:   spec.StatusPaths{ObservedGeneration: "status.seen"},
	Phases:   spec.WorkloadPhases{Ready: "cr.status.seen == cr.metadata.generation && cr.status.phase == 'Up' && server.status.readyReplicas == knob.members"},
}

func queued(generation, members, seen int, phase string) thing {
	object := fields{"metadata": fields{"generation": generation}, "spec": fields{"cluster": fields{"replicas": members}}}
	if seen > 0 {
		object["status"] = fields{"seen": seen, "phase": phase}
	}
	return thing{resource: "queues.v1beta1.example.org", namespace: "services", name: "cache", uid: "cr1", object: object}
}

func server(asks, ready int) thing {
	x := deployment(1, asks, ready, ready)
	x.resource, x.name = "statefulsets.v1.apps", "cache-server"
	return x
}

func member(n int, phase string) thing {
	x := pod(n, phase)
	x.object["metadata"] = fields{"ownerReferences": owner("d1")} // without a ReplicaSet
	return x
}

func TestAnotherWorkloadIsJudgedByWhatItSays(t *testing.T) {
	for name, test := range map[string]struct {
		phase string
		pods  int
		want  map[string]judge.Verdict
		ready bool
	}{
		"ready": {"Up", 2, map[string]judge.Verdict{
			"converged": {Outcome: spec.Pass, Message: "StatefulSet cache-server had 2 ready replicas at +0.090 s"},
			"status":    {Outcome: spec.Pass, Message: "of generation 1"},
			"reference": {Outcome: spec.NotApplicable, Message: "the workload queue does not say what a custom resource asks for: it has no reference"},
		}, true},
		"not yet by its own condition": {"Starting", 2, map[string]judge.Verdict{
			"converged": {Outcome: spec.Fail, Message: `of Queue cache: cr.status.phase == "Up" does not hold (cr.status.phase is Starting)`},
		}, false},
		"not yet by its pods": {"Up", 1, map[string]judge.Verdict{
			"converged": {Outcome: spec.Fail, Message: "StatefulSet cache-server has 1 of 2 ready replicas"},
		}, false},
	} {
		s := newStory(t)
		s.entries[0].Header.Workload = &queue
		s.entries[0].Header.Styles = []record.Style{{Style: spec.Style{
			Name: "native", Child: spec.Child{OwnerReference: true},
			Declares: spec.Declares{Status: spec.Declaration{Supported: true, Fields: []string{spec.StatusObservedGeneration}}},
		}}}
		s.begin(0, "native", "create", 2, func(b *record.Sample) { b.Expect = append(slices.Clone(sized), "reference") })
		s.act(10, 15, "create", queued(1, 2, 0, "").at(100))
		s.see(16, "ADDED", queued(1, 2, 0, "").at(100))
		s.see(20, "ADDED", server(2, 0))
		s.see(30, "ADDED", member(1, "Running"))
		s.see(40, "ADDED", member(2, "Running"))
		s.see(50, "MODIFIED", server(2, test.pods))
		s.see(100, "MODIFIED", queued(1, 2, 1, test.phase))
		s.end(2000, record.Settled)
		j := s.judge()
		for oracle, want := range test.want {
			v := verdictOf(t, j, oracle)
			assert.Equal(t, want.Outcome, v.Outcome, "%s: %s: %s", name, oracle, v.Message)
			assert.Contains(t, v.Message, want.Message, name)
		}
		var ready []judge.Sample
		for sample := range j.Samples() {
			if sample.Phase == spec.PhaseReady && sample.Outcome == judge.OK {
				ready = append(ready, sample)
			}
		}
		assert.Equal(t, test.ready, len(ready) == 1, name)
	}
}

func TestAnotherWorkloadLeavesNothing(t *testing.T) {
	s := newStory(t)
	s.entries[0].Header.Workload = &queue
	s.entries[0].Header.Styles[0].Child.OwnerReference = true
	s.begin(0, "native", "delete", 2, func(b *record.Sample) { b.Prepare = true })
	s.act(10, 15, "create", queued(1, 2, 0, "").at(100))
	s.see(16, "ADDED", queued(1, 2, 0, "").at(100))
	s.see(20, "ADDED", server(2, 2))
	s.see(30, "ADDED", member(1, "Running"))
	s.end(1000, record.Settled)
	s.begin(2000, "native", "delete", -1)
	s.act(2010, 2015, "delete", queued(1, 2, 0, "").at(110))
	s.see(2020, "DELETED", queued(1, 2, 0, "").at(111))
	s.see(2030, "DELETED", server(2, 2))
	s.end(4000, record.Settled)
	j := s.judge()
	v := verdictOf(t, j, "garbage")
	assert.Equal(t, spec.Fail, v.Outcome)
	assert.Contains(t, v.Message, "expected no StatefulSet or pod to be left")
	assert.Contains(t, v.Message, "pod p1 is still there")
}

func verdictOf(t *testing.T, j *judge.Judgement, oracle string) judge.Verdict {
	t.Helper()
	for _, v := range j.Results[len(j.Results)-1].Verdicts {
		if v.Oracle == oracle {
			return v
		}
	}
	t.Fatalf("no verdict of %s", oracle)
	return judge.Verdict{}
}

// The harness writes no status: of the floor, to be rolled out is to be ready.
func TestTheFloorIsReadyWithoutAStatus(t *testing.T) {
	s := newStory(t)
	s.entries[0].Header.Workload = &queue
	s.entries[0].Header.Styles[0] = record.Style{Style: spec.Style{Name: "native", Control: spec.Harness, Child: spec.Child{OwnerReference: true}}}
	s.begin(0, "native", "create", 2)
	s.act(10, 15, "create", queued(1, 2, 0, "").at(100))
	s.see(16, "ADDED", queued(1, 2, 0, "").at(100))
	s.see(20, "ADDED", server(2, 0))
	s.see(50, "MODIFIED", server(2, 2))
	s.end(2000, record.Settled)
	v := verdictOf(t, s.judge(), "converged")
	assert.Equal(t, spec.Pass, v.Outcome, v.Message)
	assert.Contains(t, v.Message, "StatefulSet cache-server had 2 ready replicas at +0.040 s")
}

// crew is a workload whose pods are its main children.
var crew = spec.Workload{
	Name: "crew", Template: "cr.yaml",
	Resource: spec.CustomResource{Group: "example.org", Version: "v1beta1", Kind: "Queue", Plural: "queues"},
	Knobs:    map[string]spec.Knob{"members": {Path: "spec.cluster.replicas", Effect: spec.Scale}},
	Children: []spec.ChildKind{{ID: "pods", Resource: spec.Pods, Kind: "Pod", Main: true, Many: true}},
	Phases:   spec.WorkloadPhases{Ready: "cr.status.phase == 'Up' && pods.filter(p, p.status.phase == 'Running').size() == knob.members"},
}

// hand is a pod that the custom resource controls.
func hand(n int, ready bool, deleting bool) thing {
	x := pod(n, "Running")
	meta := fields{"ownerReferences": owner("cr1"), "generation": 1}
	if deleting {
		meta["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	}
	status := "False"
	if ready {
		status = "True"
	}
	x.object["metadata"] = meta
	x.object["status"] = fields{"phase": "Running", "conditions": []fields{{"type": "Ready", "status": status}}}
	return x
}

func TestPodsThatAreTheMainChildrenAreJudgedTogether(t *testing.T) {
	for name, test := range map[string]struct {
		last    []thing
		outcome spec.Outcome
		want    string
	}{
		"ready":                     {[]thing{hand(1, true, false), hand(2, true, false)}, spec.Pass, "Pod cache had 2 ready replicas"},
		"one is not ready":          {[]thing{hand(1, true, false), hand(2, false, false)}, spec.Fail, "of the 2 pods of cache 1 are ready"},
		"one is missing":            {[]thing{hand(1, true, false)}, spec.Fail, "cache has 1 pods that are to stay, wanted 2"},
		"one too many, but it goes": {[]thing{hand(1, true, false), hand(2, true, false), hand(3, true, true)}, spec.Fail, "cache still has 3 pods, wanted 2"},
		"one too many":              {[]thing{hand(1, true, false), hand(2, true, false), hand(3, true, false)}, spec.Fail, "cache has 3 pods that are to stay, wanted 2"},
	} {
		s := newStory(t)
		s.entries[0].Header.Workload = &crew
		s.entries[0].Header.Styles = []record.Style{{Style: spec.Style{Name: "native", Child: spec.Child{OwnerReference: true}}}}
		s.begin(0, "native", "create", 2, func(b *record.Sample) { b.Expect = []string{"converged", "write-history", "ledger"} })
		s.act(10, 15, "create", queued(1, 2, 0, "").at(100))
		s.see(16, "ADDED", queued(1, 2, 0, "").at(100))
		for i, pod := range test.last {
			s.see(float64(20+10*i), "ADDED", pod)
		}
		s.see(100, "MODIFIED", queued(1, 2, 1, "Up"))
		s.end(2000, record.Settled)
		j := s.judge()
		v := verdictOf(t, j, "converged")
		assert.Equal(t, test.outcome, v.Outcome, "%s: %s", name, v.Message)
		assert.Contains(t, v.Message, test.want, name)
		assert.Equal(t, spec.NotApplicable, verdictOf(t, j, "write-history").Outcome, name)
	}
}

func TestPodsThatAreTheMainChildrenAreLeft(t *testing.T) {
	s := newStory(t)
	s.entries[0].Header.Workload = &crew
	s.entries[0].Header.Styles[0].Child.OwnerReference = true
	s.begin(0, "native", "delete", 2, func(b *record.Sample) { b.Prepare = true })
	s.act(10, 15, "create", queued(1, 2, 0, "").at(100))
	s.see(16, "ADDED", queued(1, 2, 0, "").at(100))
	s.see(20, "ADDED", hand(1, true, false))
	s.end(1000, record.Settled)
	s.begin(2000, "native", "delete", -1)
	s.act(2010, 2015, "delete", queued(1, 2, 0, "").at(110))
	s.see(2020, "DELETED", queued(1, 2, 0, "").at(111))
	s.end(4000, record.Settled)
	v := verdictOf(t, s.judge(), "garbage")
	assert.Equal(t, spec.Fail, v.Outcome)
	assert.Contains(t, v.Message, "Pod p1 is still there")
}
