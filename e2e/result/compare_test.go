package result_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
)

func names() []verdicts.Scenario {
	return []verdicts.Scenario{{Name: "create", Group: "latency"}, {Name: "drift", Group: "level"}, {Name: "input-negative", Group: "input"}, {Name: "kill-bus", Group: "fault"}, {Name: "upgrade", Group: "upgrade"}}
}

const good = `# What is expected.
# Two lines of it.

create: pass
drift:
  verdict: fail
  oracles: [converged]
  recovery: never
  # a person's own remark
  why: only the custom resource is watched, not its Deployment
  upstream: https://example.org/issues/1
input-negative: not applicable
kill-bus: {verdict: pass, recovery: nudge}
`

func parse(t *testing.T, text string) verdicts.Expected {
	t.Helper()
	e, err := verdicts.Parse("operators/argo/verdicts.yaml", []byte(text), names(), append(judge.OracleNames(), judge.Released))
	require.NoError(t, err)
	return e
}

func of(results ...judge.Result) *result.Matrix {
	return result.MatrixOf(&judge.Judgement{Header: header("one", "argo", "native"), Results: results})
}

func failed(style, scenario string, oracles ...string) judge.Result {
	r := judged(style, scenario, 1)
	for _, o := range oracles {
		r.Verdicts = append(r.Verdicts, verdict(o, spec.Fail, o+" says no"))
	}
	return r
}

func TestCompare(t *testing.T) {
	never := judge.Result{Style: "argo", Scenario: "input-negative", Round: 1, Verdicts: []judge.Verdict{verdict("converged", spec.NotApplicable, "no")}}
	for name, one := range map[string]struct {
		expected string
		seen     []judge.Result
		want     []string
	}{
		"as expected": {
			"create: pass\ndrift: {verdict: fail, why: so}\ninput-negative: not applicable\n",
			[]judge.Result{passed("argo", "create"), failed("argo", "drift", "converged"), never},
			nil,
		},
		"only what ran":  {"create: pass\ndrift: {verdict: fail, why: so}\n", []judge.Result{passed("argo", "create")}, nil},
		"no other style": {"create: pass\n", []judge.Result{passed("argo", "create"), failed("native", "create", "converged")}, nil},
		"worse": {
			"drift: pass\n",
			[]judge.Result{failed("argo", "drift", "converged", "garbage")},
			[]string{"argo drift: expected pass, seen fail (converged, garbage); converged: converged says no"},
		},
		"better": {"drift: {verdict: fail, why: so}\n", []judge.Result{passed("argo", "drift")}, []string{"argo drift: expected fail, seen pass"}},
		"other oracles": {
			"drift: {verdict: fail, why: so, oracles: [garbage]}\n",
			[]judge.Result{failed("argo", "drift", "converged")},
			[]string{"argo drift: expected fail (garbage), seen fail (converged); converged: converged says no"},
		},
		"the oracles, in any order": {
			"drift: {verdict: fail, why: so, oracles: [garbage, converged]}\n",
			[]judge.Result{failed("argo", "drift", "converged", "garbage")},
			nil,
		},
		"one oracle more": {
			"drift: {verdict: fail, why: so, oracles: [garbage]}\n",
			[]judge.Result{failed("argo", "drift", "converged", "garbage")},
			[]string{"argo drift: expected fail (garbage), seen fail (converged, garbage); converged: converged says no"},
		},
		"what is not named passes": {
			"create: pass\n",
			[]judge.Result{passed("argo", "drift"), failed("argo", "upgrade", "converged")},
			[]string{"argo upgrade: expected pass, seen fail (converged); converged: converged says no"},
		},
		"not applicable is no pass": {"input-negative: pass\n", []judge.Result{never}, []string{"argo input-negative: expected pass, seen not applicable"}},
		"flaky is no pass": {
			"drift: pass\n",
			[]judge.Result{passed("argo", "drift"), failed("argo", "drift", "converged")},
			[]string{"argo drift: expected pass, seen flaky, 1 of 2 passed (converged); converged: converged says no"},
		},
		"flaky is no failure": {
			"drift: {verdict: fail, why: so}\n",
			[]judge.Result{passed("argo", "drift"), failed("argo", "drift", "converged")},
			[]string{"argo drift: expected fail, seen flaky, 1 of 2 passed (converged); converged: converged says no"},
		},
		"flaky where it is left to chance": {
			"drift: {verdict: flaky, oracles: [converged], why: a draw}\n",
			[]judge.Result{passed("argo", "drift"), failed("argo", "drift", "converged")},
			nil,
		},
		"chance may be kind": {"drift: {verdict: flaky, oracles: [converged], why: a draw}\n", []judge.Result{passed("argo", "drift")}, nil},
		"chance may not be":  {"drift: {verdict: flaky, oracles: [converged], why: a draw}\n", []judge.Result{failed("argo", "drift", "converged")}, nil},
		"chance excuses only what it says": {
			"drift: {verdict: flaky, oracles: [converged], why: a draw}\n",
			[]judge.Result{passed("argo", "drift"), failed("argo", "drift", "converged", "garbage")},
			[]string{"argo drift: expected flaky (converged), seen flaky, 1 of 2 passed (converged, garbage); converged: converged says no"},
		},
		"invalid is nothing": {
			"drift: pass\n",
			[]judge.Result{judged("argo", "drift", 1, verdict("converged", spec.Invalid, "a gap"))},
			[]string{"argo drift: expected pass, seen invalid; converged: a gap"},
		},
		"recovery is not known": {
			"drift: {verdict: fail, why: so, recovery: never}\n",
			[]judge.Result{failed("argo", "drift", "converged")},
			[]string{"argo drift: expected fail, recovery: never, seen fail (converged); converged: converged says no"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, d := range result.Compare(of(one.seen...), "argo", parse(t, one.expected)) {
				got = append(got, d.String())
			}
			assert.Equal(t, one.want, got)
		})
	}
}

