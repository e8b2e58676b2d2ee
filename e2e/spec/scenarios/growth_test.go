package scenarios_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec/scenarios"
)

func TestGrowthsThatAreRefused(t *testing.T) {
	const head = "name: x\ngroup: load\ndescription: X is done.\nstandsFor: X.\n"
	const good = "growth: {to: [0, 100], changes: 50, pace: 200ms, rest: 30s"
	parse := func(load string) error {
		_, err := scenarios.Parse("x.yaml", []byte(head+"load: {"+load+"}\nsteps:\n  - create: {size: 0}\nexpect: [stays-converged]\n"), oracles)
		return err
	}
	require.NoError(t, parse("namespaces: 2, every: 20ms, within: 1m, "+good+"}"))
	require.NoError(t, parse("namespaces: 2, every: 20ms, within: 1m, "+good+", down: 9, newcomers: 2, bystanders: {each: 5, kinds: [pods]}}"))
	for name, c := range map[string]struct{ load, want string }{
		"fewer than there are": {"namespaces: 2, every: 20ms, within: 1m, growth: {to: [100, 120], changes: 50, pace: 200ms, rest: 30s}", "load.growth.to: 120 custom resources are asked for where there are 150 by then"},
		"too many":             {"namespaces: 2, every: 20ms, within: 1m, growth: {to: [60000], changes: 50, pace: 200ms, rest: 30s}", "load.growth.to: found the number 60000"},
		"no rest":              {"namespaces: 2, every: 20ms, within: 1m, growth: {to: [0], changes: 50, pace: 200ms, rest: 1s}", "load.growth.rest is 1s, expected 5s to 5m0s"},
		"no pace":              {"namespaces: 2, every: 20ms, within: 1m, growth: {to: [0], changes: 50, pace: 0s, rest: 10s}", "load.growth.pace is 0s, expected more than 0s, to 10s"},
		"too quick":            {"namespaces: 2, every: 1ms, within: 1m, " + good + "}", "load: 1000 changes a second are due, more than the 400 that the harness sends"},
		"own namespaces":       {"every: 20ms, within: 1m, " + good + "}", `load: field "namespaces" is missing: the custom resources of a growth share namespaces`},
		"at once":              {"namespaces: 2, within: 1m, " + good + "}", `load: field "every" is missing: the custom resources of a growth share namespaces, and come one every so often`},
		"resources":            {"namespaces: 2, every: 20ms, resources: 5, within: 1m, " + good + "}", "load.resources: found the number 5, expected nothing: a growth says itself how many there are"},
		"newcomers alone":      {"namespaces: 2, every: 20ms, within: 1m, " + good + ", newcomers: 2}", "load.growth: newcomers without down, expected both"},
		"unknown bystanders":   {"namespaces: 2, every: 20ms, within: 1m, " + good + ", bystanders: {each: 5, kinds: [nodes]}}", `load.growth.bystanders.kinds: found "nodes"`},
	} {
		require.ErrorContains(t, parse(c.load), c.want, name)
	}
	growth := scenarios.Growth{To: []int{0, 100}, Changes: 50, Pace: 200 * time.Millisecond, Rest: 30 * time.Second, Down: 100}
	assert.Equal(t, 4*time.Second+2*(30+10)*time.Second+30*time.Second, growth.Lasts(20*time.Millisecond))
	assert.Equal(t, []int{0, 50, 50, 50, 100}, scenarios.Schedule{Growth: &growth}.Stages())
	assert.Equal(t, []int{9}, scenarios.Schedule{Resources: 9}.Stages())
}
