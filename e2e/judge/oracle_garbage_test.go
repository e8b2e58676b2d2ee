package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// What nobody owns is garbage too, where the namespace is the sample's own.
func TestGarbageThatNobodyOwns(t *testing.T) {
	for name, test := range map[string]struct {
		left    thing
		want    spec.Outcome
		message string
	}{
		"a pod":        {owned(pod(7, "Running"), ""), spec.Fail, "there is still 1 pod: p7"},
		"a Deployment": {owned(deployment(1, 1, 1, 1).named("more", "d7"), ""), spec.Fail, "there is still 1 Deployment: more"},
		"the other's":  {otherPod(), spec.Pass, "no Deployment, ReplicaSet or pod was left"},
	} {
		t.Run(name, func(t *testing.T) {
			s := deleteStory(t, matrix("garbage"), beside(1))
			s.see(2410, "ADDED", otherDeployment(1, 1, 1))
			s.see(2410, "ADDED", otherSet())
			s.see(2420, "ADDED", other(1, 1))
			s.see(2420, "ADDED", test.left)
			s.end(4000, record.TimedOut)
			v := s.verdict("garbage")
			assert.Equal(t, test.want, v.Outcome, v.Message)
			assert.Contains(t, v.Message, test.message)
		})
	}
}
