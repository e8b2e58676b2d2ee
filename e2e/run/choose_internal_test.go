package run

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/workloads"
	published "operatorbench/fixtures/workloads"
)

// bounded is the default workload, but for what its size can be.
func bounded(t *testing.T, knob string) *workloads.Workload {
	t.Helper()
	folder := fstest.MapFS{}
	for _, name := range []string{"workload.yaml", "cr.yaml", "crd.yaml", "deployment.yaml"} {
		text, err := fs.ReadFile(published.Files, "memcached/"+name)
		require.NoError(t, err)
		folder[name] = &fstest.MapFile{Data: []byte(strings.Replace(string(text), "min: 0, max: 100", knob, 1))}
	}
	w, err := workloads.Read("memcached", folder)
	require.NoError(t, err)
	return w
}

// What a workload cannot go through is said in a sample of the matrix, and left out of what is measured.
func TestScenariosThatTheWorkloadLacksSomethingFor(t *testing.T) {
	w := bounded(t, "values: [1, 3], down: {only: [0], reason: data would be lost}")
	list, err := pick(w, "latency,load,burst,recreate")
	require.NoError(t, err)
	out := &strings.Builder{}
	j := &job{console: &console{out: out}, workload: w}
	require.NoError(t, j.fit(list))
	assert.Equal(t, []string{"create", "scale-up", "delete", "recreate", "burst"}, namesOf(j.scenarios))
	assert.Contains(t, out.String(), "scale-down is not applicable, and left out: the scenario lowers spec.size from 3 to 1, and that cannot be done: data would be lost\n")
	assert.Contains(t, out.String(), "burst-create is not applicable, and left out: the scenario asks for size 0, and spec.size of a Memcached takes 1, 3\n")
	assert.Equal(t, "given 1; patch 3", j.scenarios[1].Text())

	p := styled(spec.Style{Name: "s"})
	assert.Empty(t, p.unfit(j.scenarios[3]))
	assert.Equal(t, "the scenario needs 5 sizes above zero, and spec.size of a Memcached takes 1, 3", p.unfit(j.scenarios[4]))

	alone, err := pick(w, "scale-down")
	require.NoError(t, err)
	assert.EqualError(t, (&job{console: j.console, workload: w}).fit(alone),
		"--scenario=scale-down: it is not applicable: the scenario lowers spec.size from 3 to 1, and that cannot be done: data would be lost")
}

// A load whose pods go to fake nodes is refused on a cluster that is not the run's own, before anything is asked of it.
func TestFakeNodesAreOfTheRunsOwnCluster(t *testing.T) {
	list, err := pick(bounded(t, "min: 0, max: 100"), "running-thousand")
	require.NoError(t, err)
	j := &job{console: &console{}, options: Options{Cluster: cluster.ExistingName}}
	require.EqualError(t, j.fit(list),
		"--scenario=running-thousand: it is not applicable: an existing cluster may not have fake nodes added; --cluster=kind makes one that may")
	j.options.Cluster = cluster.KindName
	require.NoError(t, j.fit(list))
	assert.Equal(t, 4, j.fakeNodes())
}

// A gate's quick scenarios have size 0, where there is one.
func TestQuickScenariosNeedASizeOfZero(t *testing.T) {
	for knob, want := range map[string]int{"min: 0, max: 100": 1, "min: 1, max: 100": 0} {
		w := bounded(t, knob)
		list, err := pick(w, spec.GroupLatency)
		require.NoError(t, err)
		j := &job{workload: w, scenarios: list}
		j.quicken()
		assert.Len(t, j.warmup, want, knob)
	}
}
