package run

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/report"
	"operatorbench/fixtures/scenarios"
	"operatorbench/operators"
)

// What native's blocks took on two cores, and what argo's did.
const (
	nativeFixed, nativePass = 7200 * time.Millisecond, 5500 * time.Millisecond
	argoFixed, argoPass     = 30 * time.Second, 258 * time.Second
)

func TestPassesKeepWhatABlockTakesBesideThemSmall(t *testing.T) {
	for name, test := range map[string]struct {
		fixed, pass time.Duration
		want        int
	}{
		"native":           {nativeFixed, nativePass, 4},
		"argo":             {argoFixed, argoPass, 1},
		"nothing beside":   {0, time.Second, 1},
		"not known":        {time.Second, 0, 1},
		"a slow install":   {time.Hour, time.Second, mostPasses},
		"just another one": {10 * time.Second, 10*time.Second - 1, 4},
	} {
		t.Run(name, func(t *testing.T) {
			got := spread(test.fixed, test.pass)
			assert.Equal(t, test.want, got)
			if got < mostPasses && test.pass > 0 {
				assert.LessOrEqual(t, float64(test.fixed)/float64(test.fixed+time.Duration(got)*test.pass), mostFixed)
			}
		})
	}
}

// contested is a session that compares styles, of which nothing is driven.
func contested(t *testing.T, budget time.Duration, out io.Writer, styles ...string) *Session {
	t.Helper()
	s := &Session{
		arms: []*arm{{}}, base: &base{commit: "0123456789abcdef"}, out: out, progress: report.NewProgress(io.Discard),
		options: Options{Operator: operators.All, Base: "main", Budget: budget, Patience: 45 * time.Second, Window: time.Second},
	}
	var err error
	s.scenarios, err = pick(s.options.scenario())
	require.NoError(t, err)
	s.warmup, err = pick(warmup)
	require.NoError(t, err)
	found, err := operators.Find("../../operators", styles...)
	require.NoError(t, err)
	for _, style := range found {
		s.arms = append(s.arms, armOf(style, VariantBase), armOf(style, VariantAgain), armOf(style, VariantHead))
	}
	s.environment.Comparison = s.comparison()
	return s
}

// driven gives a contest's arms a first round.
func driven(c *contest, fixed, pass time.Duration) {
	for _, a := range c.arms {
		a.fixed, a.pass = fixed, pass
	}
}

func TestTheFirstRoundTellsHowManyThereIsTimeFor(t *testing.T) {
	for name, test := range map[string]struct {
		rounds int // asked for
		left   time.Duration
		want   map[string]int
		says   string
	}{
		"a budget":            {left: 18 * time.Minute, want: map[string]int{"native": 12}, says: "native: the budget holds 12 rounds of about 1m28s\n"},
		"fewer are asked for": {rounds: 3, left: 18 * time.Minute, want: map[string]int{"native": 3}, says: "native: the budget holds 3 rounds of about 1m28s\n"},
		"it is used up":       {left: time.Minute, want: map[string]int{"native": 1}, says: "native: the budget holds 1 round of about 1m28s\n"},
		"and more than that":  {left: -time.Minute, want: map[string]int{"native": 1}, says: "native: the budget holds 1 round of about 1m28s\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			s := contested(t, 20*time.Minute, &out, "native")
			s.options.Rounds = test.rounds
			all := s.contests()
			driven(all[0], nativeFixed, nativePass)
			s.choosePasses(all)
			assert.Equal(t, "native: a block takes 7.2 s to install, warm up and remove, and 5.5 s for each pass through the scenarios: from now on 4 passes, 75% of the time is measured\n", out.String())
			out.Reset()
			s.planRounds(all, test.left)
			assert.Equal(t, test.want, s.environment.Planned)
			assert.Equal(t, test.says, out.String())
		})
	}
}

// A quick style goes on where a slow one has no time for a further round.
func TestAQuickStyleDoesNotWaitForASlowOne(t *testing.T) {
	s := contested(t, time.Hour, io.Discard, "native", "argo")
	all := s.contests()
	require.Len(t, all, 2)
	driven(all[0], nativeFixed, nativePass)
	driven(all[1], argoFixed, argoPass)
	s.choosePasses(all)
	s.planRounds(all, 40*time.Minute)
	assert.Equal(t, 3, s.environment.Planned["argo"], "its rounds take 14 minutes")
	assert.Equal(t, 7, s.environment.Planned["native"])
}

