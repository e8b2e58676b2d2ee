package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	made "operatorbench/e2e/report/internal/madetest"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
)

// place is where a README's block finds what it shows.
func place() report.Place {
	return report.Place{Folder: "docs/example", Made: "opbench report --format=readme docs/example", Light: "light.svg", Dark: "dark.svg", Page: "report.html", Markdown: "summary.md", Figures: "ALL.md"}
}

// readmeRows are the cells of the README's tables of styles, by style and by column; labels are those of the first
// table.
func readmeRows(t *testing.T, r *report.Report) (labels []string, rows map[string]map[string]string) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, r.Figures(&out, place()))
	rows = map[string]map[string]string{}
	var header []string
	tables := 0
	for line := range strings.Lines(out.String()) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		switch {
		case strings.HasPrefix(line, "| style "):
			header, tables = cells, tables+1
			continue
		case header == nil, strings.HasPrefix(line, "| ---"):
			continue
		case !strings.HasPrefix(line, "| "):
			header = nil
			continue
		}
		require.Len(t, cells, len(header), line)
		label, _, linked := strings.Cut(strings.Trim(cells[0], "* ["), "](operators/")
		require.True(t, linked, line)
		if tables == 1 {
			labels = append(labels, label)
		}
		if rows[label] == nil {
			rows[label] = map[string]string{}
		}
		for i, cell := range cells {
			rows[label][strings.TrimSpace(header[i])] = strings.TrimSpace(cell)
		}
	}
	return labels, rows
}

func TestREADMEOfTenStyles(t *testing.T) {
	one := made.Many(made.Ten(), 3)
	one.Expected = map[string]verdicts.Expected{"native": {Path: "verdicts.yaml", Entries: []verdicts.Entry{{Verdict: "pass"}, {Verdict: "pass"}, {Verdict: "fail"}}}}
	labels, rows := readmeRows(t, report.Of(one))
	assert.Equal(t, []string{
		"floor", "native", "controller-runtime", "argo-direct", "argo-best", "argo-single-step", "argo-ordered", "argo-fast-requeue", "argo", "idle",
	}, labels, "the floor, then the fastest first, as in the picture")
	assert.Regexp(t, `^6\d\.\d s$`, rows["argo"]["create written"], "three rounds have no interval")
	assert.Equal(t, "3 (3)", rows["argo"]["n (rounds)"])
	assert.Equal(t, "❌ 0 of 150 within 180 s (100 wrong)", rows["argo"]["burst-create, last"], "of a load, how many were written in time")
	assert.Equal(t, "not recorded", rows["native"]["tests that fail"], "what its verdicts.yaml expects was not seen")
	assert.NotContains(t, rows["floor"], "tests that fail")
	assert.Len(t, rows["argo"], 13, "the rest is in the reports: %v", rows["argo"])
	assert.Equal(t, "294 MiB", rows["argo"]["peak memory"])
	assert.Equal(t, "800", rows["controller-runtime"]["lines"], "what a generator wrote is not counted")
}

// What a recording does not have is no column, and what it measured is one.
func TestREADMEHasTheColumnsThatAreKnown(t *testing.T) {
	_, rows := readmeRows(t, report.New(nil, made.Many(made.Ten()[:2], 1).Judgement))
	for head := range rows["argo"] {
		assert.NotContains(t, head, "scale", "the first look has one kind of change")
	}
	assert.NotContains(t, rows["argo"], "rank", "one round ranks nobody")
	assert.NotContains(t, rows["argo"], "peak memory")
	assert.NotContains(t, rows["argo"], "lines")
	assert.Equal(t, "not recorded", rows["argo"]["tests that fail"])
}

// Enough rounds make an interval.
func TestREADMEShowsTheInterval(t *testing.T) {
	_, rows := readmeRows(t, report.New(nil, made.Many(made.Ten()[:3], 12).Judgement))
	assert.Regexp(t, `^\d\d\.\d s \\\[\d\d\.\d s, \d\d\.\d s\]$`, rows["argo"]["create written"])
}

