package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

var update = flag.Bool("update", false, "write the golden files anew")

const handMade = "testdata/hand-made"

func handMadeReport(t *testing.T) *report.Report {
	t.Helper()
	one, err := result.Load(handMade)
	require.NoError(t, err)
	return report.Of(one)
}

// golden compares what is printed with a file, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join(handMade, name)
	if strings.HasSuffix(name, ".json") { // readable, so that a difference is
		var readable bytes.Buffer
		require.NoError(t, json.Indent(&readable, got, "", " "))
		got = readable.Bytes()
	}
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "go test ./e2e/report -update writes %s anew", path)
}

func TestGolden(t *testing.T) {
	r := handMadeReport(t)
	for name, write := range map[string]func(io.Writer) error{
		"terminal.txt":     func(w io.Writer) error { return r.Terminal(w, false) },
		report.SummaryFile: r.Markdown,
		report.JUnitFile:   r.JUnit,
		report.SamplesFile: r.SamplesJSON,
		report.ReportFile:  r.JSON,
		report.BenchFile:   r.Bench,
		"readme-block.md":  func(w io.Writer) error { return r.README(w, place()) },
		"figures-block.md": func(w io.Writer) error { return r.Figures(w, place()) },
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			require.NoError(t, write(&got))
			golden(t, name, got.Bytes())
		})
	}
}

// Colours are all that a terminal has beside the text; what failed is red.
func TestTerminalInColour(t *testing.T) {
	var plain, coloured bytes.Buffer
	require.NoError(t, handMadeReport(t).Terminal(&plain, false))
	require.NoError(t, handMadeReport(t).Terminal(&coloured, true))
	assert.Contains(t, coloured.String(), "\x1b[31mflaky 1/3")
	assert.Equal(t, plain.String(), regexp.MustCompile(`\x1b\[\d+m`).ReplaceAllString(coloured.String(), ""))
}

// nasty is a report whose every text tries to break the formats.
func nasty() *report.Report {
	evil := "a|b `c` <d> \x00\x1b[31m ]]> *e* \ufffe ```f``` \xff"
	long := strings.Repeat("name", 20)
	result := judge.Result{
		Style: long, Scenario: "sc|en<a>rio", Round: 1, Namespace: "n",
		Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Fail, Message: evil, Evidence: []string{evil, evil}}},
		Samples: []judge.Sample{
			{Operator: long, Scenario: "sc|en<a>rio", Phase: long, Value: 180, Outcome: judge.Timeout},
			{Operator: long, Scenario: "sc|en<a>rio", Phase: long, Value: 181, Outcome: judge.Wrong},
			{Operator: long, Scenario: "sc|en<a>rio", Phase: long, Value: 181, Outcome: judge.Interrupted},
		},
	}
	return report.New(nil, &judge.Judgement{Results: []judge.Result{result}, Warnings: []string{evil}})
}

// narrow checks that lines take 100 columns at most, but for those that match: a terminal breaks them well enough.
func narrow(t *testing.T, text, but string) {
	t.Helper()
	wide := regexp.MustCompile(but)
	for line := range strings.Lines(text) {
		if !wide.MatchString(line) {
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, "%q", line)
		}
	}
}

func TestTerminalIsAtMost100ColumnsWide(t *testing.T) {
	for _, r := range []*report.Report{handMadeReport(t), nasty()} {
		var out bytes.Buffer
		require.NoError(t, r.Terminal(&out, false))
		narrow(t, out.String(), `^[^ ]`) // titles and warnings
	}
}

// A foreign text must not reach the terminal with its control characters.
func TestTerminalPrintsNoForeignEscapes(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, nasty().Terminal(&out, false))
	assert.NotContains(t, out.String(), "\x1b")
	assert.NotContains(t, out.String(), "\x00")
}

func TestJUnitIsWellFormed(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, nasty().JUnit(&out))
	assert.True(t, utf8.Valid(out.Bytes()))
	decoder := xml.NewDecoder(&out)
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
}

// sameColumns checks that all lines of a Markdown table have as many columns as its first one.
func sameColumns(t *testing.T, text string) {
	t.Helper()
	columns := 0
	for line := range strings.Lines(text) {
		bars := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		switch {
		case !strings.HasPrefix(line, "|"):
			columns = 0
		case columns == 0:
			columns = bars
		default:
			assert.Equal(t, columns, bars, "%q", line)
		}
	}
}

func TestMarkdownTablesKeepTheirColumns(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, nasty().Markdown(&out))
	sameColumns(t, out.String())
	assert.NotContains(t, out.String(), "<d>\n")
}

