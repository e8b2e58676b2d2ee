package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/internal/workloadtest"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/terminal"
)

// What native's blocks took on two cores, and what argo's did.
const (
	nativeFixed, nativePass = 5 * time.Second, 9 * time.Second
	argoFixed, argoPass     = 30 * time.Second, 258 * time.Second
)

// contested is a session that compares styles, and drives nothing.
func contested(t *testing.T, budget time.Duration, out io.Writer, names ...string) gateRun {
	t.Helper()
	s := newSession(Options{Operator: styles.All, Base: "main", Budget: budget, Patience: 45 * time.Second, Window: time.Second}, "../..", time.Time{}, out)
	s.base, s.progress = &base{commit: "0123456789abcdef"}, terminal.NewProgress(io.Discard)
	found, err := styles.Find("../../operators", names...)
	require.NoError(t, err)
	require.NoError(t, s.choose(found...))
	for _, style := range found {
		s.contest(style, style)
	}
	s.quicken()
	s.facts.Comparison = s.recordedComparison()
	return gateRun{s}
}

// driven gives a comparison's participants a first round.
func driven(c *comparison, passes int, fixed, pass time.Duration) {
	c.passes = passes
	for _, p := range c.participants {
		p.fixed, p.pass = fixed, pass
	}
}

func TestTheFirstRoundTellsHowManyThereIsTimeFor(t *testing.T) {
	for name, test := range map[string]struct {
		rounds int // asked for
		left   time.Duration
		want   int
		says   string
	}{
		"a budget":            {left: 19 * time.Minute, want: 26, says: "native: the budget holds 26 rounds of about 42s, with 1 pass in each block\n"},
		"fewer are asked for": {rounds: 3, left: 4 * time.Minute, want: 3, says: "native: the budget holds 3 rounds of about 1m36s, with 3 passes in each block, which is too few to decide: --rounds=9 with --budget=16m0s allows 9\n"},
		"a small budget":      {left: 5 * time.Minute, want: 7, says: "native: the budget holds 7 rounds of about 42s, with 1 pass in each block, which is too few to decide: --budget=8m0s allows 9\n"},
		"it is used up":       {left: time.Minute, want: 2, says: "native: the budget holds 2 rounds of about 42s, with 1 pass in each block, which is too few to decide: --budget=8m0s allows 9\n"},
		"and more than that":  {left: -time.Minute, want: 1, says: "native: the budget holds 1 round of about 42s, with 1 pass in each block, which is too few to decide: --budget=8m0s allows 9\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			s := contested(t, 20*time.Minute, &out, "native")
			s.options.Rounds = test.rounds
			driven(s.comparisons[0], 4, nativeFixed, nativePass)
			s.planRounds(test.left)
			assert.Equal(t, map[string]int{"native": test.want}, s.facts.Planned)
			assert.Equal(t, test.says, out.String())
		})
	}
}

// The budget that would do is that of all styles, which share it.
func TestTooFewRoundsOfSeveralStyles(t *testing.T) {
	var out bytes.Buffer
	s := contested(t, 5*time.Minute, &out, "native", "kopf")
	for _, c := range s.comparisons {
		driven(c, 1, nativeFixed, nativePass)
	}
	s.planRounds(5 * time.Minute)
	assert.Contains(t, out.String(), "native: the budget holds 4 rounds of about 42s, with 1 pass in each block, which is too few to decide: --budget=14m0s allows 9\n")
	s.planRounds(14 * time.Minute)
	assert.GreaterOrEqual(t, min(s.facts.Planned["native"], s.facts.Planned["kopf"]), enoughRounds)
}

// A quick style goes on where a slow one has no time for a further round.
func TestAQuickStyleDoesNotWaitForASlowOne(t *testing.T) {
	s := contested(t, time.Hour, io.Discard, "native", "argo")
	require.Len(t, s.comparisons, 2)
	driven(s.comparisons[0], 4, nativeFixed, nativePass)
	driven(s.comparisons[1], 1, argoFixed, argoPass)
	s.planRounds(40 * time.Minute)
	assert.Equal(t, map[string]int{"native": 14, "argo": 3}, s.facts.Planned, "a round of argo takes 14 minutes")
}

// The first block of a style has gone through the scenarios once when it chooses;
// all others do the same, the floor one pass.
func TestAStylesFirstBlockChoosesThePasses(t *testing.T) {
	var out bytes.Buffer
	s := contested(t, 20*time.Minute, &out, "native")
	c := s.comparisons[0]
	s.measuring = time.Now().Add(-nativePass)
	s.installing = s.measuring.Add(-nativeFixed / 2)
	assert.Equal(t, 1, s.choosePasses(c))
	assert.Equal(t, "native: a block takes 2.5 s to install and warm up, and 9.0 s for each pass through the scenarios: 1 pass in each block\n", out.String())
	for _, p := range c.participants {
		assert.Equal(t, 1, s.passes(p))
	}
	assert.Equal(t, 1, s.passes(s.participants[0]))

	s = contested(t, time.Hour, io.Discard, "native")
	s.options.Passes = 2
	assert.Equal(t, 2, s.choosePasses(s.comparisons[0]))
}

