package selftest_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/selftest"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/styles"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each case names a scenario that there is, and an oracle that it expects.
func TestCasesFitTheScenarios(t *testing.T) {
	all, err := scenarios.All(judge.OracleNames())
	require.NoError(t, err)
	quick := 0
	for _, c := range selftest.Cases() {
		i := slices.IndexFunc(all, func(s scenarios.Scenario) bool { return s.Name == c.Scenario })
		if (selftest.Trial{Case: c}).Correct() {
			assert.Empty(t, c.Oracle)
			assert.Empty(t, c.Fault)
			continue
		}
		if assert.GreaterOrEqual(t, i, 0, "%s: there is no scenario %s", c.Mutant, c.Scenario) {
			if c.Oracle == selftest.Late {
				continue
			}
			assert.Contains(t, slices.Concat(all[i].Expect, scenarios.Standing(), []string{judge.Released}), c.Oracle, "%s: scenario %s does not ask that oracle", c.Mutant, c.Scenario)
		}
		assert.NotEmpty(t, c.Fault)
		if c.Quick {
			quick++
		}
	}
	assert.GreaterOrEqual(t, len(selftest.Cases()), 20)
	assert.GreaterOrEqual(t, quick, 6)
}

// A sample of the correct operator that timed out is a false alarm, though every
// oracle passes.
func TestLateIsAFalseAlarm(t *testing.T) {
	trials := selftest.Trials([]selftest.Case{{Mutant: "any", Scenario: "create", Oracle: "converged"}})
	late := judge.Result{
		Style: "none-create", Matrix: true, End: record.TimedOut, Reason: "it never stood still for 3s",
		Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Pass}},
	}
	for _, f := range selftest.Score(trials, []judge.Result{late}) {
		if f.Correct() {
			assert.False(t, f.Right)
			assert.Equal(t, []string{"late"}, f.Others)
			assert.Equal(t, "no oracle failed, but it was given up: it never stood still for 3s", f.Said)
		}
	}
}

// Each oracle that looks at operators has a mutant, or a shape with a fault. What the API server refuses is
// not an operator's doing.
func TestOraclesHaveMutants(t *testing.T) {
	files, err := filepath.Glob("testdata/shapes/*/verdicts.yaml")
	require.NoError(t, err)
	var shapes []byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		shapes = append(shapes, text...)
	}
	for _, oracle := range append(judge.OracleNames(), judge.Released) {
		found := slices.ContainsFunc(selftest.Cases(), func(c selftest.Case) bool { return c.Oracle == oracle })
		found = found || bytes.Contains(shapes, []byte("verdict: fail, oracles: ["+oracle+"]"))
		assert.Equal(t, oracle != "refused", found, "oracle %s", oracle)
	}
}

func TestStylesCanBeInstalledSideBySide(t *testing.T) {
	folder := t.TempDir()
	seen := map[string]string{}
	for _, trial := range selftest.Trials(selftest.Cases()) {
		at, err := trial.Write("style", folder, "services-x-")
		require.NoError(t, err)
		style, err := styles.Load(at)
		require.NoError(t, err)
		assert.Equal(t, trial.Style(), style.Name)
		assert.LessOrEqual(t, len(trial.Style()), 33, "%s: the driver cuts longer names in its namespaces, which the operator then does not see", trial.Style())
		assert.Equal(t, trial.Case.ByName, !style.Child.OwnerReference)
		objects, err := style.Objects()
		require.NoError(t, err)
		for _, o := range objects {
			key := o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
			assert.Empty(t, seen[key], "%s is in two styles", key)
			seen[key] = style.Name
			if o.GetKind() == "Deployment" {
				text, err := o.MarshalJSON()
				require.NoError(t, err)
				assert.Contains(t, string(text), `"--mutant=`+trial.Case.Mutant+`","--namespaces=services-x-"`)
				assert.Contains(t, string(text), "operatorbench.local/memcached-operator-mutant:")
			}
		}
	}
}

func TestStyleNeedsItsTemplate(t *testing.T) {
	_, err := selftest.Trial{Case: selftest.Case{Mutant: "restless"}}.Write("nowhere", t.TempDir(), "")
	require.ErrorContains(t, err, "make a style of mutant restless")
}

func TestScore(t *testing.T) {
	cases := []selftest.Case{
		{Mutant: "caught", Scenario: "create", Oracle: "converged"},
		{Mutant: "missed", Scenario: "create", Oracle: "converged"},
		{Mutant: "invalid", Scenario: "create", Oracle: "converged"},
		{Mutant: "unready", Scenario: "scale-up", Oracle: "converged"},
		{Mutant: "unasked", Scenario: "delete", Oracle: "converged"},
		{Mutant: "undriven", Scenario: "burst", Oracle: "converged"},
	}
	verdicts := func(outcome spec.Outcome) []judge.Verdict {
		return []judge.Verdict{{Oracle: "converged", Outcome: outcome, Message: "expected 3"}, {Oracle: "gone", Outcome: spec.Fail, Message: "it is there"}}
	}
	results := []judge.Result{
		{Style: "none-create", Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Pass}, {Oracle: "gone", Outcome: spec.NotApplicable}}},
		{Style: "none-scale-up", Verdicts: verdicts(spec.Invalid)},
		{Style: "none-delete", Verdicts: []judge.Verdict{{Oracle: "gone", Outcome: spec.NotApplicable}}},
		{Style: "mutant-caught", Verdicts: verdicts(spec.Fail)},
		{Style: "mutant-missed", Verdicts: verdicts(spec.Pass)},
		{Style: "mutant-invalid", Verdicts: verdicts(spec.Invalid)},
		{Style: "mutant-unready", Verdicts: verdicts(spec.Fail), Unready: true, Reason: "the given state, a handled custom resource of size 3, was not reached: no Deployment"},
		{Style: "mutant-unasked", Verdicts: verdicts(spec.Fail)[1:]},
	}
	var out bytes.Buffer
	missed, alarms, err := selftest.Print(&out, selftest.Score(selftest.Trials(cases), results))
	require.NoError(t, err)
	assert.Equal(t, 5, missed)
	assert.Equal(t, 3, alarms, "invalid, nothing judged, and not driven")
	golden := filepath.Join("testdata", "table.golden")
	if *update {
		require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String())
}

// The README lists what must be found, as the cases say it.
func TestTheTableOfMutants(t *testing.T) {
	const from, to = "<!-- written by go test -run TestTheTableOfMutants -update -->\n", "<!-- end -->"
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(text), from)
	require.True(t, found, "README.md has no line %s", from)
	_, tail, found := strings.Cut(rest, to)
	require.True(t, found, "README.md has no line %s", to)
	var table strings.Builder
	table.WriteString("| mutant | scenario | oracle | fault |\n| --- | --- | --- | --- |\n")
	for _, c := range selftest.Cases() {
		if !(selftest.Trial{Case: c}).Correct() {
			fmt.Fprintf(&table, "| `%s` | `%s` | `%s` | %s |\n", c.Mutant, c.Scenario, c.Oracle, c.Fault)
		}
	}
	want := head + from + table.String() + to + tail
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(text), "go test -C e2e/selftest -run TestTheTableOfMutants . -update")
}
