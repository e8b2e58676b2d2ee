//go:build !race

package drive_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/drive"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// The most changes a second that a ramp may ask for: the harness takes less than a quarter of
// a core to send, record and judge them, with the API of the tests in it.
func TestTheSteepestRampTakesAQuarterOfACore(t *testing.T) {
	const most, core = 400, 0.25
	synctest.Test(t, func(t *testing.T) {
		l := newLoaded(t, func(string, string) (time.Duration, error) { return time.Millisecond, nil })
		ramp := spec.Ramp{From: most, Most: most, Hold: 5 * time.Second, P99: 500 * time.Millisecond}
		var took time.Duration
		before := processorTime(t)
		l.Holds = func(spec.Ramp, int) bool {
			took = processorTime(t) - before
			return true
		}
		scenario := scenarios.Scenario{
			Name: "ramp", Group: spec.GroupLoad, Expect: []string{"stays-converged"}, Steps: []scenarios.Step{{Create: &scenarios.Spec{}}},
			Load: &scenarios.Schedule{Namespaces: 8, Within: time.Second, Ramp: &ramp},
		}
		require.NoError(t, l.load(t.Context(), floor, drive.Plan{Round: 1, Scenarios: []scenarios.Scenario{scenario}}))
		each := took / time.Duration(ramp.Changes(most))
		t.Logf("%v for each change: %.0f%% of a core at %d a second", each, 100*most*each.Seconds(), most)
		assert.Less(t, most*each.Seconds(), core)
	})
}
