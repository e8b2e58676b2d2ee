package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

const forbidden = `deployments.apps is forbidden: User "a" cannot create resource`

// happening is an Event about an object.
func happening(name, namespace, kind, about, uid, note string) thing {
	return thing{resource: spec.Events, namespace: namespace, name: name, uid: name, object: fields{
		"regarding": fields{"kind": kind, "namespace": "services", "name": about, "uid": uid},
		"reason":    "Failed", "note": note, "type": "Warning",
	}}
}

// condition gives an object a condition.
func conditioned(x thing, kind, reason, message string) thing {
	status := fields{}
	if old, there := x.object["status"].(fields); there {
		for key, value := range old {
			status[key] = value
		}
	}
	status["conditions"] = []any{fields{"type": kind, "status": "False", "reason": reason, "message": message}}
	x.object["status"] = status
	return x
}

func TestDiagnosable(t *testing.T) {
	for name, test := range map[string]telling{
		"a condition of the custom resource": {func(s *story) {
			s.see(2110, "MODIFIED", conditioned(custom(2, 4, 0), "Ready", "Denied", forbidden))
		}, spec.Pass, "100ms after it went wrong, condition Ready of memcacheds/cache says: Denied: " + forbidden},
		"a condition of the Deployment": {func(s *story) {
			s.see(2110, "MODIFIED", conditioned(deployment(2, 4, 3, 3), "ReplicaFailure", "FailedCreate", "pods are FORBIDDEN: by policy"))
		}, spec.Pass, "condition ReplicaFailure of deployments/cache-deployment says: FailedCreate: pods are FORBIDDEN"},
		"a condition of a ReplicaSet": {func(s *story) {
			s.see(2110, "MODIFIED", conditioned(replicaSet(), "ReplicaFailure", "FailedCreate", forbidden))
		}, spec.Pass, "replicasets/cache-deployment-5d"},
		"a container that waits": {func(s *story) {
			x := pod(4, "Pending")
			x.object["status"].(fields)["containerStatuses"] = []any{container(0, fields{"waiting": fields{"reason": "ErrImagePull", "message": "forbidden"}})}
			s.see(2110, "ADDED", x)
		}, spec.Pass, "container main of pods/p4 says: ErrImagePull: forbidden"},
		"a pod that finds no node": {func(s *story) {
			s.see(2110, "ADDED", conditioned(pod(4, "Pending"), "PodScheduled", "Unschedulable", "all nodes are forbidden"))
		}, spec.Pass, "condition PodScheduled of pods/p4 says: Unschedulable: all nodes are forbidden"},
		"an Event about the custom resource": {func(s *story) {
			s.see(2110, "ADDED", happening("e", "services", "Memcached", "cache", "cr1", forbidden))
		}, spec.Pass, "an Event about Memcached cache says: Failed: " + forbidden},
		"an Event without a uid": {func(s *story) {
			s.see(2110, "ADDED", happening("e", "services", "Memcached", "cache", "", forbidden))
		}, spec.Pass, "an Event about Memcached cache"},
		"an Event of the core group": {func(s *story) {
			s.see(2110, "ADDED", thing{resource: spec.Events, namespace: "services", name: "e", uid: "e", object: fields{
				"involvedObject": fields{"kind": "Deployment", "uid": "d1", "name": "cache-deployment"}, "reason": "Failed", "message": forbidden,
			}})
		}, spec.Pass, "an Event about Deployment cache-deployment"},
		"an Event about a pod that is gone": {func(s *story) {
			s.see(2110, "DELETED", pod(1, "Running"))
			s.see(2120, "ADDED", happening("e", "services", "Pod", "p1", "pod1", forbidden))
		}, spec.Pass, "an Event about Pod p1"},
		"its work": {func(s *story) {
			s.see(2110, "ADDED", workSaying("w1", "services/cache", "Failed", "main: "+forbidden))
		}, spec.Pass, "workflows/w1 says: main: " + forbidden},
		"a pod of its work": {func(s *story) {
			s.see(2110, "ADDED", workSaying("w1", "services/cache", "Running", ""))
			s.see(2120, "ADDED", step("w1-a", "w1", "Pending", container(0, fields{"waiting": fields{"reason": "Forbidden"}})))
		}, spec.Pass, "container main of pods/w1-a says: Forbidden"},
		"an Event about its work": {func(s *story) {
			s.see(2110, "ADDED", workSaying("w1", "services/cache", "Running", ""))
			s.see(2120, "ADDED", happening("e", "argo-events", "Workflow", "w1", "w1", forbidden))
		}, spec.Pass, "an Event about Workflow w1"},
		"the operator's Event that names it": {func(s *story) {
			s.see(2120, "ADDED", happening("e", "argo-events", "Sensor", "s", "s1", "services/cache: "+forbidden))
		}, spec.Pass, "an Event about Sensor s"},
		"said while the watch was broken": {func(s *story) {
			s.see(2110, "LISTED", conditioned(custom(2, 4, 0), "Ready", "Denied", forbidden))
		}, spec.Pass, "condition Ready"},
		"nothing": {func(*story) {}, spec.Fail, "expected a message that names this resource and its cause (is forbidden|forbidden|services) by +1.990 s; nothing near it was said"},
		"another's work": {func(s *story) {
			s.see(2110, "ADDED", workSaying("w1", "services/other", "Failed", forbidden))
		}, spec.Fail, "nothing near it was said"},
		"another's Event": {func(s *story) {
			s.see(2110, "ADDED", happening("e", "services", "Memcached", "other", "cr2", forbidden))
		}, spec.Fail, "the nearest: +0.100 s the cause, without this resource: an Event about Memcached other says: Failed: " + forbidden},
		"the operator's Event that names nobody": {func(s *story) {
			s.see(2120, "ADDED", happening("e", "argo-events", "Sensor", "s", "s1", forbidden))
		}, spec.Fail, "the nearest: +0.110 s the cause, without this resource: an Event about Sensor s"},
		"a namespace that is called so": {func(s *story) {
			s.see(2110, "ADDED", happening("e", "services", "Pod", "p1", "pod1", "assigned services/p1 to a node"))
		}, spec.Fail, "of this resource, without the cause: an Event about Pod p1 says: Failed: assigned services/p1"},
		"another cause": {func(s *story) {
			s.see(2110, "MODIFIED", conditioned(custom(2, 4, 0), "Ready", "Waiting", "0 of 4 pods are ready"))
		}, spec.Fail, "the nearest: +0.100 s of this resource, without the cause: condition Ready of memcacheds/cache says: Waiting: 0 of 4 pods are ready"},
		"before it went wrong": {func(s *story) {
			s.entries = s.entries[:len(s.entries)-2]
			s.see(2005, "MODIFIED", conditioned(custom(1, 3, 1), "Ready", "Denied", forbidden))
			s.changed(2010, 2, 4)
		}, spec.Fail, "nothing near it was said"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, worker())
			s.given()
			s.begin(2000, "native", "bad input", 4, matrix("diagnosable"), func(b *record.Sample) { b.Cause = "is forbidden|forbidden|services" })
			s.changed(2010, 2, 4)
			test.tell(s)
			stuck := lacksNow(t, s, spec.PointStuck)
			s.end(4000, record.TimedOut)
			s.says("diagnosable", test.want, test.message)
			assert.Equal(t, test.want == spec.Pass, stuck == "", "the oracle finds what is awaited: %s", stuck)
		})
	}
}

