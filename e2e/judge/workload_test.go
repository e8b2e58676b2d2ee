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
		s.done(10, "create", queued(1, 2, 0, "").at(100))
		s.see(20, "ADDED", server(2, 0))
		s.see(30, "ADDED", member(1, "Running"))
		s.see(40, "ADDED", member(2, "Running"))
		s.see(50, "MODIFIED", server(2, test.pods))
		s.see(100, "MODIFIED", queued(1, 2, 1, test.phase))
		s.end(2000, record.Settled)
		j := s.judge()
		for oracle, want := range test.want {
			v := s.verdict(oracle)
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
	s.done(10, "create", queued(1, 2, 0, "").at(100))
	s.see(20, "ADDED", server(2, 2))
	s.see(30, "ADDED", member(1, "Running"))
	s.end(1000, record.Settled)
	s.begin(2000, "native", "delete", -1)
	s.act(2010, 2015, "delete", queued(1, 2, 0, "").at(110))
	s.see(2020, "DELETED", queued(1, 2, 0, "").at(111))
	s.see(2030, "DELETED", server(2, 2))
	s.end(4000, record.Settled)
	v := s.says("garbage", spec.Fail, "expected no StatefulSet or pod to be left")
	assert.Contains(t, v.Message, "pod p1 is still there")
}

// The harness writes no status: of the floor, to be rolled out is to be ready.
func TestTheFloorIsReadyWithoutAStatus(t *testing.T) {
	s := newStory(t)
	s.entries[0].Header.Workload = &queue
	s.entries[0].Header.Styles[0] = record.Style{Style: spec.Style{Name: "native", Control: spec.Harness, Child: spec.Child{OwnerReference: true}}}
	s.begin(0, "native", "create", 2)
	s.done(10, "create", queued(1, 2, 0, "").at(100))
	s.see(20, "ADDED", server(2, 0))
	s.see(50, "MODIFIED", server(2, 2))
	s.end(2000, record.Settled)
	s.says("converged", spec.Pass, "StatefulSet cache-server had 2 ready replicas at +0.040 s")
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
		s.done(10, "create", queued(1, 2, 0, "").at(100))
		for i, pod := range test.last {
			s.see(float64(20+10*i), "ADDED", pod)
		}
		s.see(100, "MODIFIED", queued(1, 2, 1, "Up"))
		s.end(2000, record.Settled)
		v := s.verdict("converged")
		assert.Equal(t, test.outcome, v.Outcome, "%s: %s", name, v.Message)
		assert.Contains(t, v.Message, test.want, name)
		assert.Equal(t, spec.NotApplicable, s.verdict("write-history").Outcome, name)
	}
}

func TestPodsThatAreTheMainChildrenAreLeft(t *testing.T) {
	s := newStory(t)
	s.entries[0].Header.Workload = &crew
	s.entries[0].Header.Styles[0].Child.OwnerReference = true
	s.begin(0, "native", "delete", 2, func(b *record.Sample) { b.Prepare = true })
	s.done(10, "create", queued(1, 2, 0, "").at(100))
	s.see(20, "ADDED", hand(1, true, false))
	s.end(1000, record.Settled)
	s.begin(2000, "native", "delete", -1)
	s.act(2010, 2015, "delete", queued(1, 2, 0, "").at(110))
	s.see(2020, "DELETED", queued(1, 2, 0, "").at(111))
	s.end(4000, record.Settled)
	s.says("garbage", spec.Fail, "Pod p1 is still there")
}

// rolling is a sample of the matrix in which three pods run, and a knob that rolls them is turned at 100 ms.
func rolling(t *testing.T, change func(*spec.Workload), expect ...string) *story {
	t.Helper()
	w := crew
	w.Knobs = map[string]spec.Knob{"members": w.Knobs["members"], "colour": {Path: "spec.colour", Effect: spec.Roll, To: "red"}}
	w.Quorum = spec.Majority
	if change != nil {
		change(&w)
	}
	s := newStory(t)
	s.entries[0].Header.Workload = &w
	s.entries[0].Header.Styles = []record.Style{{Style: spec.Style{Name: "native", Child: spec.Child{OwnerReference: true}}}}
	s.see(1, "ADDED", queued(1, 3, 1, "Up").at(100))
	for n := 1; n <= 3; n++ {
		s.see(float64(1+n), "ADDED", hand(n, true, false))
	}
	s.begin(50, "native", "version-upgrade", 3, func(b *record.Sample) { b.Expect, b.Matrix = expect, true })
	s.act(100, 105, "patch", queued(2, 3, 1, "Up").at(101))
	s.entries[len(s.entries)-1].Action.Turned = "colour"
	s.see(106, "MODIFIED", queued(2, 3, 2, "Up").at(101))
	return s
}

