package judge_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

func TestEachDriftedFieldIsRepaired(t *testing.T) {
	port := func(number int) fields { return fields{"number": number} }
	ports := func(list ...any) thing {
		d := deployment(2, 1, 1, 1)
		d.object["spec"].(fields)["ports"] = list
		d.object["metadata"].(fields)["labels"] = fields{"app": "memcached"}
		return d
	}
	with := func(number int, without ...string) thing {
		d := ports(port(number))
		for _, field := range without {
			delete(d.object["metadata"].(fields), field)
		}
		return d
	}
	for name, test := range map[string]struct {
		after   thing  // the first drift, of the port
		second  string // the field of the metadata that is removed next
		left    bool   // it stays so
		twice   bool   // the owner was there once more, by another reference
		want    spec.Outcome
		message string
		table   []string
	}{
		"put right": {
			with(1), "ownerReferences", false, false, spec.Pass, "each of 2 fields of the Deployment that drifted was put right",
			[]string{"+0.005 s the port: put right", "+0.505 s the ownerReferences: put right"},
		},
		"an owner that was there twice": {
			with(1), "ownerReferences", false, true, spec.Pass, "each of 2 fields of the Deployment that drifted was put right",
			[]string{"+0.005 s the port: put right", "+0.505 s the ownerReferences: put right"},
		},
		"a port left": {
			with(2), "ownerReferences", false, false, spec.Fail, "1 stayed: the port",
			[]string{"+0.005 s the port: not put right: spec.ports.0.number: want 1, got 2", "+0.505 s the ownerReferences: put right"},
		},
		"a port beside it": {
			ports(port(1), port(2)), "ownerReferences", false, false, spec.Fail, "1 stayed: the port",
			[]string{`+0.005 s the port: not put right: spec.ports.1.number: want nothing, got 2`, "+0.505 s the ownerReferences: put right"},
		},
		"an owner left": {
			with(1), "ownerReferences", true, false, spec.Fail, "1 stayed: the ownerReferences",
			[]string{"+0.005 s the port: put right", `+0.505 s the ownerReferences: not put right: ownerReferences.cr1: want " , controller true", got nothing`},
		},
		"labels left": {
			with(1), "labels", true, false, spec.Fail, "1 stayed: the labels",
			[]string{"+0.005 s the port: put right", `+0.505 s the labels: not put right: labels.app: want "memcached", got nothing`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.see(1990, "MODIFIED", with(1))
			s.begin(2000, "native", "drift-fields", 1, matrix("repaired"), func(b *record.Sample) {
				b.Others = []record.Other{{Namespace: "elsewhere", Name: "cache"}}
			})
			drift := func(at float64, name string, to thing) {
				s.act(at, at+5, "patch", to)
				s.entries[len(s.entries)-1].Action.Wrong = name
				s.see(at+6, "MODIFIED", to)
			}
			drift(2010, "the port", with(2).at(5000))
			s.see(2100, "MODIFIED", test.after.at(5001))
			s.act(2200, 2205, "patch", with(1).at(5002)) // the harness itself puts it right, which is nobody's merit
			before := with(1)
			if test.twice {
				meta := before.object["metadata"].(fields)
				meta["ownerReferences"] = append(slices.Clone(meta["ownerReferences"].([]any)), fields{"uid": "cr1"})
			}
			s.see(2206, "MODIFIED", before.at(5002))
			drift(2510, "the "+test.second, with(1, test.second).at(5003))
			after := with(1)
			if test.left {
				after = with(1, test.second)
			}
			s.see(2600, "MODIFIED", after.at(5004))
			s.see(2700, "MODIFIED", ports(port(7)).named("cache-deployment", "d2").in("elsewhere").at(5005)) // of another custom resource
			s.end(4000, record.Settled)
			v := s.says("repaired", test.want, test.message)
			assert.Equal(t, test.table, v.Evidence)
		})
	}
}
