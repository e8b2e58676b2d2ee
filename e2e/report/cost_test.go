package report_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// measuredOnce is a figure of one round.
func measuredOnce(unit string, value float64) cost.Figure {
	return cost.Figure{Unit: unit, Values: []cost.Value{{Round: 1, Value: value}}}
}

// madeUpCost is the cost of a style that makes so many pods for each change.
func madeUpCost(style string, cpu float64, pods int) cost.Cost {
	counter := func(name string, value int) cost.Counter {
		return cost.Counter{Name: name, Style: style, Scenario: "create", Values: []cost.Count{{Round: 1, Value: value}}}
	}
	c := cost.Cost{
		Style: style, Rounds: 1, Changes: 4, Install: measuredOnce("s", 14.5), Uninstall: measuredOnce("s", 5),
		CPU: measuredOnce("s", cpu+0.1), IdleCPU: measuredOnce("cores", 0.0123), BusyCPU: measuredOnce("s", cpu),
		PeakMemory: measuredOnce("bytes", 312<<20), IdleMemory: measuredOnce("bytes", 1<<30),
		Counters: []cost.Counter{
			counter(cost.Pods, pods),
			{Name: cost.Calls, Style: style, Scenario: "create", Missing: "the API server's audit log was not recorded"},
		},
	}
	if pods > 0 {
		c.Counters = append(c.Counters, counter(cost.MadePrefix+"workflows.v1alpha1.argoproj.io", 1))
	}
	return c
}

// whole is a report with all that can be in one: costs, and facts of styles.
func whole(t *testing.T) *report.Report {
	t.Helper()
	one, err := result.Load(handMade)
	require.NoError(t, err)
	one.Costs = []cost.Cost{madeUpCost("argo", 5.5, 7), madeUpCost("native", 0.02, 0)}
	one.Environment.Images = []record.ImageFacts{
		{Name: "argo-events", Reference: "quay.io/argoproj/argo-events:v1.9.11", Bytes: 200 << 20},
		{Name: "native", Reference: "operatorbench.local/native:v1", Bytes: 40 << 20},
	}
	one.Environment.Styles = []record.StyleFacts{
		{Name: "argo", Manifests: "sha256:00", Images: []string{"argo-events"}, Owned: &record.Owned{Files: 7, Lines: 300, Languages: map[string]int{"YAML": 280, "Python": 20}, Rules: 48}},
		{Name: "native", Manifests: "sha256:01", Images: []string{"native"}, Owned: &record.Owned{Files: 15, Lines: 1400, Languages: map[string]int{"Go": 1300, "YAML": 100}, Rules: 12}},
	}
	return report.Of(one)
}

func TestGoldenWithCosts(t *testing.T) {
	r := whole(t)
	for name, write := range map[string]func(io.Writer) error{
		"terminal.txt":     func(w io.Writer) error { return r.Terminal(w, false) },
		report.SummaryFile: r.Markdown,
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			require.NoError(t, write(&got))
			golden(t, "../costs/"+name, got.Bytes())
		})
	}
}

// A style's variants stand apart, and are told apart by their labels.
func TestVariants(t *testing.T) {
	one, err := result.Load(handMade)
	require.NoError(t, err)
	judged := *one.Judgement
	judged.Results = nil
	for _, sample := range one.Judgement.Results {
		for _, variant := range []string{"base", "head"} {
			if sample.Style == spec.Floor {
				variant = ""
			}
			sample.Variant = variant
			samples := sample.Samples
			sample.Samples = nil
			for _, s := range samples {
				s.Variant = variant
				sample.Samples = append(sample.Samples, s)
			}
			judged.Results = append(judged.Results, sample)
		}
	}
	judged.Header.Styles = []record.Style{{Style: spec.Style{Name: "argo"}, Variant: "head"}, {Style: spec.Style{Name: "argo"}, Variant: "base"}}
	r := report.New(nil, &judged)
	assert.Equal(t, []string{"floor", "argo@head", "argo@base", "native@base", "native@head"}, r.Styles)
	var out bytes.Buffer
	require.NoError(t, r.Bench(&out))
	assert.Contains(t, out.String(), "BenchmarkReconcile/operator=argo/variant=head/scenario=create/phase=ready 1 62910000000 ns/op\n")
}

// Lines are told apart by what they are for.
func TestLinesByWhatTheyAreFor(t *testing.T) {
	lines := &record.Owned{Lines: 111, Languages: map[string]int{"Go": 60, "Python": 20, "YAML": 15, "JSON": 5, "other": 11}}
	environment := &record.Environment{Styles: []record.StyleFacts{{Name: "a", Owned: lines}}}
	header := record.Header{Run: "r", Styles: []record.Style{{Style: spec.Style{Name: "a", Framework: &spec.Framework{Name: "client-go", Version: "v1", Date: "2026-01-02"}}}}}
	r := report.New(environment, &judge.Judgement{Header: header, Results: []judge.Result{{Style: "a", Scenario: "create", Round: 1}}})
	for id, want := range map[string]string{"logic": "80", "manifests": "20", "build": "11", "lines": "111", "dependencies": "", "framework": "client-go v1 (2026-01-02)"} {
		assert.Equal(t, want, r.Value("a", id).Text, id)
	}
}

// A style's language is what its program is written in: manifests count where a program is a small part of it.
func TestLanguageIsThatOfTheProgram(t *testing.T) {
	for want, languages := range map[string]map[string]int{
		"Python": {"Python": 39, "YAML": 62},
		"YAML":   {"Python": 82, "YAML": 393},
		"Go":     {"Go": 60, "Python": 20, "YAML": 15, "JSON": 5, "other": 300},
		"":       {},
	} {
		environment := &record.Environment{Styles: []record.StyleFacts{{Name: "a", Owned: &record.Owned{Languages: languages}}}}
		r := report.New(environment, &judge.Judgement{Header: record.Header{Run: "r"}, Results: []judge.Result{{Style: "a", Scenario: "create", Round: 1}}})
		assert.Equal(t, want, r.Language("a"), languages)
	}
}

// What a style's custom images are built from stands beside the lines; others' images
// do not count.
func TestDependenciesBesideTheLines(t *testing.T) {
	of := func(images ...record.ImageFacts) string {
		facts := record.StyleFacts{Name: "a", Owned: &record.Owned{Lines: 1}}
		for _, image := range images {
			facts.Images = append(facts.Images, image.Name)
		}
		environment := &record.Environment{Styles: []record.StyleFacts{facts}, Images: images}
		header := record.Header{Run: "r", Styles: []record.Style{{Style: spec.Style{Name: "a", Framework: &spec.Framework{Name: "client-go"}}}}}
		return report.New(environment, &judge.Judgement{Header: header, Results: []judge.Result{{Style: "a", Scenario: "create", Round: 1}}}).Value("a", "dependencies").Text
	}
	custom := func(name string, depends *record.Dependencies) record.ImageFacts {
		return record.ImageFacts{Name: name, Reference: "operatorbench.local/" + name + ":v1", Dependencies: depends}
	}
	upstream := record.ImageFacts{Name: "nats", Reference: "docker.io/library/nats:2"}
	assert.Equal(t, "0 / 0", of(upstream), "plain YAML over what others publish")
	assert.Equal(t, "5 / 60", of(upstream, custom("a", &record.Dependencies{Direct: 4, All: 50}), custom("b", &record.Dependencies{Direct: 1, All: 10})))
	assert.Equal(t, "not recorded", of(custom("a", nil)))
	assert.Empty(t, of(), "of a style without images nothing is known")
}
