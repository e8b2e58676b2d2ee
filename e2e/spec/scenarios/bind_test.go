package scenarios_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/workloads"
	files "operatorbench/fixtures/scenarios"
	published "operatorbench/fixtures/workloads"
)

// queue is a workload that differs from the default one in all that scenarios depend on.
func queue() *spec.Workload {
	return &spec.Workload{
		Name:             "queue",
		Resource:         spec.CustomResource{Group: "example.com", Version: "v1", Kind: "Queue", Plural: "queues"},
		Definition:       "crd.yaml",
		ScaleSubresource: true,
		Reference:        "server.yaml",
		Knobs: map[string]spec.Knob{"replicas": {
			Path: "spec.replicas", Effect: spec.Scale, Values: []int{0, 1, 3}, Down: &spec.Down{Only: []int{0}, Reason: "a queue would lose messages."},
		}},
		Children: []spec.ChildKind{
			{ID: "service", Resource: "services.v1", Kind: "Service"},
			{ID: "server", Resource: "statefulsets.v1.apps", Kind: "StatefulSet", Main: true, Scale: "spec.replicas"},
		},
	}
}

const (
	upTo    = "2 is 1, size 4 is 3"
	patched = "given: {size: 2}\nsteps:\n  - patch: {size: 4}\nexpect: [converged]\n"
)

func parsed(t *testing.T, body string) scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("x.yaml", []byte("name: x\ngroup: basic\ndescription: The {child} changes.\nstandsFor: s\n"+body), oracles)
	require.NoError(t, err)
	return s
}

// A scenario that is bound says what the workload says, and nothing of the file that others are bound from has changed.
func TestBinding(t *testing.T) {
	own := workloadNamed(t, "memcached")
	for name, test := range map[string]struct{ body, text, other string }{
		"sizes in their order": {patched, "given 2; patch 4", "given 1; patch 3"},
		"one size is the least": {
			"given: {size: 5}\nsteps:\n  - patch: {size: 0}\nexpect: [converged]\n",
			"given 5; patch 0", "given 1; patch 0",
		},
		"one pod of several is lost": {
			"given: {size: 2}\nsteps:\n  - drift: {pod: {}}\nexpect: [converged]\n",
			"given 2; kill a pod of the Deployment", "given 3; kill a pod of the StatefulSet",
		},
		"what drifts counts among the sizes": {
			"given: {size: 2}\nsteps:\n  - drift: {replicas: 1}\nexpect: [converged]\n",
			"given 2; scale the Deployment to 1", "given 3; scale the StatefulSet to 1",
		},
		"what drifts need not be a value": {
			"given: {size: 2}\nsteps:\n  - drift: {replicas: 0}\nexpect: [converged]\n",
			"given 2; scale the Deployment to 0", "given 1; scale the StatefulSet to 0",
		},
		"other drifts": {
			"given: {size: 1}\nsteps:\n  - drift: {image: a}\n  - drift: {delete: {}}\nexpect: [converged]\n",
			"given 1; change the Deployment's image; delete the Deployment", "given 1; change the StatefulSet's image; delete the StatefulSet",
		},
		"a series": {
			"steps:\n  - series: {count: 2, size: 2, every: 1s}\n  - create: {size: 3}\nexpect: [converged, series, isolation]\n",
			"create 2 more of size 2, one every 1s; create 3", "create 2 more of size 1, one every 1s; create 3",
		},
		"a second custom resource": {
			"steps:\n  - {on: y, create: {size: 2}}\n  - {on: elsewhere, create: {size: 3}}\n  - create: {size: 2}\nexpect: [converged, isolation]\n",
			"create 2 on y; create 3 on elsewhere/memcached; create 2", "create 1 on y; create 3 on elsewhere/queue; create 1",
		},
		"the main child": {
			"steps:\n  - fault: {forbid: child}\n  - fault: {refuse: child}\n  - create: {size: 1}\n  - mend: forbid\n  - mend: refuse\nexpect: [recovers]\n",
			"forbid deployments.apps; refuse deployments.apps; create 1; mend forbid; mend refuse",
			"forbid statefulsets.apps; refuse statefulsets.apps; create 1; mend forbid; mend refuse",
		},
		"another resource": {
			"steps:\n  - fault: {forbid: workflows.argoproj.io}\n  - create: {size: 1}\n  - mend: forbid\nexpect: [recovers]\n",
			"forbid workflows.argoproj.io; create 1; mend forbid", "forbid workflows.argoproj.io; create 1; mend forbid",
		},
		"what its pods run": {
			"steps:\n  - fault: {removeImage: workload}\n  - create: {size: 1}\n  - mend: removeImage\nexpect: [recovers]\n",
			"removeImage workload; create 1; mend removeImage", "removeImage workload; create 1; mend removeImage",
		},
		"the scale subresource": {
			"given: {size: 1}\nsteps:\n  - scale: {size: 2}\n  - readScale: {}\nexpect: [converged]\n",
			"given 1; scale to 2 by the scale subresource; read the scale subresource", "given 1; scale to 3 by the scale subresource; read the scale subresource",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := parsed(t, test.body)
			before := s.Text()
			for want, w := range map[string]*spec.Workload{test.text: own, test.other: queue()} {
				bound, why := s.For(w)
				require.Empty(t, why)
				assert.Empty(t, bound.Unfit())
				assert.Equal(t, want, bound.Text())
				assert.Equal(t, w.Name, bound.CustomName())
				again, why := bound.For(w)
				assert.Empty(t, why)
				assert.Equal(t, bound, again, "bound twice is bound")
			}
			assert.Equal(t, before, s.Text())
		})
	}
	s := parsed(t, patched)
	bound, _ := s.For(own)
	assert.Equal(t, "The Deployment changes.", bound.Description)
	bound, _ = s.For(queue())
	assert.Equal(t, "The StatefulSet changes. Of the workload queue, size "+upTo+".", bound.Description)
	assert.Equal(t, &scenarios.Spec{Size: 3}, bound.Result())
}

