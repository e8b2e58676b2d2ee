package drive_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// Each action of a churn is sent when it is due, and each custom resource is judged from its
// last one: when it was written, or gone.
func TestAChurnIsJudgedFromEachLastAction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLoaded(t, func(string, string) (time.Duration, error) { return time.Millisecond, nil })
		churn := scenarios.Scenario{
			Name: "churn", Group: spec.GroupLoad, Expect: []string{"stays-converged"},
			Load: &scenarios.Schedule{
				Resources: 12, Namespaces: 2, Every: 20 * time.Millisecond, Seed: 48, Within: time.Minute,
				Churn: &scenarios.Churn{Changes: 20, Deletes: 5},
			},
			Steps: []scenarios.Step{{Create: &scenarios.Spec{Size: 1}}, {Patch: &scenarios.Spec{Size: 2}}, {Patch: &scenarios.Spec{}}},
		}
		require.NoError(t, l.drive(t.Context(), floor, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{churn}}))
		var intended []time.Duration
		verbs := map[string]int{}
		for _, actions := range l.actions(t) {
			for _, e := range actions {
				intended = append(intended, e.Action.Intended)
				verbs[e.Action.Verb]++
			}
		}
		assert.Equal(t, map[string]int{"create": 12, "patch": 20, "delete": 5}, verbs)
		slices.Sort(intended)
		for i, start := range churn.Load.Starts() {
			assert.Equal(t, start, intended[i]-intended[0])
		}
		j := l.judged(t)
		done := map[string]int{}
		for _, r := range j.Results {
			assert.Equal(t, spec.Pass, r.Outcome(), "%+v", r.Verdicts)
			for _, s := range r.Samples {
				if s.Phase == spec.PhaseChildWritten || s.Phase == spec.PhaseChildGone {
					done[s.Phase+" "+s.Outcome]++
					assert.Less(t, s.Value, 0.01)
				}
			}
		}
		assert.Equal(t, map[string]int{spec.PhaseChildWritten + " ok": 7, spec.PhaseChildGone + " ok": 5}, done)
		j.Header.Scenarios = append(j.Header.Scenarios, record.Scenario{Name: "churn", Group: spec.GroupLoad})
		for i := range j.Results {
			j.Results[i].Group = spec.GroupLoad
		}
		rates := result.New(nil, j).Rates()
		require.Len(t, rates, 1)
		assert.Equal(t, 12, rates[0].N, "what is gone counts as what is written does")
		assert.Zero(t, rates[0].Lost)
	})
}
