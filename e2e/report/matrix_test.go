package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	made "operatorbench/e2e/report/internal/madetest"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/verdicts"
)

func rows() []record.Scenario {
	return []record.Scenario{
		{Name: "create", Group: "latency", Description: "A custom resource is created."},
		{Name: "drift-replicas", Group: "level", Description: "The Deployment is scaled by hand.", StandsFor: "A hand that slips."},
		{Name: "burst", Group: "level", Description: "Twenty updates, one after the other."},
		{Name: "size-negative", Group: "input", Description: "A size of -1 is asked for."},
		{Name: "bus-down", Group: "fault", Description: "The bus is down while a custom resource is created."},
		{Name: "killed-while-working", Group: "fault", Description: "Its pod is killed while it works."},
		{Name: "restarted", Group: "fault", Description: "The API server is restarted."},
		{Name: "upgrade", Group: "upgrade", Description: "Every pod of the operator is replaced."},
	}
}

const expectedOfArgo = `create: pass
drift-replicas: {verdict: fail, oracles: [converged], why: "Only the custom resource is watched, not its Deployment.", upstream: "https://example.org/issues/1"}
burst: pass
size-negative: pass
bus-down: {verdict: fail, recovery: never, why: Events are not kept while the bus is down.}
killed-while-working: {verdict: fail, oracles: [recovers, diagnosable], recovery: nudge, why: The event was taken and is gone with the pod.}
restarted: pass
upgrade: {verdict: fail, why: It does not see what happens meanwhile.}
`

// matrixReport joins two shards that have every verdict that there is.
func matrixReport() *report.Report {
	drift := made.Fail("expected 5 ready replicas; at the end (+45.1 s) 3 of 5 pods are ready", "converged")
	first := made.Recording("shard-1", rows(),
		made.Cell{Style: "argo", Scenario: "create", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "native", Scenario: "create", Repeats: []made.Repeat{made.Pass(), made.Pass()}},
		made.Cell{Style: "argo", Scenario: "drift-replicas", Repeats: []made.Repeat{drift, drift}},
		made.Cell{Style: "native", Scenario: "drift-replicas", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "argo", Scenario: "burst", Repeats: []made.Repeat{made.Pass(), made.Fail("expected 7 | seen <6>", "converged", "ledger"), made.Pass()}},
		made.Cell{Style: "native", Scenario: "burst", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "argo", Scenario: "size-negative", Repeats: []made.Repeat{made.Invalid("nothing was heard of pods.v1 for 690ms")}},
		made.Cell{Style: "native", Scenario: "size-negative", Repeats: []made.Repeat{made.Fail("expected a message that says \"minimum\"; seen none by +12 s", "refused")}},
	)
	second := made.Recording("shard-2", rows(),
		made.Cell{Style: "argo", Scenario: "bus-down", Repeats: []made.Repeat{made.Fail("never reached: there is no Deployment", "converged", "recovers").Recovered(verdicts.Never, 0)}},
		made.Cell{Style: "native", Scenario: "bus-down", Repeats: []made.Repeat{made.Exempt("native has no component eventbus")}},
		made.Cell{Style: "argo", Scenario: "killed-while-working", Repeats: []made.Repeat{made.Fail("reached only after a nudge", "recovers").Recovered(verdicts.Nudge, 62*time.Second)}},
		made.Cell{Style: "native", Scenario: "killed-while-working", Repeats: []made.Repeat{
			made.Pass().Recovered(verdicts.Itself, 1200*time.Millisecond), made.Pass().Recovered(verdicts.Itself, 900*time.Millisecond), made.Pass().Recovered(verdicts.Itself, 3*time.Second),
		}},
		made.Cell{Style: "argo", Scenario: "restarted", Repeats: []made.Repeat{made.Pass().Recovered(verdicts.Itself, 64*time.Second)}},
		made.Cell{Style: "native", Scenario: "restarted", Repeats: []made.Repeat{made.Pass().Recovered(verdicts.Itself, 0)}},
		made.Cell{Style: "argo", Scenario: "upgrade", Repeats: []made.Repeat{made.Pass()}},
	)
	for _, one := range []result.Recording{first, second} {
		made.Diagnosable(one, "argo", "drift-replicas", spec.Pass)
		made.Diagnosable(one, "native", "drift-replicas", spec.Pass)
		made.Diagnosable(one, "argo", "bus-down", spec.Fail)
		made.Diagnosable(one, "argo", "killed-while-working", spec.Fail)
		made.Diagnosable(one, "native", "killed-while-working", spec.Pass)
	}
	first.Expected = map[string]verdicts.Expected{"argo": made.Expected("argo", rows(), expectedOfArgo), "native": {}}
	first.Grants, second.Grants = []grants.Use{made.Grants("argo")}, []grants.Use{made.Grants("argo"), made.Grants("native")}
	return report.Of(first, second)
}

