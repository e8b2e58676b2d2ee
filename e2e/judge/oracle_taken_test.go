package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

func TestWhatIsAnothersIsNotTaken(t *testing.T) {
	other := func(generation int, owner string) thing {
		d := deployment(generation, 0, 0, 0)
		d.uid, d.object["metadata"].(fields)["ownerReferences"] = "other", []any{fields{"kind": "ConfigMap", "uid": owner, "controller": true}}
		return d
	}
	for name, test := range map[string]struct {
		tell    func(*story)
		want    spec.Outcome
		message string
	}{
		"left":    {func(s *story) { s.see(2100, "MODIFIED", other(1, "theirs")) }, spec.Pass, "was as it had been made"},
		"scaled":  {func(s *story) { s.see(2100, "MODIFIED", other(2, "theirs")) }, spec.Fail, "its spec was another"},
		"adopted": {func(s *story) { s.see(2100, "MODIFIED", other(1, "cr1")) }, spec.Fail, "its owner references were others"},
		"deleted": {func(s *story) { s.see(2100, "DELETED", other(1, "theirs")) }, spec.Fail, "it was deleted"},
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
			v := s.verdict("not-taken")
			assert.Equal(t, test.want, v.Outcome, v.Message)
			assert.Contains(t, v.Message, test.message)
		})
	}
}
