package scenarios_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

func TestALoadIsDueByItsScheduleAlone(t *testing.T) {
	load := scenarios.Schedule{Resources: 3, Every: 20 * time.Millisecond, Pace: time.Second}
	assert.Equal(t, []time.Duration{0, 20 * time.Millisecond, 40 * time.Millisecond}, load.Starts())
	assert.Equal(t, "3 custom resources, one every 20ms, a step every 1s", load.Text())
	assert.Equal(t, "3 custom resources at once", scenarios.Schedule{Resources: 3}.Text())
	assert.Equal(t, "4 custom resources, one every 1s on average, at random (seed 7), in 2 namespaces",
		scenarios.Schedule{Resources: 4, Namespaces: 2, Every: time.Second, Arrivals: scenarios.Poisson, Seed: 7}.Text())
}

// Arrivals at random are the same for every style, as often as is asked for, and as uneven as
// those of people who do not know of each other: their gaps' deviation is their mean.
func TestArrivalsAtRandom(t *testing.T) {
	load := scenarios.Schedule{Resources: 5000, Every: 10 * time.Millisecond, Arrivals: scenarios.Poisson, Seed: 48}
	starts := load.Starts()
	require.Equal(t, starts, load.Starts())
	var squares float64
	for i := range starts[1:] {
		gap := (starts[i+1] - starts[i]).Seconds() / load.Every.Seconds()
		squares += (gap - 1) * (gap - 1)
	}
	assert.InDelta(t, 10, starts[4999].Milliseconds()/4999, 1)
	assert.InDelta(t, 1, squares/4999, 0.1)
	load.Seed++
	assert.NotEqual(t, starts, load.Starts())
}

// The load of the comparison: what is in the files is what the figures are
// called after.
func TestTheLoadsOfTheComparison(t *testing.T) {
	all, err := scenarios.All(oracles)
	require.NoError(t, err)
	seen := map[string]string{}
	for _, s := range all {
		if s.Group == spec.GroupLoad {
			seen[s.Name] = s.Text()
			assert.False(t, spec.InMatrix(s.Group))
			if s.Load.Nodes == 0 {
				assert.Equal(t, &scenarios.Spec{Size: 0}, s.Result())
			}
		}
	}
	assert.Equal(t, map[string]string{
		"arrivals-ten":  "200 custom resources, one every 100ms on average, at random (seed 48), in 4 namespaces, each to be right within 2m0s; create 0",
		"hold-thousand": "1000 custom resources, one every 20ms, in 10 namespaces, each to be right within 10m0s; create 0",
		"burst-create":  "50 custom resources at once, each to be right within 1m0s; create 0",
		"burst-update":  "20 custom resources, one every 5ms, a step every 100ms, each to be right within 1m0s; create 1; patch 2; patch 1; patch 2; patch 1; patch 2; patch 1; patch 2; patch 1; patch 2; patch 0",
		"ramp":          "5 custom resources a second for 10s, twice as many until the p99 of written is more than 1s, at most 160, then between, in 8 namespaces, each to be right within 20s; create 0",
		"growth": "0, 100, 1000 custom resources, one every 25ms; at each 30s of rest, then 30 more, one every 1s; then 100 while the operator is stopped, " +
			"and 5 newcomers once it writes again; then 1000 configmaps, secrets, deployments, pods that are not the operator's, in 10 namespaces, each to be right within 10m0s; create 0",
		"growth-five-thousand": "0, 1000, 5000 custom resources, one every 25ms; at each 30s of rest, then 30 more, one every 1s; then 100 while the operator is stopped, " +
			"and 5 newcomers once it writes again; then 1000 configmaps, secrets, deployments, pods that are not the operator's, in 10 namespaces, each to be right within 20m0s; create 0",
		"running-thousand":      "1000 custom resources, one every 50ms, in 10 namespaces, their pods on 4 fake nodes, each to be right within 10m0s; create 1",
		"running-five-thousand": "5000 custom resources, one every 50ms, in 50 namespaces, their pods on 20 fake nodes, each to be right within 20m0s; create 1",
		"churn":                 "200 custom resources, 400 changes and 100 deletions of them, an action every 50ms on average, at random (seed 48), in 4 namespaces, each to be right within 2m0s; create 1; patch 2; patch 0",
		"hold-hundred":          "100 custom resources, one every 100ms, each to be right within 5m0s; create 0",
	}, seen)
}