// anew is a pod whose container has been started again.
func anew(n int, ready bool) thing {
	x := hand(n, ready, false)
	x.object["status"].(fields)["containerStatuses"] = []fields{{"name": "c", "restartCount": 1}}
	return x
}

func TestPodsThatAKnobRolls(t *testing.T) {
	for name, test := range map[string]struct {
		tell                func(*story)
		converged, kept     spec.Outcome
		saysReady, saysKept string
	}{
		"none of them": {
			func(*story) {}, spec.Fail, spec.Pass,
			"pod p1 runs as it did before the knob colour was turned", "at least 3 of 3 pods were ready all along while the knob colour rolled them",
		},
		"one after the other": {func(s *story) {
			for n := 1; n <= 3; n++ {
				s.see(float64(200*n), "MODIFIED", anew(n, false))
				s.see(float64(200*n+100), "MODIFIED", anew(n, true))
			}
		}, spec.Pass, spec.Pass, "had 3 ready replicas at +0.600 s", "at least 2 of 3 pods were ready all along"},
		"two at once": {func(s *story) {
			s.see(200, "MODIFIED", anew(1, false))
			s.see(300, "MODIFIED", anew(2, false))
			s.see(500, "MODIFIED", anew(1, true))
			s.see(600, "MODIFIED", anew(2, true))
			s.see(700, "MODIFIED", anew(3, true))
		}, spec.Pass, spec.Fail, "had 3 ready replicas at +0.600 s", "expected at least 2 of 3 pods to be ready all along while the knob colour rolled them; at +0.200 s 1 were, and for up to 200ms fewer than 2"},
		"other pods are ready": {func(s *story) {
			theirs := func(n int) thing { return owned(hand(n, true, false), "exporter") }
			s.see(150, "ADDED", theirs(8))
			s.see(160, "ADDED", theirs(9))
			for n := 1; n <= 3; n++ {
				s.see(200, "MODIFIED", anew(n, false))
			}
			for n := 1; n <= 3; n++ {
				s.see(500, "MODIFIED", anew(n, true))
			}
		}, spec.Pass, spec.Fail, "had 3 ready replicas", "at +0.100 s 0 were"},
		"all but one": {func(s *story) {
			s.see(200, "MODIFIED", anew(1, true))
			s.see(300, "DELETED", hand(3, true, false))
			other := hand(4, true, false)
			s.see(400, "ADDED", other)
		}, spec.Fail, spec.Pass, "pod p2 runs as it did before the knob colour was turned", "at least 2 of 3 pods were ready all along"},
	} {
		t.Run(name, func(t *testing.T) {
			s := rolling(t, nil, "converged", "pods-kept")
			test.tell(s)
			s.end(3000, record.Settled)
			s.says("converged", test.converged, test.saysReady)
			s.says("pods-kept", test.kept, test.saysKept)
		})
	}
	s := rolling(t, func(w *spec.Workload) { w.Quorum = "" }, "pods-kept")
	s.end(3000, record.Settled)
	assert.Equal(t, spec.NotApplicable, s.verdict("pods-kept").Outcome)

	two, s := 2, rolling(t, nil, "pods-kept")
	for _, e := range s.entries {
		if e.Begin != nil {
			e.Begin.Size = &two
		}
	}
	s.end(3000, record.Settled)
	v := s.says("pods-kept", spec.NotApplicable, "")
	assert.Equal(t, "a majority of 2 pods is all of them: none may be replaced", v.Message)
}

