package run

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// Loads are driven when they are asked for, and are none of the matrix.
func TestLoadsAreAskedFor(t *testing.T) {
	for value, want := range map[string]struct {
		loads  int
		matrix bool
	}{"latency": {0, false}, "load": {7, false}, "burst-create": {1, false}, "matrix": {0, true}, "all": {7, true}} {
		picked, err := pick(workloadtest.Default(t), value)
		require.NoError(t, err)
		s := &job{scenarios: picked}
		assert.Len(t, s.loads(), want.loads, value)
		assert.Equal(t, want.matrix, len(s.matrix()) > 0, value)
		assert.Len(t, picked, len(s.measured())+len(s.loads())+len(s.matrix()), "%s: each is driven in one way", value)
	}
}

// What styles use is told of a run of loads alone, too; of the matrix it is not.
func TestLoadsAreLookedAt(t *testing.T) {
	for value, want := range map[string]bool{"load": true, "latency": true, "matrix": false} {
		picked, err := pick(workloadtest.Default(t), value)
		require.NoError(t, err)
		e := &environment{recording: &recording{job: &job{scenarios: picked, console: &console{}}}} // --usage=0
		require.NoError(t, e.observeUsage(t.Context()))
		assert.Equal(t, want, slices.Contains(e.notes, "CPU time and memory were not measured: --usage=0"), value)
	}
}

// Every participant has its turn in every load, the floor first where the last style is kept.
func TestEveryArmTakesPartInALoad(t *testing.T) {
	load := scenarios.Scenario{Name: "many", Group: spec.GroupLoad, Load: &scenarios.Schedule{Resources: 50, Within: 5 * time.Minute}, Steps: make([]scenarios.Step, 1)}
	slow := styled(spec.Style{Name: "slow", Typical: spec.Typical{Install: 10 * time.Second, Reconcile: time.Minute}})
	fast := styled(spec.Style{Name: "fast", Typical: spec.Typical{Install: 10 * time.Second, Reconcile: 100 * time.Millisecond}})
	s := &schedule{job: &job{participants: []*participant{{}, slow, fast}, scenarios: []scenarios.Scenario{load}, options: Options{Seed: 7, Keep: true}}}
	all := s.turns()
	require.Len(t, all, 3)
	assert.Equal(t, "floor", all[0].participant.label())
	assert.Equal(t, "many 1/1", all[2].what())
	assert.Equal(t, []bool{false, false, true}, []bool{all[0].last, all[1].last, all[2].last})
	assert.Equal(t, 3*(50*typicalSpace+matrixWindow)+2*(10*time.Second+typicalUninstall)+5*time.Minute+5*time.Second, s.expect(all).loads,
		"who takes a minute for one is given up")
}
