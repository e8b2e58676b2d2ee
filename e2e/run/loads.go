package run

import (
	"context"
	"slices"
	"time"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/environment/fakenodes"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec/scenarios"
)

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
func (j *job) loadTurns(round int) []*participant {
	participants := order(j.participants, j.options.Seed, round)
	if j.options.Keep {
		return floorFirst(participants, j.floor())
	}
	return participants
}

// floorFirst moves the floor to the front, where it takes part: what is kept has a style in it.
func floorFirst(participants []*participant, floor *participant) []*participant {
	if i := slices.Index(participants, floor); i >= 0 {
		return slices.Insert(slices.Delete(participants, i, i+1), 0, floor)
	}
	return participants
}

// fakeNodes is how many the loads need that need the most.
func (j *job) fakeNodes() (most int) {
	for _, load := range j.loads() {
		most = max(most, load.Load.Nodes)
	}
	return most
}

// many tells whether a load has so many custom resources that what the cluster's own controllers do would last as long.
func (j *job) many() bool {
	return slices.ContainsFunc(j.loads(), func(s scenarios.Scenario) bool { return s.Load.Growth != nil || s.Load.Nodes > 0 })
}

// addNodes adds the fake nodes.
func (e *environment) addNodes(ctx context.Context) error {
	if e.fakeNodes() == 0 {
		return nil
	}
	return e.stage("fake nodes", func() error {
		return fakenodes.Install(ctx, e.kube, kube.Owner{Run: e.id}, e.fakeNodes(), scenarios.PodsOfNode)
	})
}

// loadRun is a participant's turn in a load.
func (s *Session) loadRun(ctx context.Context, p *participant, round int, load scenarios.Scenario) error {
	return s.turn(ctx, block{participant: p, round: round, load: load.Name}, drive.Plan{Round: round, Warmup: s.warmupOf(p), Scenarios: []scenarios.Scenario{load}})
}

// typicalSpace is how long it takes to make a load's namespace, and to remove it: on two
// cores the floor's turn in a load of 50 took 13 s with the window, native's driving 16 s.
const typicalSpace = 200 * time.Millisecond
