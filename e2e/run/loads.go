package run

import (
	"context"
	"slices"
	"time"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/spec/scenarios"
)

// loads are the scenarios that many custom resources are put through at once.
func (s *Session) loads() []scenarios.Scenario {
	return slices.DeleteFunc(slices.Clone(s.scenarios), func(s scenarios.Scenario) bool { return s.Group != scenarios.Load })
}

// driveLoads goes through the loads, as often as rounds were asked for. Each arm,
// the floor too, has an installation for each of them: what a load leaves undone
// must not be done in the next one's time. Errors are as those of Drive.
func (s *Session) driveLoads(ctx context.Context) error {
	for round := 1; round <= s.matrixRounds(); round++ {
		for _, load := range s.loads() {
			for _, a := range s.loadTurns(round) {
				if a.err != nil || !s.enough(a, load.Name, s.typicalLoad(a, load)) {
					continue
				}
				if err := s.guarded(ctx, a, func() error { return s.loadRun(ctx, a, round, load) }); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// loadTurns are the arms in the order of their turns in one load.
func (s *Session) loadTurns(round int) []*arm {
	arms := order(s.arms, s.options.Seed, round)
	if s.options.Keep {
		return floorFirst(arms, s.arms[0])
	}
	return arms
}

// floorFirst moves the floor to the front, where it takes part: what is kept has
// a style in it.
func floorFirst(arms []*arm, floor *arm) []*arm {
	if i := slices.Index(arms, floor); i >= 0 {
		return slices.Insert(slices.Delete(arms, i, i+1), 0, floor)
	}
	return arms
}

// loadRun is an arm's turn in a load.
func (s *Session) loadRun(ctx context.Context, a *arm, round int, load scenarios.Scenario) error {
	return s.measure(ctx, block{arm: a, round: round, load: load.Name}, func(style drive.Style) (func(context.Context) error, error) {
		return s.driver.DriveLoad(ctx, style, drive.Load{Round: round, Warmup: s.warmupOf(a), Scenario: load})
	})
}

// typicalSpace is how long it takes to make a load's namespace, and to remove it.
const typicalSpace = time.Second

// typicalLoads is how long the loads are expected to take.
func (s *Session) typicalLoads() time.Duration {
	var all time.Duration
	for _, load := range s.loads() {
		for _, a := range s.arms {
			all += s.typicalLoad(a, load)
		}
	}
	return time.Duration(s.matrixRounds()) * all
}

// typicalLoad is how long an arm's turn in a load is expected to take. A style
// that handles one custom resource after the other is given up when the load's
// time is over.
func (s *Session) typicalLoad(a *arm, load scenarios.Scenario) time.Duration {
	n := time.Duration(load.Load.Resources)
	all := n*typicalSpace + matrixWindow
	if a.operator == nil {
		return all
	}
	typical := a.typical()
	all += typical.Install + typicalUninstall + min(n*time.Duration(len(load.Steps))*typical.Reconcile, load.Load.Within)
	return all + time.Duration(2*len(s.warmupOf(a)))*s.change(typical)
}
