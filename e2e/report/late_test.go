package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
	made "operatorbench/e2e/report/internal/madetest"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
)

// burst is what a style did with a load in one run: so many custom resources, of
// which the first were done in time, so many seconds after they were asked for.
func burst(run, style string, all, done int, seconds float64) []judge.Result {
	var results []judge.Result
	for i := range all {
		r := judge.Result{
			Style: style, Scenario: "burst-create", Group: "load", Round: 1, Namespace: fmt.Sprintf("n-%s-%d", style, i), End: record.Settled,
			Verdicts: []judge.Verdict{{Oracle: "stays-converged", Outcome: spec.Pass}}, Ended: 10 * time.Second,
		}
		s := judge.Sample{Operator: style, Scenario: r.Scenario, Phase: spec.PhaseChildWritten, Run: run, Block: 1, Namespace: r.Namespace, Value: seconds, Unit: "s", Outcome: judge.OK}
		if i >= done {
			r.End, r.Reason, r.Ended, r.Verdicts[0].Outcome = record.TimedOut, "there is no Deployment", 300*time.Second, spec.NotApplicable
			s.Value, s.Outcome = 300, judge.Timeout
		}
		r.Samples = []judge.Sample{s}
		results = append(results, r)
	}
	return results
}

func runOf(run string, parts ...[]judge.Result) result.Recording {
	j := &judge.Judgement{Header: record.Header{Schema: record.Schema, Run: run}}
	for _, results := range parts {
		j.Results = append(j.Results, results...)
	}
	return result.Recording{Judgement: j}
}

// Where all were written in time and only their status was late, README says both.
func TestALateStatusIsNotALateWrite(t *testing.T) {
	late := burst("one", "argo", 5, 3, 2)
	for i := range late {
		status := late[i].Samples[0]
		status.Phase = spec.PhaseStatusWritten
		late[i].Samples[0].Value, late[i].Samples[0].Outcome = 2, judge.OK
		late[i].Samples = append(late[i].Samples, status)
	}
	var out bytes.Buffer
	require.NoError(t, report.Of(runOf("one", burst("one", "floor", 5, 5, 0.2), late)).Figures(&out, place()))
	assert.Contains(t, out.String(), "| 2.00 s (status late) | 3 of 5 | 5 (1) |", "all were written; the status has a column of its own")
	assert.NotContains(t, out.String(), "| ❌")
}

// What timed out is late: red, counted in every header, and nowhere a pass.
func TestLateInEveryFormat(t *testing.T) {
	r := report.Of(runOf("one", burst("one", "floor", 5, 5, 0.2), burst("one", "argo", 5, 0, 0), burst("one", "native", 5, 3, 1)))
	printed := func(write func(*bytes.Buffer) error) string {
		var out bytes.Buffer
		require.NoError(t, write(&out))
		return out.String()
	}
	const header = "8 of 15 samples handled correctly, 7 late"

	terminal := printed(func(out *bytes.Buffer) error { return r.Terminal(out, true) })
	assert.NotContains(t, terminal, "not applicable")
	assert.Contains(t, terminal, "\x1b[31m"+header+"\x1b[0m")
	assert.Regexp(t, `(?m)^argo .*\x1b\[31mlate 0 of 5 in time *\x1b\[0m.* 5 +1$`, terminal)
	assert.Regexp(t, `(?m)^native .*\x1b\[31mlate 3 of 5 in time *\x1b\[0m`, terminal)

	summary := printed(func(out *bytes.Buffer) error { return r.Markdown(out) })
	assert.Contains(t, summary, "❌ "+header)
	assert.Regexp(t, `(?m)^\| argo \|.*\| ❌ late 0 of 5 in time \|`, summary)

	readme := printed(func(out *bytes.Buffer) error { return r.Figures(out, place()) })
	assert.Contains(t, readme, "❌ 0 of 5 within 300 s")

	page := printed(func(out *bytes.Buffer) error { return html.Pages(r, html.Options{Alone: true})[0].Print(r, out) })
	assert.Contains(t, page, `class="fail">0 of 5 within 300 s`)

	junit := printed(func(out *bytes.Buffer) error { return r.JUnit(out) })
	assert.Contains(t, junit, `<testsuite name="argo" tests="1" failures="1" errors="0" skipped="0"`)
	assert.Contains(t, junit, `<failure message="late, 0 of 5 in time: given up after 300 s`)

	assert.Contains(t, printed(func(out *bytes.Buffer) error { return r.Bench(out) }), "# left out, as this format cannot say it: Reconcile/operator=argo/scenario=burst-create/phase=child_written 5 timeout")

	var d report.Document
	require.NoError(t, json.Unmarshal([]byte(printed(func(out *bytes.Buffer) error { return r.JSON(out) })), &d))
	assert.Equal(t, report.DocumentCounts{Passed: 8, Late: 7}, d.Counts)
	assert.Equal(t, spec.Late, d.Cells[1].Verdict)
	assert.Equal(t, []int{0, 5, 5}, []int{d.Cells[1].Passed, d.Cells[1].Late, d.Cells[1].Rounds})
	assert.False(t, r.Failed(), "how far a style is behind is a figure, and no verdict is expected of it")
}

