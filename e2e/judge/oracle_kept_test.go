package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// What was asked for, and taken back, while the main child could not be written is no reason to end a pod.
func TestPodsKeptWhileWritesAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		what string
		over float64
		want spec.Outcome
	}{
		"refused all along":         {"deployments.apps", 2300, spec.Fail},
		"before it was taken back":  {"deployments.apps", 2150, spec.Pass},
		"of the custom resource":    {"memcacheds.cache.example.com", 2300, spec.Pass},
		"not mended by the harness": {"deployments.apps", 0, spec.Fail},
	} {
		s := newStory(t)
		s.given()
		s.begin(2000, "native", "scale", 2, matrix("pods-kept"))
		fault := func(stage string, at_ float64) {
			s.add(record.Entry{Time: at(at_), Kind: record.KindFault, Fault: &record.Fault{Stage: stage, From: at(at_ - 1), Kind: spec.FaultRefuseUpdates, What: test.what, Namespace: "services"}})
		}
		fault(record.Begun, 2010)
		s.changed(2100, 2, 1)
		if test.over == 2150 {
			fault(record.Over, test.over)
		}
		s.changed(2200, 3, 2)
		if test.over == 2300 {
			fault(record.Over, test.over)
		}
		s.see(2310, "DELETED", pod(1, "Running"))
		s.see(2310, "DELETED", pod(2, "Running"))
		s.see(2400, "ADDED", pod(4, "Running"))
		s.end(4000, record.Settled)
		v := s.verdict("pods-kept")
		assert.Equal(t, test.want, v.Outcome, "%s: %s", name, v.Message)
	}
}

// A deletion that what it owns is to outlive keeps the pods, and any other does not.
func TestPodsKeptThroughADeletion(t *testing.T) {
	for orphan, want := range map[bool]spec.Outcome{false: spec.Pass, true: spec.Fail} {
		s := newStory(t)
		s.given()
		s.begin(2000, "native", "scale", 3, matrix("pods-kept"))
		s.add(record.Entry{Time: at(2005), Kind: record.KindAction, Action: &record.Action{
			From: at(2002), Verb: "delete", Resource: customs, Namespace: "services", Name: "cache", Measured: true, Orphan: orphan,
		}})
		s.see(2006, "DELETED", custom(1, 3, 1).at(300))
		again := custom(1, 3, 1).at(301)
		again.uid = "another"
		s.act(2008, 2010, "create", again)
		s.see(2020, "DELETED", pod(1, "Running"))
		s.see(2100, "ADDED", pod(4, "Running"))
		s.end(4000, record.Settled)
		s.says("pods-kept", want, "")
	}
}

func TestPodsKept(t *testing.T) {
	dying := pod(2, "Running")
	dying.object["metadata"].(fields)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	for name, test := range map[string]struct {
		size    int
		tell    func(*story)
		want    spec.Outcome
		message string
	}{
		"all run on": {3, func(*story) {}, spec.Pass, "3 pods of the 3 pods that ran when the steps began ran at"},
		"more":       {4, func(s *story) { s.see(2100, "ADDED", pod(4, "Running")) }, spec.Pass, "3 pods of the 3 pods"},
		"replaced": {3, func(s *story) {
			s.see(2100, "ADDED", pod(4, "Running"))
			s.see(2110, "DELETED", pod(1, "Running"))
		}, spec.Fail, "expected 3 pods that ran when the steps began (+0.000 s) to run on, but for 0; 1 pod did not at +1.990 s: p1"},
		"ended":     {3, func(s *story) { s.see(2100, "MODIFIED", pod(1, "Failed")) }, spec.Fail, "1 pod did not"},
		"deleting":  {3, func(s *story) { s.see(2100, "MODIFIED", dying) }, spec.Fail, "1 pod did not"},
		"fewer":     {1, func(s *story) { s.see(2100, "DELETED", pod(1, "Running")); s.see(2100, "DELETED", pod(3, "Running")) }, spec.Pass, "1 pod of the 3 pods"},
		"too few":   {2, func(s *story) { s.see(2100, "DELETED", pod(1, "Running")); s.see(2100, "DELETED", pod(3, "Running")) }, spec.Fail, "but for 1; 2 pods did not"},
		"restarted": {3, func(s *story) { s.see(2100, "MODIFIED", pod(1, "Running")) }, spec.Pass, "3 pods"},
		"fewer for a while": {3, func(s *story) {
			s.changed(2100, 3, 1)
			s.see(2110, "DELETED", pod(1, "Running"))
			s.see(2110, "DELETED", pod(3, "Running"))
			s.changed(2200, 4, 3)
			s.see(2210, "ADDED", pod(4, "Running"))
			s.see(2210, "ADDED", pod(5, "Running"))
		}, spec.Pass, "1 pod of the 3 pods that ran when the steps began ran at"},
		"none for a while": {3, func(s *story) {
			s.changed(2100, 3, 1)
			for n := 1; n <= 3; n++ {
				s.see(2110, "DELETED", pod(n, "Running"))
			}
			s.changed(2200, 4, 3)
		}, spec.Fail, "but for 2; 3 pods did not"},
		"a size that is none": {3, func(s *story) {
			s.changed(2100, 3, -1)
			s.see(2110, "DELETED", pod(1, "Running"))
		}, spec.Fail, "but for 0; 1 pod did not"},
		"gone": {-1, func(*story) {}, spec.NotApplicable, "is to be gone"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.begin(2000, "native", "scale", test.size, matrix("pods-kept"))
			s.changed(2010, 2, max(test.size, 0))
			test.tell(s)
			s.end(4000, record.Settled)
			v := s.says("pods-kept", test.want, test.message)
			if test.want == spec.Fail {
				assert.NotEmpty(t, v.Evidence)
			}
		})
	}
}

// No pod ran, so none can be lost.
func TestNoPodsToKeep(t *testing.T) {
	s := newStory(t)
	s.created(matrix("pods-kept"))
	s.end(1710, record.Settled)
	v := s.says("pods-kept", spec.NotApplicable, "")
	assert.Equal(t, "no pod ran when the steps began", v.Message)
}