// A matrix that was driven counts, not what was expected of it: what fails, of
// what applies.
func TestREADMECountsTheMatrixThatWasSeen(t *testing.T) {
	r := matrixReport()
	short, tally := r.Tally("argo")
	assert.Equal(t, "4 of 7 fail", short)
	assert.Equal(t, "4 of 7 fail, 1 of them flaky, 1 invalid, 3 not as expected", tally)
	_, rows := readmeRows(t, r)
	assert.Equal(t, "[4 of 7, 1 could not be judged](ALL.md#failed-argo)", rows["argo"]["tests that fail"])
}

// The matrix may be of another machine than the latencies, and of some styles only.
func TestREADMEOfLatenciesAndAMatrixOfOneStyle(t *testing.T) {
	list := []record.Scenario{{Name: "burst", Group: "level"}, {Name: "bus-down", Group: "fault"}}
	matrix := made.Recording("matrix", list,
		made.Cell{Style: "native", Scenario: "burst", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "native", Scenario: "bus-down", Repeats: []made.Repeat{made.Exempt("native has no bus")}})
	latencies := made.Many(made.Ten(), 3)
	elsewhere := *latencies.Environment
	elsewhere.Host.CPU, elsewhere.Revision = "Another CPU", "abc"
	matrix.Environment = &elsewhere
	r := report.Of(latencies, matrix)
	for _, w := range r.Warnings {
		assert.NotContains(t, w, "machines")
	}
	require.NotNil(t, r.Environment, "that of the latencies")
	_, rows := readmeRows(t, r)
	assert.Equal(t, "0 of 5", rows["native"]["tests that fail"], "the measured ones among them")
	assert.Equal(t, "not recorded", rows["argo"]["tests that fail"])
	var out bytes.Buffer
	require.NoError(t, r.Figures(&out, place()))
	assert.Contains(t, out.String(), "Measured in one run (3 rounds of 1 pass, 3 rounds of each load) on Some CPU")
	out.Reset()
	require.NoError(t, r.Markdown(&out))
	assert.Contains(t, out.String(), "- native: 0 of 5 fail, 1 not applicable\n")
	assert.Contains(t, out.String(), "- argo: not recorded\n")
}

// The first screen says what its columns are, what the cluster takes alone, and who handled measured changes wrongly.
func TestREADMESaysWhatItsFiguresAre(t *testing.T) {
	some := made.Thirty()[:7] // the floor, and one style of each language
	var cells []made.Cell
	for _, s := range some[1:] {
		cells = append(cells, made.Cell{Style: s.Name, Scenario: "burst", Repeats: []made.Repeat{made.Pass()}})
	}
	one := made.Many(some, 12)
	one.Judgement.Results = append(one.Judgement.Results, judge.Result{
		Style: "a-go-operator-00", Scenario: "delete", Group: "latency", Round: 1, End: record.Settled,
		Verdicts: []judge.Verdict{{Oracle: "gone", Outcome: spec.Fail, Message: "it is there"}},
	})
	var out bytes.Buffer
	require.NoError(t, report.Of(one, made.Recording("matrix", []record.Scenario{{Name: "burst", Group: "level"}}, cells...)).README(&out, place()))
	assert.Regexp(t, `The Deployment of a new custom resource is written after [\d.]+ ms to [\d.]+ ms, and its pods are ready after .*\d ms.* \(without any operator: [\d.]+ ms and 71\d ms\)`, out.String())
	assert.Contains(t, out.String(), "| if you … | use | Deployment written after | pods ready after | all of 50 written after | tests that fail | peak memory |")
	assert.Contains(t, out.String(), "\n\nRecorded on 2 January 2026. Handled wrongly or late: a-go-operator-00 (delete was right 12 of 13 times).")
	for _, about := range []string{
		"Figures without a mark: run many (2026-01-02, 12 rounds of 1 to 2 passes, 12 rounds of each load).",
		"*all of 50 written after*: the time until the last custom resource of the load is written; median over rounds.",
	} {
		assert.Contains(t, out.String(), "\n- "+about+"\n")
	}
	assert.Contains(t, out.String(), "[All styles, with intervals, n and ranks](ALL.md).")
	assert.NotContains(t, out.String(), "or gone")
}