// A single change that is late is a failure, even where every oracle passes.
func TestALateChangeFails(t *testing.T) {
	late := rounds("argo", 1)
	late[0].End = record.TimedOut
	assert.True(t, report.Of(runOf("one", late)).Failed())
	assert.False(t, report.Of(runOf("one", rounds("argo", 1))).Failed())
}

// An oracle that failed says more than the time, and a broken test environment says nothing.
func TestLateIsNotWhatAnOracleSays(t *testing.T) {
	one := func(outcome spec.Outcome, end string, matrix bool) spec.Outcome {
		return judge.Result{End: end, Matrix: matrix, Verdicts: []judge.Verdict{{Outcome: outcome}}}.Outcome()
	}
	for want, results := range map[spec.Outcome][]spec.Outcome{
		spec.Late:          {one(spec.Pass, record.TimedOut, false), one(spec.NotApplicable, record.TimedOut, false), one(spec.Pass, record.TimedOut, true)},
		spec.Fail:          {one(spec.Fail, record.TimedOut, false)},
		spec.Invalid:       {one(spec.Invalid, record.TimedOut, false)},
		spec.Pass:          {one(spec.Pass, record.Settled, false)},
		spec.NotApplicable: {one(spec.NotApplicable, record.Settled, false)},
	} {
		for _, got := range results {
			assert.Equal(t, want, got)
		}
	}
}

// rounds are those of single changes by one style, in seconds.
func rounds(style string, seconds ...float64) []judge.Result {
	var results []judge.Result
	for i, value := range seconds {
		results = append(results, judge.Result{
			Style: style, Scenario: "create", Round: i + 1, End: record.Settled, Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Pass}},
			Samples: []judge.Sample{{Operator: style, Scenario: "create", Phase: spec.PhaseChildWritten, Run: "one", Block: i + 1, Value: value, Unit: "s", Outcome: judge.OK}},
		})
	}
	return results
}

// Styles that cannot be told apart have the ranks that they may have, in all tables.
func TestRanking(t *testing.T) {
	r := report.Of(runOf("one",
		rounds("floor", 0.02, 0.02, 0.02), rounds("argo", 62, 63, 61), rounds("slower", 0.026, 0.034, 0.022), rounds("native", 0.02, 0.03, 0.025), rounds("late", 300),
	))
	assert.Equal(t, []result.Rank{{Label: "floor"}, {Label: "native", Place: 1, Last: 2}, {Label: "slower", Place: 1, Last: 2}, {Label: "argo", Place: 3, Last: 3}, {Label: "late"}},
		r.Ranking("create"))
	labels, rows := readmeRows(t, r)
	assert.Equal(t, []string{"floor", "native", "slower", "argo", "late"}, labels)
	assert.Equal(t, "1–2", rows["native"]["rank"])
	assert.Equal(t, "3", rows["argo"]["rank"])
	assert.Equal(t, "–", rows["late"]["rank"], "of one round nothing can be told")
	assert.Equal(t, "1 to 3 rounds of 1 pass", r.RoundsText())
	var out bytes.Buffer
	require.NoError(t, r.Markdown(&out))
	assert.Contains(t, out.String(), "| slower | 1–2 | 26.0 ms | – | 1.30 | ✅ pass 3/3 |")
	out.Reset()
	require.NoError(t, r.Terminal(&out, false))
	assert.Regexp(t, `(?m)^slower +1–2 +26.0 ms .* pass 3/3 `, out.String())
}

