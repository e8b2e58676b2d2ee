package html_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/report/html"
	made "operatorbench/e2e/report/internal/madetest"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/verdicts"
)

const (
	exampleFolder  = "../../../docs/example"
	handMadeFolder = "../testdata/hand-made"
)

// judged reads a recording with what is known of its environment.
func judged(tb testing.TB, folder, recording string) result.Recording {
	tb.Helper()
	j, err := judge.Judge(record.ReadFile(filepath.Join(folder, recording)))
	require.NoError(tb, err)
	environment, err := record.ReadEnvironment(folder)
	require.NoError(tb, err)
	return result.Recording{Environment: environment, Judgement: j}
}

// example is a real recording.
func example(tb testing.TB) *report.Report {
	tb.Helper()
	one := judged(tb, exampleFolder, record.CompressedName)
	return report.Of(one)
}

// handMade has a timeout, a warm-up round, an interrupted watch, and costs of
// which some are not known.
func handMade(tb testing.TB) *report.Report {
	tb.Helper()
	one := judged(tb, handMadeFolder, record.FileName)
	one.Costs = []cost.Cost{
		{
			Style: "native", Rounds: 2, Changes: 4,
			BusyCPU:      cost.Figure{Unit: "s", Values: []cost.Value{{Round: 1, Value: 0.0123}, {Round: 2, Value: 0.0456}}},
			IdleCPU:      cost.Figure{Unit: "cores", Values: []cost.Value{{Round: 1, Value: 0.0012}}},
			PeakMemory:   cost.Figure{Unit: "bytes", Values: []cost.Value{{Round: 1, Value: 33 << 20}}},
			ComponentCPU: []cost.ComponentFigure{{Component: "controller", Figure: cost.Figure{Unit: "s", Values: []cost.Value{{Round: 1, Value: 0.0123}}}}},
			Counters:     []cost.Counter{{Name: cost.Calls, Style: "native", Scenario: "create", Values: []cost.Count{{Round: 1, Value: 7}, {Round: 2, Value: 9}}}},
		},
		{
			Style: "argo", Rounds: 1, Changes: 2, BusyCPU: cost.Figure{Unit: "s", Missing: "the kubelet did not answer"},
			Counters: []cost.Counter{{Name: cost.Pods, Style: "argo", Scenario: "create", Values: []cost.Count{{Round: 1, Value: 7}}}},
		},
	}
	return report.Of(one)
}

// evil tries to leave every place that a text is put in.
const evil = `"'><script>alert(1)</script></style></title><svg onload=alert(1)> {{.}} javascript:x url(http://x) &amp; ` +
	"\x00\x1b[31m\u202e\ufffe\xff`${x}"