// matrixOf is a report of styles that fail so many of ten tests, each on a framework, with latencies of all.
func matrixOf(fails map[string]int, frameworks map[string]string) *report.Report {
	var list []record.Scenario
	for i := range 10 {
		list = append(list, record.Scenario{Name: fmt.Sprintf("test-%d", i), Group: "level"})
	}
	some := plain.Where(made.Thirty(), func(s made.Style) bool { _, is := fails[s.Name]; return is })
	var cells []made.Cell
	for _, s := range some {
		for i, one := range list {
			repeat := made.Pass()
			if i < fails[s.Name] {
				repeat = made.Fail("no", "converged")
			}
			cells = append(cells, made.Cell{Style: s.Name, Scenario: one.Name, Repeats: []made.Repeat{repeat}})
		}
	}
	many := made.Many(some, 12)
	for i := range many.Judgement.Header.Styles {
		s := &many.Judgement.Header.Styles[i]
		s.Framework = &spec.Framework{Name: frameworks[s.Name]}
	}
	return report.Of(many, made.Recording("matrix", list, cells...))
}

// A difference of one test that was recorded once is none, and is not told as one.
func TestTheFewestFailuresAreATieOfOne(t *testing.T) {
	const one, other, third = "a-go-operator-00", "a-python-operator-01", "a-java-operator-02"
	for want, fails := range map[string]map[string]int{
		"none of 14 tests fails with a-go-operator-00 and a-python-operator-01.":                                                                        {one: 0, other: 0, third: 2},
		"at most one of 14 tests fails with a-python-operator-01 and a-go-operator-00; most were recorded once, so a difference of one proves nothing.": {one: 1, other: 0, third: 2},
		"3 of 14 tests fail with a-go-operator-00.":                                                                                                     {one: 3, other: 5, third: 7},
		"3 or 4 of 14 tests fail with a-go-operator-00 and a-java-operator-02; most were recorded once, so a difference of one proves nothing.":         {one: 3, other: 5, third: 4},
	} {
		answers := matrixOf(fails, nil).Answers()
		assert.Contains(t, answers, report.Answer{Lead: "When something breaks,", Text: want})
	}
}

// Where styles on one framework differ more than languages do, that is told.
func TestHowAStyleIsWrittenMayMatterMoreThanItsLanguage(t *testing.T) {
	const lead = "How it is written matters more than the language."
	fails := map[string]int{"a-go-operator-00": 1, "a-go-operator-06": 9, "a-python-operator-01": 0, "a-java-operator-02": 2}
	same := map[string]string{"a-go-operator-00": "one", "a-go-operator-06": "one"}
	assert.Contains(t, matrixOf(fails, same).Answers(),
		report.Answer{Lead: lead, Text: "On the same framework, 1 test fails with a-go-operator-00 and 9 with a-go-operator-06."})
	fails["a-java-operator-02"] = 8 // languages differ as much
	for _, one := range matrixOf(fails, same).Answers() {
		assert.NotEqual(t, lead, one.Lead)
	}
}

// What each style fails is listed by cause, with what it costs, where the table of styles leads to.
func TestFiguresSayWhyTestsFail(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, matrixReport().Figures(&out, report.Place{}))
	_, list, found := strings.Cut(out.String(), "**Why do they fail?**")
	require.True(t, found)
	assert.Contains(t, out.String(), "](#failed-argo)")
	assert.Contains(t, list, "\n<a id=\"failed-argo\"></a>**argo**, 4 of 7, 1 could not be judged:\n\n- **drift-replicas** (lost): Only the custom resource is watched, not its Deployment. *run shard-1*\n")
	assert.Contains(t, list, "\n- **killed-while-working** (never recovers): The event was taken and is gone with the pod. *run shard-2*\n")
	assert.Contains(t, list, "\n- **size-negative** (otherwise wrong): A size of -1 is asked for. refused: expected a message that says \"minimum\"; seen none by +12 s. *run shard-1*\n", "what is not expected has what its oracle said")
}

