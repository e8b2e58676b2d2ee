package judge_test

import (
	"testing"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// What is deleted with a custom resource's earlier life is no loss of the present one, whose main child has another name.
func TestAnEarlierLifeGoesLate(t *testing.T) {
	for name, test := range map[string]struct {
		lost thing
		want spec.Outcome
	}{
		"the earlier one's": {deployment(1, 3, 3, 3), spec.Pass},
		"its own":           {owned(deployment(1, 2, 2, 2).named("cache-b", "d2"), "cr2"), spec.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.begin(2000, "native", "recreate", 2, matrix("stays-converged"))
			s.done(2010, "delete", custom(1, 3, 1))
			s.done(2020, "create", custom(1, 2, 0).named("cache", "cr2").at(700))
			s.see(2030, "ADDED", owned(deployment(1, 2, 2, 2).named("cache-b", "d2"), "cr2"))
			s.see(2040, "MODIFIED", custom(1, 2, 1, "p1", "p2").named("cache", "cr2"))
			s.see(4000, "DELETED", test.lost)
			s.end(9000, record.Settled)
			s.says("stays-converged", test.want, "")
		})
	}
}

// A main child that was made anew for another life has not come back; one that is made after the last deletion has.
func TestWhatComesBackAfterTheLastDeletion(t *testing.T) {
	for name, test := range map[string]struct {
		back bool
		want spec.Outcome
	}{"deleted, created and deleted": {false, spec.Pass}, "and made once more": {true, spec.Fail}} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t)
			s.given()
			s.begin(2000, "native", "delete", -1, matrix("stays-converged"))
			again := owned(deployment(1, 2, 2, 2).named("cache-deployment", "d2"), "cr2")
			s.done(2010, "delete", custom(1, 3, 1))
			s.see(2020, "DELETED", deployment(1, 3, 3, 3))
			s.done(2030, "create", custom(1, 2, 0).named("cache", "cr2").at(700))
			s.see(2040, "ADDED", again)
			s.done(3000, "delete", custom(1, 2, 0).named("cache", "cr2"))
			s.see(3010, "DELETED", again)
			if test.back {
				s.see(3020, "ADDED", again.named("cache-deployment", "d3"))
				s.see(3500, "DELETED", again.named("cache-deployment", "d3"))
			}
			s.end(9000, record.Settled)
			s.says("stays-converged", test.want, "")
		})
	}
}
