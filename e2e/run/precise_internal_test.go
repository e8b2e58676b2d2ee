package run

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/stat"
)

// precisely is a run for a precision, in which the floor and two styles have had rounds.
func precisely(rounds int) (r preciseRun, quick, slow *participant) {
	s := newSession(Options{Precision: 0.1, Budget: time.Hour}, "", time.Time{}, io.Discard)
	quick, slow = styled(spec.Style{Name: "quick"}), styled(spec.Style{Name: "slow"})
	s.participants = append(s.participants, slow, quick)
	s.participants[0].took, quick.took, slow.took = 10*time.Second, 20*time.Second, 5*time.Minute
	return preciseRun{s, map[string]int{"floor": rounds, "quick": rounds, "slow": rounds}}, quick, slow
}

func TestARoundIsForWhatIsNotKnownYet(t *testing.T) {
	for name, test := range map[string]struct {
		round int
		left  time.Duration
		known []string // styles
		most  int
		want  map[string]int
	}{
		"the first is everybody's":                {round: 1, want: map[string]int{"floor": 1, "quick": 1, "slow": 1}},
		"nobody has looked":                       {round: 5, left: time.Hour, want: map[string]int{"floor": 5, "quick": 5, "slow": 5}},
		"one is known":                            {round: 8, left: time.Hour, known: []string{"quick"}, want: map[string]int{"floor": 8, "quick": 7, "slow": 8}},
		"all are known":                           {round: 8, left: time.Hour, known: []string{"quick", "slow"}, want: map[string]int{"floor": 7, "quick": 7, "slow": 7}},
		"there is time for the quick one":         {round: 8, left: time.Minute, want: map[string]int{"floor": 8, "quick": 8, "slow": 7}},
		"there is none for any, the floor before": {round: 8, left: 25 * time.Second, want: map[string]int{"floor": 7, "quick": 7, "slow": 7}},
		"no more were asked for":                  {round: 8, left: time.Hour, most: 7, want: map[string]int{"floor": 7, "quick": 7, "slow": 7}},
	} {
		t.Run(name, func(t *testing.T) {
			r, quick, slow := precisely(test.round - 1)
			r.options.Rounds = test.most
			for _, p := range []*participant{quick, slow} {
				if test.round > 6 {
					p.unknown = []string{"create ±20%"}
				}
			}
			for _, name := range test.known {
				map[string]*participant{"quick": quick, "slow": slow}[name].unknown = []string{}
			}
			r.next(test.round, test.left)
			assert.Equal(t, test.want, r.rounds)
		})
	}
}

// A style that failed or had no time in one round has none later.
func TestARoundIsNotForWhoLeft(t *testing.T) {
	r, quick, slow := precisely(3)
	r.rounds["slow"], quick.err = 2, assert.AnError
	r.next(4, time.Hour)
	assert.Equal(t, map[string]int{"floor": 3, "quick": 3, "slow": 2}, r.rounds)
	slow.unknown = []string{"create ±20%", "delete ±12%"}
	assert.Equal(t, "driving ended after 1m0s of 1h0m0s (--budget); not known to ±10%: slow create ±20%, delete ±12% (2 rounds); "+
		"quick (assert.AnError general error for testing)", r.sumUp(time.Minute))
	quick.err, slow.unknown = nil, []string{}
	assert.Equal(t, "driving ended after 1m0s of 1h0m0s (--budget); not known to ±10%: quick (3 rounds; the first look is after 10)", r.sumUp(time.Minute))
	quick.unknown = []string{}
	assert.Equal(t, "every median of written (of delete: gone) is known to ±10% after 1m0s", r.sumUp(time.Minute))
}

// The recording that is looked at is the repository's own. There is no file to read: what was heard is enough.
func TestALookSaysWhatIsNotKnown(t *testing.T) {
	r, native, argo := precisely(0)
	r.rounds = map[string]int{"native": stat.FirstLook, "argo": stat.FirstLook}
	var out strings.Builder
	r.out = &out
	heard(t, r.recording, exampleRecording)
	native.operator, argo.operator = styled(spec.Style{Name: "native"}).operator, styled(spec.Style{Name: "argo"}).operator
	require.NoError(t, r.look(stat.FirstLook))
	assert.Equal(t, "after round 10, medians not known to ±10% yet: argo create 3 rounds of 6, scale-up 3 rounds of 6, scale-down 3 rounds of 6, delete 3 rounds of 6; "+
		"native create 3 rounds of 6, scale-up 3 rounds of 6, scale-down 3 rounds of 6, delete 3 rounds of 6\n", out.String())

	native.unknown, r.rounds["native"] = nil, stat.FirstLook-1
	out.Reset()
	require.NoError(t, r.look(stat.FirstLook+1))
	assert.Contains(t, out.String(), "; native (9 rounds)\n")
	assert.Nil(t, native.unknown, "an interval of so few rounds is too often narrow by chance")
	assert.Contains(t, r.sumUp(time.Minute), "native (9 rounds; the first look is after 10)")
}

// Nobody knows beforehand how many rounds there will be. The first look is after ten; what comes after the rounds
// follows.
func TestRoundsAreHandedOutUntilAllIsKnown(t *testing.T) {
	r, native, argo := precisely(0)
	heard(t, r.recording, exampleRecording)
	r.options.Rounds = 10
	native.operator, argo.operator = styled(spec.Style{Name: "native"}).operator, styled(spec.Style{Name: "argo"}).operator
	r.scenarios = []scenarios.Scenario{{Name: "create", Group: spec.GroupLatency}, {Name: "many", Group: spec.GroupLoad, Load: &scenarios.Schedule{Resources: 2}}}
	count := map[string]int{}
	var last turn
	take := func(one turn) error {
		last = one
		count[one.what()]++
		return nil
	}
	require.NoError(t, r.planned(take))
	assert.Len(t, count, 20)
	for round := 1; round <= 10; round++ {
		assert.Equal(t, 3, count[fmt.Sprintf("round %d", round)])
		assert.Equal(t, 3, count[fmt.Sprintf("many %d/10", round)], "loads have as many rounds as were asked for")
	}
	assert.Equal(t, "many", last.load)
	assert.Regexp(t, `^driving ended after \S+ of 1h0m0s \(--budget\); not known to ±10%: argo create `, r.notes[0])
	require.ErrorIs(t, r.planned(func(turn) error { return assert.AnError }), assert.AnError)
}

func TestPrecisionIsAPercentage(t *testing.T) {
	for value, want := range map[string]Precision{"10%": 0.1, "2.5%": 0.025, "100%": 1, "1%": 0.01} {
		var p Precision
		require.NoError(t, p.Set(value))
		assert.InDelta(t, float64(want), float64(p), 1e-12)
		assert.Equal(t, value, p.String())
	}
	for _, value := range []string{"", "10", "0.1", "0%", "101%", "-5%", "NaN%", "x%", "%"} {
		var p Precision
		require.ErrorContains(t, p.Set(value), "from 1% to 100%", value)
	}
}