func TestPassesThatAreAskedForStay(t *testing.T) {
	s := contested(t, time.Hour, io.Discard, "native")
	s.options.Passes = 2
	all := s.contests()
	driven(all[0], nativeFixed, nativePass)
	s.choosePasses(all)
	assert.Equal(t, 2, all[0].passes)
}

// A head that cannot be driven is a result; a base that cannot is none.
func TestAHeadThatCannotBeDriven(t *testing.T) {
	s := contested(t, time.Hour, io.Discard, "native")
	c := s.contests()[0]
	s.lost(c)
	assert.Empty(t, s.environment.Comparison.Gone)
	c.head().err = errors.New("it never got ready")
	s.lost(c)
	s.lost(c)
	assert.Equal(t, []report.Gone{{Style: "native", Why: "head could not be driven to its end, as base was: it never got ready"}}, s.environment.Comparison.Gone)

	s = contested(t, time.Hour, io.Discard, "native")
	c = s.contests()[0]
	c.head().err, c.arms[0].err = errors.New("it never got ready"), errors.New("nor did base")
	s.lost(c)
	assert.Empty(t, s.environment.Comparison.Gone)
}

// Of the correctness matrix what there is no time for is left out, and said.
func TestCorrectnessWithoutTime(t *testing.T) {
	var out bytes.Buffer
	s := contested(t, 20*time.Minute, &out, "argo")
	require.NoError(t, s.correctness(t.Context(), s.contests(), 1, func() time.Duration { return 5 * time.Minute }))
	left := s.environment.Comparison.Undriven
	require.Len(t, left, 6, "besides those that were not asked for")
	for i, group := range []string{scenarios.Level, scenarios.Basic} {
		assert.Equal(t, group, left[4+i].Group)
		assert.Equal(t, "argo", left[4+i].Style)
		assert.Regexp(t, `^it may take \S+, and 5m0s of the budget were left: give a larger --budget$`, left[4+i].Why)
		assert.Contains(t, out.String(), "argo: the scenarios of the group "+group+" are not driven: it may take ")
	}
}

func TestWhatAComparisonSaysOfItself(t *testing.T) {
	s := contested(t, 20*time.Minute, io.Discard, "native")
	c := s.environment.Comparison
	assert.Equal(t, []string{scenarios.Latency, scenarios.Basic, scenarios.Level}, c.Groups)
	var not []string
	for _, u := range c.Undriven {
		not = append(not, u.Group)
		assert.Equal(t, "not asked for: --scenario=latency,basic,level", u.Why)
	}
	assert.Equal(t, []string{scenarios.Load, scenarios.Input, scenarios.Faults, scenarios.Upgrade}, not)
	assert.Regexp(t, `^native \(a round about \S+, by what its style.yaml says\) is compared with main \(0123456789ab\): base, base again and head take turns in random order until all is settled, for up to 20m0s \(--budget\); cluster, images and clean-up come on top$`, s.foretell())
}

// How long a round takes is foretold by the newest comparison on this machine.
func TestARoundIsForetoldByAnEarlierOne(t *testing.T) {
	s := contested(t, 20*time.Minute, io.Discard, "native")
	stages := []report.Stage{{Name: "install native@base", Seconds: 4, Times: 2}, {Name: "scenarios native@base", Seconds: 60, Times: 2}, {Name: "scenarios native@head", Seconds: 40, Times: 1}}
	s.history = history{{Stages: stages}, {Comparison: &report.Comparison{}}, {Comparison: &report.Comparison{}, Stages: stages}}
	assert.Contains(t, s.foretell(), "native (a round about 1m12s, as the last one took on this machine) is compared")
}

func TestTheCommandThatRepeatsAComparison(t *testing.T) {
	var o Options
	o.defaults()
	o.Base = "origin/main"
	assert.Equal(t, "go run ./e2e/cmd/opbench run --base=0123abc", o.command("0123abc"))
	o.Operator, o.Scenario, o.Budget, o.Rounds = "native", "create", time.Hour, 7
	assert.Equal(t, "go run ./e2e/cmd/opbench run --base=0123abc --operator=native --scenario=create --rounds=7 --budget=1h0m0s", o.command("0123abc"))
}