// bounded gives the knob that scales narrow bounds, as many published definitions have.
func bounded(w *spec.Workload) {
	w.Knobs = map[string]spec.Knob{"replicas": {Path: "spec.replicas", Effect: spec.Scale, Min: 1, Max: 3}}
}

// Sizes outside of narrow bounds become those within, in the same order; where all are within, they stay.
func TestSizesWithinBounds(t *testing.T) {
	w := queue()
	bounded(w)
	for body, want := range map[string]string{
		"given: {size: 4}\nsteps:\n  - patch: {size: 1}\nexpect: [converged]\n":                       "given 2; patch 1",
		"given: {size: 3}\nsteps:\n  - patch: {size: 1}\nexpect: [converged]\n":                       "given 3; patch 1",
		"given: {size: 2}\nsteps:\n  - drift: {replicas: 5}\nexpect: [converged]\n":                   "given 2; scale the StatefulSet to 5",
		"given: {size: 1}\nsteps:\n  - patch: {size: 5}\n  - patch: {size: 3}\nexpect: [converged]\n": "given 1; patch 3; patch 2",
	} {
		bound, why := parsed(t, body).For(w)
		assert.Empty(t, why)
		assert.Equal(t, want, bound.Text())
		again, why := bound.For(w)
		assert.Empty(t, why)
		assert.Equal(t, bound, again, "bound twice is bound")
	}
}