// A churn is the same for every style: as many of each as the file says, of custom resources
// that are there, each of another size than it has; the last size starts no pod.
func TestAChurnIsDealtOut(t *testing.T) {
	steps := []scenarios.Step{{Create: &scenarios.Spec{Size: 1}}, {Patch: &scenarios.Spec{Size: 2}}, {Patch: &scenarios.Spec{}}}
	for seed := uint64(1); seed <= 20; seed++ {
		load := scenarios.Schedule{Resources: 20, Namespaces: 2, Every: 10 * time.Millisecond, Seed: seed, Within: time.Minute, Churn: &scenarios.Churn{Changes: 30, Deletes: 19}}
		lives := load.Lives(steps)
		require.Equal(t, lives, load.Lives(steps))
		require.Len(t, lives, 20)
		var due []time.Duration
		changes, deletes := 0, 0
		for _, life := range lives {
			require.Len(t, life.Due, len(life.Steps))
			due = append(due, life.Due...)
			size := -1
			for i, step := range life.Steps {
				assert.Equal(t, i == 0, step.Create != nil, "it is created first, and once")
				switch {
				case step.Delete != nil:
					deletes++
					assert.Equal(t, len(life.Steps)-1, i, "nothing is done to what is gone")
					continue
				case step.Patch != nil:
					changes++
					assert.NotEqual(t, size, step.Patch.Size)
				}
				if step.Create != nil {
					size = step.Create.Size
				} else {
					size = step.Patch.Size
				}
			}
			if result := life.Result(); result != nil {
				assert.Zero(t, result.Size)
			}
		}
		assert.Equal(t, []int{30, 19}, []int{changes, deletes})
		slices.Sort(due)
		assert.Equal(t, load.Starts(), due)
		load.Seed++
		assert.NotEqual(t, lives, load.Lives(steps))
	}
}

func TestParseRefusesImpossibleChurns(t *testing.T) {
	const (
		head  = "name: x\ngroup: load\ndescription: d\nstandsFor: s\n"
		steps = "steps:\n  - create: {size: 1}\n  - patch: {size: 2}\n  - patch: {size: 0}\n"
		tail  = "expect: [stays-converged]\n"
	)
	parse := func(load, steps string) error {
		_, err := scenarios.Parse("x.yaml", []byte(head+"load: {resources: 5, namespaces: 2, within: 1m, "+load+"}\n"+steps+tail), oracles)
		return err
	}
	require.NoError(t, parse("every: 50ms, seed: 7, churn: {changes: 9, deletes: 4}", steps))
	for name, test := range map[string]struct{ load, steps, want string }{
		"too quick":  {"every: 2ms, seed: 7, churn: {changes: 9, deletes: 4}", steps, "x.yaml:5: load: 500 changes a second are due, more than the 400"},
		"at once":    {"seed: 7, churn: {changes: 9, deletes: 4}", steps, `x.yaml:5: load: field "every" is missing: the actions of a churn are so far apart`},
		"not drawn":  {"every: 50ms, churn: {changes: 9, deletes: 4}", steps, `x.yaml:5: load: field "seed" is missing: the actions of a churn are so far apart, and their order is drawn from seed`},
		"none left":  {"every: 50ms, seed: 7, churn: {changes: 9, deletes: 5}", steps, "x.yaml:5: load.churn.deletes is 5, expected less than the 5 custom resources"},
		"paced":      {"every: 50ms, pace: 1s, seed: 7, churn: {changes: 9, deletes: 4}", steps, `x.yaml:5: load.pace: found "1s", expected nothing: a churn says by every when each action is`},
		"one size":   {"every: 50ms, seed: 7, churn: {changes: 9, deletes: 4}", "steps:\n  - create: {size: 1}\n  - patch: {size: 0}\n", "x.yaml:6: the steps of a churn are the sizes in turn"},
		"of a ramp":  {"seed: 7, churn: {changes: 9, deletes: 4}, ramp: {from: 5, most: 80, hold: 10s, p99: 1s}", steps, "x.yaml:5: load.churn: found a mapping, expected nothing: a ramp creates custom resources alone"},
		"no deletes": {"every: 50ms, seed: 7, churn: {changes: 9}", steps, `x.yaml:5: load.churn: field "deletes" is missing`},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, parse(test.load, test.steps), test.want) })
	}
}

func TestAStepOfARampIsALoad(t *testing.T) {
	load := scenarios.Schedule{Namespaces: 2, Within: time.Minute, Ramp: &spec.Ramp{From: 5, Most: 80, Hold: 10 * time.Second, P99: time.Second}}
	step := load.At(40)
	starts := step.Starts()
	assert.Len(t, starts, 400)
	assert.Equal(t, 399*25*time.Millisecond, starts[399])
	assert.Zero(t, load.Resources, "the ramp stays as it is")
}

