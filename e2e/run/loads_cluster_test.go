//go:build cluster

package run_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// A client of client-go that is throttled as by default needs 8 s for 50 requests.
const unthrottled = 4 * time.Second

// Loads are sent as fast as their schedule has it, start no pod, are handled by
// a style that looks at states, and leave the cluster as it was.
func TestRunOfLoads(t *testing.T) {
	tr := whole(t, "--operator=native", "--scenario=load")

	for _, style := range []string{spec.Floor, "native"} {
		for scenario, n := range map[string]int{"burst-create": 50, "burst-update": 20, "hold-hundred": 100} {
			results, err := tr.Judged(style, scenario)
			require.NoError(t, err)
			require.Len(t, results, n, "%s %s", style, scenario)
			for _, result := range results {
				assert.Equal(t, spec.Pass, result.Outcome(), "%s %s: %v", style, scenario, result.Verdicts)
				for _, s := range result.Samples {
					if s.Phase == spec.PhaseChildWritten {
						assert.Equal(t, judge.OK, s.Outcome)
					}
				}
			}
		}
	}
	name, err := record.Find(tr.results)
	require.NoError(t, err)
	loads, last := map[string]bool{}, map[string]time.Duration{}
	for e, err := range record.ReadFile(name) {
		require.NoError(t, err)
		switch {
		case e.Begin != nil && e.Begin.Load:
			loads[e.Begin.Namespace] = true
		case e.Action != nil && e.Action.Intended > 0:
			last[e.Action.Namespace] = e.Action.From - e.Action.Intended
		case e.Watch != nil && e.Watch.Resource == spec.Pods && loads[e.Watch.Namespace]:
			assert.Empty(t, gjson.GetBytes(e.Watch.Object, "spec.nodeName").String(), "a pod in %s was scheduled", e.Watch.Namespace)
		}
	}
	assert.Len(t, loads, 2*(50+20+100))
	assert.Len(t, last, len(loads))
	for namespace, late := range last {
		assert.Less(t, late, unthrottled, "the last request of %s was late", namespace)
	}
}