// What a workload cannot go through is said, in a sentence.
func TestWhatAWorkloadLacks(t *testing.T) {
	for name, test := range map[string]struct {
		body   string
		change func(*spec.Workload)
		want   string
	}{
		"too many sizes": {
			"given: {size: 1}\nsteps:\n  - patch: {size: 2}\n  - patch: {size: 3}\nexpect: [converged]\n", nil,
			"the scenario needs 3 sizes above zero, and spec.replicas of a Queue takes 0, 1, 3",
		},
		"none": {
			"given: {size: 1}\nsteps:\n  - patch: {size: 0}\nexpect: [converged]\n",
			func(w *spec.Workload) {
				w.Knobs = map[string]spec.Knob{"replicas": {Path: "spec.replicas", Effect: spec.Scale, Values: []int{1, 3}}}
			},
			"the scenario asks for size 0, and spec.replicas of a Queue takes 1, 3",
		},
		"too many sizes within bounds": {
			"given: {size: 1}\nsteps:\n  - patch: {size: 2}\n  - patch: {size: 3}\n  - patch: {size: 5}\nexpect: [converged]\n", bounded,
			"the scenario needs 4 sizes above zero, and spec.replicas of a Queue takes 1 to 3",
		},
		"zero out of bounds": {
			"given: {size: 5}\nsteps:\n  - patch: {size: 0}\nexpect: [converged]\n", bounded,
			"the scenario asks for size 0, and spec.replicas of a Queue takes 1 to 3",
		},
		"lower": {
			"given: {size: 4}\nsteps:\n  - patch: {size: 2}\nexpect: [converged]\n", nil,
			"the scenario lowers spec.replicas from 3 to 1, and that cannot be done: a queue would lose messages",
		},
		"lower of another": {
			"steps:\n  - {on: y, create: {size: 4}}\n  - create: {size: 4}\n  - {on: y, patch: {size: 2}}\nexpect: [isolation]\n", nil,
			"the scenario lowers spec.replicas from 3 to 1, and that cannot be done: a queue would lose messages",
		},
		"no scale subresource": {
			"given: {size: 1}\nsteps:\n  - scale: {size: 2}\nexpect: [converged]\n",
			func(w *spec.Workload) { w.ScaleSubresource = false },
			"a Queue has no scale subresource",
		},
		"nothing to read": {
			"given: {size: 1}\nsteps:\n  - readScale: {}\nexpect: [converged]\n",
			func(w *spec.Workload) { w.ScaleSubresource = false },
			"a Queue has no scale subresource",
		},
		"no template": {
			"given: {size: 1}\nsteps:\n  - drift: {image: a}\nexpect: [converged]\n",
			func(w *spec.Workload) {
				w.Children = []spec.ChildKind{{ID: "member", Resource: "pods.v1", Kind: "Pod", Main: true}}
			},
			"the main child of a Queue is a Pod, which makes no pods of a template that could drift",
		},
		"no image": {
			"steps:\n  - fault: {removeImage: workload}\n  - create: {size: 1}\n  - mend: removeImage\nexpect: [recovers]\n",
			func(w *spec.Workload) { w.Reference = "" },
			"the workload queue has no reference that says which image its pods run",
		},
		"no definition": {
			"steps:\n  - fault: {definition: tutorial}\n  - create: {size: 1}\n  - mend: definition\nexpect: [recovers]\n",
			func(w *spec.Workload) { w.Definition = "" },
			"the operator brings the definition of a Queue, so the harness has none to replace",
		},
		"too few sizes that may lose one": {
			"given: {size: 1}\nsteps:\n  - patch: {size: 2}\n  - await: handled\n  - drift: {pod: {}}\nexpect: [converged]\n", nil,
			"the scenario needs 2 sizes above one, and spec.replicas of a Queue takes 0, 1, 3",
		},
		"no child of a known name": {
			"given: {size: 1}\nsteps:\n  - delete: {}\n  - await: gone\n  - fault: {occupy: children}\n  - create: {size: 1}\n  - mend: occupy\nexpect: [not-taken, recovers]\n", nil,
			"no child of a Queue beside its StatefulSet has a name that the workload says and a kind that anybody can make",
		},
		"no knob that rolls": {
			"given: {size: 1}\nsteps:\n  - turn: roll\nexpect: [converged]\n", nil, "no knob of a Queue has the effect roll",
		},
		"no pause": {
			"given: {size: 1}\nsteps:\n  - pause: true\n  - pause: false\nexpect: [converged]\n", nil, "the workload queue does not say how a Queue is paused",
		},
		"no volume": {
			"given: {size: 1}\nsteps:\n  - probe: write\n  - probe: read\nexpect: [data-kept]\n", nil,
			"the workload queue has no probe that says that its volumes keep what it writes",
		},
		"a name that is refused": {
			"steps:\n  - create: {size: 1}\nexpect: [converged]\n", func(w *spec.Workload) { w.Names = "[a-z]{1,4}|q" },
			"the API server refuses the name queue: that of a Queue matches [a-z]{1,4}|q",
		},
		"another's name that is refused": {
			"steps:\n  - create: {size: 1}\n  - {on: elsewhere/a.b, create: {size: 1}}\nexpect: [isolation]\n", func(w *spec.Workload) { w.Names = "[a-z]*" },
			"the API server refuses the name a.b: that of a Queue matches [a-z]*",
		},
		"a webhook that is down": {
			"given: {size: 1}\nsteps:\n  - fault: {stop: all}\n  - patch: {size: 4}\n  - mend: stop\nexpect: [recovers]\n", admits,
			"while the operator is down the API server takes no change of a Queue: a webhook of the operator decides on it",
		},
		"the same name": {
			"steps:\n  - {on: queue, create: {size: 1}}\n  - create: {size: 1}\nexpect: [isolation]\n", nil,
			"the scenario has a second custom resource that is named as those of the workload are, queue",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := queue()
			if test.change != nil {
				test.change(w)
			}
			bound, why := parsed(t, test.body).For(w)
			assert.Equal(t, test.want, why)
			assert.Equal(t, why, bound.Unfit())
			assert.Equal(t, "queue", bound.CustomName(), "it is recorded that it does not apply")
		})
	}
	s := parsed(t, patched)
	s.Workload = "memcached"
	_, why := s.For(queue())
	assert.Equal(t, "the scenario is of the workload memcached alone", why)
}

