package judge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Each case goes on from a native create that went well (see created), and
// says what one oracle must find.
func TestOraclesOnCreate(t *testing.T) {
	settle := func(s *story) { s.end(1710, record.Settled) }
	for name, test := range map[string]struct {
		tell    func(*story)
		oracle  string
		want    spec.Outcome
		message string
	}{
		"converged":               {settle, "converged", spec.Pass, "had 3 ready replicas at +0.640 s"},
		"stays":                   {settle, "stays-converged", spec.Pass, "no write in the 1s up to +1.700 s"},
		"one creation":            {settle, "write-history", spec.Pass, "1 creation, 0 changes, 0 deletions"},
		"status of running pods":  {settle, "status", spec.Pass, "names the 3 pods"},
		"unknown oracle":          {settle, "convergd", spec.Invalid, "there are: converged, stays-converged"},
		"gone does not apply":     {settle, "gone", spec.NotApplicable, "is to stay"},
		"garbage does not apply":  {settle, "garbage", spec.NotApplicable, "is to stay"},
		"a pod is lost again":     {lostPod, "converged", spec.Fail, "expected 3 ready replicas within 10s; when the sample ended (+1.700 s) Deployment cache-deployment has 2 of 3 ready replicas"},
		"status names a dead pod": {deadPod, "status", spec.Fail, "expected status.nodes to name the running pods [p1 p2]; seen [p1 p2 p3]"},
		"status of an older size": {staleStatus, "status", spec.Fail, "expected status.observedGeneration 2; seen 1"},
		"scaled away":             {scaledAway, "stays-converged", spec.Fail, "the operator changed it at +0.890 s"},
		"deleted":                 {recreated, "write-history", spec.Fail, "deleted and created again: 2 creations, 0 changes, 1 deletion"},
		"deleted is not staying":  {recreated, "stays-converged", spec.Fail, "the operator changed it at +0.890 s"},
		"two Deployments":         {twice, "write-history", spec.Fail, "expected at most 1 creation of the Deployment; seen 2 creations"},
		"writes the status for ever": {
			restless, "stays-converged", spec.Fail,
			"expected no write by the operator in the quiescence window of 1s (from +0.700 s to +1.700 s); seen 3, the first at +0.990 s, to memcacheds/cache",
		},
		"the controller's status writes": {rollout, "stays-converged", spec.Pass, "no write"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.created(func(b *record.Sample) { b.Expect = []string{test.oracle} })
			test.tell(s)
			v := s.says(test.oracle, test.want, test.message)
			if test.want == spec.Fail {
				assert.NotEmpty(t, v.Evidence)
			}
		})
	}
}

func lostPod(s *story) {
	s.see(900, "MODIFIED", deployment(1, 3, 3, 2))
	s.end(1710, record.Settled)
}

func deadPod(s *story) {
	s.see(900, "DELETED", pod(3, "Running"))
	s.end(1710, record.Settled)
}

func staleStatus(s *story) {
	s.see(900, "MODIFIED", custom(2, 3, 1, "p1", "p2", "p3"))
	s.end(1710, record.Settled)
}

func scaledAway(s *story) {
	s.see(900, "MODIFIED", deployment(2, 1, 3, 3))
	s.see(950, "MODIFIED", deployment(3, 3, 3, 3))
	s.end(1960, record.Settled)
}

func recreated(s *story) {
	s.see(900, "DELETED", deployment(1, 3, 3, 3))
	s.see(910, "ADDED", deployment(1, 3, 3, 3).named("cache-deployment", "d2"))
	s.end(1960, record.Settled)
}

func twice(s *story) {
	s.see(900, "ADDED", deployment(1, 3, 0, 0).named("cache-deployment-again", "d2"))
	s.end(1910, record.Settled)
}

func restless(s *story) {
	for ms := 1000.0; ms < 1700; ms += 300 {
		s.see(ms, "MODIFIED", custom(1, 3, 1, "p1", "p2", "p3"))
	}
	s.end(1710, record.Settled)
}

func rollout(s *story) {
	s.see(1200, "MODIFIED", deployment(1, 3, 3, 3))
	s.end(1710, record.Settled)
}

// A style that never stops writing is never quiet: its sample times out, and
// the reason is found all the same.
func TestWritesForEver(t *testing.T) {
	s := newStory(t)
	s.created()
	for ms := 1000.0; ms < 10010; ms += 500 {
		s.see(ms, "MODIFIED", custom(1, 3, 1, "p1", "p2", "p3"))
	}
	s.end(10010, record.TimedOut)
	assert.Equal(t, spec.Pass, s.verdict("converged").Outcome)
	s.says("stays-converged", spec.Fail, "seen 2, the first at +9.490 s")
	assert.Contains(t, phases(s.result()), "quiet timeout 10000")
}