// named is a small report in which every foreign text is made by name, which is
// told what the text is of.
func named(name func(of string) string) *report.Report {
	var results []judge.Result
	for round := 1; round <= 2; round++ {
		for i, style := range []string{spec.Floor, name("style")} {
			sample := func(phase string, value float64, outcome string) judge.Sample {
				return judge.Sample{
					Operator: style, Scenario: name("scenario"), Phase: phase, Run: name("run"), Block: round, Unit: "s",
					Namespace: name("namespace"), Value: value * float64(1+i), Outcome: outcome,
				}
			}
			results = append(results, judge.Result{
				Style: style, Scenario: name("scenario"), Round: round, Namespace: name("namespace"), End: record.Settled,
				Verdicts: []judge.Verdict{
					{Oracle: name("oracle"), Outcome: spec.Fail, Message: name("message"), Evidence: []string{name("evidence"), name("evidence")}},
					{Oracle: "status", Outcome: spec.NotApplicable, Message: name("reason")},
				},
				Samples: []judge.Sample{
					sample(spec.PhaseAcknowledged, 0.003, judge.OK), sample(spec.PhaseChildWritten, 0.5, judge.OK), sample(spec.PhaseReady, 1.5, judge.Timeout),
					sample(name("step")+" pending", 0.1, judge.OK), sample(name("step")+" running", 0.2, judge.OK), sample(name("step")+" finished", 0.4, judge.OK),
					sample(name("moment"), 0.7, judge.Timeout), sample(spec.PhaseQuiet, 1.6, name("outcome")),
				},
			})
		}
	}
	checked := judge.Result{
		Style: name("style"), Scenario: name("checked"), Group: name("group"), Matrix: true, Round: 1, Namespace: name("namespace"), End: name("end"), Reason: name("reason"),
		Verdicts: []judge.Verdict{
			{Oracle: name("oracle"), Outcome: spec.Fail, Message: name("message"), Evidence: []string{name("evidence")}},
			{Oracle: name("exempt"), Outcome: spec.NotApplicable, Message: name("reason")},
			{Oracle: name("passed"), Outcome: spec.Pass},
		},
		Recovery: &judge.Recovery{By: verdicts.Itself, After: time.Second},
	}
	unfit := judge.Result{Style: spec.Floor + name("style"), Scenario: name("checked"), Matrix: true, Verdicts: []judge.Verdict{{Oracle: "status", Outcome: spec.NotApplicable, Message: name("reason")}}}
	results = append(results, checked, unfit)
	header := record.Header{Run: name("run"), Scenarios: []record.Scenario{{Name: name("checked"), Group: name("group"), Description: name("description"), StandsFor: name("need")}}}
	environment := &record.Environment{
		Run: name("run"), Program: name("program"), Cluster: name("cluster"), Kubernetes: name("version"), Revision: name("revision"),
		Host:   record.Host{CPU: name("cpu"), Kernel: name("kernel")},
		Styles: []record.StyleFacts{{Name: name("style"), Versions: map[string]string{name("part"): name("version")}, Manifests: name("hash"), Images: []string{name("image")}, Owned: &record.Owned{Languages: map[string]int{name("language"): 1}}}},
		Images: []record.ImageFacts{{Name: name("image"), Reference: name("reference"), Digest: name("digest"), Source: name("source"), Packages: []string{name("package")}}},
		Flags:  map[string]string{name("flag"): name("value")}, Stages: []record.Stage{{Name: name("stage"), Seconds: 1}}, Notes: []string{name("note")},
	}
	return report.Of(result.Recording{
		Environment: environment,
		Judgement:   &judge.Judgement{Header: header, Results: results, Warnings: []string{name("warning")}},
		Grants:      []grants.Use{{Style: name("style"), Audited: true, Rights: []grants.Right{{Right: spec.Right{ServiceAccount: name("account"), Role: name("role"), Resource: name("resource"), Verb: name("verb")}}}}},
		Expected: map[string]verdicts.Expected{name("style"): {Path: name("path"), Entries: []verdicts.Entry{
			{Scenario: name("checked"), Verdict: spec.Fail, Oracles: []string{name("oracle")}, Why: name("why"), Upstream: "javascript:" + name("upstream")},
		}}},
		Costs: []cost.Cost{{
			Style: name("style"), BusyCPU: cost.Figure{Unit: "s", Missing: name("missing")},
			ComponentCPU: []cost.ComponentFigure{{Component: name("component"), Figure: cost.Figure{Unit: name("unit"), Values: []cost.Value{{Round: 1, Value: 2}}}}},
			Counters:     []cost.Counter{{Name: name("counter"), Scenario: name("scenario"), Values: []cost.Count{{Round: 1, Value: 1}}}},
		}},
	})
}

