package result_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
)

func verdict(oracle string, outcome spec.Outcome, message string) judge.Verdict {
	v := judge.Verdict{Oracle: oracle, Outcome: outcome, Message: message}
	if outcome == spec.Fail {
		v.Evidence = []string{message + ", as seen"}
	}
	return v
}

func judged(style, scenario string, round int, verdicts ...judge.Verdict) judge.Result {
	return judge.Result{Style: style, Scenario: scenario, Round: round, Namespace: "n", Verdicts: verdicts}
}

func passed(style, scenario string) judge.Result {
	return judged(style, scenario, 1, verdict("converged", spec.Pass, "as wanted"))
}

func header(run string, styles ...string) record.Header {
	h := record.Header{Run: run, Scenarios: []record.Scenario{
		{Name: "upgrade", Group: "upgrade"},
		{Name: "create", Group: "latency"},
		{Name: "drift", Group: "level", StandsFor: "a hand that slips"},
		{Name: "kill-bus", Group: "fault"},
		{Name: "input-negative", Group: "input"},
	}}
	for _, s := range styles {
		h.Styles = append(h.Styles, record.Style{Style: spec.Style{Name: s}})
	}
	return h
}

func TestOf(t *testing.T) {
	m := result.MatrixOf(
		&judge.Judgement{Header: header("one", "argo", "native"), Results: []judge.Result{
			passed("native", "create"), passed("argo", "create"),
			judged("argo", "drift", 1, verdict("converged", spec.Fail, "3 of 5"), verdict("status", spec.NotApplicable, "it writes none")),
		}},
		&judge.Judgement{Header: header("two", "argo", "native"), Results: []judge.Result{
			passed("native", "drift"), passed("native", "of-old"),
			judged("argo", "kill-bus", 1, verdict("converged", spec.NotApplicable, "it has no bus")),
			judged("native", "kill-bus", 1, verdict("converged", spec.Invalid, "the recording stops")),
		}},
	)
	assert.Equal(t, []result.Style{{Label: "argo", Name: "argo"}, {Label: "native", Name: "native"}}, m.Styles)
	var order []string
	for _, g := range m.Groups {
		order = append(order, "["+g.Name+"]")
		for _, r := range g.Rows {
			order = append(order, r.Name)
			assert.Len(t, r.Cells, 2)
		}
	}
	assert.Equal(t, []string{"[latency]", "create", "of-old", "[level]", "drift", "[input]", "input-negative", "[fault]", "kill-bus", "[upgrade]", "upgrade"}, order,
		"groups in their order, rows in the header's, what no header has comes last")
	assert.Nil(t, m.Cell("argo", "upgrade"), "not run")
	assert.True(t, m.Correctness())

	drift := m.Cell("argo", "drift")
	require.NotNil(t, drift)
	assert.Equal(t, spec.Fail, drift.Verdict)
	assert.Equal(t, "fail (converged)", drift.String())
	assert.Equal(t, []string{"3 of 5, as seen"}, drift.Reasons()[0].Evidence)
	assert.Equal(t, "one", drift.Reasons()[0].Run)
	assert.Empty(t, drift.Reason)
	assert.Equal(t, spec.Pass, m.Cell("native", "drift").Verdict)
	assert.Equal(t, "it has no bus", m.Cell("argo", "kill-bus").Reason)
	assert.Equal(t, spec.NotApplicable, m.Cell("argo", "kill-bus").Verdict)
	assert.Equal(t, spec.Invalid, m.Cell("native", "kill-bus").Verdict)
	assert.Equal(t, "the recording stops", m.Cell("native", "kill-bus").Reason)
}

func TestRepeats(t *testing.T) {
	pass, fail, invalid := spec.Pass, spec.Fail, spec.Invalid
	for name, one := range map[string]struct {
		outcomes []spec.Outcome
		verdict  spec.Outcome
		word     string
	}{
		"always":          {[]spec.Outcome{pass, pass}, pass, "pass"},
		"never":           {[]spec.Outcome{fail, fail}, fail, "fail"},
		"both":            {[]spec.Outcome{pass, fail, pass}, spec.Flaky, "flaky, 2 of 3 passed"},
		"both, and worse": {[]spec.Outcome{pass, fail, invalid}, spec.Flaky, "flaky, 1 of 3 passed"},
		"not all judged":  {[]spec.Outcome{pass, invalid}, invalid, "invalid, 1 of 2"},
		"failed or not":   {[]spec.Outcome{fail, invalid}, fail, "fail, 1 of 2"},
		"nothing asked":   {[]spec.Outcome{spec.NotApplicable}, spec.NotApplicable, "not applicable"},
	} {
		t.Run(name, func(t *testing.T) {
			j := &judge.Judgement{Header: header("one", "argo")}
			for i, o := range one.outcomes {
				j.Results = append(j.Results, judged("argo", "drift", i+1, verdict("converged", o, "said")))
			}
			c := result.MatrixOf(j).Cell("argo", "drift")
			assert.Equal(t, one.verdict, c.Verdict)
			assert.Equal(t, one.word, c.Word())
			assert.Len(t, c.Results, len(one.outcomes))
		})
	}
}