// A foreign text names nobody, links no issue, and turns no text around.
func TestForeignTextsTellNobody(t *testing.T) {
	const evil = "@octocat #1 \u202eevil\u2066 argo@head"
	r := report.Of(runOf("one", []judge.Result{{
		Style: "argo", Scenario: "create", Round: 1, Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Fail, Message: evil}},
	}}))
	r.Warnings = []string{evil}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"summary.md": func(out *bytes.Buffer) error { return r.Markdown(out) },
		"terminal":   func(out *bytes.Buffer) error { return r.Terminal(out, false) }, "junit.xml": func(out *bytes.Buffer) error { return r.JUnit(out) },
	} {
		var out bytes.Buffer
		require.NoError(t, write(&out))
		assert.NotContains(t, out.String(), "\u202e", name)
		assert.NotContains(t, out.String(), "\u2066", name)
		assert.Contains(t, out.String(), "argo@head", name)
		if strings.HasSuffix(name, ".md") {
			assert.NotContains(t, out.String(), "@octocat", name)
			assert.NotContains(t, out.String(), "#1", name)
			assert.Contains(t, out.String(), "@<!-- -->octocat #<!-- -->1", name)
		}
	}
}

// A sample of the correctness matrix that timed out is no pass either, though
// every oracle passes; what was last missing is said in every format.
func TestLateInTheMatrix(t *testing.T) {
	const why = "nothing has moved for 45s: Workflow w-1 has not ended"
	one := made.Recording("one", rows(), made.Cell{Style: "argo", Scenario: "upgrade", Repeats: []made.Repeat{made.Pass(), made.Pass()}})
	last := &one.Judgement.Results[1]
	last.End, last.Reason = record.TimedOut, why
	one.Expected = map[string]verdicts.Expected{"argo": made.Expected("argo", rows(), "upgrade: pass\n")}
	r := report.Of(one)
	assert.True(t, r.Failed())
	short, all := r.Tally("argo")
	assert.Equal(t, []string{"1 of 1 fail or are late", "1 of 1 fail or are late, 1 of them late, 1 not as expected"}, []string{short, all})
	require.Len(t, r.Differences(), 1)
	assert.Equal(t, "argo upgrade: expected pass, seen late, 1 of 2 in time; given up after 12 s, though no oracle failed: "+why, r.Differences()[0].String())
	for name, write := range map[string]func(io.Writer) error{
		"terminal": func(w io.Writer) error { return r.Terminal(w, false) },
		"markdown": r.Markdown, "junit": r.JUnit, "json": r.JSON,
		"html": func(w io.Writer) error { return html.Pages(r, html.Options{Alone: true})[0].Print(r, w) },
	} {
		var out bytes.Buffer
		require.NoError(t, write(&out))
		said := strings.Join(strings.Fields(strings.ReplaceAll(out.String(), "\\", "")), " ")
		assert.Contains(t, said, why, name)
		assert.Contains(t, said, "late", name)
	}
}

// A run that ended early says how many rounds were asked for, where that is known.
func TestFewerRoundsThanWereAskedFor(t *testing.T) {
	one := runOf("one", rounds("native", 0.02, 0.03, 0.025))
	one.Environment = &record.Environment{Early: true}
	assert.Equal(t, "3 rounds of 1 pass, fewer rounds than were asked for", report.Of(one).RoundsText())
	one.Environment.Flags = map[string]string{"rounds": "12"}
	assert.Equal(t, "3 rounds of 1 pass, fewer than the 12 that were asked for", report.Of(one).RoundsText())
	one.Environment.Flags["rounds"] = "3" // of the last of them something is missing
	assert.Equal(t, "3 rounds of 1 pass, the last cut short", report.Of(one).RoundsText())
}