func TestParseRefusesImpossibleRamps(t *testing.T) {
	const (
		head = "name: x\ngroup: load\ndescription: d\nstandsFor: s\n"
		tail = "steps:\n  - create: {size: 0}\nexpect: [stays-converged]\n"
		good = "{from: 5, most: 160, hold: 10s, p99: 1s}"
	)
	parse := func(load string) error {
		_, err := scenarios.Parse("x.yaml", []byte(head+"load: "+load+"\n"+tail), oracles)
		return err
	}
	require.NoError(t, parse("{namespaces: 2, within: 20s, ramp: "+good+"}"))
	require.NoError(t, parse("{namespaces: 2, within: 20s, arrivals: poisson, seed: 7, ramp: "+good+"}"))
	for name, test := range map[string]struct{ load, want string }{
		"faster than sent":  {"{namespaces: 2, within: 20s, ramp: {from: 5, most: 5000, hold: 10s, p99: 1s}}", "x.yaml:5: load.ramp.most is 5000 changes a second, more than the 400 that the harness sends when they are due"},
		"too many":          {"{namespaces: 2, within: 20s, ramp: {from: 5, most: 400, hold: 1m, p99: 1s}}", "x.yaml:5: load.ramp.most: a step has 24000 custom resources at 400 a second for 1m0s, expected at most 5000"},
		"downwards":         {"{namespaces: 2, within: 20s, ramp: {from: 5, most: 4, hold: 10s, p99: 1s}}", "x.yaml:5: load.ramp.most is 4, less than the 5 changes a second that it begins with"},
		"from nothing":      {"{namespaces: 2, within: 20s, ramp: {from: 0, most: 4, hold: 10s, p99: 1s}}", "x.yaml:5: load.ramp.from: found the number 0, expected a number, at least 1"},
		"short steps":       {"{namespaces: 2, within: 20s, ramp: {from: 5, most: 80, hold: 1s, p99: 1s}}", "x.yaml:5: load.ramp.hold is 1s, expected 5s to 1m0s"},
		"later than lost":   {"{namespaces: 2, within: 20s, ramp: {from: 5, most: 80, hold: 10s, p99: 30s}}", "x.yaml:5: load.ramp.p99 is 30s, expected more than 0s, to load.within, 20s: what is later is lost"},
		"own namespaces":    {"{within: 20s, ramp: " + good + "}", `x.yaml:5: load: field "namespaces" is missing: the custom resources of a ramp share namespaces`},
		"resources":         {"{resources: 5, namespaces: 2, within: 20s, ramp: " + good + "}", "x.yaml:5: load.resources: found the number 5, expected nothing: a ramp creates custom resources alone, and says by from, most and hold how many"},
		"every":             {"{every: 1s, namespaces: 2, within: 20s, ramp: " + good + "}", `x.yaml:5: load.every: found "1s", expected nothing: a ramp creates custom resources alone, and says by from, most and hold`},
		"neither":           {"{namespaces: 2, within: 20s}", "x.yaml:5: load: found 0 of the fields resources, ramp, growth, expected at least one"},
		"objective missing": {"{namespaces: 2, within: 20s, ramp: {from: 5, most: 80, hold: 10s}}", `x.yaml:5: load.ramp: field "p99" is missing`},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorContains(t, parse(test.load), test.want) })
	}
	_, err := scenarios.Parse("x.yaml", []byte(head+"load: {namespaces: 2, within: 20s, ramp: "+good+"}\nsteps:\n  - create: {size: 1}\n  - patch: {size: 0}\nexpect: [stays-converged]\n"), oracles)
	require.ErrorContains(t, err, "x.yaml:7: steps: found a list, expected a create alone, which is all that a ramp and a growth have")
}

