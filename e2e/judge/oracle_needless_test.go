package judge_test

import (
	"fmt"
	"testing"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// eventAbout is an Event about the custom resource of a uid.
func eventAbout(uid string, n int) thing {
	name := fmt.Sprintf("cache.%d", n)
	return thing{resource: "events.v1.events.k8s.io", namespace: "services", name: name, uid: name, object: fields{
		"metadata": fields{}, "regarding": fields{"kind": "Memcached", "namespace": "services", "name": "cache", "uid": uid}, "type": "Normal", "reason": "Reconciled", "note": "reconciled",
	}}
}

func TestNoNeedlessWork(t *testing.T) {
	annotated := func(s *story) { s.changed(2010, 1, 3); s.changed(2020, 1, 3) }
	for name, test := range map[string]telling{
		"quiet": {annotated, spec.Pass, "on account of 2 writes to the custom resource"},
		"a write to the Deployment": {func(s *story) {
			annotated(s)
			s.see(2050, "MODIFIED", deployment(2, 3, 3, 3))
		}, spec.Fail, "expected no write to the Deployment on account of 2 writes to the custom resource that asked for nothing new; seen 1, the first at +0.040 s"},
		"a change in two writes before": {func(s *story) {
			s.changed(2010, 2, 4)
			s.see(2020, "MODIFIED", deployment(2, 4, 3, 3))
			s.see(2030, "MODIFIED", deployment(3, 4, 4, 4))
			s.changed(2040, 2, 4)
		}, spec.Pass, "no write to the Deployment"},
		"a wrong write": {func(s *story) {
			annotated(s)
			s.see(2050, "MODIFIED", deployment(2, 1, 3, 3))
		}, spec.Fail, "seen 1"},
		"a deletion": {func(s *story) {
			annotated(s)
			s.see(2050, "DELETED", deployment(1, 3, 3, 3))
		}, spec.Fail, "seen 1"},
		"status": {func(s *story) {
			annotated(s)
			s.see(2050, "MODIFIED", deployment(1, 3, 3, 2))
			s.see(2060, "MODIFIED", custom(1, 3, 1, "p1"))
		}, spec.Pass, "no write"},
		"a change between": {func(s *story) {
			annotated(s)
			s.changed(2030, 2, 4)
			s.changed(2040, 2, 4)
			s.see(2050, "MODIFIED", deployment(2, 4, 3, 3))
		}, spec.Pass, "of 3 writes"},
		"drift that is repaired": {func(s *story) {
			annotated(s)
			s.done(2100, "patch", deployment(2, 3, 3, 3).at(500))
			s.see(2110, "MODIFIED", deployment(3, 3, 3, 3))
		}, spec.Pass, "no write"},
		"an Event for each": {func(s *story) {
			annotated(s)
			s.changed(2030, 1, 3)
			for i := range 3 {
				s.see(2040+float64(i), "ADDED", eventAbout("cr1", i))
			}
		}, spec.Fail, "expected no Event on account of 3 writes to the custom resource that asked for nothing new; seen 3 new ones about it"},
		"one Event that counts on": {func(s *story) {
			annotated(s)
			s.changed(2030, 1, 3)
			s.see(2040, "ADDED", eventAbout("cr1", 1))
			for i := range 3 {
				s.see(2041+float64(i), "MODIFIED", eventAbout("cr1", 1))
			}
		}, spec.Pass, "no write"},
		"one Event": {func(s *story) { annotated(s); s.see(2040, "ADDED", eventAbout("cr1", 1)) }, spec.Pass, "no write"},
		"Events about another": {func(s *story) {
			annotated(s)
			s.changed(2030, 1, 3)
			for i := range 3 {
				s.see(2040+float64(i), "ADDED", eventAbout("another", i))
			}
		}, spec.Pass, "no write"},
		"changes alone": {func(s *story) { s.changed(2010, 2, 4) }, spec.NotApplicable, "asked for something new"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.begin(2000, "native", "annotations", 3, matrix("no-needless-work"))
			test.tell(s)
			s.end(4000, record.Settled)
			s.says("no-needless-work", test.want, test.message)
		})
	}
}