// full is a report of a full matrix: all scenarios against three styles, with long
// reasons, beside what was measured.
func full(tb testing.TB) *report.Report {
	tb.Helper()
	all, err := scenarios.All(judge.OracleNames())
	require.NoError(tb, err)
	random := rand.New(rand.NewPCG(1, 2))
	long := "expected spec.replicas 5 and 5 ready pods within 1m30s; when nothing had moved for 45 s (+96.120 s) the Deployment memcached-deployment asked for 3, and 3 of 3 pods were ready: " +
		"the Workflow memcached-update-7xk2q had ended Succeeded at +71.440 s with the size of the update before the last"
	var rows []record.Scenario
	var cells []made.Cell
	var expected strings.Builder
	for _, s := range all {
		rows = append(rows, record.Scenario{Name: s.Name, Group: s.Group, Description: s.Description, StandsFor: s.StandsFor})
		for _, style := range []string{"argo", "native", "argo-one-step"} {
			repeat := made.Pass()
			switch at := random.IntN(20); {
			case style == "native" && at < 2:
				repeat = made.Exempt("native works in its own memory: it has no work objects that could be suspended")
			case style != "native" && at < 6:
				repeat = made.Fail(long, "converged", "reference", "recovers")
			case style != "native" && at == 6:
				repeat = made.Invalid("nothing was heard of pods.v1 for 690ms: watch closed: too old resource version")
			case style == "argo-one-step" && at > 17:
				continue
			}
			if s.Group == spec.GroupFault || s.Group == spec.GroupUpgrade {
				by := map[spec.Outcome][]string{spec.Pass: {verdicts.Itself}, spec.Fail: {verdicts.Never, verdicts.Nudge}}[repeat.Outcome]
				if len(by) > 0 {
					repeat = repeat.Recovered(by[random.IntN(len(by))], time.Duration(random.ExpFloat64()*20e9))
				}
			}
			c := made.Cell{Style: style, Scenario: s.Name, Repeats: []made.Repeat{repeat, repeat, repeat}}
			if s.Name == "burst" && style != "native" {
				c.Repeats[1] = made.Fail(long, "ledger")
			}
			cells = append(cells, c)
			if style == "argo" && repeat.Outcome == spec.Fail && s.Name != "finalizer" {
				fmt.Fprintf(&expected, "%s: {verdict: fail, why: \"%s\", upstream: \"https://example.org/argo-events/issues/%d\"}\n", s.Name,
					"The Sensor takes the event and acknowledges it before the Workflow is there; when it is killed in between, nobody sends the event again.", len(cells))
			} else if style == "argo" {
				fmt.Fprintf(&expected, "%s: pass\n", s.Name)
			}
		}
	}
	one := made.Recording("matrix", rows, cells...)
	one.Expected = map[string]verdicts.Expected{"argo": made.Expected("argo", rows, expected.String()), "native": {}}
	one.Grants = []grants.Use{made.Grants("argo"), made.Grants("native")}
	shard := judged(tb, exampleFolder, record.CompressedName)
	one.Judgement.Header.Schema = shard.Judgement.Header.Schema // else it would stand apart
	return report.Of(shard, one)
}

// benign makes a name that is nothing but a name, as long as a hostile one.
func benign(of string) string { return of + strings.Repeat("-", utf8.RuneCountInString(evil)) }

// hostile makes a name that tries to be something else.
func hostile(of string) string { return of + evil }

// large is a report of about so many samples.
func large(samples int) *report.Report {
	const phases = 17
	random := rand.New(rand.NewPCG(1, 2))
	scenarios, styles := []string{"create", "scale-up", "scale-down", "delete"}, []string{spec.Floor, "native", "argo"}
	j := &judge.Judgement{Header: record.Header{Run: "large"}}
	for round := 1; len(j.Results)*phases < samples; round++ {
		for _, scenario := range scenarios {
			for i, style := range styles {
				r := judge.Result{Style: style, Scenario: scenario, Round: round, End: record.Settled, Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Pass, Message: "as wanted"}}}
				var at float64
				for p := range phases {
					name := fmt.Sprintf("step %d finished", p)
					if p < len(spec.Phases()) {
						name = spec.Phases()[p]
					}
					at += random.ExpFloat64() * float64(1+i)
					r.Samples = append(r.Samples, judge.Sample{
						Operator: style, Scenario: scenario, Phase: name, Run: "large", Block: round, Unit: "s", Value: at, Outcome: judge.OK,
						Namespace: "n", At: time.Duration(at * 1e9),
					})
				}
				j.Results = append(j.Results, r)
			}
		}
	}
	return report.New(nil, j)
}

