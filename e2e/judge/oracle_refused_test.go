package judge_test

import (
	"testing"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// submitted tells of a wrong custom resource, and the answer of the API server.
func (s *story) submitted(ms float64, resource, problem string) {
	s.add(record.Entry{Time: at(ms + 5), Kind: record.KindAction, Action: &record.Action{
		From: at(ms), Verb: "patch", Resource: resource, Namespace: "services", Name: "cache", Measured: true, Error: problem,
	}})
}

func TestRefused(t *testing.T) {
	const negative = `Memcached.cache.example.com "cache" is invalid: spec.size: Invalid value: -1: should be greater than or equal to 0`
	for name, test := range map[string]telling{
		"refused":         {func(s *story) { s.submitted(2010, customs, negative) }, spec.Pass, "refused at +0.005 s: " + negative},
		"another version": {func(s *story) { s.submitted(2010, "memcacheds.v9.cache.example.com", "could not find SPEC.SIZE in v9") }, spec.Pass, "in v9"},
		"unclear":         {func(s *story) { s.submitted(2010, customs, "no") }, spec.Fail, `expected a refusal that says "spec\\.size"; the API server said at +0.005 s: no`},
		"one of two is unclear": {func(s *story) {
			s.submitted(2010, customs, negative)
			s.submitted(2020, customs, "no")
		}, spec.Fail, "expected a refusal that says"},
		"taken": {func(s *story) { s.changed(2010, 2, -1) }, spec.Fail, "expected the API server to refuse the custom resource; it took it at +0.005 s"},
		"refused, and written all the same": {func(s *story) {
			s.submitted(2010, customs, negative)
			s.see(2050, "MODIFIED", deployment(2, 1, 3, 3))
		}, spec.Fail, "at +0.040 s the operator wrote deployments/cache-deployment"},
		"a status that a reconcile writes which began before": {func(s *story) {
			s.submitted(2010, customs, negative)
			s.see(2050, "MODIFIED", custom(1, 3, 1, "p1", "p2", "p3"))
		}, spec.Pass, "refused at"},
		"what is right comes after it": {func(s *story) {
			s.submitted(2010, customs, negative)
			s.changed(2030, 2, 4)
			s.see(2050, "MODIFIED", deployment(2, 4, 3, 3))
		}, spec.Pass, "refused at"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.begin(2000, "native", "bad input", 3, matrix("refused"), func(b *record.Sample) { b.Cause = `spec\.size` })
			test.tell(s)
			s.end(4000, record.Settled)
			s.says("refused", test.want, test.message)
		})
	}
}

func TestRefusedWithABadCause(t *testing.T) {
	s := newStory(t)
	s.given()
	s.begin(2000, "native", "bad input", 3, matrix("refused"), func(b *record.Sample) { b.Cause = `(` })
	s.submitted(2010, customs, "no")
	s.end(4000, record.Settled)
	s.says("refused", spec.Invalid, "no regular expression")
}
