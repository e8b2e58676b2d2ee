package run_test

import (
	"context"
	"path/filepath"
	"strings"
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
		"the quick alone":  {100 * time.Second, map[string]int{"native": 5}, "(1m40s remain), the quickest style first: argo 0 of 5;"},
		"nothing":          {10 * time.Second, map[string]int{}, "argo 0 of 5, native 0 of 5;"},
	} {
		t.Run(name, func(t *testing.T) {
			plan := run.NewPlan(test.budget, costs)
			assert.Equal(t, test.want, plan.Rounds)
			assert.Contains(t, plan.Shortened([]string{"argo", "native"}), test.short)
			if test.budget > 0 {
				assert.LessOrEqual(t, plan.Planned, test.budget)
			}
		})
	}
}

// Of all styles, those are driven for which there is time; where there is too
// little for any, fewer scenarios are; only where one scenario of one style does
// not fit, the run is refused, before anything is made.
func TestOpenTakesFewerStylesThenFewerScenarios(t *testing.T) {
	root := run.Clone(t)
	opened := func(t *testing.T, limit time.Duration, args ...string) (*run.Session, string, error) {
		t.Helper()
		results := filepath.Join(t.TempDir(), "results")
		var said strings.Builder
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // what is planned is said before anything is asked of an engine
		session, err := run.Load(ctx, parse(t, append(args, "--results="+results)...), root, time.Now().Add(limit), &said)
		require.NoError(t, err)
		err = session.Open(ctx)
		assert.NoDirExists(t, results)
		return session, said.String(), err
	}
	session, said, err := opened(t, 10*time.Minute)
	require.NotContains(t, err.Error(), "-timeout")
	assert.Contains(t, said, "expected: about ")
	assert.Contains(t, said, "native ")
	assert.NotContains(t, said, "argo-fast-requeue 4", "not even one round of it fits")
	assert.Len(t, session.Scenarios(), 4)

	session, _, err = opened(t, 3*time.Minute+25*time.Second, "--operator=argo-single-step", "--scenario=latency")
	require.NotContains(t, err.Error(), "-timeout")
	assert.NotEmpty(t, session.Scenarios())
	assert.Less(t, len(session.Scenarios()), 4)
	assert.Equal(t, "create", session.Scenarios()[0])

	_, _, err = opened(t, time.Minute, "--operator=argo")
	require.ErrorContains(t, err, "nothing was driven: one round of argo with the scenario create alone takes about ")
	assert.NotContains(t, err.Error(), "\n")
}
