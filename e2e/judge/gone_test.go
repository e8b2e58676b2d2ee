package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// A child of a known name must be gone, too; what somebody else has put in its place is no remainder while it is there.
func TestWhatIsAnothersNeedNotBeGone(t *testing.T) {
	w := queue
	w.Children = append(w.Children, spec.ChildKind{ID: "service", Resource: "services.v1", Kind: "Service", Name: "{{.Name}}-nodes"})
	for name, occupied := range map[string]bool{"the operator's": false, "another's": true} {
		s := newStory(t)
		s.entries[0].Header.Workload = &w
		s.begin(0, "native", "delete", -1, matrix("gone"))
		fault := record.Fault{
			Stage: record.Begun, From: at(1), Kind: spec.FaultOccupy, What: "children", Namespace: "services", Objects: []string{"services/services/cache-nodes"},
		}
		over := fault
		over.Stage, over.From = record.Over, at(3000)
		if occupied {
			s.add(record.Entry{Time: at(5), Kind: record.KindFault, Fault: &fault})
		}
		named := queued(1, 1, 0, "")
		named.object["metadata"].(fields)["name"] = "cache"
		s.done(10, "create", named.at(100))
		s.see(18, "ADDED", thing{resource: "services.v1", namespace: "services", name: "cache-nodes", uid: "s1", object: fields{"metadata": fields{"name": "cache-nodes"}}})
		s.act(2010, 2015, "delete", named.at(110))
		s.see(2020, "DELETED", named.at(111))
		if left := lacksNow(t, s, spec.PointGone); !occupied {
			assert.Equal(t, "of Queue cache something is left: services/cache-nodes", left, name)
		} else {
			assert.Empty(t, left, name)
			s.add(record.Entry{Time: at(3005), Kind: record.KindFault, Fault: &over})
			assert.NotEmpty(t, lacksNow(t, s, spec.PointGone), "it is to be removed by now")
		}
	}
}

// The same of the main child, where a style finds it by its name.
func TestWhatIsInTheMainChildsPlaceNeedNotBeGone(t *testing.T) {
	for name, occupied := range map[string]bool{"the operator's": false, "another's": true} {
		s := newStory(t)
		s.entries[0].Header.Styles[0].Child = spec.Child{Name: "{{.Name}}-deployment"}
		s.begin(0, "native", "delete", -1, matrix("gone"))
		if occupied {
			s.add(record.Entry{Time: at(5), Kind: record.KindFault, Fault: &record.Fault{
				Stage: record.Begun, From: at(1), Kind: spec.FaultOccupy, What: "controlled", Namespace: "services", Objects: []string{"deployments/services/cache-deployment"},
			}})
		}
		s.done(10, "create", custom(1, 1, 0).at(100))
		s.see(18, "ADDED", owned(deployment(1, 1, 1, 1), "somebody"))
		s.act(2010, 2015, "delete", custom(1, 1, 0).at(110))
		s.see(2020, "DELETED", custom(1, 1, 0).at(111))
		assert.Equal(t, occupied, lacksNow(t, s, spec.PointGone) == "", name)
	}
}

// What a workload says must be gone beside the main child is awaited, measured and judged.
func TestGoneIsWhatTheWorkloadSays(t *testing.T) {
	w := queue
	w.Children = append(w.Children, spec.ChildKind{ID: "service", Resource: "services.v1", Kind: "Service"})
	w.Phases.Gone = "!service.exists(s, s.metadata.name == cr.metadata.name + '-nodes')"
	service := func(name, uid string) thing {
		return thing{resource: "services.v1", namespace: "services", name: name, uid: uid, object: fields{"metadata": fields{"name": name}}}
	}
	custom := func(x thing) thing {
		x.object["metadata"].(fields)["name"] = "cache"
		return x
	}
	for name, test := range map[string]struct {
		removed float64 // when the Service goes; 0: never
		outcome spec.Outcome
		message string
		all     float64 // when all is gone; 0: never
	}{
		"last":  {2500, spec.Pass, "the StatefulSet was gone", 490},
		"never": {0, spec.Fail, `of Queue cache something is left: !service.exists(s, s.metadata.name == cr.metadata.name + "-nodes") does not hold`, 0},
	} {
		s := newStory(t)
		s.entries[0].Header.Workload = &w
		s.entries[0].Header.Styles[0].Child.OwnerReference = true
		s.begin(0, "native", "delete", 1, func(b *record.Sample) { b.Prepare = true })
		s.done(10, "create", custom(queued(1, 1, 0, "")).at(100))
		s.see(18, "ADDED", service("cache-nodes", "s1"))
		s.see(19, "ADDED", service("another", "s2"))
		s.see(20, "ADDED", server(1, 1))
		s.end(1000, record.Settled)
		s.begin(2000, "native", "delete", -1)
		s.act(2010, 2015, "delete", custom(queued(1, 1, 0, "")).at(110))
		s.see(2020, "DELETED", custom(queued(1, 1, 0, "")).at(111))
		s.see(2030, "DELETED", server(1, 1))
		if test.removed > 0 {
			s.see(test.removed, "DELETED", service("cache-nodes", "s1"))
		}
		s.end(6000, record.Settled)
		j := s.judge()
		v := s.verdict("gone")
		assert.Equal(t, test.outcome, v.Outcome, "%s: %s", name, v.Message)
		assert.Contains(t, v.Message, test.message, name)
		var all []judge.Sample
		for sample := range j.Samples() {
			if sample.Phase == spec.PhaseAllGone && sample.Outcome == judge.OK {
				all = append(all, sample)
			}
		}
		if test.all == 0 {
			assert.Empty(t, all, name)
			continue
		}
		if assert.Len(t, all, 1, name) {
			assert.InDelta(t, test.all, all[0].Value*1000, 0.1, name)
		}
	}
}
