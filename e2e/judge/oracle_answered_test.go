package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

func TestEachWrongValueHasAnAnswer(t *testing.T) {
	const wrong = `spec.image: "no such value!" (it has characters of no name)`
	for name, test := range map[string]struct {
		refused string // by the API server; empty: it takes the value
		then    func(*story)
		late    bool // it is when the value is right again
		want    spec.Outcome
		row     string
	}{
		"refused by the API server": {"spec.image: Invalid value", func(*story) {}, false, spec.Pass, "refused by the API server: spec.image: Invalid value"},
		"brought about": {"", func(s *story) {
			s.see(2050, "MODIFIED", deployment(2, 1, 1, 1))
			s.see(2100, "MODIFIED", custom(3, 1, 3, "p1"))
		}, false, spec.Pass, "brought about, or without effect"},
		"not brought about, and a condition says so": {"", func(s *story) {
			s.see(2100, "MODIFIED", conditioned(custom(3, 1, 2, "p1"), "Ready", "BadImage", "it is no reference"))
		}, false, spec.Pass, "condition Ready of memcacheds/cache says False, BadImage: it is no reference"},
		"not brought about, and a Warning says so": {"", func(s *story) {
			s.see(2100, "ADDED", happening("e1", "services", "Memcached", "cache", "cr1", "it is no reference"))
		}, false, spec.Pass, "an Event about Memcached cache says Failed: it is no reference"},
		"a Warning about a pod is none of the operator's": {"", func(s *story) {
			s.see(2100, "ADDED", happening("e1", "services", "Pod", "p1", "pod1", "it is no reference"))
		}, false, spec.Fail, "no answer by +0.500 s: status.observedGeneration of cache is 2, wanted 3"},
		"silence": {"", func(*story) {}, false, spec.Fail, "no answer by +0.500 s: status.observedGeneration of cache is 2, wanted 3"},
		"only a figure of what it always says is new": {"", func(s *story) {
			s.see(2100, "MODIFIED", conditioned(custom(3, 1, 2, "p1"), "Synced", "Done", "reconciled generation 3"))
		}, false, spec.Fail, "no answer by +0.500 s"},
		"an answer that comes when it is right again": {"", func(s *story) {
			s.see(2700, "MODIFIED", conditioned(custom(4, 1, 2, "p1"), "Ready", "BadImage", "it is no reference"))
		}, true, spec.Fail, "no answer by +0.500 s"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.see(1990, "MODIFIED", conditioned(custom(2, 1, 2, "p1"), "Synced", "Done", "reconciled generation 2"))
			s.see(1991, "MODIFIED", deployment(2, 1, 1, 1))
			s.begin(2000, "native", "wrong-values", 1, matrix("answered"))
			s.act(2000, 2005, "patch", custom(3, 1, 2, "p1").at(5000))
			set := s.entries[len(s.entries)-1].Action
			if set.Wrong = wrong; test.refused != "" {
				set.Error, set.Object = test.refused, nil
			} else {
				s.see(2006, "MODIFIED", custom(3, 1, 2, "p1").at(5000))
			}
			if !test.late {
				test.then(s)
			}
			if test.refused == "" {
				s.act(2500, 2505, "patch", custom(4, 1, 2, "p1").at(5001)) // set right
				s.see(2506, "MODIFIED", custom(4, 1, 2, "p1").at(5001))
			}
			if test.late {
				test.then(s)
			}
			s.see(2900, "MODIFIED", custom(4, 1, 4, "p1"))
			s.end(4000, record.Settled)
			v := s.says("answered", test.want, "")
			if assert.Len(t, v.Evidence, 1) {
				assert.Contains(t, v.Evidence[0], wrong+": ")
				assert.Contains(t, v.Evidence[0], test.row)
			}
		})
	}
}