// What was made for a custom resource may be of any kind that the workload names.
func TestDiagnosableByAnotherChild(t *testing.T) {
	for of, want := range map[string]spec.Outcome{"cr1": spec.Pass, "cr2": spec.Fail} {
		s := newStory(t, worker())
		w := workloadtest.Default(t).Workload
		w.Children = append(w.Children, spec.ChildKind{ID: "job", Resource: "jobs.v1.batch", Kind: "Job", Name: "{{.Name}}-init"})
		s.entries[0].Header.Workload = &w
		s.given()
		s.begin(2000, "native", "bad input", 4, matrix("diagnosable"), func(b *record.Sample) { b.Cause = "forbidden" })
		s.changed(2010, 2, 4)
		s.see(2100, "ADDED", thing{resource: "jobs.v1.batch", namespace: "services", name: "cache-init", uid: "j1", object: fields{"metadata": fields{"ownerReferences": owner(of)}}})
		s.see(2110, "ADDED", happening("e", "services", "Job", "cache-init", "j1", "pods are forbidden"))
		s.end(4000, record.TimedOut)
		s.says("diagnosable", want, "an Event about Job cache-init says: Failed: pods are forbidden")
	}
}

// A message is told as it is, but not at any length; each once.
func TestMessagesAreShort(t *testing.T) {
	s := newStory(t)
	s.begin(0, "native", "bad input", 3, matrix("diagnosable"), func(b *record.Sample) { b.Cause = "nothing says this" })
	s.act(10, 15, "create", custom(1, 3, 0))
	for ms := 20.0; ms < 40; ms++ {
		s.see(ms, "MODIFIED", conditioned(custom(1, 3, 0), "Ready", "", strings.Repeat("é", 500)))
	}
	s.end(4000, record.TimedOut)
	v := s.verdict("diagnosable")
	assert.Equal(t, []string{"+0.010 s of this resource, without the cause: condition Ready of memcacheds/cache says: " + strings.Repeat("é", 159) + "…"}, v.Evidence)
}