// What converges just before the timeout has had no time to be quiet.
func TestConvergedTooLateToBeQuiet(t *testing.T) {
	for name, test := range map[string]struct {
		end     float64
		want    spec.Outcome
		message string
	}{
		"cut short": {1600, spec.NotApplicable, "the wanted state had stood for 900ms only when the timeout came, not for the window of 1s"},
		"a window":  {1700, spec.Fail, "seen 1, the first at +0.790 s"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.created()
			s.see(800, "MODIFIED", custom(1, 3, 1, "p1", "p2", "p3"))
			s.end(test.end, record.TimedOut)
			s.says("stays-converged", test.want, test.message)
		})
	}
}

// Each write to the Deployment makes its status lag; that it is not whole when
// the timeout comes excuses nothing.
func TestRewritesForEver(t *testing.T) {
	lagging := func(generation int) thing {
		x := deployment(generation, 3, 3, 3)
		x.object["status"].(fields)["observedGeneration"] = generation - 1
		return x
	}
	for name, last := range map[string]thing{"lagging": lagging(20), "whole": deployment(20, 3, 3, 3)} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.created()
			for generation := 2; generation < 20; generation++ {
				ms := 500 * float64(generation)
				s.see(ms, "MODIFIED", lagging(generation))
				s.see(ms+400, "MODIFIED", deployment(generation, 3, 3, 3))
			}
			s.see(10000, "MODIFIED", last)
			s.end(10010, record.TimedOut)
			s.says("stays-converged", spec.Fail, "to deployments/cache-deployment")
		})
	}
}

func TestOraclesOnDelete(t *testing.T) {
	settle := func(s *story) { s.end(3410, record.Settled) }
	resurrect := func(s *story) {
		s.see(2450, "ADDED", deployment(1, 3, 0, 0).named("cache-deployment", "d2"))
		s.end(12010, record.TimedOut)
	}
	straggler := func(s *story) {
		s.see(2450, "ADDED", pod(4, "Pending"))
		s.end(12010, record.TimedOut)
	}
	for name, test := range map[string]struct {
		tell    func(*story)
		oracle  string
		want    spec.Outcome
		message string
	}{
		"gone":                  {settle, "gone", spec.Pass, "the Deployment was gone at +0.010 s"},
		"no garbage":            {settle, "garbage", spec.Pass, "no Deployment, ReplicaSet or pod was left"},
		"stays gone":            {settle, "stays-converged", spec.Pass, "no write"},
		"one deletion":          {settle, "write-history", spec.Pass, "0 creations, 0 changes, 1 deletion"},
		"no size":               {settle, "converged", spec.NotApplicable, "is to be gone"},
		"no status":             {settle, "status", spec.NotApplicable, "is to be gone"},
		"resurrected":           {resurrect, "gone", spec.Fail, "there was still cache-deployment"},
		"resurrected, history":  {resurrect, "write-history", spec.Fail, "expected no creation after the custom resource's deletion; seen 1 creation"},
		"resurrected, staying":  {resurrect, "stays-converged", spec.Fail, "the operator changed it at +0.440 s"},
		"resurrected, garbage":  {resurrect, "garbage", spec.Fail, "Deployment cache-deployment is still there"},
		"a pod is left":         {straggler, "garbage", spec.Fail, "pod p4 is still there"},
		"a pod is left, though": {straggler, "gone", spec.Pass, "the Deployment was gone"},
	} {
		t.Run(name, func(t *testing.T) {
			s := deleteStory(t, func(b *record.Sample) { b.Expect = []string{test.oracle} })
			test.tell(s)
			s.says(test.oracle, test.want, test.message)
		})
	}
}

// A finalizer that nobody clears keeps the custom resource.
func TestFinalizer(t *testing.T) {
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	s.begin(2000, "native", "delete", -1)
	s.act(2010, 2015, "delete", custom(1, 3, 1))
	held := custom(2, 3, 1)
	held.object["metadata"] = fields{"generation": 2, "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": []string{"example.com/hold"}}
	s.see(2016, "MODIFIED", held)
	s.end(12010, record.TimedOut)
	s.says("gone", spec.Fail, "waits for its finalizers: example.com/hold")
}

// A style's declaration makes an oracle not applicable, and says so.
func TestDeclaredWithoutStatus(t *testing.T) {
	s := newStory(t)
	s.begin(0, "argo", "create", 1)
	s.act(10, 15, "create", custom(1, 1, 0))
	s.see(60, "ADDED", deployment(1, 1, 1, 1))
	s.end(1100, record.Settled)
	v := s.says("status", spec.NotApplicable, "")
	assert.Equal(t, "the style argo declares that it writes no status", v.Message)
	assert.Equal(t, spec.Pass, s.result().Outcome())
}

func TestNotWatchedIsNotJudged(t *testing.T) {
	s := newStory(t)
	s.created(func(b *record.Sample) { b.Watches = []string{spec.Deployments, customs} })
	s.end(1710, record.Settled)
	assert.Equal(t, spec.Pass, s.verdict("converged").Outcome)
	v := s.says("status", spec.Invalid, "")
	assert.Equal(t, "replicasets.v1.apps was not watched for this sample", v.Message)
}