func TestCompareWithoutAFile(t *testing.T) {
	m := of(passed("argo", "create"), failed("argo", "drift", "converged"), judged("argo", "upgrade", 1, verdict("converged", spec.NotApplicable, "no")),
		judged("argo", "kill-bus", 1, verdict("converged", spec.Invalid, "a gap")))
	differences := result.Compare(m, "argo", verdicts.Expected{})
	require.Len(t, differences, 1, "nothing is expected but a verdict")
	assert.Equal(t, "argo kill-bus: expected a verdict, seen invalid; converged: a gap", differences[0].String())
}

// Where nothing is right, nobody need say what is expected.
func TestCompareWithoutAFileWhereNothingPasses(t *testing.T) {
	differences := result.Compare(of(failed("argo", "create", "converged"), failed("argo", "drift", "converged"), passed("native", "create")), "argo", verdicts.Expected{})
	require.Len(t, differences, 2)
	assert.Equal(t, "argo create: expected that some scenario passes, seen fail (converged); converged: converged says no", differences[0].String())
}

func TestWhatIsNoScenarioIsADifference(t *testing.T) {
	expected, err := verdicts.Parse("v.yaml", []byte("{}"), names()[:1], nil)
	require.NoError(t, err)
	differences := result.Compare(of(passed("argo", "create"), passed("argo", "drift")), "argo", expected)
	require.Len(t, differences, 1)
	assert.Equal(t, "argo drift: expected nothing: v.yaml has no entry for it, seen pass", differences[0].String())
}

