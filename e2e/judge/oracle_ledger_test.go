package judge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// matrix makes a sample one of the correctness matrix, judged by these oracles.
func matrix(oracles ...string) func(*record.Sample) {
	return func(s *record.Sample) { s.Matrix, s.Expect = true, oracles }
}

// given tells of a native custom resource of size 3 that is there and handled.
func (s *story) given() {
	s.created(matrix("converged"), func(b *record.Sample) { b.Prepare = true })
	s.end(1710, record.Settled)
}

// changed tells of the harness's patch of the custom resource at a time, and of
// the watch's event.
func (s *story) changed(ms float64, generation, size int) {
	s.version++
	s.done(ms, "patch", custom(generation, size, 0).at(1000+s.version))
}

func TestLedger(t *testing.T) {
	for name, test := range map[string]telling{
		"each handled": {func(s *story) {
			s.changed(2010, 2, 5)
			s.see(2040, "MODIFIED", deployment(2, 5, 3, 3))
			s.changed(2110, 3, 2)
			s.see(2150, "MODIFIED", deployment(3, 2, 5, 5))
		}, spec.Pass, "generation 2 (size 5) handled after 30ms, generation 3 (size 2) handled after 40ms"},
		"coalesced": {func(s *story) {
			s.changed(2010, 2, 5)
			s.changed(2020, 3, 2)
			s.see(2050, "MODIFIED", deployment(2, 2, 3, 3))
		}, spec.Pass, "generation 2 (size 5) coalesced, generation 3 (size 2) handled after 30ms"},
		"back to what it was": {func(s *story) {
			s.changed(2010, 2, 5)
			s.changed(2020, 3, 3)
		}, spec.Pass, "generation 2 (size 5) coalesced, generation 3 (size 3) handled, without a write"},
		"member by member": {func(s *story) {
			s.changed(2010, 2, 5)
			s.see(2040, "MODIFIED", deployment(2, 4, 3, 3))
			s.see(2080, "MODIFIED", deployment(3, 5, 4, 4))
		}, spec.Pass, "generation 2 (size 5) handled after 70ms"},
		"member by member, with a list of the members in the template": {func(s *story) {
			listing := func(generation, asks int, members string) thing {
				d := deployment(generation, asks, asks, asks)
				d.object["spec"].(fields)["members"] = members
				return d
			}
			s.changed(2010, 2, 5)
			s.see(2040, "MODIFIED", listing(2, 4, "three"))
			s.see(2050, "MODIFIED", listing(3, 4, "four"))
			s.see(2080, "MODIFIED", listing(4, 5, "four"))
			s.see(2090, "MODIFIED", listing(5, 5, "five"))
		}, spec.Pass, "generation 2 (size 5) handled after 70ms"},
		"member by member, one as it was": {func(s *story) {
			s.changed(2010, 2, 5)
			s.see(2040, "MODIFIED", deployment(2, 4, 3, 3))
			s.see(2050, "MODIFIED", deployment(3, 4, 3, 3))
			s.see(2080, "MODIFIED", deployment(4, 5, 4, 4))
		}, spec.Fail, "a write of size 4 that nothing asked for"},
		"too far": {func(s *story) {
			s.changed(2010, 2, 5)
			s.see(2040, "MODIFIED", deployment(2, 6, 3, 3))
			s.see(2080, "MODIFIED", deployment(3, 5, 6, 6))
		}, spec.Fail, "a write of size 6 that nothing asked for"},
		"lost": {func(s *story) {
			s.changed(2010, 2, 5)
			s.see(2040, "MODIFIED", deployment(2, 5, 3, 3))
			s.changed(2110, 3, 2)
		}, spec.Fail, "expected each change to be handled once and in order, or coalesced; generation 3 (size 2) lost (all: generation 2 (size 5) handled after 30ms, generation 3 (size 2) lost)"},
		"all lost": {func(s *story) {
			s.changed(2010, 2, 5)
			s.changed(2020, 3, 2)
		}, spec.Fail, "generation 2 (size 5) lost, generation 3 (size 2) lost ("},
		"reordered": {func(s *story) {
			s.changed(2010, 2, 5)
			s.changed(2020, 3, 2)
			s.see(2050, "MODIFIED", deployment(2, 2, 3, 3))
			s.see(2060, "MODIFIED", deployment(3, 5, 3, 3))
		}, spec.Fail, "generation 2 (size 5) handled after 50ms, reordered (all"},
		"in two steps": {func(s *story) { // the template has a checksum once the Secret is there
			s.changed(2010, 2, 5)
			s.see(2050, "MODIFIED", deployment(2, 5, 3, 3))
			summed := deployment(3, 5, 5, 3)
			summed.object["spec"].(fields)["checksum"] = "of the Secret"
			s.see(2060, "MODIFIED", summed)
		}, spec.Pass, "generation 2 (size 5) handled after 40ms"},
		"duplicated": {func(s *story) {
			s.changed(2010, 2, 5)
			s.see(2050, "MODIFIED", deployment(2, 5, 3, 3))
			s.see(2060, "MODIFIED", deployment(3, 5, 5, 3))
			s.see(2070, "MODIFIED", deployment(4, 5, 5, 3))
		}, spec.Fail, "generation 2 (size 5) handled after 40ms, duplicated 2 times (all"},
		"status writes are no writes": {func(s *story) {
			s.changed(2010, 2, 5)
			s.see(2050, "MODIFIED", deployment(2, 5, 3, 3))
			s.see(2060, "MODIFIED", deployment(2, 5, 5, 5))
		}, spec.Pass, "handled after 40ms"},
		"a second Deployment beside the first": {func(s *story) {
			s.changed(2010, 2, 5)
			s.see(2050, "MODIFIED", deployment(2, 5, 3, 3))
			s.see(2060, "ADDED", deployment(1, 5, 0, 0).named("cache-again", "d2"))
		}, spec.Fail, "duplicated once"},
		"asked for by nobody": {func(s *story) {
			s.changed(2010, 2, 5)
			s.see(2050, "MODIFIED", deployment(2, 1, 3, 3))
			s.see(2060, "MODIFIED", deployment(3, 5, 5, 5))
		}, spec.Fail, "a write of size 1 that nothing asked for"},
		"drift, repaired": {func(s *story) {
			s.changed(2010, 2, 5)
			s.see(2050, "MODIFIED", deployment(2, 5, 3, 3))
			s.done(2100, "patch", deployment(3, 1, 5, 5).at(500))
			s.see(2110, "MODIFIED", deployment(4, 5, 5, 5))
		}, spec.Pass, "generation 2 (size 5) handled after 40ms"},
		"drift, deleted and made again": {func(s *story) {
			s.changed(2010, 2, 5)
			s.see(2050, "MODIFIED", deployment(2, 5, 3, 3))
			s.add(record.Entry{Time: at(2105), Kind: record.KindAction, Action: &record.Action{
				From: at(2100), Verb: "delete", Resource: spec.Deployments, Namespace: "services", Name: "cache-deployment",
			}})
			s.see(2103, "DELETED", deployment(2, 5, 5, 5))
			s.see(2110, "ADDED", deployment(1, 5, 0, 0).named("cache-deployment", "d2"))
		}, spec.Pass, "generation 2 (size 5) handled after 40ms"},
		"deleted by the operator": {func(s *story) {
			s.changed(2010, 2, 5)
			s.see(2050, "DELETED", deployment(1, 3, 3, 3))
			s.see(2060, "ADDED", deployment(1, 5, 0, 0).named("cache-deployment", "d2"))
		}, spec.Fail, "a deletion that nothing asked for"},
		"nothing new": {func(s *story) {
			s.changed(2010, 1, 3)
		}, spec.NotApplicable, "nothing new was asked for"},
		"another's change": {func(s *story) {
			s.changed(2010, 1, 3)
			s.see(2100, "MODIFIED", custom(2, 4, 0))
			s.see(2120, "MODIFIED", deployment(2, 4, 3, 3))
		}, spec.Pass, "generation 2 (size 4) handled after 20ms"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.begin(2000, "native", "changes", 5, matrix("ledger"))
			test.tell(s)
			s.end(4000, record.Settled)
			v := s.says("ledger", test.want, test.message)
			if test.want == spec.Fail {
				assert.NotEmpty(t, v.Evidence)
			}
		})
	}
}

