package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// by is a request of one of the operator's pods, which the API server answers at once.
func (s *story) by(pod string, ms float64, verb, resource, namespace, name string, code int) {
	answered := s.entries[0].Header.Began.Add(at(ms))
	s.add(record.Entry{Time: at(ms), Kind: record.KindAudit, Audit: &record.Audit{
		Received: answered, Answered: answered, User: "system:serviceaccount:native-system:operator", Pod: pod,
		Verb: verb, Resource: resource, Namespace: namespace, Name: name, Code: code,
	}})
}

const lease = "leases.v1.coordination.k8s.io"

// Where pods elect a leader by a Lease, only who has written that last may write; else it is said who did how much.
func TestWhoWritesWhileTwoRun(t *testing.T) {
	renew := func(s *story, pod string, ms float64) { s.by(pod, ms, "update", lease, "native-system", "leader", 200) }
	write := func(s *story, pod string, ms float64) {
		s.by(pod, ms, "update", spec.Deployments, "services", "cache-deployment", 200)
	}
	for name, test := range map[string]telling{
		"no election": {func(s *story) {
			write(s, "a", 100)
			write(s, "b", 101)
			s.by("b", 102, "update", customs, "services", "cache", 409)
		}, spec.Pass, "the operator's pods elect no leader by a Lease, and both acted: a asked for 1 write; b asked for 2 writes, and 1 of them failed"},
		"one acts": {func(s *story) { write(s, "a", 100) }, spec.Pass, "of the operator's pods one acted, though no Lease elects it: a asked for 1 write"},
		"a leader": {func(s *story) {
			renew(s, "a", 90)
			write(s, "a", 100)
			s.by("b", 110, "update", lease, "native-system", "leader", 409)
			write(s, "a", 120)
			renew(s, "b", 200)
			write(s, "b", 210)
		}, spec.Pass, "only the holder of Lease native-system/leader wrote: a asked for 2 writes; b asked for 1 write"},
		"both in spite of it": {func(s *story) {
			renew(s, "a", 90)
			write(s, "a", 100)
			write(s, "b", 101)
		}, spec.Fail, "expected only the pod that holds the Lease to write; 1 write was by another, the first at +0.081 s: update deployments services/cache-deployment (1×)"},
		"the old one goes on": {func(s *story) {
			renew(s, "a", 90)
			renew(s, "b", 200)
			write(s, "a", 201)
		}, spec.Fail, "by another"},
		"another component, that elects nobody": {func(s *story) {
			renew(s, "a", 90)
			write(s, "a", 100)
			write(s, "c", 101)
			s.entries[len(s.entries)-1].Audit.User = "system:serviceaccount:native-system:certs"
		}, spec.Pass, "only the holder of Lease native-system/leader wrote: a asked for 1 write; c asked for 1 write"},
		"a Lease for each custom resource": {func(s *story) {
			s.by("a", 90, "update", lease, "services", "cache", 200)
			write(s, "a", 100)
			write(s, "b", 101)
		}, spec.Pass, "elect no leader by a Lease"},
		"somebody else's Lease": {func(s *story) {
			s.add(record.Entry{Time: at(90), Kind: record.KindAudit, Audit: &record.Audit{User: "system:serviceaccount:other:x", Verb: "update", Resource: lease, Namespace: "other", Code: 200}})
			write(s, "a", 100)
		}, spec.Pass, "no Lease elects it"},
		"nothing written": {func(s *story) { renew(s, "a", 90) }, spec.NotApplicable, "neither pod asked for a write"},
	} {
		t.Run(name, func(t *testing.T) {
			s := strict(t)
			s.begin(0, "native", "two-at-once", 1, matrix("one-leader"))
			write(s, "before", 5)
			s.add(record.Entry{Time: at(12), Kind: record.KindFault, Fault: &record.Fault{Stage: record.Begun, From: at(10), Kind: spec.FaultDouble, What: "operator", Namespace: "services"}})
			s.done(20, "create", custom(1, 1, 0))
			test.tell(s)
			s.end(5000, record.Settled)
			v := s.says("one-leader", test.want, test.message)
			assert.NotContains(t, v.Message, "before")
		})
	}
	both := strict(t)
	both.begin(0, "native", "two-at-once", 1, matrix("one-leader", "converged"))
	both.add(record.Entry{Time: at(12), Kind: record.KindFault, Fault: &record.Fault{Stage: record.Begun, From: at(10), Kind: spec.FaultDouble, What: "operator", Namespace: "services"}})
	both.act(20, 25, "create", custom(1, 1, 0))
	both.see(26, "ADDED", custom(1, 1, 0))
	write(both, "a", 100)
	write(both, "b", 101)
	both.end(5000, record.Settled)
	failed := both.verdict("converged")
	assert.Equal(t, spec.Fail, failed.Outcome)
	assert.Contains(t, failed.Evidence, "who wrote: the operator's pods elect no leader by a Lease, and both acted: a asked for 1 write; b asked for 1 write", "with whatever fails")

	s := strict(t)
	s.begin(0, "native", "create", 1, matrix("one-leader"))
	s.act(20, 25, "create", custom(1, 1, 0))
	s.end(5000, record.Settled)
	assert.Contains(t, s.verdict("one-leader").Message, "the operator never had a second pod")
}
