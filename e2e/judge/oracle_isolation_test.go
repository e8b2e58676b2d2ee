package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// other is a second custom resource of the story, and its Deployment.
func other(generation, size int) thing { return custom(generation, size, 0).named("other", "cr2") }

func otherDeployment(generation, asks, ready int) thing {
	return owned(deployment(generation, asks, ready, ready).named("other-deployment", "d2"), "cr2")
}

func otherSet() thing {
	return owned(replicaSet().named("other-deployment-5d", "r2"), "d2")
}

func otherPod() thing {
	return owned(pod(9, "Running"), "r2")
}

// beside makes a sample have a second custom resource; below zero: that is to be gone.
func beside(size int) func(*record.Sample) {
	return func(b *record.Sample) {
		o := record.Other{Namespace: "services", Name: "other"}
		if size >= 0 {
			o.Size = &size
		}
		b.Others = []record.Other{o}
	}
}

// pair tells of two custom resources, of sizes 3 and 1, that are handled.
func pair(s *story) {
	s.done(2010, "create", other(1, 1).at(600))
	s.see(2020, "ADDED", otherDeployment(1, 1, 0))
	s.see(2025, "ADDED", otherSet())
	s.see(2030, "ADDED", otherPod())
	s.see(2100, "MODIFIED", otherDeployment(1, 1, 1))
}