func TestUpdateOfAStyleWithoutAFile(t *testing.T) {
	m := of(passed("argo", "create"), failed("argo", "drift", "converged"), passed("native", "upgrade"),
		judged("argo", "kill-bus", 1, verdict("converged", spec.Invalid, "a gap")))
	none, err := verdicts.Load(t.TempDir(), names(), nil)
	require.NoError(t, err)
	written := string(verdicts.Update(none, m.Seen("argo")))
	assert.Equal(t, `# The verdicts that are expected of this style: what is not named passes, or does not apply. A run that sees another one fails, and names both.
# Each failure has a sentence on why; upstream is an issue about it.

# level
# seen: converged says no
drift:
  verdict: fail
  oracles: [converged]
  why: ""

# fault
# kill-bus was seen as invalid: a gap
`, written)
	_, err = verdicts.Parse("v.yaml", []byte(written), names(), append(judge.OracleNames(), judge.Released))
	assert.ErrorContains(t, err, "drift.why: found", "a person must say why")
}

func TestUpdateKeepsWhatPeopleWrote(t *testing.T) {
	old := parse(t, good+"# why it is so\nupgrade: {verdict: fail, oracles: [gone, converged], why: of old}\n")
	m := of(passed("argo", "create"), failed("argo", "drift", "garbage"), passed("argo", "drift"), failed("argo", "input-negative", "converged"),
		failed("argo", "upgrade", "converged", "gone"))
	written := string(verdicts.Update(old, m.Seen("argo")))
	assert.Equal(t, `# What is expected.
# Two lines of it.

# level
# drift was seen as flaky, 1 of 2 passed (garbage): garbage says no
drift:
  verdict: fail
  oracles: [converged]
  recovery: never
  # a person's own remark
  why: only the custom resource is watched, not its Deployment
  upstream: https://example.org/issues/1

# input
# seen: converged says no
input-negative:
  verdict: fail
  oracles: [converged]
  why: ""

# fault
kill-bus: {verdict: pass, recovery: nudge}

# upgrade
# why it is so
upgrade: {verdict: fail, oracles: [gone, converged], why: of old}
`, written)
}

// What failed and does so in another way keeps its reason; what passes now loses it.
func TestUpdateChangesVerdicts(t *testing.T) {
	old := parse(t, "drift: {verdict: fail, oracles: [converged], why: the reason, upstream: 'https://example.org/1'}\nupgrade: {verdict: fail, why: of old}\n")
	m := of(failed("argo", "drift", "garbage"), passed("argo", "upgrade"))
	written := verdicts.Update(old, m.Seen("argo"))
	e, err := verdicts.Parse("v.yaml", written, names(), append(judge.OracleNames(), judge.Released))
	require.NoError(t, err, "%s", written)
	drift, _ := e.Of("drift")
	assert.Equal(t, []string{"garbage"}, drift.Oracles)
	assert.Equal(t, "the reason", drift.Why)
	assert.Equal(t, "https://example.org/1", drift.Upstream)
	upgrade, _ := e.Of("upgrade")
	assert.Equal(t, spec.Pass, upgrade.Verdict)
	assert.Empty(t, upgrade.Why)
	assert.Empty(t, result.Compare(m, "argo", e))
}

// Failures that have one cause count as one; one that names none has its own.
func TestCauses(t *testing.T) {
	const expected = "create: {verdict: fail, why: a, cause: no watch}\ndrift: {verdict: fail, why: b, cause: no watch}\nkill-bus: {verdict: fail, why: c}\ninput-negative: {verdict: fail, why: d, cause: passed}\n"
	j := &judge.Judgement{Header: header("one", "argo", "native"), Results: []judge.Result{
		failed("argo", "create", "converged"), failed("argo", "drift", "converged"), failed("argo", "kill-bus", "recovers"), passed("argo", "input-negative"),
		passed("native", "create"),
	}}
	for i := range j.Results {
		j.Results[i].Matrix = true
	}
	set := result.Of(result.Recording{Judgement: j, Expected: map[string]verdicts.Expected{"argo": parse(t, expected)}})
	assert.Equal(t, "3 of 4", set.Value("argo", "fails").Text)
	assert.Equal(t, "2", set.Value("argo", "causes").Text)
	assert.False(t, set.Value("native", "causes").Known, "nobody said what is expected of it")
}
