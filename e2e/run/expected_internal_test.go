package run

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/styles"
	"operatorbench/e2e/spec/verdicts"
)

// What is expected of a style is known wherever its folder is; without the file
// nothing is, and what fails is a reason to collect logs all the same.
// Of a workload that is in no folder here nothing is expected, and its recording can be read all the same.
func TestExpectedOfARecordingWithAWorkloadOfItsOwn(t *testing.T) {
	header := record.Header{Workload: &spec.Workload{Name: "website"}, Styles: []record.Style{{Style: spec.Style{Name: "website-operator"}}}}
	expected, err := Expected("../..", header)
	require.NoError(t, err)
	assert.False(t, expected["website-operator"].Known())
}

// A recording's scenario that has gone since was one that everybody passed.
func TestExpectedOfAScenarioThatHasGone(t *testing.T) {
	header := record.Header{
		Styles:    []record.Style{{Style: spec.Style{Name: "native"}}},
		Scenarios: []record.Scenario{{Name: "create", Group: "latency"}, {Name: "long-gone", Group: "fault"}, {Name: "old-load", Group: "load"}},
	}
	expected, err := Expected("../..", header)
	require.NoError(t, err)
	entry, there := expected["native"].Of("long-gone")
	assert.True(t, there)
	assert.Equal(t, spec.Pass, entry.Verdict)
	_, there = expected["native"].Of("old-load")
	assert.False(t, there)
}

func TestExpectedOfAFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "idle")
	require.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Join(root, "operators", "idle"))))
	var said strings.Builder
	load := func() *Session {
		options := Parse(t, "--operator="+folder, "--scenario=matrix", "--results="+t.TempDir())
		s, err := Load(t.Context(), options, root, time.Time{}, &said)
		require.NoError(t, err)
		return s
	}
	s := load()
	expected, err := s.Expected()
	require.NoError(t, err)
	entry, there := expected["idle"].Of("walkthrough")
	require.True(t, there)
	assert.Equal(t, spec.Fail, entry.Verdict)

	file := filepath.Join(folder, "verdicts.yaml")
	before, err := os.Stat(file)
	require.NoError(t, err)
	require.NoError(t, s.UpdateVerdicts(&judge.Judgement{}))
	after, err := os.Stat(file)
	require.NoError(t, err)
	assert.False(t, os.SameFile(before, after), "another is put in its place, when it is whole")
	_, err = load().Expected()
	require.NoError(t, err)

	require.NoError(t, os.Remove(file))
	s = load()
	expected, err = s.Expected()
	require.NoError(t, err)
	require.Contains(t, expected, "idle")
	assert.False(t, expected["idle"].Known())
	require.Equal(t, spec.Idle, s.asked()[0].operator.Control)
	s.blame(judge.Result{Style: "idle", Scenario: "walkthrough", Group: "basic", Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.NotApplicable}}})
	assert.False(t, s.asked()[0].bad())
	said.Reset()
	for round := 1; round <= 2; round++ {
		s.blame(judge.Result{Style: "idle", Scenario: "walkthrough", Group: "basic", Round: round, Verdicts: []judge.Verdict{{Oracle: "owned", Outcome: spec.Pass}, {Oracle: "converged", Outcome: spec.Fail, Message: "no such image"}}})
	}
	assert.True(t, s.asked()[0].bad())
	assert.Equal(t, "the first that went wrong: idle walkthrough, round 1: no such image\n", said.String(), "nobody waits for the end to read it")

	s = load()
	said.Reset()
	s.blame(judge.Result{Style: "idle", Scenario: "walkthrough", Group: "basic", Round: 1, End: record.TimedOut, Reason: "no pod is ready", Verdicts: []judge.Verdict{{Oracle: "owned", Outcome: spec.Pass}}})
	assert.Equal(t, "the first that went wrong: idle walkthrough, round 1: given up after 0 s, though no oracle failed: no pod is ready\n", said.String())
}

// What a style's README says of how many scenarios fail is what its verdicts.yaml and the scenarios say.
func TestReadmesCountTheirFailures(t *testing.T) {
	said := regexp.MustCompile(`(\d+) of the (\d+) scenarios that apply fail(?:, (\d+) of them in the oracle .(\w+). alone)?`)
	readmes, err := filepath.Glob(filepath.Join(root, "operators", "*", "README.md"))
	require.NoError(t, err)
	counted := 0
	for _, readme := range readmes {
		text, err := os.ReadFile(readme)
		require.NoError(t, err)
		for _, one := range said.FindAllStringSubmatch(strings.Join(strings.Fields(string(text)), " "), -1) {
			counted++
			found, err := styles.Find(filepath.Join(root, "operators"), filepath.Base(filepath.Dir(readme)))
			require.NoError(t, err)
			all, err := expectedScenarios(found[0])
			require.NoError(t, err)
			expected, err := expectedOf(found[0])
			require.NoError(t, err)
			applicable, _ := fitting(found[0], all)
			failing := expected.Failing()
			assert.Equal(t, []string{strconv.Itoa(len(failing)), strconv.Itoa(applicable)}, one[1:3], readme)
			if oracle := one[4]; oracle != "" {
				alone := plain.Where(failing, func(e verdicts.Entry) bool { return slices.Equal(e.Oracles, []string{oracle}) })
				assert.Equal(t, strconv.Itoa(len(alone)), one[3], readme)
			}
		}
	}
	assert.Positive(t, counted)
}