func TestIsolation(t *testing.T) {
	for name, test := range map[string]struct {
		size    int // of the other at the end
		tell    func(*story)
		want    spec.Outcome
		message string
	}{
		"two of their own": {1, func(*story) {}, spec.Pass, "each of 2 custom resources has its own Deployment"},
		"one is scaled": {2, func(s *story) {
			s.done(2200, "patch", other(2, 2).at(601))
			s.see(2210, "MODIFIED", otherDeployment(2, 2, 2))
		}, spec.Pass, "each of 2"},
		"one has another size": {1, func(s *story) {
			s.see(2210, "MODIFIED", otherDeployment(2, 3, 3))
		}, spec.Fail, "of services/other at +1.990 s Deployment other-deployment asks for 3 replicas, wanted 1"},
		"one has none": {1, func(s *story) {
			s.see(2210, "DELETED", otherDeployment(1, 1, 1))
		}, spec.Fail, "services/other has no Deployment at"},
		"one writes the other's and takes it back": {2, func(s *story) {
			s.done(2200, "patch", other(2, 2).at(601))
			s.see(2210, "MODIFIED", otherDeployment(2, 2, 2))
			s.see(2220, "MODIFIED", deployment(2, 2, 3, 3))
			s.see(2230, "MODIFIED", deployment(3, 3, 3, 3))
		}, spec.Fail, "Deployment cache-deployment had the 3 replicas that services/cache asks for; after an action on services/other it asks for 2 at +0.210 s"},
		"one takes two writes": {2, func(s *story) {
			s.done(2200, "patch", custom(2, 2, 0).at(602))
			s.act(2207, 2208, "patch", other(2, 2).at(601))
			s.see(2209, "MODIFIED", other(2, 2).at(601))
			s.see(2210, "MODIFIED", deployment(2, 2, 2, 2))
			s.see(2215, "MODIFIED", otherDeployment(2, 2, 2))
			s.see(2220, "MODIFIED", deployment(3, 2, 2, 2))
			s.done(2300, "patch", custom(3, 3, 0).at(603))
			s.see(2310, "MODIFIED", deployment(4, 3, 3, 3))
		}, spec.Pass, "each of 2"},
		"status alone is no write": {2, func(s *story) {
			s.done(2200, "patch", other(2, 2).at(601))
			s.see(2210, "MODIFIED", otherDeployment(2, 2, 2))
			s.see(2220, "MODIFIED", deployment(1, 3, 3, 3))
		}, spec.Pass, "each of 2"},
		"each acted on in turn": {2, func(s *story) {
			s.act(2200, 2205, "patch", custom(2, 4, 0).at(602))
			s.act(2206, 2207, "patch", other(2, 2).at(601))
			s.see(2208, "MODIFIED", custom(2, 4, 0).at(602))
			s.see(2209, "MODIFIED", other(2, 2).at(601))
			s.see(2210, "MODIFIED", otherDeployment(2, 2, 2))
			s.see(2211, "MODIFIED", deployment(2, 4, 3, 3))
			s.act(2300, 2305, "patch", custom(3, 3, 0).at(603))
			s.see(2310, "MODIFIED", deployment(3, 3, 3, 3))
		}, spec.Pass, "each of 2"},
		"each acted on in turn, one by another field than its size": {2, func(s *story) {
			s.act(2200, 2205, "patch", custom(2, 3, 0).at(602))
			s.act(2206, 2207, "patch", other(2, 2).at(601))
			s.see(2208, "MODIFIED", custom(2, 3, 0).at(602))
			s.see(2209, "MODIFIED", other(2, 2).at(601))
			s.see(2210, "MODIFIED", otherDeployment(2, 2, 2))
			s.see(2211, "MODIFIED", deployment(2, 3, 3, 3))
		}, spec.Pass, "each of 2"},
		"one has drifted, and is put right after an action on the other": {2, func(s *story) {
			s.done(2200, "patch", deployment(2, 3, 3, 3).at(602))
			s.done(2210, "patch", other(2, 2).at(601))
			s.see(2220, "MODIFIED", otherDeployment(2, 2, 2))
			s.see(2230, "MODIFIED", deployment(3, 3, 3, 3))
		}, spec.Pass, "each of 2"},
		"one is deleted, then the other, which is made anew": {-1, func(s *story) {
			s.done(2200, "delete", other(1, 1))
			s.see(2210, "DELETED", otherDeployment(1, 1, 1))
			s.see(2220, "DELETED", otherPod())
			s.done(2300, "delete", custom(1, 3, 1))
			s.see(2310, "DELETED", deployment(1, 3, 3, 3))
			s.done(2400, "create", custom(1, 3, 0).named("cache", "cr3").at(700))
			s.see(2410, "ADDED", owned(deployment(1, 3, 3, 3).named("cache-deployment", "d3"), "cr3"))
		}, spec.Pass, "each of 2"},
		"one is deleted, and the other is small for a while": {-1, func(s *story) {
			s.done(2200, "delete", other(1, 1))
			s.see(2210, "DELETED", otherDeployment(1, 1, 1))
			s.done(2300, "patch", custom(2, 1, 0).at(602))
			s.see(2310, "MODIFIED", deployment(2, 1, 1, 1))
			s.see(2320, "DELETED", pod(2, "Running"))
			s.see(2320, "DELETED", pod(3, "Running"))
			s.done(2400, "patch", custom(3, 3, 0).at(603))
			s.see(2410, "MODIFIED", deployment(3, 3, 3, 3))
		}, spec.Pass, "each of 2"},
		"the other's Deployment is deleted by the harness": {-1, func(s *story) {
			s.done(2200, "delete", other(1, 1))
			s.see(2210, "DELETED", otherDeployment(1, 1, 1))
			s.see(2220, "DELETED", otherPod())
			s.add(record.Entry{Time: at(2305), Kind: record.KindAction, Action: &record.Action{
				From: at(2300), Verb: "delete", Resource: spec.Deployments, Namespace: "services", Name: "cache-deployment",
			}})
			s.see(2306, "DELETED", deployment(1, 3, 3, 3))
			s.see(2310, "ADDED", deployment(1, 3, 3, 3).named("cache-deployment", "d3"))
		}, spec.Pass, "each of 2"},
		"one is deleted": {-1, func(s *story) {
			s.done(2200, "delete", other(1, 1))
			s.see(2210, "DELETED", otherDeployment(1, 1, 1))
			s.see(2220, "DELETED", otherPod())
		}, spec.Pass, "each of 2"},
		"one is deleted, its Deployment stays": {-1, func(s *story) {
			s.done(2200, "delete", other(1, 1))
		}, spec.Fail, "Deployment other-deployment of services/other, which is deleted, is still there"},
		"one is deleted, and made the other lose pods": {-1, func(s *story) {
			s.done(2200, "delete", other(1, 1))
			s.see(2210, "DELETED", otherDeployment(1, 1, 1))
			s.see(2220, "DELETED", pod(2, "Running"))
		}, spec.Fail, "when services/other was deleted at +0.190 s, services/cache lost pods: p2"},
		"one is deleted, and the other's Deployment is made anew": {-1, func(s *story) {
			s.done(2200, "delete", other(1, 1))
			s.see(2210, "DELETED", otherDeployment(1, 1, 1))
			s.see(2220, "DELETED", deployment(1, 3, 3, 3))
			s.see(2230, "ADDED", deployment(1, 3, 3, 3).named("cache-deployment", "d3"))
		}, spec.Fail, "it is deleted at +0.210 s"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.begin(2000, "native", "two", 3, matrix("isolation"), beside(test.size))
			pair(s)
			test.tell(s)
			s.end(4000, record.Settled)
			s.says("isolation", test.want, test.message)
		})
	}
}

// A style that names each Deployment alike has one for both.
func TestSharedDeployment(t *testing.T) {
	s := newStory(t)
	shared := record.Style{Style: spec.Style{Name: "native", Child: spec.Child{Name: "cache-deployment"}}}
	s.entries[0].Header.Styles = []record.Style{shared}
	s.given()
	s.begin(2000, "native", "two", 3, matrix("isolation"), beside(3))
	s.act(2010, 2015, "create", other(1, 3))
	s.end(4000, record.Settled)
	s.says("isolation", spec.Fail, "services/cache and services/other share Deployment cache-deployment")
}

func TestIsolationOfOne(t *testing.T) {
	s := newStory(t)
	s.created(matrix("isolation"))
	s.end(1710, record.Settled)
	assert.Equal(t, spec.NotApplicable, s.verdict("isolation").Outcome)
}
