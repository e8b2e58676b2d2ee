package run_test

import (
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/run"
)

func TestPlan(t *testing.T) {
	costs := []run.Cost{
		{Style: "argo", Wanted: 5, Round: 320 * time.Second},
		{Style: "native", Wanted: 5, Round: 20 * time.Second},
	}
	for name, test := range map[string]struct {
		budget time.Duration
		want   map[string]int
		short  string
	}{
		"no limit":         {0, map[string]int{"argo": 5, "native": 5}, ""},
		"the dear one has": {420 * time.Second, map[string]int{"argo": 1, "native": 5}, "argo 1 of 5;"},
		"barely one each":  {340 * time.Second, map[string]int{"argo": 1, "native": 1}, "argo 1 of 5, native 1 of 5;"},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := run.NewPlan(test.budget, costs)
			require.NoError(t, err)
			assert.Equal(t, test.want, plan.Rounds)
			assert.Contains(t, plan.Shortened([]string{"argo", "native"}), test.short)
			if test.budget > 0 {
				assert.LessOrEqual(t, plan.Planned, test.budget)
			}
		})
	}
	_, err := run.NewPlan(100*time.Second, costs)
	require.ErrorContains(t, err, "only 1m40s remain before go test's -timeout: give a longer one")
}

// What can never fit is refused before anything is made.
func TestOpenRefusesWhatDoesNotFit(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	session, err := run.Load(t.Context(), parse(t, "--results="+results), repository, time.Now().Add(10*time.Minute), io.Discard)
	require.NoError(t, err)
	require.ErrorContains(t, session.Open(t.Context()), "remain before go test's -timeout: give a longer one")
	assert.NoDirExists(t, results)
}
