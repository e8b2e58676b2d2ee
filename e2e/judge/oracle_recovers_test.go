package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// broke tells of a stage of a fault; its work began 10 ms before.
func (s *story) broke(ms float64, stage, kind, what string, objects ...string) {
	s.add(record.Entry{Time: at(ms), Kind: record.KindFault, Fault: &record.Fault{
		Stage: stage, From: at(ms - 10), Kind: kind, What: what, Namespace: "services", Objects: objects,
	}})
}

// nudgeAt tells of the harness's annotation that makes the operator look again.
func (s *story) nudgeAt(ms float64) {
	x := custom(2, 5, 0).at(900)
	s.add(record.Entry{Time: at(ms + 5), Kind: record.KindAction, Action: &record.Action{
		From: at(ms), Verb: "patch", Resource: x.resource, Namespace: x.namespace, Name: x.name, Nudge: true, Object: s.raw(x),
	}})
	s.see(ms+6, "MODIFIED", x)
}

// away tells of an operator that is stopped from 2010 to 2200 ms, while a
// custom resource of size 3 is to be 5.
func away(s *story) {
	s.broke(2010, record.Begun, "stop", "controller")
	s.changed(2020, 2, 5)
	s.broke(2200, record.Over, "stop", "controller")
}

// caughtUp tells that it has come to be so.
func (s *story) caughtUp(ms float64) {
	s.see(ms-10, "MODIFIED", deployment(2, 5, 3, 3))
	s.see(ms-5, "MODIFIED", deployment(2, 5, 5, 5))
	s.see(ms, "MODIFIED", custom(2, 5, 2, "p1", "p2", "p3", "p4", "p5"))
}

func TestRecovers(t *testing.T) {
	for name, test := range map[string]telling{
		"by itself":                {func(s *story) { away(s); s.caughtUp(3390) }, spec.Pass, "by itself, 1.2s after the fault was over"},
		"before it was over":       {func(s *story) { away(s); s.broke(2900, record.Over, "stop", "again"); s.caughtUp(2880) }, spec.Pass, "by itself, before the fault was over"},
		"after a nudge":            {func(s *story) { away(s); s.nudgeAt(3000); s.caughtUp(3100) }, spec.Fail, "reached only after a nudge, 100ms after it"},
		"never":                    {away, spec.Fail, "never reached: at +4.480 s Deployment cache-deployment asks for 3 replicas, wanted 5"},
		"never, in spite of nudge": {func(s *story) { away(s); s.nudgeAt(3000) }, spec.Fail, "never reached"},
		"back, and lost, and back": {func(s *story) {
			away(s)
			s.caughtUp(3000)
			s.see(3100, "MODIFIED", deployment(2, 5, 5, 4))
			s.see(3690, "MODIFIED", deployment(2, 5, 5, 5))
		}, spec.Pass, "by itself, 1.5s after the fault was over"},
		"lost at the end": {func(s *story) {
			away(s)
			s.caughtUp(3000)
			s.see(3100, "MODIFIED", deployment(2, 5, 5, 4))
		}, spec.Fail, "has 4 of 5 ready replicas"},
		"not over": {func(s *story) {
			s.broke(2010, record.Begun, "stop", "controller")
			s.changed(2020, 2, 5)
		}, spec.Fail, "before the fault was over: as told"},
		"the second of two not over": {func(s *story) {
			away(s)
			s.caughtUp(2800)
			s.broke(2900, record.Begun, "cut", "controller")
		}, spec.Fail, "before the fault was over: as told"},
		"no fault": {func(s *story) { s.changed(2020, 2, 5) }, spec.NotApplicable, "nothing was broken"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.begin(2000, "native", "fault", 5, matrix("recovers"))
			test.tell(s)
			s.end(6500, record.TimedOut)
			v := s.says("recovers", test.want, test.message)
			if test.want == spec.Fail {
				assert.NotEmpty(t, v.Evidence)
			}
		})
	}
}

// The last of several faults counts.
func TestRecoversFromTheLastFault(t *testing.T) {
	s := newStory(t)
	s.given()
	s.begin(2000, "native", "fault", 5, matrix("recovers"))
	away(s)
	s.broke(2500, record.Begun, "kill", "controller")
	s.broke(2510, record.Over, "kill", "controller")
	s.caughtUp(3500)
	s.end(6500, record.Settled)
	assert.Equal(t, "by itself, 1s after the fault was over", s.verdict("recovers").Message)
}

// A custom resource that was deleted while the operator was away.
func TestRecoversFromADeletion(t *testing.T) {
	s := newStory(t)
	s.given()
	s.begin(2000, "native", "fault", -1, matrix("recovers"))
	s.broke(2010, record.Begun, "stop", "controller")
	s.done(2020, "delete", custom(1, 3, 1))
	s.broke(2200, record.Over, "stop", "controller")
	s.see(2300, "DELETED", deployment(1, 3, 3, 3))
	s.see(2310, "DELETED", replicaSet())
	for n := 1; n <= 3; n++ {
		s.see(2680+float64(n)*10, "DELETED", pod(n, "Running"))
	}
	s.end(6500, record.Settled)
	assert.Equal(t, "by itself, 520ms after the fault was over", s.verdict("recovers").Message)
}

// The pods of what the operator looks after are not its own.
func TestPodsKeptThroughAFault(t *testing.T) {
	for name, test := range map[string]telling{
		"kept": {func(*story) {}, spec.Pass, "3 pods of the 3 pods that ran when the fault began"},
		"lost": {func(s *story) { s.see(2300, "DELETED", pod(1, "Running")) }, spec.Fail, "expected 3 pods that ran when the fault began (+0.080 s) to run on"},
		"not there when the fault began": {func(s *story) {
			s.entries = s.entries[:len(s.entries)-2]
			s.see(2050, "DELETED", pod(1, "Running"))
			s.broke(2100, record.Begun, "kill", "controller")
			s.broke(2110, record.Over, "kill", "controller")
		}, spec.Pass, "2 pods of the 2 pods"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.begin(2000, "native", "kill", 3, matrix("pods-kept"))
			s.changed(2010, 2, 3)
			s.broke(2100, record.Begun, "kill", "controller")
			s.broke(2110, record.Over, "kill", "controller")
			test.tell(s)
			s.end(4000, record.Settled)
			s.says("pods-kept", test.want, test.message)
		})
	}
}