// Where the tests were recorded on an earlier version than the latencies, that is told.
func TestFiguresSayOnWhichVersions(t *testing.T) {
	first, second := made.Many(made.Ten()[:3], 3), made.Many(made.Ten()[:3], 3)
	second.Judgement.Header.Run = "later"
	styles := second.Judgement.Header.Styles
	styles[0].Framework = &spec.Framework{Name: styles[0].Framework.Name, Version: "1.2.4"}
	var out bytes.Buffer
	require.NoError(t, report.Of(first, second).Figures(&out, place()))
	assert.Contains(t, out.String(), "Not all figures of a style are from one version of its framework: "+styles[0].Name+" (1.2.3 and 1.2.4).\n")
}

// A create is over when the child is there, a deletion when it is gone.
func TestColumnsSayWhenAChangeIsOver(t *testing.T) {
	r := report.Of(made.Many(made.Ten()[:2], 3))
	for id, want := range map[string]string{
		result.Written("create"): "the " + r.Child() + " is as the create asks", result.Ready("create"): "its pods are ready",
		result.Written("delete"): "the " + r.Child() + " is gone", result.Ready("delete"): "its pods are gone",
	} {
		assert.Equal(t, "median time until "+want, r.Choose(id)[0].Text, id)
	}
}

// A run that has a growth, or a ramp, is a column of the first table each, with the run that it is from.
func TestREADMEHasWhatGrowthsAndRampsGive(t *testing.T) {
	matrix := made.Recording("matrix", []record.Scenario{{Name: "bus-down", Group: "fault"}},
		made.Cell{Style: "native", Scenario: "bus-down", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "controller-runtime", Scenario: "bus-down", Repeats: []made.Repeat{made.Pass()}})
	load := func(run, scenario string, ramp *spec.Ramp, of func(*judge.Result, *judge.Sample)) result.Recording {
		j := &judge.Judgement{Header: record.Header{Schema: record.Schema, Run: run, Scenarios: []record.Scenario{{Name: scenario, Group: spec.GroupLoad, Ramp: ramp}}}}
		for i := range 100 {
			r := judge.Result{Style: "controller-runtime", Scenario: scenario, Group: spec.GroupLoad, Round: 1, End: record.Settled}
			s := judge.Sample{
				Operator: "controller-runtime", Scenario: scenario, Run: run, Block: 1, Phase: spec.PhaseChildWritten, Outcome: judge.OK,
				From: time.Duration(i) * 100 * time.Millisecond, Value: 0.02,
			}
			s.At = s.From + 20*time.Millisecond
			of(&r, &s)
			r.Samples = []judge.Sample{s}
			j.Results = append(j.Results, r)
		}
		return result.Recording{Judgement: j}
	}
	growth := load("grown", "growth", nil, func(r *judge.Result, s *judge.Sample) {
		r.Stage, r.Held, s.Stage, s.Held = record.StageMore, 1000, record.StageMore, 1000
	})
	rest := func(customs int, restarted bool, mib float64) cost.Rest {
		return cost.Rest{Load: "growth", Customs: customs, Restarted: restarted, Memory: cost.Figure{Unit: "bytes", Values: []cost.Value{{Round: 1, Value: mib * (1 << 20)}}}}
	}
	growth.Costs = []cost.Cost{{Style: "controller-runtime", Rests: []cost.Rest{rest(0, false, 16), rest(1000, false, 36), rest(1130, true, 50)}, Kept: []cost.Kept{{Load: "growth"}}}}
	ramp := load("ramped", "ramp", &spec.Ramp{From: 10, Most: 10, Hold: 10 * time.Second, P99: time.Second}, func(r *judge.Result, s *judge.Sample) { r.Rate, s.Rate = 10, 10 })
	front := func(recordings ...result.Recording) string {
		var out bytes.Buffer
		require.NoError(t, report.Of(append([]result.Recording{made.Many(made.Ten(), 3), matrix}, recordings...)...).README(&out, place()))
		_, table, found := strings.Cut(out.String(), "\n| if you … ")
		require.True(t, found, out.String())
		return table
	}
	without, with := front(), front(growth, ramp)
	assert.Equal(t, with, front(ramp, growth), "columns stand in one order, whatever the order of the runs")
	assert.Contains(t, without, "| all of 50 written after | tests that fail | peak memory |\n")
	assert.Contains(t, with, "| all of 50 written after | tests that fail | peak memory | memory at 1000 ¹ | rate held ² |\n")
	assert.Regexp(t, `\n\| write Go \| \[controller-runtime\]\(operators/controller-runtime/README.md\) .* \| 36\.0 MiB \| ≥ 10/s \|\n`, with)
	for _, note := range []string{
		"*memory at 1000*: memory of all its pods at rest, once so many custom resources are handled.", "*rate held*: the most changes a second that are written in time",
		"¹: run grown", "²: run ramped",
	} {
		assert.Contains(t, with, note)
		assert.NotContains(t, without, note)
	}
}