func TestQuickScenarios(t *testing.T) {
	s := contested(t, 20*time.Minute, io.Discard, "native")
	assert.Equal(t, []string{"create", "scale-up", "scale-down", "scale-up-again", "scale-down-again", "delete", "create-empty", "delete-empty"}, namesOf(s.measured()))
	up, down := s.measured()[3], s.measured()[4]
	assert.Equal(t, s.measured()[2].Result(), up.Given, "nothing has to be prepared")
	assert.Equal(t, up.Result(), down.Given)
	assert.Equal(t, down.Result(), s.measured()[5].Given)
	create, remove := s.measured()[6], s.measured()[7]
	assert.Equal(t, &scenarios.Spec{Size: 0}, create.Result())
	assert.Equal(t, &scenarios.Spec{Size: 0}, remove.Given)
	assert.Nil(t, remove.Result())
	assert.Equal(t, []string{"create-empty"}, namesOf(s.warmup))
	long, err := pick(workloadtest.Default(t), "create")
	require.NoError(t, err)
	assert.Empty(t, quick(long), "nothing would remove it again")
	assert.Equal(t, 3, long[0].Result().Size, "what it was made from stays")
}

// What head's own style.yaml allows itself does not count.
func TestBasesTimeoutIsThatOfBothSides(t *testing.T) {
	var out bytes.Buffer
	s := contested(t, time.Hour, &out, "native")
	was := s.comparisons[0].participants[0].operator
	is := *was
	is.Timeout = 200 * time.Second
	s.contest(was, &is)
	require.Len(t, s.comparisons, 2)
	for _, p := range s.comparisons[1].participants {
		style, err := p.style()
		require.NoError(t, err)
		assert.Equal(t, was.Timeout, style.Timeout, p.label())
		driven, err := p.driven()
		require.NoError(t, err)
		assert.Equal(t, was.Timeout, driven.Timeout, p.label())
	}
	assert.Equal(t, fmt.Sprintf("native: head's style.yaml sets the timeout to 3m20s, and base's to %v: both sides are driven with base's\n", was.Timeout), out.String())
	assert.Len(t, s.notes, 1)
}

// A head that cannot be driven is a result; a base that cannot is none.
func TestAHeadThatCannotBeDriven(t *testing.T) {
	s := contested(t, time.Hour, io.Discard, "native")
	c := s.comparisons[0]
	s.lost(c)
	assert.Empty(t, s.facts.Comparison.Gone)
	c.head().err = errors.New("it never got ready")
	s.lost(c)
	s.lost(c)
	assert.Equal(t, []record.Gone{{Style: "native", Why: "head could not be installed, driven and removed, while base could: it never got ready"}}, s.facts.Comparison.Gone)

	require.NoError(t, s.Wrong(), "the gate says it")

	s = contested(t, time.Hour, io.Discard, "native")
	c = s.comparisons[0]
	c.head().err, c.participants[0].err = errors.New("it never got ready"), errors.New("nor did base")
	s.lost(c)
	assert.Empty(t, s.facts.Comparison.Gone)
	require.ErrorContains(t, s.Wrong(), "native@base: nor did base", "nothing can be said")
}

// Of the correctness matrix what there is no time for is left out, and said.
func TestCorrectnessWithoutTime(t *testing.T) {
	var out bytes.Buffer
	s := contested(t, 5*time.Minute, &out, "argo")
	require.NoError(t, s.correctness(nil))
	left := s.facts.Comparison.Undriven
	require.Len(t, left, 5, "besides those that were not asked for")
	for i, group := range []string{spec.GroupLevel, spec.GroupBasic} {
		assert.Equal(t, group, left[3+i].Group)
		assert.Equal(t, "argo", left[3+i].Style)
		assert.Regexp(t, `^it may take \S+, more than the budget of 20m0s: give a larger --budget$`, left[3+i].Why)
		assert.Contains(t, out.String(), "argo: the scenarios of the group "+group+" are not driven: it may take ")
	}
	guessed := s.typicalMatrix(s.comparisons[0], s.matrix())
	for _, p := range s.comparisons[0].sides() {
		p.change = time.Second
	}
	assert.Less(t, s.typicalMatrix(s.comparisons[0], s.matrix()), guessed, "what a block has shown counts more than style.yaml")
}

