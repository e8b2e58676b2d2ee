//go:build cluster

package selftest_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/environment/cluster"
	"operatorbench/e2e/internal/clustertest"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/selftest"
)

var (
	quick     = flag.Bool("quick", false, "a few mutants only")
	only      = flag.String("mutants", "", "these mutants only, their `names` with commas between them")
	recording = flag.String("recording", "", "judge this `file` of an earlier run anew, without a cluster")
	shared    = clustertest.New("mutant", "memcached")
)

func TestMain(m *testing.M) {
	cluster.ReapIfAsked()
	os.Exit(shared.Main(m))
}

// TestMutants drives every mutant through the scenario that shows its fault, and
// the correct operator through all of these, and has the recording judged: each
// mutant must be found by its oracle, and nothing may be found in the correct one.
func TestMutants(t *testing.T) {
	cases := selftest.Cases()
	if *quick {
		cases = slices.DeleteFunc(cases, func(c selftest.Case) bool { return !c.Quick })
	}
	if *only != "" {
		wanted := strings.Split(*only, ",")
		cases = slices.DeleteFunc(cases, func(c selftest.Case) bool { return !slices.Contains(wanted, c.Mutant) })
		for _, name := range wanted {
			require.True(t, slices.ContainsFunc(cases, func(c selftest.Case) bool { return c.Mutant == name }), "-mutants=%s: there is no mutant %s", *only, name)
		}
	}
	trials := selftest.Trials(cases)
	file := *recording
	if file == "" {
		file = driveAll(t, trials)
	}
	judged, err := judge.File(file)
	require.NoError(t, err)
	for _, warning := range judged.Warnings {
		t.Log(warning)
	}
	missed, alarms, err := selftest.Print(os.Stdout, selftest.Score(trials, judged.Results))
	require.NoError(t, err)
	t.Logf("judge it again with -recording=%s", file)
	assert.Zero(t, missed, "mutants were not found by their oracles")
	assert.Zero(t, alarms, "the correct operator was blamed")
}

// driveAll returns the recording. As many trials are driven at a time as -parallel
// says, but for those that change what all share.
func driveAll(t *testing.T, trials []selftest.Trial) string {
	t.Helper()
	b := newEnvironment(t, trials)
	for _, group := range []struct {
		name  string
		alone bool
	}{{"together", false}, {"alone", true}} {
		t.Run(group.name, func(t *testing.T) {
			for _, trial := range trials {
				if b.alone(trial) != group.alone {
					continue
				}
				t.Run(trial.Style(), func(t *testing.T) {
					if !group.alone {
						t.Parallel()
					}
					assert.NoError(t, b.drive(t.Context(), trial))
				})
			}
		})
	}
	return b.file
}
