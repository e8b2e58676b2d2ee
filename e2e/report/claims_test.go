package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
)

// The claims, by their first words.
const (
	files        = "just a handful"
	images       = "no need to publish"
	inspection   = "much, much improved"
	independence = "develop and test"
	language     = "use any programming"
	containers   = "quite a few"
	aFewSeconds  = "an Argo Workflow"
	hundreds     = "hundreds of applications"
)

// world is what a report is built from, for a test to change.
type world struct {
	result.Recording
	phases   map[string]map[string]float64 // style, phase: seconds
	scenario string
	loads    []judge.Result
}

// tutorial is a world in which the tutorial's operator and a native one did
// what they do.
func tutorial() *world {
	w := &world{scenario: "create", phases: map[string]map[string]float64{
		"argo": {
			"child written": 61, "workflow created": 0.05,
			"log-manifest started": 1, "parameterize pending": 11, "parameterize started": 12, "log-result started": 21, "log-action started": 31, "deploy started": 41,
		},
		"native": {"child written": 0.01, "status written": 0.5},
	}}
	w.Environment = &record.Environment{
		Host: record.Host{CPUs: 2},
		Images: []record.ImageFacts{
			{Name: "python", Reference: "docker.io/library/python:3.11-slim"}, {Name: "native", Reference: "operatorbench.local/native:v1"},
		},
		Styles: []record.StyleFacts{
			{Name: "argo", Images: []string{"python"}, Owned: &record.Owned{Files: 7, Lines: 300, Languages: map[string]int{"YAML": 280, "Python": 20}}},
			{Name: "native", Images: []string{"native"}, Owned: &record.Owned{Files: 15, Lines: 1400, Languages: map[string]int{"Go": 1300}}},
		},
	}
	w.Costs = []cost.Cost{madeUpCost("argo", 5, 7), madeUpCost("native", 0.02, 0)}
	return w
}

// fails makes every sample of a style wrong.
const fails = "fails"

func (w *world) claims(t *testing.T) map[string]report.Claim {
	t.Helper()
	w.Judgement = &judge.Judgement{}
	for _, style := range []string{"argo", "argo-one", "argo-direct", "native", "controller-runtime"} {
		phases, there := w.phases[style]
		if !there {
			continue
		}
		w.Judgement.Header.Styles = append(w.Judgement.Header.Styles, record.Style{Name: style})
		r := judge.Result{Style: style, Scenario: w.scenario, Round: 1, Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: judge.Pass}}}
		for phase, seconds := range phases {
			if phase == fails {
				r.Verdicts[0].Outcome = judge.Fail
				continue
			}
			r.Samples = append(r.Samples, judge.Sample{Operator: style, Scenario: w.scenario, Phase: phase, Value: seconds, Outcome: judge.OK})
		}
		w.Judgement.Results = append(w.Judgement.Results, r)
	}
	w.Judgement.Results = append(w.Judgement.Results, w.loads...)
	found := map[string]report.Claim{}
	for _, c := range report.Of(w.Recording).Claims() {
		for _, name := range []string{files, images, inspection, independence, language, containers, aFewSeconds, hundreds} {
			if strings.HasPrefix(c.Claim, name) {
				found[name] = c
			}
		}
	}
	return found
}

// alone is a style made as the tutorial's, with one pod for each change.
func alone(w *world) {
	w.phases["argo-one"] = map[string]float64{"child written": 11, "workflow created": 0.05}
	w.Costs = append(w.Costs, madeUpCost("argo-one", 1, 1))
	w.Environment.Styles = append(w.Environment.Styles, record.StyleFacts{Name: "argo-one", Owned: &record.Owned{Languages: map[string]int{"Shell": 9}}})
}

// direct is a style made without any workflow.
func direct(w *world) {
	w.phases["argo-direct"] = map[string]float64{"child written": 0.01}
	w.Costs = append(w.Costs, madeUpCost("argo-direct", 0.02, 0))
}

// sdk is a style as an SDK lays it out, of so many files.
func sdk(files int) func(*world) {
	return func(w *world) {
		w.phases["controller-runtime"] = map[string]float64{"child written": 0.01, "status written": 0.5}
		w.Environment.Styles = append(w.Environment.Styles, record.StyleFacts{Name: "controller-runtime", Owned: &record.Owned{Files: files, Lines: 2000}})
	}
}