func TestMatrixGolden(t *testing.T) {
	r := matrixReport()
	for name, write := range map[string]func(io.Writer) error{
		"terminal.txt":     func(w io.Writer) error { return r.Terminal(w, false) },
		report.SummaryFile: r.Markdown,
		report.JUnitFile:   r.JUnit,
		report.ReportFile:  r.JSON,
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			require.NoError(t, write(&got))
			golden(t, "../matrix/"+name, got.Bytes())
		})
	}
}

func TestMatrixOnATerminalIsAtMost100ColumnsWide(t *testing.T) {
	wide := rows()
	wide[1].Name = strings.Repeat("drift", 12)
	var cells []made.Cell
	for i := range 7 {
		cells = append(cells, made.Cell{Style: strings.Repeat("s", 4+9*i), Scenario: wide[1].Name, Repeats: []made.Repeat{
			made.Fail(strings.Repeat("long ", 60), "converged", "garbage", "write-history", "no-needless-work", "isolation"),
		}})
	}
	for _, r := range []*report.Report{matrixReport(), report.Of(made.Recording("wide", wide, cells...))} {
		var out bytes.Buffer
		require.NoError(t, r.Terminal(&out, false))
		narrow(t, out.String(), "^warning")
		for _, s := range r.Matrix.Styles {
			assert.Contains(t, out.String(), s.Label[:min(4, len(s.Label))])
		}
	}
}

// What is there for the matrix alone is no measurement.
func TestMatrixIsNoMeasurement(t *testing.T) {
	one := made.Recording("one", rows(),
		made.Cell{Style: "argo", Scenario: "create", Repeats: []made.Repeat{made.Pass()}},
		made.Cell{Style: "argo", Scenario: "burst", Repeats: []made.Repeat{made.Fail("no", "converged")}})
	for i := range one.Judgement.Results {
		r := &one.Judgement.Results[i]
		r.Samples = []judge.Sample{{Operator: r.Style, Scenario: r.Scenario, Phase: spec.PhaseReady, Unit: "s", Value: 1, Outcome: judge.OK, Block: 1}}
	}
	r := report.Of(one)
	assert.Equal(t, []string{"create"}, r.Scenarios)
	require.Len(t, r.Cells, 1)
	require.Len(t, r.Samples, 1)
	assert.Equal(t, "create", r.Samples[0].Scenario)
	require.NotNil(t, r.Matrix.Cell("argo", "burst"))
	var bench, samples bytes.Buffer
	require.NoError(t, r.Bench(&bench))
	require.NoError(t, r.SamplesJSON(&samples))
	assert.NotContains(t, bench.String()+samples.String(), "burst")
}

// A report from a recording alone calls no verdict expected or not.
func TestMatrixWithoutExpectations(t *testing.T) {
	r := report.Of(made.Recording("one", rows(), made.Cell{Style: "argo", Scenario: "burst", Repeats: []made.Repeat{made.Fail("it says no", "converged")}}))
	assert.False(t, r.Expectation(r.Matrix.Cell("argo", "burst")).Known)
	assert.Empty(t, r.Differences())
	var out bytes.Buffer
	require.NoError(t, r.Terminal(&out, false))
	assert.NotContains(t, out.String(), "as expected")
	assert.Contains(t, out.String(), "it says no")
	out.Reset()
	require.NoError(t, r.JUnit(&out))
	assert.Contains(t, out.String(), `failures="1"`)
	assert.Len(t, r.Unforeseen(), 1, "as JUnit says")
	assert.Empty(t, report.Of(made.Recording("one", rows(), made.Cell{Style: "argo", Scenario: "burst", Repeats: []made.Repeat{made.Pass()}})).Unforeseen())
}

func TestFailed(t *testing.T) {
	fails := made.Cell{Style: "argo", Scenario: "create", Repeats: []made.Repeat{made.Fail("no", "converged")}}
	one := made.Recording("one", rows(), fails)
	assert.True(t, report.Of(one).Failed(), "what was measured failed")
	one.Expected = map[string]verdicts.Expected{"argo": made.Expected("argo", rows(), "create: {verdict: fail, why: so}\n")}
	r := report.Of(one)
	assert.False(t, r.Failed(), "as expected")
	var out bytes.Buffer
	require.NoError(t, r.Terminal(&out, false))
	assert.Contains(t, out.String(), "as expected")
	one.Expected["argo"] = made.Expected("argo", rows(), "create: pass\n")
	assert.True(t, report.Of(one).Failed())

	good := made.Recording("one", rows(), made.Cell{Style: "argo", Scenario: "upgrade", Repeats: []made.Repeat{made.Pass()}})
	good.Expected = map[string]verdicts.Expected{"argo": made.Expected("argo", rows(), "upgrade: {verdict: fail, why: so}\n")}
	assert.True(t, report.Of(good).Failed(), "better than expected is not as expected")
}

