package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// A sample may create, change and delete the custom resource itself.
func TestHistoryOfAWholeLife(t *testing.T) {
	for name, test := range map[string]struct {
		late    bool
		want    spec.Outcome
		message string
	}{
		"created before the deletion": {false, spec.Pass, "1 creation, 0 changes, 1 deletion of the Deployment"},
		"created again after it":      {true, spec.Fail, "expected no creation after the custom resource's deletion; seen 2 creations, 0 changes, 1 deletion"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.begin(0, "native", "life", -1, matrix("write-history"))
			s.done(10, "create", custom(1, 3, 0).at(100))
			s.see(20, "ADDED", deployment(1, 3, 3, 3))
			s.done(30, "delete", custom(1, 3, 0))
			s.see(40, "DELETED", deployment(1, 3, 3, 3))
			if test.late {
				s.see(50, "ADDED", deployment(1, 3, 0, 0).named("cache-deployment", "d2"))
			}
			s.end(4000, record.Settled)
			s.says("write-history", test.want, test.message)
		})
	}
}

// The harness's own deletion of the Deployment is not the operator's.
func TestHistoryOfADeletionByHand(t *testing.T) {
	s := newStory(t)
	s.given()
	s.begin(2000, "native", "drift", 3, matrix("write-history", "stays-converged"))
	s.see(2005, "DELETED", deployment(1, 3, 3, 3)) // before the reply
	s.add(record.Entry{Time: at(2010), Kind: record.KindAction, Action: &record.Action{
		From: at(2001), Verb: "delete", Resource: spec.Deployments, Namespace: "services", Name: "cache-deployment", Measured: true,
	}})
	s.see(2020, "ADDED", deployment(1, 3, 3, 3).named("cache-deployment", "d2"))
	s.end(4000, record.Settled)
	v := s.says("write-history", spec.Pass, "")
	assert.Equal(t, "1 creation, 0 changes, 0 deletions of the Deployment", v.Message)
	assert.Equal(t, spec.Pass, s.verdict("stays-converged").Outcome)

	s.entries = s.entries[:len(s.entries)-1]
	s.see(2030, "DELETED", deployment(1, 3, 3, 3).named("cache-deployment", "d2"))
	s.see(2040, "ADDED", deployment(1, 3, 3, 3).named("cache-deployment", "d3"))
	s.end(4000, record.Settled)
	assert.Equal(t, spec.Fail, s.verdict("write-history").Outcome, "its own are")
}

// There is a Deployment already: nobody needs a second.
func TestHistoryOfASecondDeployment(t *testing.T) {
	s := newStory(t)
	s.given()
	s.begin(2000, "native", "rest", 3, matrix("write-history"))
	s.changed(2010, 1, 3)
	s.see(2020, "ADDED", deployment(1, 3, 0, 0).named("cache-deployment-again", "d2"))
	s.end(4000, record.Settled)
	s.says("write-history", spec.Fail, "expected at most 0 creations of the Deployment; seen 1 creation")
}