func TestParseRefusesImpossibleLoads(t *testing.T) {
	const (
		head  = "name: x\ngroup: load\ndescription: d\nstandsFor: s\n"
		load  = "load: {resources: 2, within: 1s}\n"
		steps = "steps:\n  - create: {size: 1}\n  - patch: {size: 0}\n"
		tail  = "expect: [stays-converged]\n"
	)
	_, err := scenarios.Parse("x.yaml", []byte(head+load+steps+tail), oracles)
	require.NoError(t, err)
	for name, test := range map[string]struct{ text, want string }{
		"no load":        {head + steps + tail, `x.yaml:1: scenario: field "load" is missing: say in it resources, every, pace and within`},
		"load elsewhere": {"name: x\ngroup: level\ndescription: d\nstandsFor: s\n" + load + steps + tail, "x.yaml:5: load: found a mapping, expected nothing: only scenarios of the group load"},
		"unknown field":  {head + "load:\n  rate: 2\n" + steps + tail, `x.yaml:6: load: unknown field "rate", expected one of arrivals, churn, every, growth, namespaces, nodes, pace, ramp, resources, seed, within`},
		"no unit":        {head + "load: {resources: 2, within: 5}\n" + steps + tail, "x.yaml:5: load.within: found the number 5, expected a duration, such as 500ms or 30s"},
		"too few":        {head + "load: {resources: 1, within: 1s}\n" + steps + tail, "x.yaml:5: load.resources: found the number 1, expected 2 to 5000"},
		"too many":       {head + "load: {resources: 5001, within: 1s}\n" + steps + tail, "x.yaml:5: load.resources: found the number 5001, expected 2 to 5000"},
		"own namespaces": {head + "load: {resources: 101, within: 1s}\n" + steps + tail, "x.yaml:5: load: 101 namespaces, expected at most 100: let the custom resources share them"},
		"empty spaces":   {head + "load: {resources: 2, namespaces: 3, within: 1s}\n" + steps + tail, "x.yaml:5: load.namespaces is 3, more than the 2 custom resources"},
		"random burst":   {head + "load: {resources: 2, arrivals: poisson, within: 1s}\n" + steps + tail, "x.yaml:5: load: expected every beside arrivals: how far apart they are on average"},
		"idle seed":      {head + "load: {resources: 2, every: 1s, seed: 7, within: 1s}\n" + steps + tail, "x.yaml:5: load: expected arrivals or a churn beside seed: else nothing is drawn"},
		"other arrivals": {head + "load: {resources: 2, every: 1s, arrivals: often, within: 1s}\n" + steps + tail, "x.yaml:5: load.arrivals: found \"often\", expected poisson"},
		"backwards":      {head + "load: {resources: 2, every: -1s, within: 1s}\n" + steps + tail, "x.yaml:5: load.every: found \"-1s\", expected a duration, such as 500ms or 30s"},
		"too slow":       {head + "load: {resources: 2, pace: 11s, within: 1s}\n" + steps + tail, "x.yaml:5: load.pace is 11s, expected 0s to 10s"},
		"no time":        {head + "load:\n  resources: 2\n" + steps + tail, "x.yaml:5: load.within is 0s, expected 1s to 30m0s"},
		"too long":       {head + "load: {resources: 2, within: 1h}\n" + steps + tail, "x.yaml:5: load.within is 1h0m0s"},
		"idle pace":      {head + "load:\n  resources: 2\n  pace: 1s\n  within: 1s\nsteps:\n  - create: {size: 0}\n" + tail, "x.yaml:7: load.pace: there is one step only: leave pace out"},
		"too quick":      {head + "load: {resources: 2, every: 1ms, within: 1s}\nsteps:\n  - create: {size: 0}\n" + tail, "x.yaml:5: load: 1000 changes a second are due, more than the 400 that the harness sends when they are due"},
		"quick steps":    {head + "load: {resources: 50, pace: 50ms, within: 1s}\n" + steps + tail, "x.yaml:5: load: 1000 changes a second are due"},
		"many arrivals":  {head + "load: {resources: 2, every: 2ms, arrivals: poisson, within: 1s}\n" + steps + tail, "x.yaml:5: load: 1000 changes a second are due"},
		"given":          {head + load + "given: {size: 1}\n" + steps + tail, "x.yaml:6: given: found a mapping, expected nothing: a load begins with nothing there"},
		"cause":          {head + load + "cause: why\n" + steps + tail, `x.yaml:6: cause: found "why", expected nothing: what is measured is measured of every style`},
		"on":             {head + load + "steps:\n  - {on: y, create: {size: 0}}\n" + tail, "x.yaml:7: on: each custom resource of a load goes through all steps"},
		"patch first":    {head + load + "steps:\n  - patch: {size: 0}\n" + tail, "x.yaml:7: a load is a create, then patches or nothing"},
		"delete":         {head + load + "steps:\n  - create: {size: 1}\n  - delete: {}\n" + tail, "x.yaml:8: a load is a create, then patches or nothing"},
		"ends with pods": {head + load + "steps:\n  - create: {size: 1}\n" + tail, "x.yaml:7: the last size is 1, expected 0: no pod of a load is ever started"},
		"too few nodes":  {head + "load: {resources: 600, namespaces: 2, within: 1s, nodes: 2}\nsteps:\n  - create: {size: 1}\n" + tail, "x.yaml:5: load.nodes: 2 fake nodes take 500 pods, and 600 custom resources of size 1 have 600: expected 3 nodes"},
		"no pods":        {head + "load: {resources: 2, within: 1s, nodes: 2}\nsteps:\n  - create: {size: 0}\n" + tail, "x.yaml:5: load.nodes: no step asks for a pod"},
		"ends early":     {head + load + "steps:\n  - create: {size: 0}\n  - patch: {size: 0}\n" + tail, "x.yaml:7: the size is 0 before the last step"},
		"verdict":        {head + load + steps + "expect: [stays-converged, converged]\n", `x.yaml:9: expect: found "converged", expected stays-converged alone: a late custom resource of a load is a figure`},
		"no steps":       {head + load + tail, `x.yaml:1: scenario: field "steps" is missing`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scenarios.Parse("x.yaml", []byte(test.text), oracles)
			require.ErrorContains(t, err, test.want)
		})
	}
}
