package drive

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/spec/scenarios"
)

// Else a style that is slow to begin passes where nothing is to be done: the
// sample is over before the needless work.
func TestTheWindowIsLongerWhereTheOperatorIsLateToBegin(t *testing.T) {
	for lag, want := range map[time.Duration]time.Duration{
		0:                      3 * time.Second, // no state was given
		100 * time.Millisecond: 3 * time.Second,
		520 * time.Millisecond: 10400 * time.Millisecond, // argo-fast-requeue passed by 3 s: its needless work came after 4.5 s
		time.Minute:            30 * time.Second,
	} {
		l := &lane{turn: &turn{Driver: &Driver{Workload: workloadtest.Default(t), Matrix: Matrix{Window: 3 * time.Second}}, plan: Plan{Wave: 1}}, lag: lag}
		assert.Equal(t, want, l.sample(scenarios.Scenario{Name: "no-op-updates"}).Window, "of a lag of %v", lag)
	}
}
