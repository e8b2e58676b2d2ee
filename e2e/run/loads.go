package run

import (
	"context"
	"slices"

	"operatorbench/e2e/environment/fakenodes"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec/scenarios"
)

// fakeNodes is how many the loads need that need the most.
func (j *job) fakeNodes() (most int) {
	for _, load := range j.loads() {
		most = max(most, load.Load.Nodes)
	}
	return most
}

// many reports whether a load has so many custom resources that what the cluster's own controllers do would last as
// long.
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
