package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

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