// Who says that it has failed is not ready, whatever else it says, and what it says of that is a message.
func TestACustomResourceThatSaysThatItHasFailed(t *testing.T) {
	s := rolling(t, func(w *spec.Workload) {
		w.Knobs, w.Status.Message = crew.Knobs, "status.phase"
		w.Phases.Failed = "cr.status.phase == 'Up' && cr.status.seen == 2"
	}, "converged")
	s.end(3000, record.Settled)
	s.says("converged", spec.Fail, "Queue cache says that it has failed: phases.failed holds; last said of it: status.phase of queues/cache: Up")
}

func TestNothingIsWrittenWhilePaused(t *testing.T) {
	yes, no := true, false
	for name, test := range map[string]struct {
		tell    func(*story)
		outcome spec.Outcome
		says    string
	}{
		"nothing":       {func(s *story) { s.see(320, "MODIFIED", queued(3, 3, 2, "Paused")) }, spec.NotApplicable, "each of its pods is made and removed by itself"},
		"it never says": {func(*story) {}, spec.Fail, "expected the custom resource to say by +0.400 s that it was paused, since +0.200 s; of Queue cache: cr.status.phase"},
		"a pod is made": {func(s *story) {
			s.see(320, "MODIFIED", queued(3, 3, 2, "Paused"))
			s.see(350, "ADDED", hand(4, true, false))
		}, spec.Fail, "expected no write to the Pod while the custom resource was paused, from +0.200 s to +0.400 s; seen one to pods/p4 at +0.250 s"},
	} {
		t.Run(name, func(t *testing.T) {
			s := rolling(t, func(w *spec.Workload) {
				w.Knobs, w.Phases.Paused = crew.Knobs, "cr.status.phase == 'Paused'"
			}, "write-history")
			s.act(300, 305, "patch", queued(2, 3, 2, "Up").at(102))
			s.entries[len(s.entries)-1].Action.Paused = &yes
			test.tell(s)
			s.act(500, 505, "patch", queued(3, 3, 2, "Up").at(103))
			s.entries[len(s.entries)-1].Action.Paused = &no
			s.see(506, "MODIFIED", queued(3, 3, 2, "Up").at(103))
			s.see(600, "ADDED", hand(5, true, false))
			s.end(3000, record.Settled)
			s.says("write-history", test.outcome, test.says)
		})
	}
}

// phases.ready can look at children beside the main one, each the list of its kind in the namespace: it is ready when the
// last of them is as it should be.
func TestReadyLooksAtOtherChildren(t *testing.T) {
	w := queue
	w.Children = append(w.Children, spec.ChildKind{ID: "volumes", Resource: "persistentvolumeclaims.v1", Kind: "PersistentVolumeClaim"})
	w.Phases.Ready += " && volumes.all(v, v.spec.size == '2Gi')"
	claim := func(namespace, size string) thing {
		return thing{resource: "persistentvolumeclaims.v1", namespace: namespace, name: "data-0", uid: "v-" + namespace, object: fields{"metadata": fields{}, "spec": fields{"size": size}}}
	}
	s := newStory(t)
	s.entries[0].Header.Workload = &w
	s.entries[0].Header.Styles[0].Child.OwnerReference = true
	s.begin(0, "native", "create", 2, func(b *record.Sample) { b.Expect = []string{"converged"} })
	s.done(10, "create", queued(1, 2, 0, "").at(100))
	s.see(20, "ADDED", claim("services", "1Gi"))
	s.see(21, "ADDED", claim("elsewhere", "1Gi"))
	s.see(30, "ADDED", server(2, 2))
	s.see(40, "ADDED", member(1, "Running"))
	s.see(50, "ADDED", member(2, "Running"))
	s.see(100, "MODIFIED", queued(1, 2, 1, "Up").at(101))
	assert.Equal(t, `of Queue cache: volumes.all(v, v.spec.size == "2Gi") does not hold`, lacksNow(t, s, spec.PointReady))
	s.see(310, "MODIFIED", claim("services", "2Gi"))
	assert.Empty(t, lacksNow(t, s, spec.PointReady))
	s.end(1000, record.Settled)
	j := s.judge()
	assert.Equal(t, spec.Pass, s.verdict("converged").Outcome)
	for sample := range j.Samples() {
		if sample.Phase == spec.PhaseReady {
			assert.Equal(t, judge.OK, sample.Outcome)
			assert.InDelta(t, 300, sample.Value*1000, 0.1, "since it was asked for")
		}
	}
}