// late adds a load that a style is late for: no oracle has anything to say of it.
func late(style string) func(*world) {
	return func(w *world) {
		w.loads = append(w.loads, judge.Result{
			Style: style, Scenario: "burst-create", Group: "load", Round: 1, End: record.TimedOut, Verdicts: []judge.Verdict{{Oracle: "stays-converged", Outcome: judge.NotApplicable}},
			Samples: []judge.Sample{{Operator: style, Scenario: "burst-create", Phase: judge.PhaseChildWritten, Value: 180, Outcome: judge.Timeout}},
		})
	}
}

// load adds one of a single custom resource that was done after so many seconds.
func load(style, scenario string, seconds float64) func(*world) {
	return func(w *world) {
		w.loads = append(w.loads, judge.Result{
			Style: style, Scenario: scenario, Group: "load", Round: 1, End: record.Settled, Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: judge.Pass}},
			Samples: []judge.Sample{{Operator: style, Scenario: scenario, Phase: judge.PhaseChildWritten, Value: seconds, Outcome: judge.OK}},
		})
	}
}

// Each verdict follows from the data: a change in them changes it.
func TestClaimsFollowFromTheData(t *testing.T) {
	for name, test := range map[string]struct {
		claim, want string
		change      func(*world)
	}{
		"a handful of files":          {files, report.Holds, func(*world) {}},
		"more, but fewer than native": {files, report.Partly, func(w *world) { w.Environment.Styles[0].Owned.Files = 14 }},
		"more files than native":      {files, report.Fails, func(w *world) { w.Environment.Styles[0].Owned.Files = 15 }},
		"fewer files than an SDK's":   {files, report.Partly, func(w *world) { w.Environment.Styles[0].Owned.Files = 20; sdk(21)(w) }},
		"more than an SDK's":          {files, report.Fails, func(w *world) { w.Environment.Styles[0].Owned.Files = 14; sdk(14)(w) }},
		"files not counted":           {files, report.Untested, func(w *world) { w.Environment.Styles[0].Owned = nil }},
		"no environment":              {files, report.Untested, func(w *world) { w.Environment = nil }},

		"public images":     {images, report.Holds, func(*world) {}},
		"a custom image":    {images, report.Fails, func(w *world) { w.Environment.Styles[0].Images = []string{"python", "native"} }},
		"images not listed": {images, report.Untested, func(w *world) { w.Environment.Styles[0].Images = nil }},

		"steps, but no status": {inspection, report.Partly, func(*world) {}},
		"steps and status":     {inspection, report.Holds, func(w *world) { w.phases["argo"]["status written"] = 61 }},
		"nothing to see": {inspection, report.Fails, func(w *world) {
			w.phases["argo"] = map[string]float64{"child written": 61}
		}},
		"nothing to compare with": {inspection, report.Untested, func(w *world) { delete(w.phases, "native") }},

		"template not submitted": {independence, report.Untested, func(*world) {}},
		"template submitted":     {independence, report.Holds, func(w *world) { w.scenario = "submit-template" }},
		"template fails":         {independence, report.Fails, func(w *world) { w.scenario = "submit-template"; w.phases["argo"][fails] = 1 }},

		"one language":  {language, report.Partly, func(*world) {}},
		"two languages": {language, report.Holds, alone},
		"wrong in both": {language, report.Fails, func(w *world) { alone(w); w.phases["argo"][fails], w.phases["argo-one"][fails] = 1, 1 }},
		"manifests alone": {language, report.Untested, func(w *world) {
			w.Environment.Styles[0].Owned.Languages, w.Environment.Styles[0].Images = map[string]int{"YAML": 300}, nil
		}},
		"a script within a manifest": {language, report.Partly, func(w *world) { w.Environment.Styles[0].Owned.Languages = map[string]int{"YAML": 300} }},

		"many containers, none compressed": {containers, report.Partly, func(*world) {}},
		"compressed into one":              {containers, report.Holds, alone},
		"compressed, but wrong":            {containers, report.Partly, func(w *world) { alone(w); w.phases["argo-one"][fails] = 1 }},
		"none at all is not one":           {containers, report.Partly, direct},
		"one, though late for a burst":     {containers, report.Holds, func(w *world) { alone(w); late("argo-one")(w) }},
		"few, and none for debugging": {containers, report.Fails, func(w *world) {
			w.phases["argo"], w.Costs = map[string]float64{"deploy started": 1}, nil
		}},
		"steps not known": {containers, report.Untested, func(w *world) { w.phases["argo"] = map[string]float64{"child written": 61} }},

		"instantiated in time, done late": {aFewSeconds, report.Partly, func(*world) {}},
		"done in time":                    {aFewSeconds, report.Holds, func(w *world) { w.phases["argo"]["child written"] = 5 }},
		"late for a burst":                {aFewSeconds, report.Holds, func(w *world) { w.phases["argo"]["child written"] = 5; late("argo")(w) }},
		"both late":                       {aFewSeconds, report.Fails, func(w *world) { w.phases["argo"]["workflow created"] = 5.1 }},

		"no load was driven":      {hundreds, report.Untested, func(*world) {}},
		"another style's load":    {hundreds, report.Untested, load("native", "burst-create", 1)},
		"a load that was borne":   {hundreds, report.Holds, load("argo", "burst-create", 17)},
		"too slowly":              {hundreds, report.Fails, load("argo", "burst-create", 19)},
		"late for a load":         {hundreds, report.Fails, late("argo")},
		"late for one of two":     {hundreds, report.Partly, func(w *world) { late("argo")(w); load("argo", "burst-update", 1)(w) }},
		"little CPU, but late":    {hundreds, report.Fails, func(w *world) { w.Costs[0] = madeUpCost("argo", 0.001, 7); late("argo")(w) }},
		"borne, CPU is not known": {hundreds, report.Holds, func(w *world) { w.Costs = nil; load("argo", "burst-create", 17)(w) }},
	} {
		t.Run(name, func(t *testing.T) {
			w := tutorial()
			test.change(w)
			got, there := w.claims(t)[test.claim]
			require.True(t, there)
			assert.Equal(t, test.want, got.Verdict, "%q", got.Evidence)
			assert.NotEmpty(t, got.Evidence)
			assert.NotEmpty(t, got.Rule)
			assert.NotEmpty(t, got.From)
			if test.want == report.Untested {
				assert.Contains(t, got.Evidence[len(got.Evidence)-1], "missing: ")
			}
		})
	}
}