func TestDiagnosableWithoutACause(t *testing.T) {
	s := newStory(t)
	s.created(matrix("diagnosable"))
	s.end(1710, record.Settled)
	assert.Equal(t, spec.NotApplicable, s.verdict("diagnosable").Outcome)
}

// A style that names a cause in a constant text, whatever happens, tells nobody what
// went wrong: shell-operator's "the operator's log says why if it is refused" passed
// write-refused, though the operator never learns of a refusal.
func TestWhatIsSaidOfWhatGoesWellIsNoDiagnosis(t *testing.T) {
	const constant = "0 of %d pods are ready: the Deployment is not there yet; the log says why if it is refused"
	for name, test := range map[string]struct {
		well, wrong, cause string
		want               spec.Outcome
	}{
		"the same text":                      {fmt.Sprintf(constant, 1), fmt.Sprintf(constant, 3), "denied|refused", spec.Fail},
		"the same text with the cause in it": {"the log says why", "the log says why: refused by policy", "denied|refused", spec.Pass},
		"only the figure is the cause":       {"asks for 3 replicas", "asks for -1 replicas", `(^|[^-\w])-1\b`, spec.Pass},
		"only the long figure is the cause":  {"asks for 3 replicas", "asks for 2147483648 replicas", "2147483648|int32", spec.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.begin(0, "native", "bad input", 1, matrix("diagnosable"), func(b *record.Sample) { b.Name, b.Prepare, b.Cause = "good", true, test.cause })
			s.act(10, 15, "create", custom(1, 1, 0).named("good", "cr0"))
			s.see(20, "ADDED", conditioned(custom(1, 1, 0).named("good", "cr0"), "Ready", "NotReady", test.well))
			s.end(1000, record.Settled)
			s.begin(2000, "native", "bad input", 3, matrix("diagnosable"), func(b *record.Sample) { b.Cause = test.cause })
			s.act(2010, 2015, "create", custom(1, 3, 0))
			s.see(2110, "MODIFIED", conditioned(custom(1, 3, 0), "Ready", "NotReady", test.wrong))
			stuck := lacksNow(t, s, spec.PointStuck)
			s.end(4000, record.TimedOut)
			v := s.says("diagnosable", test.want, "")
			assert.Equal(t, test.want == spec.Pass, stuck == "", "the oracle finds what is awaited: %s", stuck)
			if test.want == spec.Fail {
				assert.Contains(t, v.Message, "the nearest: +0.100 s also said where nothing is wrong: condition Ready of memcacheds/cache says: NotReady: 0 of 3 pods")
			}
		})
	}
}

// What is said of a custom resource that is also broken on purpose is no text of one
// that goes well.
func TestWhatIsSaidOfAnotherFaultIsADiagnosis(t *testing.T) {
	s := newStory(t)
	for i, scenario := range []string{"first", "second"} {
		from := float64(2000 * i)
		s.begin(from, "native", scenario, 1, matrix("diagnosable"), func(b *record.Sample) { b.Cause = "refused" })
		s.broke(from+12, record.Begun, spec.FaultRefuse, "deployments.apps")
		s.act(from+13, from+15, "create", custom(1, 1, 0))
		s.see(from+20, "ADDED", conditioned(custom(1, 1, 0), "Ready", "NotReady", "refused by policy"))
		s.end(from+1000, record.Settled)
		s.says("diagnosable", spec.Pass, "")
	}
}
