package run

import (
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/workloads"
)

// foretelling is a run of two rounds of the floor and a style.
func foretelling(list ...scenarios.Scenario) *Session {
	s := newSession(Options{Scenario: "some", Cluster: "kind", Rounds: 2, Patience: 45 * time.Second, Window: 500 * time.Millisecond}, "", time.Time{}, io.Discard)
	p := styled(spec.Style{Name: "fast", Timeout: time.Minute, Typical: spec.Typical{Install: 5 * time.Second, Reconcile: 100 * time.Millisecond}})
	p.asked = p.operator
	s.workload = &workloads.Workload{}
	s.participants, s.scenarios = append(s.participants, p), list
	return s
}

// What is expected is said as what it is: what earlier runs took, what is typical, or what it takes at most.
func TestWhatIsExpectedOfARun(t *testing.T) {
	single := scenarios.Scenario{Name: "single", Group: spec.GroupLatency}
	many := scenarios.Scenario{Name: "many", Group: spec.GroupLoad, Load: &scenarios.Schedule{Resources: 50, Within: 5 * time.Minute}, Steps: make([]scenarios.Step, 1)}
	correct := scenarios.Scenario{Name: "correct", Group: spec.GroupBasic}
	environment := []record.Stage{
		{Name: "cluster", Seconds: 10, Times: 1}, {Name: "custom resource", Seconds: 2, Times: 1}, {Name: "load images", Seconds: 6, Times: 1}, {Name: "garbage collector", Seconds: 4, Times: 1},
	}
	blocks := []record.Stage{
		{Name: "scenarios floor", Seconds: 26, Times: 2}, {Name: "install fast", Seconds: 10, Times: 2}, {Name: "scenarios fast", Seconds: 32, Times: 2}, {Name: "uninstall fast", Seconds: 6, Times: 2},
	}
	all := slices.Concat(environment, blocks)
	const (
		earlier = `\(as earlier runs on this machine took\)$`
		partly  = `\(as earlier runs on this machine took, else typical of 2 cores\)$`
		typical = `\(typical of 2 cores; nothing has been measured on this machine yet\)$`
	)
	for name, test := range map[string]struct {
		list   []scenarios.Scenario
		stages []record.Stage // of an earlier run
		change func(s *Session)
		want   string
	}{
		"nothing is known":               {list: []scenarios.Scenario{single}, want: `^expected: about 2m10s: cluster and images 1m15s, floor 2 x \S+, fast 2 x \S+ ` + typical},
		"all is known":                   {list: []scenarios.Scenario{single}, stages: all, want: `^expected: about 1m40s: cluster and images 22s, floor 2 x 13s, fast 2 x 24s ` + earlier},
		"the blocks are known":           {list: []scenarios.Scenario{single}, stages: blocks, want: `^expected: about 2m30s: cluster and images 1m15s, floor 2 x 13s, fast 2 x 24s ` + partly},
		"the environment is known":       {list: []scenarios.Scenario{single}, stages: environment, want: `^expected: about \S+: cluster and images 22s, .* ` + partly},
		"loads of which nothing is":      {list: []scenarios.Scenario{many}, want: `^expected: at most 3m0s: cluster and images 1m15s, loads up to 1m42s ` + typical},
		"loads that are known":           {list: []scenarios.Scenario{many}, stages: all, want: `^expected: about 1m40s: cluster and images 22s, loads 1m14s ` + earlier},
		"loads of which one is not":      {list: []scenarios.Scenario{many}, stages: all[:5], want: `^expected: at most 2m0s: cluster and images 22s, loads up to 1m42s ` + partly},
		"loads beside single changes":    {list: []scenarios.Scenario{single, many}, stages: all, want: `^expected: at most 3m20s: .*, fast 2 x 24s, loads up to 1m42s ` + partly},
		"the matrix, which never is":     {list: []scenarios.Scenario{correct}, stages: all, want: `^expected: at most \S+: cluster and images 22s, matrix up to \S+ ` + partly},
		"another kind of cluster":        {list: []scenarios.Scenario{single}, stages: all, change: func(s *Session) { s.history[0].Cluster = "existing" }, want: `^expected: about \S+: cluster and images 1m15s, .* ` + typical},
		"images that are missing":        {list: []scenarios.Scenario{single}, stages: all, change: func(s *Session) { s.options.ImagesAsked = true }, want: ` \(as earlier runs on this machine took; pulling or building images that are missing comes on top\)$`},
		"a precision, and all that else": {list: []scenarios.Scenario{single, many, correct}, change: func(s *Session) { s.options.Precision, s.options.Budget = 0.1, time.Hour }, want: `^expected: rounds until every median is known to ±10%, for up to 1h0m0s \(--budget\); on top come cluster and images 1m15s, loads up to 1m42s, matrix up to \S+, and clean-up ` + typical},
	} {
		t.Run(name, func(t *testing.T) {
			s := foretelling(test.list...)
			if test.stages != nil {
				s.history = history{{Cluster: "kind", Flags: s.options.values(), Stages: test.stages}}
			}
			if test.change != nil {
				test.change(s)
			}
			assert.Regexp(t, test.want, s.foretell())
		})
	}
}

// Which scenarios are left may be known only after the command line was read: go test's -run chooses, too.
func TestAPrecisionNeedsMedians(t *testing.T) {
	s := foretelling(scenarios.Scenario{Name: "many", Group: spec.GroupLoad}, scenarios.Scenario{Name: "single", Group: spec.GroupLatency})
	s.options.Precision, s.options.Budget = 0.1, time.Hour
	_, err := s.newPlan()
	require.NoError(t, err)
	s.Keep(func(_, scenario string) bool { return scenario == "many" })
	_, err = s.newPlan()
	require.EqualError(t, err, "--precision=10% with --scenario=some: there are rounds until the medians of the group latency are known, and no scenario of that group is driven: add one, or leave --precision out")
}