func TestSplice(t *testing.T) {
	const begin, end = "<!-- results:begin -->\n", "<!-- results:end -->\n"
	got, err := report.Splice([]byte("a\n"+begin+"old\n"+end+"z\n"), []byte("new\n"))
	require.NoError(t, err)
	assert.Equal(t, "a\n"+begin+"new\n"+end+"z\n", string(got))
	for name, readme := range map[string]string{
		"no block": "a\n", "no end": begin, "two": begin + end + begin + end, "end first": end + begin,
	} {
		_, err := report.Splice([]byte(readme), nil)
		assert.Error(t, err, name)
	}
}

// A foreign text must not leave the place that it is put in.
func TestREADMEOfForeignTexts(t *testing.T) {
	const evil = "a|b `c` <d> \"e\" \x00\x1b[31m *f*"
	result := judge.Result{Style: evil, Scenario: evil, Round: 1, Samples: []judge.Sample{
		{Operator: evil, Scenario: evil, Phase: spec.PhaseChildWritten, Value: 1, Outcome: judge.OK},
	}}
	var out bytes.Buffer
	require.NoError(t, report.New(nil, &judge.Judgement{Results: []judge.Result{result}, Warnings: []string{evil}}).Figures(&out, place()))
	assert.NotContains(t, out.String(), "<d>")
	_, picture, _ := strings.Cut(out.String(), "<picture>")
	assert.NotContains(t, strings.SplitAfter(picture, "</picture>")[0], `"e"`)
	assert.NotContains(t, out.String(), "\x1b")
	sameColumns(t, out.String())
}

// Ten styles with names as long as they are can still be told apart in a terminal, and compared: no column is cut off,
// and one for which there is no room is named.
func TestTerminalOfTenStyles(t *testing.T) {
	ten := made.Ten()
	ten[1].Name = "controller-runtime-defaults"
	var out bytes.Buffer
	require.NoError(t, report.Of(made.Many(ten, 7)).Terminal(&out, false))
	narrow(t, out.String(), "^$")
	assert.NotContains(t, out.String(), "…\n")
	for _, title := range []string{"create ", "delete ", "Cost of a change", "What there is to maintain"} {
		_, rest, found := strings.Cut(out.String(), "\n"+title)
		require.True(t, found, title)
		table, _, _ := strings.Cut(rest, "\n\n")
		for _, s := range ten[1:] {
			assert.Contains(t, table, "\n"+s.Name+" ", title)
		}
	}
	assert.Regexp(t, `\ncreate +rank written p50 ready p50 +× floor verdict +max written max ready n r\nfloor `, out.String())
	assert.Regexp(t, `\ndelete +rank gone p50 pods gone p50 +× floor verdict +max gone max pods gone +n +r\nfloor `, out.String())
	assert.Regexp(t, `\n +written +ready +max +max\nburst-create +rank +p50 +p50 +× floor verdict`, out.String(), "heads are stacked where they are too wide")
	assert.Contains(t, out.String(), "a framework 1.2.3 (2026-01-02)", "the last column is whole")
}