// Of a run that ended early each format says what was not driven; what that
// interrupted is no verdict.
func TestARunThatEndedEarly(t *testing.T) {
	const undriven = "the run ended before all was driven. What was not: argo: 1 of 2 scenarios, create"
	one := made.Recording("one", rows(),
		made.Cell{Style: "argo", Scenario: "upgrade", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "argo", Scenario: "drift-replicas", Repeats: []made.Repeat{made.Invalid("the sample was interrupted: context canceled")}})
	one.Judgement.Results[1].End = record.Interrupted
	one.Expected = map[string]verdicts.Expected{"argo": made.Expected("argo", rows(), "upgrade: pass\ndrift-replicas: pass\n")}
	assert.Len(t, report.Of(one).Differences(), 1, "a step failed, and the run went on")
	one.Environment = &record.Environment{Undriven: undriven, Early: true}
	r := report.Of(one)
	assert.Empty(t, r.Differences())
	assert.False(t, r.Failed())
	for name, write := range map[string]func(io.Writer) error{
		"terminal": func(w io.Writer) error { return r.Terminal(w, false) },
		"markdown": r.Markdown, "json": r.JSON,
		"html": func(w io.Writer) error { return html.Pages(r, html.Options{Alone: true})[0].Print(r, w) },
	} {
		var out bytes.Buffer
		require.NoError(t, write(&out))
		assert.Contains(t, strings.Join(strings.Fields(strings.ReplaceAll(out.String(), "\\", "")), " "), undriven, name)
	}
}

// CSV has no bound for a figure, and no figure that only orders.
func TestCSVHasNoBoundForAFigure(t *testing.T) {
	status := burst("one", "native", 5, 5, 1)
	for i := range status {
		more := status[i].Samples[0]
		more.Phase = spec.PhaseStatusWritten
		status[i].Samples = append(status[i].Samples, more)
	}
	var out bytes.Buffer
	require.NoError(t, report.Of(runOf("one", burst("one", "floor", 5, 5, 0.2), burst("one", "argo", 5, 3, 2), status)).CSV(&out))
	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	cells := map[string]map[string]string{}
	for _, row := range rows[1:] {
		cells[row[1]] = map[string]string{}
		for i, head := range rows[0] {
			cells[row[1]][head] = row[i]
		}
	}
	assert.Equal(t, "3 of 5 within 300 s", cells["argo"]["burst-create.last"])
	assert.Equal(t, "1", cells["native"]["burst-create.last"])
	assert.Equal(t, "5 of 5", cells["native"]["burst-create.status"])
}

// Of two runs, each is a case of its own, with its own verdict.
func TestJUnitOfTwoRuns(t *testing.T) {
	create := func(run string, outcome spec.Outcome) result.Recording {
		return runOf(run, []judge.Result{{
			Style: "native", Scenario: "create", Group: spec.GroupLatency, Round: 1, End: record.Settled, Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: outcome, Message: run}},
			Samples: []judge.Sample{{Operator: "native", Scenario: "create", Phase: spec.PhaseChildWritten, Run: run, Block: 1, Value: 1, Unit: "s", Outcome: judge.OK}},
		}})
	}
	passed, failed := create("a", spec.Pass), create("b", spec.Fail)
	passed.Expected = map[string]verdicts.Expected{"native": {Path: "verdicts.yaml", Entries: []verdicts.Entry{{Scenario: "create", Verdict: spec.Pass}}}}
	r := report.Of(passed, failed)
	var out bytes.Buffer
	require.NoError(t, r.JUnit(&out))
	assert.Contains(t, out.String(), `failures="1"`)
	assert.Contains(t, out.String(), `classname="operatorbench.native.a"`)
	assert.NotContains(t, out.String(), "seen pass")
}