func admits(w *spec.Workload) { w.Admission = true }

// A deletion asks no webhook, and what is asked for once the operator is back is decided on.
func TestWhatAWebhookThatIsDownDoesNotMind(t *testing.T) {
	w := queue()
	admits(w)
	for _, body := range []string{
		"given: {size: 1}\nsteps:\n  - fault: {stop: all}\n  - delete: {}\n  - mend: stop\nexpect: [gone, recovers]\n",
		"given: {size: 1}\nsteps:\n  - fault: {stop: all}\n  - mend: stop\n  - patch: {size: 4}\nexpect: [recovers]\n",
		"given: {size: 1}\nsteps:\n  - fault: {kill: all}\n  - patch: {size: 4}\nexpect: [recovers]\n",
	} {
		_, why := parsed(t, body).For(w)
		assert.Empty(t, why)
	}
}

// Deleting and creating again lowers nothing, and neither does what is refused.
func TestWhatLowersNothing(t *testing.T) {
	_, why := parsed(t, "given: {size: 4}\nsteps:\n  - delete: {}\n  - await: gone\n  - create: {size: 2}\nexpect: [converged]\n").For(queue())
	assert.Empty(t, why)
}

// The default workload goes through every scenario that neither pauses it, nor turns another knob, nor needs a volume or another child,
// and the others' folders bring what is theirs.
func TestTheScenariosOfAWorkload(t *testing.T) {
	all, err := scenarios.All(oracles)
	require.NoError(t, err)
	own := map[string]bool{}
	for _, s := range all {
		if !slices.ContainsFunc(s.Steps, func(step scenarios.Step) bool {
			return step.Turn != "" || step.Pause != nil || step.Probe != "" || step.Fault != nil && spec.OccupiesChildren(step.Fault.What)
		}) {
			assert.Empty(t, s.Unfit(), s.Name)
		}
		own[s.Name] = s.Workload != ""
	}
	assert.True(t, own["change-refused"])
	assert.False(t, own["create"])

	folder := fstest.MapFS{}
	for _, name := range []string{"workload.yaml", "cr.yaml", "crd.yaml", "deployment.yaml"} {
		text, err := fs.ReadFile(published.Files, "memcached/"+name)
		require.NoError(t, err)
		folder[name] = &fstest.MapFile{Data: text}
	}
	w, err := workloads.Read("elsewhere/memcached", folder)
	require.NoError(t, err)
	general, err := scenarios.Of(w, oracles)
	require.NoError(t, err, "a workload need not have scenarios of its own")
	assert.Len(t, all, len(general)+6)
	for _, s := range general {
		assert.False(t, own[s.Name], s.Name)
	}
	text := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("name: " + name + "\ngroup: basic\ndescription: d\nstandsFor: s\nsteps:\n  - create: {size: 1}\nexpect: [converged]\n")}
	}
	folder["scenarios/mine.yaml"] = text("mine")
	more, err := scenarios.Of(w, oracles)
	require.NoError(t, err)
	assert.Len(t, more, len(general)+1)
	folder["scenarios/rollback.yaml"] = text("rollback")
	folder["scenarios/other.yaml"] = text("others")
	_, err = scenarios.Of(w, oracles)
	assert.EqualError(t, err, `the workload memcached/scenarios/other.yaml:1: name is "others", expected "other" as in the file's name
the workload memcached/scenarios/rollback.yaml: there is a scenario of that name in fixtures/scenarios: give it another`)
}

// What a workload has is left to it: only sources that are quoted name one.
func TestAGeneralScenarioNamesNoWorkload(t *testing.T) {
	names, err := fs.Glob(files.Files, "*.yaml")
	require.NoError(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(files.Files, name)
		require.NoError(t, err)
		s, err := scenarios.Parse(name, text, oracles)
		require.NoError(t, err)
		for _, one := range workloads.Names() {
			assert.NotContains(t, strings.ToLower(s.Description+s.Text()), one, name)
		}
		for _, resource := range []string{"deployments.apps", "statefulsets.apps"} {
			assert.NotContains(t, s.Text(), resource, name)
		}
	}
}

func workloadNamed(t *testing.T, name string) *spec.Workload {
	t.Helper()
	w, err := workloads.Named(name)
	require.NoError(t, err)
	return &w.Workload
}