// A gate drives a load in as many rounds as there is time for, and says where there is
// too little.
func TestLoadsOfAComparison(t *testing.T) {
	for name, test := range map[string]struct {
		budget time.Duration
		rounds int
		turn   time.Duration // that one side takes
		want   int
		says   string
	}{
		"as many as there are":     {20 * time.Minute, 9, 20 * time.Second, 9, "native: loads in 9 rounds of about 1m0s, on top of the budget\n"},
		"as many as fit":           {20 * time.Minute, 12, 20 * time.Second, 10, "native: loads in 10 rounds of about 1m0s, on top of the budget\n"},
		"too few to tell":          {20 * time.Minute, 12, 30 * time.Second, 1, "the scenarios of the group load are not driven: 8 rounds are needed of about 1m30s each, and 10m0s, half of the budget, is what loads may take on top of it: give a larger --budget\n"},
		"few rounds are asked for": {20 * time.Minute, 2, time.Minute, 2, "native: loads in 2 rounds of about 3m0s, on top of the budget\n"},
		"no time at all":           {5 * time.Minute, 12, 20 * time.Second, 0, "native: the scenarios of the group load are not driven: 8 rounds are needed of about 4m"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			s := contested(t, test.budget, &out, "native")
			c := s.comparisons[0]
			c.rounds = test.rounds
			drive := func(some []*comparison) error {
				for _, one := range some {
					for _, p := range one.participants {
						if one.loads > 0 {
							p.loaded = test.turn
						}
					}
				}
				return nil
			}
			require.NoError(t, s.planLoads(func() error { return drive(s.comparisons) }))
			assert.Equal(t, test.want, c.loads)
			assert.Contains(t, out.String(), test.says)
		})
	}
	var out bytes.Buffer
	s := contested(t, 20*time.Minute, &out, "native", "kopf")
	for _, c := range s.comparisons {
		c.rounds = 12
	}
	require.NoError(t, s.planLoads(func() error { return nil }))
	assert.Contains(t, out.String(), " each, and 5m0s, its part of half of the budget for 2 styles, is what loads may take")
	s = contested(t, 20*time.Minute, io.Discard, "native")
	s.scenarios = s.measured()
	require.NoError(t, s.planLoads(func() error { return errors.New("there is none") }))
}

func TestWhatAComparisonSaysOfItself(t *testing.T) {
	s := contested(t, 20*time.Minute, io.Discard, "native")
	c := s.facts.Comparison
	assert.Equal(t, []string{spec.GroupLatency, spec.GroupLoad, spec.GroupBasic, spec.GroupLevel}, c.Groups)
	var not []string
	for _, u := range c.Undriven {
		not = append(not, u.Group)
		assert.Equal(t, "not asked for: --scenario=latency,basic,level,burst-create", u.Why)
	}
	assert.Equal(t, []string{spec.GroupInput, spec.GroupFault, spec.GroupUpgrade}, not)
	assert.Regexp(t, `^expected: at most \d+m0s once the images are there \(profile standard\): native \(a round about \S+, by what its style.yaml says\) is compared with main \(0123456789ab\): base, base again and head take turns in random order for at most 36 rounds, or until all is settled, for up to 20m0s \(--budget\); on top come cluster, images, loads \(at most 10m0s\), the scenarios of the correctness matrix \(at most \d+m0s\) and clean-up$`, s.foretell())
}

func TestTheCommandThatRepeatsAComparison(t *testing.T) {
	o := Parse(t)
	o.Base = "origin/main"
	assert.Equal(t, "go run ./e2e/cmd/opbench run --base=0123abc", o.command("0123abc"))
	o.Operator, o.Scenario, o.Budget, o.Rounds = "native", "create", time.Hour, 7
	assert.Equal(t, "go run ./e2e/cmd/opbench run --base=0123abc --operator=native --scenario=create --rounds=7 --budget=1h0m0s", o.command("0123abc"))
}

// Of other sources the same may be built: that is no comparison, whatever chose it.
func TestWhatIsTheSameByteForByteIsNotMeasured(t *testing.T) {
	var out bytes.Buffer
	s := contested(t, time.Hour, &out, "native", "idle")
	s.comparisons[0].head().own = []string{"native"} // another image
	require.NoError(t, s.dropSame())
	assert.Equal(t, "floor native@base native@again native@head", labels(s.participants))
	assert.Equal(t, "idle: the images and the manifests of base and head are the same, byte for byte: there is nothing to measure\n", out.String())
	s.comparisons[0].head().own = nil
	s.options.Unchanged = true
	require.NoError(t, s.dropSame())
	s.options.Unchanged = false
	require.ErrorIs(t, s.dropSame(), ErrUnchanged)

	s = contested(t, time.Hour, &out, "idle")
	s.participants = s.participants[1:]
	require.ErrorIs(t, s.dropSame(), ErrUnchanged, "a workload may have no floor")
}