func write(tb testing.TB, r *report.Report) []byte {
	tb.Helper()
	var out bytes.Buffer
	require.NoError(tb, html.Pages(r, html.Options{})[0].Print(r, &out))
	return out.Bytes()
}

// A page that is kept without those of styles leads to none of them.
func TestAPageAloneLinksToNothingBesideIt(t *testing.T) {
	var out bytes.Buffer
	r := example(t)
	require.NoError(t, html.Pages(r, html.Options{Alone: true})[0].Print(r, &out))
	assert.NotContains(t, out.String(), `href="styles/`)
	assert.Contains(t, string(write(t, r)), `href="styles/native.html"`)
}

// site are all pages of a report, by their names.
func site(tb testing.TB, r *report.Report) map[string][]byte {
	tb.Helper()
	all := map[string][]byte{}
	for _, file := range html.Pages(r, html.Options{}) {
		var out bytes.Buffer
		require.NoError(tb, file.Print(r, &out), file.Name)
		require.NotContains(tb, all, file.Name)
		all[file.Name] = out.Bytes()
	}
	return all
}

// about is the page of a style.
func about(tb testing.TB, r *report.Report, style string) []byte {
	tb.Helper()
	page := site(tb, r)[html.Folder+"/"+style+".html"]
	require.NotEmpty(tb, page, style)
	return page
}

// written puts the pages of a report into a folder and returns the first one's
// absolute path.
func written(tb testing.TB, r *report.Report) string {
	tb.Helper()
	folder := tb.TempDir()
	require.NoError(tb, r.Write(folder, html.Pages(r, html.Options{})...))
	return filepath.Join(folder, html.File)
}

// thirty is a report of as many styles as there may be: measured in twelve rounds,
// and driven through the whole matrix.
func thirty(tb testing.TB) *report.Report {
	tb.Helper()
	all, err := scenarios.All(judge.OracleNames())
	require.NoError(tb, err)
	random := rand.New(rand.NewPCG(7, 8))
	styles := made.Thirty()
	var rows []record.Scenario
	var cells []made.Cell
	for _, s := range all {
		if !spec.InMatrix(s.Group) {
			continue
		}
		rows = append(rows, record.Scenario{Name: s.Name, Group: s.Group, Description: s.Description, StandsFor: s.StandsFor})
		for i, style := range styles[1:] {
			repeat := made.Pass()
			switch at := random.IntN(40); {
			case at < i/2:
				repeat = made.Fail("expected 5 ready replicas; at the end (+45.1 s) 3 of 5 pods are ready", "converged", "recovers")
			case at == 39:
				repeat = made.Exempt("it works in its own memory")
			}
			cells = append(cells, made.Cell{Style: style.Name, Scenario: s.Name, Repeats: []made.Repeat{repeat}})
		}
	}
	return report.Of(made.Many(styles, 12), made.Recording("matrix", rows, cells...))
}

// several is of two runs with latencies, one with a load of the other, too, and of one for verdicts alone.
func several() *report.Report {
	first, second := made.Many(made.Ten(), 3), made.Many(made.Ten()[:4], 6)
	environment := *second.Environment
	second.Environment, second.Judgement.Header.Run = &environment, "again"
	environment.Run = "again"
	return report.Of(first, second, made.Recording("verdicts", []record.Scenario{{Name: "drift", Group: "level"}}, made.Cell{Style: "argo", Scenario: "drift", Repeats: []made.Repeat{made.Fail("never", "converged")}}))
}