// What nobody can bring about is not lost; a size that was made up for it is.
func TestLedgerOfTheImpossible(t *testing.T) {
	s := newStory(t)
	s.given()
	s.begin(2000, "native", "bad size", 3, matrix("ledger"), func(b *record.Sample) { b.Unmeetable = true })
	s.changed(2010, 2, -1)
	s.end(4000, record.Settled)
	v := s.says("ledger", spec.Pass, "")
	assert.Equal(t, "generation 2 (size -1) impossible", v.Message)

	s.entries = s.entries[:len(s.entries)-1]
	s.see(2040, "MODIFIED", deployment(2, 1, 3, 3))
	s.end(4000, record.Settled)
	s.says("ledger", spec.Fail, "a write of size 1 that nothing asked for")
}

func TestLedgerOfLives(t *testing.T) {
	for name, test := range map[string]telling{
		"a new life": {func(s *story) {
			s.see(2030, "DELETED", deployment(1, 3, 3, 3))
			s.done(2040, "create", custom(1, 2, 0).named("cache", "cr2").at(700))
			s.see(2050, "ADDED", owned(deployment(1, 2, 2, 2).named("cache-deployment", "d2"), "cr2"))
		}, spec.Pass, "the deletion handled after 20ms, generation 1 (size 2) handled after 10ms"},
		"a new life that begins small": {func(s *story) {
			s.see(2030, "DELETED", deployment(1, 3, 3, 3))
			s.done(2040, "create", custom(1, 2, 0).named("cache", "cr2").at(700))
			s.see(2050, "ADDED", owned(deployment(1, 1, 0, 0).named("cache-deployment", "d2"), "cr2"))
			s.see(2060, "MODIFIED", owned(deployment(2, 2, 1, 1).named("cache-deployment", "d2"), "cr2"))
		}, spec.Pass, "generation 1 (size 2) handled after 20ms"},
		"the deletion comes too late": {func(s *story) {
			s.done(2040, "create", custom(1, 2, 0).named("cache", "cr2").at(700))
			s.see(2050, "ADDED", owned(deployment(1, 2, 2, 2).named("cache-deployment", "d2"), "cr2"))
			s.see(2060, "DELETED", owned(deployment(1, 2, 2, 2).named("cache-deployment", "d2"), "cr2"))
		}, spec.Fail, "the deletion handled after 50ms, reordered"},
		"the deletion is lost": {func(*story) {}, spec.Fail, "the deletion lost"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.begin(2000, "native", "recreate", 2, matrix("ledger"))
			s.done(2010, "delete", custom(1, 3, 1))
			test.tell(s)
			s.end(4000, record.Settled)
			s.says("ledger", test.want, test.message)
		})
	}
}