// What the harness writes to the child (the floor, drift) is not the operator's write.
func TestTheHarnessIsNotTheOperator(t *testing.T) {
	s := newStory(t)
	s.created()
	s.end(1710, record.Settled)
	s.begin(2000, "native", "drift", 3)
	s.act(2010, 2012, "patch", deployment(2, 1, 3, 3).at(500))
	s.see(2013, "MODIFIED", deployment(2, 1, 3, 3).at(500))
	s.see(2020, "MODIFIED", deployment(3, 3, 3, 3))
	s.end(3030, record.Settled)
	r := s.result()
	assert.Equal(t, spec.Pass, r.Outcome(), "%+v", r.Verdicts)
	assert.Equal(t, "0 creations, 1 change, 0 deletions of the Deployment", r.Verdicts[2].Message)
	assert.Equal(t, []string{"acknowledged ok 2", "child written ok 10", "ready ok 10", "quiet ok 10"}, phases(r))
}

func TestEvidenceIsShort(t *testing.T) {
	s := newStory(t)
	s.begin(0, "native", "create", 3)
	s.act(10, 15, "create", custom(1, 3, 0))
	s.see(20, "ADDED", deployment(1, 3, 0, 0))
	for ms := 30.0; ms < 100; ms++ {
		s.see(ms, "MODIFIED", deployment(1, 3, 3, 2))
	}
	s.end(10010, record.TimedOut)
	assert.Equal(t, []string{
		"+0.005 s harness: create memcacheds/cache",
		"+0.010 s ADDED deployments/cache-deployment generation 1 observed 1, asks for 3, has 0, ready 0",
		"… 66 more",
		"+0.086 s MODIFIED deployments/cache-deployment generation 1 observed 1, asks for 3, has 3, ready 2",
		"+0.087 s MODIFIED deployments/cache-deployment generation 1 observed 1, asks for 3, has 3, ready 2",
		"+0.088 s MODIFIED deployments/cache-deployment generation 1 observed 1, asks for 3, has 3, ready 2",
		"+0.089 s MODIFIED deployments/cache-deployment generation 1 observed 1, asks for 3, has 3, ready 2",
	}, s.verdict("converged").Evidence)
}

// A given state that the operator does not bring about fails the scenario: its
// steps never begin, and no oracle may pass for want of events.
func TestStepsNeverBegan(t *testing.T) {
	s := newStory(t)
	s.begin(0, "native", "delete", -1)
	s.end(1, record.TimedOut)
	r := s.result()
	require.Len(t, r.Verdicts, len(deleted))
	assert.True(t, r.Unready)
	assert.Equal(t, spec.Fail, r.Verdicts[0].Outcome)
	assert.Equal(t, "the scenario's steps never began: as told", r.Verdicts[0].Message)
	for _, v := range r.Verdicts[1:] {
		assert.Equal(t, spec.NotApplicable, v.Outcome, v.Oracle)
		assert.Equal(t, "not judged: it follows from what gone says", v.Message, v.Oracle)
	}
	assert.Equal(t, []string{"CR gone timeout 10000", "child gone timeout 10000", "pods gone timeout 10000"}, phases(r))
}

// Kubernetes' own Events are recorded, but are no writes to the sample's objects.
func TestEventsDoNotDisturbTheQuiet(t *testing.T) {
	s := newStory(t)
	s.created()
	s.see(900, "ADDED", thing{resource: "events.v1.events.k8s.io", namespace: "services", name: "e1", uid: "e1"})
	s.end(1910, record.Settled)
	assert.Contains(t, phases(s.result()), "quiet ok 690")
}

// What never came about is told with what the cluster says of it: the reader need not
// open the recording for the reason.
func TestConvergedTellsTheReasonThatWasGiven(t *testing.T) {
	for name, change := range map[string]func(*record.Sample){
		"in the matrix": matrix("converged"), "measured": func(s *record.Sample) { s.Expect = []string{"converged"} },
	} {
		t.Run(name, func(t *testing.T) { tellsTheReason(t, change) })
	}
}

func tellsTheReason(t *testing.T, change func(*record.Sample)) {
	t.Helper()
	s := newStory(t)
	s.begin(0, "native", "create", 3, change)
	s.act(10, 15, "create", custom(1, 3, 0))
	s.see(30, "MODIFIED", conditioned(custom(1, 3, 0), "Ready", "Waiting", "0 of 3 pods are ready"))
	broken := conditioned(custom(1, 3, 0), "Irreconcilable", "ReconcileError", "template: memcached.yaml:7: unexpected EOF")
	broken.object["status"].(fields)["conditions"].([]any)[0].(fields)["status"] = "True"
	s.see(40, "MODIFIED", broken)
	s.end(4000, record.TimedOut)
	v := s.says("converged", spec.Fail, "there is no Deployment")
	assert.True(t, strings.HasSuffix(v.Message, "; last said of it: condition Irreconcilable of memcacheds/cache: ReconcileError: template: memcached.yaml:7: unexpected EOF"), v.Message)
	assert.Len(t, v.Evidence, 2)
}
