package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

func TestLatestLeadsToTheNewestRun(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"first", "second"} {
		folder := filepath.Join(root, "results", name)
		require.NoError(t, os.MkdirAll(folder, 0o750))
		require.NoError(t, Latest(root, folder))
		target, err := os.Readlink(filepath.Join(root, "results", "latest"))
		require.NoError(t, err)
		assert.Equal(t, name, target, "relative, so that the repository can be moved")
	}
	elsewhere := t.TempDir()
	require.NoError(t, Latest(root, elsewhere))
	target, err := os.Readlink(filepath.Join(root, "results", "latest"))
	require.NoError(t, err)
	assert.Equal(t, elsewhere, target)

	require.NoError(t, os.Remove(filepath.Join(root, "results", "latest")))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "results", "latest", "mine"), 0o750))
	require.ErrorContains(t, Latest(root, elsewhere), "lead to")
	assert.DirExists(t, filepath.Join(root, "results", "latest", "mine"), "a folder of somebody's stays")
	left, err := os.ReadDir(filepath.Join(root, "results"))
	require.NoError(t, err)
	assert.Len(t, left, 4, "nothing is left beside it but .gitignore")
}

// A matrix leads to a folder that only its shards will make, also where results/ has what is not a run's.
func TestLatestLeadsToAFolderThatIsYetToBeMade(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "results", "mine"), 0o750))
	folder := filepath.Join(root, "results", "20261130-175029")
	require.NoError(t, Latest(root, folder))
	assert.FileExists(t, filepath.Join(folder, ".gitignore"))
	assert.NoFileExists(t, filepath.Join(root, "results", ".gitignore"))
}

// The table grows by a row when a block has ended, and says what was late.
func TestFirstLookIsARowForEachBlock(t *testing.T) {
	var out strings.Builder
	s := &recording{job: &job{console: &console{out: &out}, scenarios: []scenarios.Scenario{{Name: "create", Group: spec.GroupLatency}, {Name: "delete", Group: spec.GroupLatency}}}}
	sample := func(scenario, phase string, value float64, outcome string) {
		s.block.Results = append(s.block.Results, judge.Result{
			Scenario: scenario, Samples: []judge.Sample{{Scenario: scenario, Phase: phase, Value: value, Outcome: outcome}}, Verdicts: []judge.Verdict{{Outcome: spec.Pass}},
		})
	}
	sample("create", spec.PhaseChildWritten, 0.022, judge.OK)
	sample("delete", spec.PhaseChildGone, 0.031, judge.OK)
	s.firstLook("round 1/1", "native", 21*time.Second, nil)
	sample("create", spec.PhaseChildWritten, 300, judge.Timeout)
	s.firstLook("round 1/1", "argo", 300*time.Second, errors.New("stopped"))
	assert.Equal(t, ""+
		"             median latency         create     delete   right     took\n"+
		"round 1/1    native                22.0 ms    31.0 ms     2/2     21 s\n"+
		"round 1/1    argo                   1 late          -     1/1    300 s  FAILED\n", out.String())
}

// Of thousands that an operator does not let go the first are named: the recording has each.
func TestTheFirstThatAreHeldAreNamed(t *testing.T) {
	var out strings.Builder
	s := &recording{job: &job{console: &console{out: &out}}}
	for _, style := range []string{"kopf", "ansible"} {
		s.participants = append(s.participants, &participant{operator: &styles.Style{Style: spec.Style{Name: style}}})
		for range 2000 {
			s.Held(record.Held{Style: style, Namespace: "services", Name: "cache", Finalizers: []string{"example.com/a"}})
		}
	}
	assert.Equal(t, 2*mostHeld, strings.Count(out.String(), "the custom resource services/cache was deleted"))
	assert.Equal(t, 1, strings.Count(out.String(), "more custom resources of kopf"))
	assert.Len(t, strings.Split(strings.TrimSpace(out.String()), "\n"), 2*mostHeld+2)
}

// What does not fit any more is said, and kept for the end.
func TestThereIsNotEnoughTime(t *testing.T) {
	var out strings.Builder
	s := newSession(Options{Operator: "native", Cluster: "kind"}, "", time.Now().Add(time.Minute), &out)
	p := &participant{variant: "x"}
	p.took = time.Second
	assert.True(t, s.enough(turn{participant: p, round: 1, of: 3}, 0))
	require.NoError(t, s.Unfinished())
	p.took = time.Hour
	assert.False(t, s.enough(turn{participant: p, round: 2, of: 3}, 0))
	assert.False(t, s.enough(turn{participant: p, round: 3, of: 3}, 0))
	assert.Equal(t, 1, strings.Count(out.String(), "was not driven"), "it is said once")
	assert.Contains(t, out.String(), "floor@x: round 2/3 was not driven: it takes about 1h0m0s, and ")
	require.ErrorContains(t, s.Unfinished(), "not all that was asked for was driven before go test's -timeout (floor@x: round 2/3 was not driven")
	s.options.Operator = "all"
	require.NoError(t, s.Unfinished(), "of all styles, those that fit are driven")
}