// A size that is asked for, taken back and asked for again is reached when it is there for the last time.
func TestASizeThatIsAskedForTwice(t *testing.T) {
	for name, test := range map[string]struct {
		last int // size that the Deployment is scaled to after all
		want spec.Outcome
	}{"as asked for": {3, spec.Pass}, "taken away": {2, spec.Fail}} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.begin(2000, "native", "to and fro", 3, matrix("stays-converged"))
			for i, size := range []int{2, 3, 2, 3, test.last} {
				at, generation := 2100+1000*float64(i), 2+i
				if i < 4 {
					s.changed(at, generation, size)
				}
				s.see(at+100, "MODIFIED", deployment(generation, size, size, size))
			}
			s.end(10100, record.Settled)
			s.says("stays-converged", test.want, "")
		})
	}
}

// owned gives an object another controller.
func owned(x thing, uid string) thing {
	object := fields{}
	for key, value := range x.object {
		object[key] = value
	}
	meta := fields{}
	for key, value := range x.object["metadata"].(fields) {
		meta[key] = value
	}
	meta["ownerReferences"] = owner(uid)
	object["metadata"] = meta
	x.object = object
	return x
}

// An operator that missed a deletion may take the old Deployment over, by the uid of the
// new custom resource, before the garbage collector comes: it is the new one's then.
func TestADeploymentThatIsTakenOver(t *testing.T) {
	for name, test := range map[string]struct {
		uid  string // of its controller at the end
		want spec.Outcome
	}{"by the new life": {"cr2", spec.Pass}, "by nobody": {"cr1", spec.Fail}, "by a stranger": {"cr3", spec.Fail}} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.begin(2000, "native", "recreate", 2, matrix("converged"))
			s.done(2010, "delete", custom(1, 3, 1))
			s.done(2020, "create", custom(1, 2, 0).named("cache", "cr2").at(700))
			s.see(2050, "MODIFIED", owned(deployment(2, 2, 2, 2), test.uid))
			s.see(2060, "DELETED", pod(1, "Running"))
			s.see(2070, "MODIFIED", custom(1, 2, 1, "p2", "p3").named("cache", "cr2"))
			s.end(6000, record.Settled)
			s.says("converged", test.want, "")
		})
	}
}