func TestEmptyRecording(t *testing.T) {
	r := report.New(nil, &judge.Judgement{})
	assert.False(t, r.Failed())
	var out bytes.Buffer
	require.NoError(t, r.Terminal(&out, false))
	assert.Equal(t, "The recording holds no sample.\n", out.String())
	require.NoError(t, r.Markdown(&out))
	require.NoError(t, r.JUnit(&out))
}

func TestWriteFiles(t *testing.T) {
	dir := t.TempDir()
	r := handMadeReport(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, report.SamplesFile), []byte("old"), 0o644))
	further := report.File{Name: "further.txt", Print: func(r *report.Report, out io.Writer) error {
		_, err := io.WriteString(out, strings.Join(r.Runs, ","))
		return err
	}}
	require.NoError(t, r.WriteFiles(dir, further))
	assert.FileExists(t, filepath.Join(dir, "further.txt"))
	for _, file := range report.Files() {
		name := file.Name
		want, err := os.ReadFile(filepath.Join(handMade, name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		if file.Name == report.ReportFile {
			assert.JSONEq(t, string(want), string(got))
			continue
		}
		assert.Equal(t, string(want), string(got))
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, len(report.Files())+1, "no temporary file is left")

	err = r.WriteFiles(filepath.Join(dir, "not-there"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, report.SamplesFile)
}

func TestSamplesAreReadBack(t *testing.T) {
	r := handMadeReport(t)
	var out bytes.Buffer
	require.NoError(t, r.SamplesJSON(&out))
	var samples []judge.Sample
	for lines := json.NewDecoder(&out); lines.More(); {
		var s judge.Sample
		require.NoError(t, lines.Decode(&s))
		samples = append(samples, s)
	}
	assert.Equal(t, r.Samples, samples)
}

// benchmarkLines parses bench.txt as benchstat does.
func benchmarkLines(t *testing.T, text []byte) []*benchfmt.Result {
	t.Helper()
	var results []*benchfmt.Result
	reader := benchfmt.NewReader(bytes.NewReader(text), report.BenchFile)
	for reader.Scan() {
		switch line := reader.Result().(type) {
		case *benchfmt.Result:
			results = append(results, line.Clone())
		case *benchfmt.SyntaxError:
			require.NoError(t, line)
		}
	}
	require.NoError(t, reader.Err())
	return results
}

// What benchstat reads is what was measured: all that is ok and no warm-up.
func TestBenchIsReadAsItWasMeasured(t *testing.T) {
	r := handMadeReport(t)
	var out bytes.Buffer
	require.NoError(t, r.Bench(&out))
	lines := benchmarkLines(t, out.Bytes())
	parts, err := (&benchproc.ProjectionParser{}).Parse("/operator,/scenario,/phase,/gomaxprocs", nil)
	require.NoError(t, err)
	assert.Equal(t, spec.Floor, strings.Fields(parts.Project(lines[0]).StringValues())[0], "the floor is what benchstat compares with")
	i := 0
	samples := slices.Clone(r.Samples)
	slices.SortStableFunc(samples, func(a, b judge.Sample) int {
		return slices.Index(r.Styles, a.Operator) - slices.Index(r.Styles, b.Operator)
	})
	for _, s := range samples {
		if s.Warmup || s.Outcome != judge.OK {
			continue
		}
		line := lines[i]
		i++
		assert.InDelta(t, s.Value, line.Values[0].Value, 1e-9)
		assert.Equal(t, "sec/op", line.Values[0].Unit)
		assert.Equal(t, s.Operator+" "+s.Scenario+" "+strings.ReplaceAll(s.Phase, " ", "_")+" 2", parts.Project(line).StringValues())
	}
	assert.Len(t, lines, i)
	assert.Equal(t, "Example CPU", lines[0].GetConfig("cpu"))
}

// Whatever names come, every line is one benchmark.
func TestBenchOfNastyNames(t *testing.T) {
	r := nasty()
	for i := range r.Samples {
		r.Samples[i].Operator, r.Samples[i].Outcome = "a/b c", judge.OK
	}
	judged := &judge.Judgement{Results: []judge.Result{{Style: "a/b c", Scenario: r.Samples[0].Scenario, Samples: r.Samples}}}
	judged.Header.Run = "x\nBenchmarkFalse 1 1 ns/op"
	var out bytes.Buffer
	require.NoError(t, report.New(nil, judged).Bench(&out))
	assert.Len(t, benchmarkLines(t, out.Bytes()), len(r.Samples))
}
