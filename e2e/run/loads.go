package run

import (
	"context"
	"slices"
	"time"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// loads are the scenarios that many custom resources are put through at once.
func (s *Session) loads() []scenarios.Scenario {
	return slices.DeleteFunc(slices.Clone(s.scenarios), func(s scenarios.Scenario) bool { return s.Group != spec.GroupLoad })
}

// driveLoads goes through the loads, as often as rounds were asked for. Each participant,
// the floor too, has an installation for each of them: what a load leaves undone
// must not be done in the next one's time. Errors are as those of Drive.
func (s *Session) driveLoads(ctx context.Context) error {
	for round := 1; round <= s.matrixRounds(); round++ {
		for _, load := range s.loads() {
			for _, p := range s.loadTurns(round) {
				if p.err != nil || !s.enough(p, load.Name, s.typicalLoad(p, load)) {
					continue
				}
				if err := s.guarded(ctx, p, func() error { return s.loadRun(ctx, p, round, load) }); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// loadTurns are the participants in the order of their turns in one load.
func (s *Session) loadTurns(round int) []*participant {
	participants := order(s.participants, s.options.Seed, round)
	if s.options.Keep {
		return floorFirst(participants, s.participants[0])
	}
	return participants
}

// floorFirst moves the floor to the front, where it takes part: what is kept has
// a style in it.
func floorFirst(participants []*participant, floor *participant) []*participant {
	if i := slices.Index(participants, floor); i >= 0 {
		return slices.Insert(slices.Delete(participants, i, i+1), 0, floor)
	}
	return participants
}

// loadRun is a participant's turn in a load.
func (s *Session) loadRun(ctx context.Context, p *participant, round int, load scenarios.Scenario) error {
	return s.turn(ctx, block{participant: p, round: round, load: load.Name}, drive.Plan{Round: round, Warmup: s.warmupOf(p), Scenarios: []scenarios.Scenario{load}})
}

// typicalSpace is how long it takes to make a load's namespace, and to remove it.
const typicalSpace = time.Second

// typicalLoads is how long the loads are expected to take.
func (s *Session) typicalLoads() time.Duration {
	var all time.Duration
	for _, load := range s.loads() {
		for _, p := range s.participants {
			all += s.typicalLoad(p, load)
		}
	}
	return time.Duration(s.matrixRounds()) * all
}

// typicalLoad is how long a participant's turn in a load is expected to take. A style
// that handles one custom resource after the other is given up when the load's
// time is over.
func (s *Session) typicalLoad(p *participant, load scenarios.Scenario) time.Duration {
	n := time.Duration(load.Load.Resources)
	all := n*typicalSpace + matrixWindow
	if p.operator == nil {
		return all
	}
	typical := p.typical()
	all += typical.Install + typicalUninstall + min(n*time.Duration(len(load.Steps))*typical.Reconcile, load.Load.Within)
	return all + time.Duration(2*len(s.warmupOf(p)))*s.change(typical)
}
