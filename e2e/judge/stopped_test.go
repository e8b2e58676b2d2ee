package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// stop ends a sample at a point that did not come in time.
func (s *story) stop(ms float64, point, lacks string) {
	s.end(ms, record.TimedOut)
	end := s.entries[len(s.entries)-1].End
	end.Await, end.Reason = point, "await "+point+": "+lacks
}

func outcomes(r judge.Result) map[string]spec.Outcome {
	all := map[string]spec.Outcome{}
	for _, v := range r.Verdicts {
		all[v.Oracle] = v.Outcome
	}
	return all
}

// The deletion that was to follow was never asked for: nothing is judged by it, and one oracle says what is wrong with
// all that had been asked for.
func TestStepsThatWereNotReachedAreNotJudged(t *testing.T) {
	const lacks = "nothing has moved for 45s: there is no Deployment"
	const stop = "await handled: " + lacks
	s := newStory(t)
	s.begin(0, "native", "two-namespaces", -1, ofMatrix("services", "gone", "garbage", "write-history", "converged", "status"))
	s.done(10, "create", custom(1, 2, 0))
	s.stop(2000, spec.PointHandled, lacks)
	r := s.result()
	assert.Equal(t, map[string]spec.Outcome{
		"gone": spec.NotApplicable, "garbage": spec.NotApplicable, "write-history": spec.Pass, "converged": spec.Fail, "status": spec.NotApplicable,
	}, outcomes(r))
	assert.Equal(t, "the custom resource is to stay; the steps stopped at "+stop, s.verdict("gone").Message)
	assert.Contains(t, s.verdict("converged").Message, "expected 2 ready replicas; when it was given up")
	assert.Contains(t, s.verdict("converged").Message, "; the steps stopped at "+stop)
	assert.Equal(t, "not judged: it follows from what converged says; the steps stopped at "+stop, s.verdict("status").Message)
}

// What was deleted before the steps stopped is to be gone, whatever was to follow.
func TestStepsThatStoppedAfterADeletion(t *testing.T) {
	s := newStory(t)
	s.see(1, "LISTED", custom(1, 1, 1))
	s.see(1, "LISTED", deployment(1, 1, 1, 1))
	s.begin(50, "native", "recreate", 1, ofMatrix("services", "converged", "status"))
	s.act(60, 65, "delete", custom(1, 1, 1).at(100))
	s.see(70, "DELETED", custom(1, 1, 1).at(101))
	s.stop(2000, spec.PointGone, "Deployment cache-deployment is still there")
	r := s.result()
	assert.Equal(t, map[string]spec.Outcome{"converged": spec.NotApplicable, "status": spec.NotApplicable}, outcomes(r))
	assert.Equal(t, spec.Late, r.Outcome(), "no oracle is left that could fail, and it is no pass")
}

// A fault whose steps did not come to the end says nothing of recovery.
func TestStepsThatStoppedInAFault(t *testing.T) {
	s := newOverlap(t)
	s.begin(50, "busy", "upgrade-while-working", 2, ofMatrix("services", "recovers", "converged", "diagnosable"))
	s.breaks(100, 110, record.Begun, "refuse", "deployments.apps")
	s.act(150, 155, "create", custom(1, 2, 0))
	s.breaks(1990, 1995, record.Over, "refuse", "deployments.apps") // by the harness, when the sample was given up
	s.stop(2000, spec.PointWorking, "the operator has not begun")
	r := s.result()
	assert.Equal(t, map[string]spec.Outcome{"recovers": spec.NotApplicable, "converged": spec.Fail, "diagnosable": spec.NotApplicable}, outcomes(r))
	assert.Nil(t, r.Recovery)
	assert.Equal(t, "not judged; the steps stopped at await working: the operator has not begun", s.verdict("recovers").Message)
}

// A Deployment that is there with another reference is told of, with that.
func TestADeploymentWithAnotherReference(t *testing.T) {
	refers := func(references ...any) thing {
		d := deployment(1, 1, 1, 1)
		d.object["metadata"] = fields{"ownerReferences": references}
		return d
	}
	for name, one := range map[string]struct {
		there thing
		says  string
	}{
		"none":          {refers(), "with no owner reference"},
		"no controller": {refers(fields{"kind": "Memcached", "name": "cache", "uid": "cr1"}), "with the owner reference Memcached cache (uid cr1, this custom resource's), which is no controller"},
		"another uid":   {refers(fields{"kind": "Memcached", "name": "cache", "uid": "x", "controller": true}), "with the owner reference Memcached cache (uid x), its controller"},
		"two": {
			refers(fields{"kind": "Memcached", "name": "cache", "uid": "x"}, fields{"kind": "Pod", "name": "operator-1", "uid": "y"}),
			"with the owner reference Memcached cache (uid x), which is no controller, and Pod operator-1 (uid y), which is no controller",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.begin(0, "native", "create", 1, ofMatrix("services", "converged"))
			s.done(10, "create", custom(1, 1, 0))
			s.see(20, "ADDED", one.there)
			s.end(2000, record.TimedOut)
			assert.Contains(t, s.verdict("converged").Message, "there is no Deployment whose controller is the custom resource cache; there is Deployment cache-deployment "+one.says)
		})
	}
}