// All claims are there with the tutorial's style, and none without it.
func TestClaimsNeedTheTutorialsStyle(t *testing.T) {
	w := tutorial()
	assert.Len(t, w.claims(t), 8)
	delete(w.phases, "argo")
	assert.Empty(t, w.claims(t))
}

// A rate is that of a load which was driven, in two digits, and never what CPU
// alone would allow.
func TestClaimsOfThroughputAreBoundedByALoad(t *testing.T) {
	w := tutorial()
	late("argo")(w)
	load("native", "burst-update", 7.654)(w)
	c := w.claims(t)[hundreds]
	assert.Equal(t, []string{
		"argo burst-create: late 0 of 1 in time (180 s)",
		"native burst-update: all 1 in 1 round, the last after 7.7 s: 470 an hour",
		"argo: 5 s of CPU for each change beyond what it takes when idle",
		"native: 0.02 s of CPU for each change beyond what it takes when idle",
	}, c.Evidence)
	assert.NotContains(t, c.Rule, "CPUs allow")
}

// Beside the tutorial's style stand those that are made the same way.
func TestClaimsShowWhetherTheIdeaIsSlow(t *testing.T) {
	w := tutorial()
	direct(w)
	alone(w)
	load("argo", "burst-create", 1)(w)
	c := w.claims(t)
	assert.Equal(t, []string{
		"create: Workflow created 50.0 ms (n=1 in 1 round), done 61.0 s (n=1 in 1 round)",
		"argo-one: done within 5 s in 0 of 1 scenario, at the latest (create) 11.0 s (n=1 in 1 round)",
		"argo-direct: done within 5 s in 1 of 1 scenario, at the latest (create) 10.0 ms (n=1 in 1 round)",
	}, c[aFewSeconds].Evidence)
	assert.Contains(t, c[containers].Evidence, "argo-one: 1 pod for each change, 1 of 1 samples correct")
	assert.NotContains(t, strings.Join(c[containers].Evidence, "\n"), "argo-direct")
	assert.Contains(t, strings.Join(c[hundreds].Evidence, "\n"), "argo-direct: 0.02 s of CPU for each change")
}
