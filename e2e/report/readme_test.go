package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	made "operatorbench/e2e/report/internal/madetest"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
)

// place is where a README's block finds what it shows.
func place() report.Place {
	return report.Place{Folder: "docs/example", Made: "opbench report --format=readme docs/example", Light: "light.svg", Dark: "dark.svg", Page: "report.html", Markdown: "summary.md"}
}

// readmeRows are the cells of the README's tables of styles, by style and by column; labels are those of the first table.
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
	assert.Equal(t, "4 of 8 fail", short)
	assert.Equal(t, "4 of 8 fail, 1 of them flaky, 1 invalid, 3 not as expected", tally)
	_, rows := readmeRows(t, r)
	assert.Equal(t, "[4 of 8, 1 could not be judged](docs/example/summary.md#failed-argo)", rows["argo"]["tests that fail"])
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
	assert.Regexp(t, `the pods of a new custom resource are ready after .*\d ms.* \(71\d ms without any operator\)`, out.String())
	assert.Contains(t, out.String(), "*50 at once*: until the last of so many custom resources is written")
	assert.Contains(t, out.String(), "*Memory*: the most of all its pods")
	assert.Contains(t, out.String(), "Of the measured changes of a-go-operator-00 not all were right: delete was right 12 of 13 times.")
	assert.NotContains(t, out.String(), "or gone")
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
	assert.Contains(t, without, "| 50 at once | tests that fail | memory |\n")
	assert.Contains(t, with, "| 50 at once | tests that fail | memory | memory at 1000 ¹ | rate held ² |\n")
	assert.Regexp(t, `\n\| write Go \| \[controller-runtime\]\(operators/controller-runtime/README.md\) .* \| 36\.0 MiB \| ≥ 10/s \|\n`, with)
	for _, note := range []string{
		"*Memory at 1000*: memory of all its pods at rest, once so many custom resources are handled.", "*Rate held*: the most changes a second that are written in time",
		"¹: measured in another run, grown.", "²: measured in another run, ramped.",
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
	columns := 0 // of the table that a line is in
	for line := range strings.Lines(out.String()) {
		bars := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			columns = 0
		case columns == 0:
			columns = bars
		default:
			assert.Equal(t, columns, bars, line)
		}
	}
}

// Ten styles with names as long as they are can still be told apart in a terminal.
func TestTerminalOfTenStyles(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.Of(made.Many(made.Ten(), 7)).Terminal(&out, false))
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, line)
	}
	for _, title := range []string{"style ", "Cost of a change", "What there is to maintain"} {
		_, rest, found := strings.Cut(out.String(), "\n"+title)
		require.True(t, found, title)
		table, _, _ := strings.Cut(rest, "\n\n")
		for _, s := range made.Ten()[1:] {
			assert.Contains(t, table, "\n"+s.Name+" ", title)
		}
	}
	assert.Contains(t, out.String(), "a framework 1.2.3 (2026-01-02)\n", "the last column is whole")
}
