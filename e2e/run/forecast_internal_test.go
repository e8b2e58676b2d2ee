package run

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// What is expected is said as what it is: typical, or what it takes at most.
func TestWhatIsExpectedOfARun(t *testing.T) {
	single := scenarios.Scenario{Name: "single", Group: spec.GroupLatency}
	many := scenarios.Scenario{Name: "many", Group: spec.GroupLoad, Load: &scenarios.Schedule{Resources: 50, Within: 5 * time.Minute}, Steps: make([]scenarios.Step, 1)}
	more := scenarios.Scenario{Name: "more", Group: spec.GroupLoad, Steps: make([]scenarios.Step, 1), Load: &scenarios.Schedule{
		Every: 25 * time.Millisecond, Within: time.Minute, Growth: &scenarios.Growth{To: []int{0, 1000}, Changes: 30, Pace: time.Second, Rest: 30 * time.Second, Down: 100},
	}}
	correct := scenarios.Scenario{Name: "correct", Group: spec.GroupBasic}
	for name, test := range map[string]struct {
		list   []scenarios.Scenario
		change func(s *Session)
		want   string
	}{
		"single changes":                        {list: []scenarios.Scenario{single}, want: `^expected: about 2m10s: cluster and images 1m15s, rounds \S+ \(typical of 2 cores\)$`},
		"a block that was driven":               {list: []scenarios.Scenario{single}, change: func(s *Session) { s.participants[1].took = 24 * time.Second }, want: `^expected: about \S+: cluster and images 1m15s, rounds 53s \(typical of 2 cores\)$`},
		"loads":                                 {list: []scenarios.Scenario{many}, want: `^expected: at most 3m0s: cluster and images 1m15s, loads up to 1m42s \(typical of 2 cores\)$`},
		"a growth whose every stage takes time": {list: []scenarios.Scenario{more}, want: `^expected: at most \S+: cluster and images 1m15s, loads up to 15m14s \(typical of 2 cores\)$`},
		"loads beside single changes": {
			list: []scenarios.Scenario{single, many}, want: `^expected: at most \S+: .*, rounds \S+, loads up to 1m42s \(typical of 2 cores\)$`,
		},
		"the matrix":                     {list: []scenarios.Scenario{correct}, want: `^expected: at most \S+: cluster and images 1m15s, matrix up to \S+ \(typical of 2 cores\)$`},
		"images that are missing":        {list: []scenarios.Scenario{single}, change: func(s *Session) { s.options.ImagesAsked = true }, want: ` \(typical of 2 cores; pulling or building images that are missing comes on top\)$`},
		"a precision, and all that else": {list: []scenarios.Scenario{single, many, correct}, change: func(s *Session) { s.options.Precision, s.options.Budget = 0.1, time.Hour }, want: `^expected: rounds until every median is known to ±10%, for up to 1h0m0s \(--budget\); on top come cluster and images 1m15s, loads up to 1m42s, matrix up to \S+, and clean-up \(typical of 2 cores\)$`},
	} {
		t.Run(name, func(t *testing.T) {
			s := foretelling(test.list...)
			if test.change != nil {
				test.change(s)
			}
			assert.Regexp(t, test.want, s.foretell())
		})
	}
}

// What does not fit is said before anything is made; each turn that fits is looked at when it comes.
func TestWhatDoesNotFitIsRefused(t *testing.T) {
	s := foretelling(scenarios.Scenario{Name: "create", Group: spec.GroupLatency})
	require.NoError(t, s.feasible(), "there is no deadline")
	s.deadline = time.Now().Add(time.Hour)
	require.NoError(t, s.feasible())
	s.deadline = time.Now().Add(time.Minute)
	require.ErrorContains(t, s.feasible(), "nothing was driven: round 1/2 of fast takes about ")

	s.deadline = time.Now().Add(10 * time.Minute)
	var driven []string
	take := func(one turn) error {
		driven = append(driven, one.what()+" "+one.participant.label())
		if one.participant.operator != nil {
			one.participant.took = time.Hour
		}
		return nil
	}
	require.NoError(t, s.planned(take))
	assert.Equal(t, []string{"round 1/2 floor", "round 1/2 fast", "round 2/2 floor"}, driven, "the style has no time for a second round")
	assert.False(t, s.Fits("fast"))
	assert.True(t, s.Fits("floor"))
	require.ErrorContains(t, s.Unfinished(), "fast: round 2/2 was not driven: it takes about 1h0m0s")

	s = foretelling(scenarios.Scenario{Name: "create", Group: spec.GroupLatency})
	s.participants[1].err, driven = assert.AnError, nil
	require.NoError(t, s.planned(take))
	assert.Equal(t, []string{"round 1/2 floor", "round 2/2 floor"}, driven, "who failed has no further turn")
	require.ErrorIs(t, s.planned(func(turn) error { return assert.AnError }), assert.AnError, "it ends with the first error")
}

// Which scenarios are left may be known only after the command line was read: go test's -run chooses, too.
func TestAPrecisionNeedsMedians(t *testing.T) {
	s := foretelling(scenarios.Scenario{Name: "many", Group: spec.GroupLoad}, scenarios.Scenario{Name: "single", Group: spec.GroupLatency})
	s.options.Precision, s.options.Budget = 0.1, time.Hour
	require.NoError(t, s.feasible())
	s.Keep(func(_, scenario string) bool { return scenario == "many" })
	require.EqualError(t, s.feasible(), "--precision=10% with --scenario=some: there are rounds until the medians of the group latency are known, and no scenario of that group is driven: add one, or leave --precision out")
}
