package judge_test

import (
	"testing"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

func TestWhatIsAnothersIsNotTaken(t *testing.T) {
	other := func(generation int, owner string) thing {
		d := deployment(generation, 0, 0, 0)
		d.uid, d.object["metadata"].(fields)["ownerReferences"] = "other", []any{fields{"kind": "ConfigMap", "uid": owner, "controller": true}}
		return d
	}
	for name, test := range map[string]telling{
		"left":    {func(s *story) { s.see(2100, "MODIFIED", other(1, "theirs")) }, spec.Pass, "was as it had been made"},
		"scaled":  {func(s *story) { s.see(2100, "MODIFIED", other(2, "theirs")) }, spec.Fail, "its spec was another"},
		"adopted": {func(s *story) { s.see(2100, "MODIFIED", other(1, "cr1")) }, spec.Fail, "its owner references were others"},
		"deleted": {func(s *story) { s.see(2100, "DELETED", other(1, "theirs")) }, spec.Fail, "it was deleted"},
		"noted on": {func(s *story) {
			d := other(1, "theirs")
			d.object["metadata"].(fields)["annotations"] = fields{"example.org/last": "{}", "deployment.kubernetes.io/revision": "1"}
			s.see(2100, "MODIFIED", d)
		}, spec.Fail, "its annotations were others"},
		"rolled out": {func(s *story) {
			d := other(1, "theirs")
			d.object["metadata"].(fields)["annotations"] = fields{"deployment.kubernetes.io/revision": "1"}
			s.see(2100, "MODIFIED", d)
		}, spec.Pass, "was as it had been made"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.begin(2000, "native", "scale", 1, matrix("not-taken"))
			s.add(record.Entry{Time: at(2010), Kind: record.KindFault, Fault: &record.Fault{
				Stage: record.Begun, From: at(2005), Kind: spec.FaultOccupy, What: "controlled", Namespace: "services", Objects: []string{"deployments/services/cache-deployment"},
			}})
			s.see(2011, "ADDED", other(1, "theirs"))
			test.tell(s)
			s.end(4000, record.Settled)
			s.says("not-taken", test.want, test.message)
		})
	}
}

// Of other kinds some have no generation: who writes one leaves another resource version.
func TestOtherChildrenThatAreAnothersAreNotTaken(t *testing.T) {
	w := queue
	w.Children = append(w.Children, spec.ChildKind{ID: "notes", Resource: "configmaps.v1", Kind: "ConfigMap", Name: "{{.Name}}-notes"},
		spec.ChildKind{ID: "front", Resource: spec.Deployments, Kind: "Deployment", Name: "{{.Name}}-front"})
	notes := func(controller string) thing {
		return thing{resource: "configmaps.v1", namespace: "services", name: "cache-notes", uid: "other", object: fields{"metadata": fields{
			"name": "cache-notes", "ownerReferences": []any{fields{"kind": "ConfigMap", "uid": controller, "controller": true}},
		}}}
	}
	front := func(generation, ready int) thing {
		return deployment(generation, 0, 0, ready).named("cache-front", "front")
	}
	for name, test := range map[string]telling{
		"left":          {func(s *story) { s.see(2100, "MODIFIED", front(1, 1)) }, spec.Pass, "configmaps/cache-notes, deployments/cache-front, which are somebody else's, were as they had been made"},
		"written":       {func(s *story) { s.see(2100, "MODIFIED", notes("theirs")) }, spec.Fail, "configmaps/cache-notes as it is, which is somebody else's; at"},
		"adopted":       {func(s *story) { s.see(2100, "MODIFIED", notes("cr1").at(50)) }, spec.Fail, "it had another controller"},
		"deleted":       {func(s *story) { s.see(2100, "DELETED", notes("theirs")) }, spec.Fail, "it was deleted"},
		"second scaled": {func(s *story) { s.see(2100, "MODIFIED", front(2, 0)) }, spec.Fail, "deployments/cache-front as it is, which is somebody else's; at"},
		"listed again":  {func(s *story) { s.see(2100, "LISTED", notes("theirs").at(50)) }, spec.Pass, "as they had been made"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.entries[0].Header.Workload = &w
			s.begin(2000, "native", "scale", 1, matrix("not-taken"))
			s.add(record.Entry{Time: at(2010), Kind: record.KindFault, Fault: &record.Fault{
				Stage: record.Begun, From: at(2005), Kind: spec.FaultOccupy, What: "children", Namespace: "services",
				Objects: []string{"configmaps/services/cache-notes", "deployments/services/cache-front"},
			}})
			s.see(2011, "ADDED", notes("theirs").at(50))
			s.see(2012, "ADDED", front(1, 0))
			test.tell(s)
			s.end(4000, record.Settled)
			s.says("not-taken", test.want, test.message)
		})
	}
}