// Runs that were made for verdicts alone have each its own environment: report.json has it, and every format says the machine.
func TestShardsHaveTheirOwnEnvironment(t *testing.T) {
	first, second := made.Recording("one", rows()), made.Recording("two", rows())
	first.Environment = &record.Environment{Run: "one", Host: record.Host{CPUs: 2, Kernel: "6"}}
	second.Environment = &record.Environment{Run: "two", Host: record.Host{CPUs: 4, Kernel: "6"}}
	r := report.Of(first, second)
	assert.Nil(t, r.Environment)
	assert.Empty(t, r.Warnings)
	assert.Len(t, r.Document().Environments, 2)
	var out bytes.Buffer
	require.NoError(t, r.Markdown(&out))
	assert.Contains(t, out.String(), "- run one: seed 0, , on 2 CPUs, 0 GiB, Linux 6")
	assert.Contains(t, out.String(), "- run two: seed 0, , on 4 CPUs, 0 GiB, Linux 6")
}

func TestGrantsOfShardsAddUp(t *testing.T) {
	a, b := made.Grants("argo"), made.Grants("argo")
	b.Rights[1].Used, b.Rights[0].Used = 5, 0
	b.Lost = 1
	joined := report.Of(result.Recording{Judgement: &judge.Judgement{}, Grants: []grants.Use{a}},
		result.Recording{Judgement: &judge.Judgement{}, Grants: []grants.Use{b, {Style: "old", Audited: true}}}).Grants
	require.Len(t, joined, 1, "a style is left out if its rights are unknown")
	use := joined[0]
	require.Len(t, use.Rights, 3)
	assert.Equal(t, []int{4, 5, 2}, []int{use.Rights[0].Used, use.Rights[1].Used, use.Rights[2].Used})
	assert.Empty(t, use.Unused(), "one shard used what the other did not")
	assert.Equal(t, 4, use.Denied[0].Count)
	assert.Equal(t, 2, use.Secrets[0].Reads)
	assert.Equal(t, 1, use.Lost)
	assert.Equal(t, 1, a.Secrets[0].Reads, "what was given is as before")
	b.Audited = false
	joined = report.Of(result.Recording{Judgement: &judge.Judgement{}, Grants: []grants.Use{a}}, result.Recording{Judgement: &judge.Judgement{}, Grants: []grants.Use{b}}).Grants
	assert.False(t, joined[0].Audited, "half a log tells of no use")
}

func TestRightsAreColumns(t *testing.T) {
	one := made.Recording("one", rows(), made.Cell{Style: "argo", Scenario: "burst", Repeats: []made.Repeat{made.Pass()}})
	one.Grants = []grants.Use{made.Grants("argo")}
	for id, want := range map[string]string{"cluster-wide": "2", "unused": "1", "wildcards": "1", "refused": "2", "secrets": "1", "secrets-read": "1", "pod-security": ""} {
		assert.Equal(t, want, report.Of(one).Value("argo", id).Text, id)
	}
	assert.InDelta(t, 3, report.Of(one).Value("argo", "rights").Number, 0)
	for standard, by := range map[string]map[string]string{
		"restricted": {"argo": "restricted", "argo-events": "restricted"},
		"restricted (argo), baseline (argo-events)": {"argo": "restricted", "argo-events": "baseline"},
	} {
		one.Environment = &record.Environment{Styles: []record.StyleFacts{{Name: "argo", PodSecurity: by}}}
		assert.Equal(t, standard, report.Of(one).Value("argo", "pod-security").Text)
	}
	one.Grants[0].Audited = false
	assert.Equal(t, "the recording has no audit log, so that nothing is known of use", report.Of(one).Value("argo", "unused").Note)
}

func TestMatrixDocument(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, matrixReport().JSON(&out))
	var d report.Document
	require.NoError(t, json.Unmarshal(out.Bytes(), &d))
	require.NotNil(t, d.Matrix)
	assert.Len(t, d.Matrix.Cells, 15, "what was not driven has no cell")
	assert.Len(t, d.Matrix.Scenarios, 8)
	assert.Len(t, d.Styles, 2)
	var told []string
	for _, one := range d.Matrix.Differences {
		told = append(told, one.Label+" "+one.Scenario)
	}
	assert.Equal(t, []string{"argo burst", "argo size-negative", "argo upgrade"}, told, "of native nothing is expected")
	out.Reset()
	require.NoError(t, handMadeReport(t).JSON(&out))
	assert.NotContains(t, out.String(), `"matrix"`)
}

// Rights that a style should not hold end a run as a verdict does that is not expected:
// they are a case of their own.
func TestJUnitHasRights(t *testing.T) {
	var rows []record.Scenario
	var cells []made.Cell
	for _, group := range spec.Groups() {
		rows = append(rows, record.Scenario{Name: "one of " + group, Group: group})
		cells = append(cells, made.Cell{Style: "argo", Scenario: "one of " + group, Repeats: []made.Repeat{made.Pass()}})
	}
	one := made.Recording("one", rows, cells...)
	use := made.Grants("argo")
	use.Rights[2].Verb = "*"
	use.Findings = []string{"argo may * secrets"}
	one.Grants = []grants.Use{use}
	r := report.Of(one)
	require.Len(t, r.Differences(), 1)
	var out bytes.Buffer
	require.NoError(t, r.JUnit(&out))
	assert.Contains(t, out.String(), `failures="1"`)
	assert.Regexp(t, `name="rights"[^>]*>\s*<failure message="argo rights: [^"]*may \* secrets`, out.String())
}