// An oracle's message is that of the first repeat that fails, not of the first
// that was asked.
func TestFirstFailureSpeaks(t *testing.T) {
	m := result.MatrixOf(&judge.Judgement{Header: header("one", "argo"), Results: []judge.Result{
		judged("argo", "drift", 1, verdict("converged", spec.Pass, "fine")),
		judged("argo", "drift", 2, verdict("converged", spec.Fail, "first")),
		judged("argo", "drift", 3, verdict("converged", spec.Fail, "second")),
	}})
	o := m.Cell("argo", "drift").Oracles[0]
	assert.Equal(t, "first", o.Message)
	assert.Equal(t, 2, o.Round)
	assert.Equal(t, 2, o.Failed)
}

func TestASetsMatrixIsWithoutTheFloor(t *testing.T) {
	j := &judge.Judgement{Header: header("one", "floor", "argo"), Results: []judge.Result{passed("floor", "create"), passed("argo", "create")}}
	m := result.MatrixOf(j)
	assert.False(t, m.Correctness(), "what is only measured makes no matrix")
	require.Len(t, m.Styles, 2)
	rest := result.New(nil, j).Matrix
	assert.Equal(t, []result.Style{{Label: "argo", Name: "argo"}}, rest.Styles)
	assert.Len(t, rest.Rows()[0].Cells, 1)
	assert.Equal(t, "argo", rest.Cell("argo", "create").Style.Label)
	assert.Nil(t, rest.Cell("floor", "create"))
	assert.NotNil(t, m.Cell("floor", "create"))
}

func TestNothing(t *testing.T) {
	m := result.MatrixOf()
	assert.Empty(t, m.Rows())
	assert.Empty(t, result.New(nil).Matrix.Rows())
	assert.False(t, m.Correctness())
	assert.Empty(t, result.Compare(m, "argo", verdicts.Expected{}))
}

func TestVariantsStandBesideEachOther(t *testing.T) {
	base, head := passed("argo", "create"), judged("argo", "create", 1, verdict("converged", spec.Fail, "no"))
	base.Variant, head.Variant = "base", "head"
	m := result.MatrixOf(&judge.Judgement{Header: header("one"), Results: []judge.Result{base, head}})
	assert.Equal(t, spec.Pass, m.Cell("argo@base", "create").Verdict)
	assert.Equal(t, spec.Fail, m.Cell("argo@head", "create").Verdict)
	differences := result.Compare(m, "argo", verdicts.Expected{Path: "verdicts.yaml", Entries: []verdicts.Entry{{Scenario: "create", Verdict: spec.Pass}}})
	require.Len(t, differences, 1)
	assert.Equal(t, "argo@head", differences[0].Label)
}

// A scenario that only warmed up was not measured: it is no headline, and hides nobody
// from those that take less than a second.
func TestWhatOnlyWarmedUpIsNoHeadline(t *testing.T) {
	one := func(scenario string, warmup bool) judge.Result {
		r := said(scenario, "converged", spec.Pass)
		r.Matrix, r.Group, r.Warmup = false, spec.GroupLatency, warmup
		r.Samples = []judge.Sample{{Operator: "a", Scenario: scenario, Phase: spec.PhaseChildWritten, Block: 1, Unit: "s", Value: 0.1, Outcome: judge.OK, Warmup: warmup}}
		return r
	}
	j := &judge.Judgement{Header: record.Header{Styles: []record.Style{{Style: spec.Style{Name: "a"}}}}, Results: []judge.Result{one("create", true), one("scale-up", false)}}
	r := result.New(nil, j)
	assert.Equal(t, "scale-up", r.Headline())
	for _, need := range r.Needs() {
		if need.Name == "A change must be seen in under a second" {
			assert.Equal(t, []string{"a"}, need.First())
		}
	}
	j.Results = j.Results[:1]
	assert.Empty(t, result.New(nil, j).Headline())
}

// What a style's folder holds is counted anew in each run; the newest count is told.
func TestFactsAreTheNewest(t *testing.T) {
	began := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	counted := func(after time.Duration, lines int) result.Recording {
		return result.Recording{Judgement: &judge.Judgement{}, Environment: &record.Environment{
			Began: began.Add(after), Styles: []record.StyleFacts{{Name: "native", Owned: &record.Owned{Lines: lines}}},
		}}
	}
	r := result.Of(counted(time.Hour, 100), counted(3*time.Hour, 300), counted(2*time.Hour, 200), result.Recording{Judgement: &judge.Judgement{}})
	facts, environment := r.Facts("native")
	assert.Equal(t, 300, facts.Owned.Lines)
	assert.Equal(t, began.Add(3*time.Hour), environment.Began)
	facts, _ = r.Facts("other")
	assert.Nil(t, facts)
}

// Of several recordings a warning names the one that it is about.
func TestWarningsOfSeveralRunsNameTheirs(t *testing.T) {
	warned := func(run string) result.Recording {
		return result.Recording{Judgement: &judge.Judgement{Header: record.Header{Run: run}, Warnings: []string{"the audit log was interrupted"}}}
	}
	assert.Contains(t, result.Of(warned("one")).Warnings, "the audit log was interrupted")
	both := result.Of(warned("one"), warned("two")).Warnings
	assert.Contains(t, both, "run one: the audit log was interrupted")
	assert.Contains(t, both, "run two: the audit log was interrupted")
	assert.NotContains(t, both, "the audit log was interrupted")
}
