package madetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// Style is one of many: its name, how long it takes to write, in seconds, and how many pods it makes for each change.
type Style struct {
	Name    string
	Written float64
	Pods    int
	// Slow styles time out in a burst; Idle ones always.
	Slow, Idle bool
	Languages  map[string]int
	Scaffold   int // lines that a generator wrote
	// Undescribed styles say nothing of themselves.
	Undescribed bool
}

// Ten are about as many styles as there will be, with names as long as theirs.
func Ten() []Style {
	yaml := map[string]int{"YAML": 300}
	return []Style{
		{Name: spec.Floor, Written: 0.0105},
		{Name: "argo", Written: 62, Pods: 7, Slow: true, Languages: yaml},
		{Name: "argo-fast-requeue", Written: 31, Pods: 7, Slow: true, Languages: yaml},
		{Name: "argo-single-step", Written: 1.7, Pods: 1, Languages: yaml},
		{Name: "argo-ordered", Written: 12.5, Pods: 2, Slow: true, Languages: map[string]int{"YAML": 280, "Shell": 20}},
		{Name: "argo-direct", Written: 0.018, Languages: yaml},
		{Name: "argo-best", Written: 0.9, Pods: 1, Languages: yaml},
		{Name: "controller-runtime", Written: 0.015, Languages: map[string]int{"Go": 1500, "YAML": 700}, Scaffold: 1400},
		{Name: "native", Written: 0.0137, Languages: map[string]int{"Go": 1257, "YAML": 113}},
		{Name: "idle", Idle: true, Languages: map[string]int{"YAML": 30}},
	}
}

// Thirty are more styles than there are, in six languages, some as quick as others,
// one that nobody has described.
func Thirty() []Style {
	all := []Style{{Name: spec.Floor, Written: 0.0105}}
	languages := []string{"Go", "Python", "Java", "Rust", "Shell", "YAML"}
	for i := range 29 {
		language := languages[i%len(languages)]
		one := Style{
			Name: fmt.Sprintf("a-%s-operator-%02d", strings.ToLower(language), i), Written: 0.015 * math.Pow(1.3, float64(i/2)), Pods: i / 10,
			Languages: map[string]int{language: 300 + 20*i}, Undescribed: i == 3,
		}
		if language != "YAML" {
			one.Languages["YAML"] = 100
		}
		all = append(all, one)
	}
	return all
}

// measured are the scenarios that Many has.
func measured() []record.Scenario {
	return []record.Scenario{
		{Name: "create", Group: "latency"},
		{Name: "scale-up", Group: "latency"},
		{Name: "scale-down", Group: "latency"},
		{Name: "delete", Group: "latency"},
		{Name: "burst-create", Group: "load"},
		{Name: "burst-update", Group: "load"},
	}
}

// resources is how many custom resources a scenario has, each a sample.
func resources(scenario string) int {
	return max(map[string]int{"burst-create": 50, "burst-update": 20}[scenario], 1)
}

// patience is how long a sample waits, in seconds.
const patience = 180

// Many is a judged recording of styles that were measured in so many rounds,
// with what they cost and what they are made of. It is the same each time.
func Many(styles []Style, rounds int) result.Recording {
	random := rand.New(rand.NewPCG(5, 10))
	j := &judge.Judgement{Header: record.Header{Schema: record.Schema, Run: "many", Scenarios: measured()}}
	one := result.Recording{Judgement: j, Environment: &record.Environment{
		Run: "many", Began: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Program: "operatorbench", Cluster: "kind", Kind: "0.33.0", Kubernetes: "v1.37.0",
		Host:     record.Host{CPU: "Some CPU @ 2.10 GHz", CPUs: 2, Memory: 24 << 30, Kernel: "6.18"},
		Revision: "0123456789abcdef", Flags: map[string]string{"operator": "all", "scenario": "measured", "rounds": "12"},
	}}
	for _, s := range styles {
		for round := 1; round <= rounds; round++ {
			for _, scenario := range measured() {
				for range resources(scenario.Name) {
					j.Results = append(j.Results, s.in(scenario, round, random))
				}
			}
		}
		one.Costs = append(one.Costs, s.cost(rounds))
		if s.Name == spec.Floor {
			continue
		}
		header := record.Style{Style: spec.Style{Name: s.Name}}
		if !s.Undescribed {
			header.Description, header.Framework = "An operator by the name of "+s.Name+".", &spec.Framework{Name: "a framework", Version: "1.2.3", Date: "2026-01-02"}
			header.Stages = []spec.Stage{{Name: "operator", Manifests: []string{"manifests"}, Ready: []spec.Gate{{Rollout: &spec.Rollout{Kind: "Deployment", Namespace: "n", Name: "operator"}}}}}
		}
		j.Header.Styles = append(j.Header.Styles, header)
		lines := 0
		for _, n := range s.Languages {
			lines += n
		}
		one.Environment.Styles = append(one.Environment.Styles, record.StyleFacts{
			Name: s.Name, Manifests: "sha256:0", Images: []string{s.Name},
			Owned: &record.Owned{Files: 9 + lines/200, Lines: lines, Languages: s.Languages, Rules: 12, Scaffold: s.Scaffold},
		})
		one.Environment.Images = append(one.Environment.Images, record.ImageFacts{Name: s.Name, Reference: "example.org/" + s.Name + ":v1", Source: "built", Bytes: 52 << 20})
	}
	return one
}

// in is what a style did in one round of a scenario.
func (s Style) in(scenario record.Scenario, round int, random *rand.Rand) judge.Result {
	r := judge.Result{
		Style: s.Name, Scenario: scenario.Name, Group: scenario.Group, Round: round, Namespace: "services-" + s.Name, End: record.Settled,
		Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Pass, Message: "as wanted"}},
	}
	written, ready := spec.PhaseChildWritten, spec.PhaseReady
	if scenario.Name == "delete" {
		written, ready = spec.PhaseChildGone, spec.PhasePodsGone
	}
	value := s.Written * math.Exp(0.05*random.NormFloat64())
	outcome := judge.OK
	switch load := scenario.Group == "load"; {
	case s.Idle || load && s.Slow && round%2 == 0:
		value, outcome = patience, judge.Timeout
		r.End, r.Verdicts[0].Outcome = record.TimedOut, spec.Fail
	case load && s.Slow:
		value, outcome = 2*value, judge.Wrong
		r.Verdicts[0].Outcome = spec.Fail
	case load:
		value *= 4
	}
	add := func(phase string, value float64) {
		r.Samples = append(r.Samples, judge.Sample{
			Operator: s.Name, Scenario: scenario.Name, Phase: phase, Run: "many", Block: round, Unit: "s", Namespace: r.Namespace,
			Value: value, At: time.Duration(value * float64(time.Second)), Outcome: outcome,
		})
	}
	add(spec.PhaseAcknowledged, 0.004)
	if s.Pods > 0 && scenario.Group != "load" {
		add("workflow created", 0.04)
		for i := range s.Pods {
			add("step-"+string(rune('a'+i))+" started", value*float64(i)/float64(s.Pods))
			add("step-"+string(rune('a'+i))+" finished", value*float64(i+1)/float64(s.Pods))
		}
	}
	add(written, value)
	if outcome == judge.OK {
		value += 0.7
	}
	add(ready, value)
	return r
}

// cost is what a style used.
func (s Style) cost(rounds int) cost.Cost {
	c := cost.Cost{Style: s.Name, Rounds: rounds, Changes: 6 * rounds}
	figure := func(unit string, value float64) cost.Figure {
		f := cost.Figure{Unit: unit}
		for round := 1; round <= rounds; round++ {
			f.Values = append(f.Values, cost.Value{Round: round, Value: value})
		}
		return f
	}
	c.CPU, c.BusyCPU, c.IdleCPU = figure("s", 0.02+0.7*float64(s.Pods)), figure("s", 0.01+0.7*float64(s.Pods)), figure("cores", 0.002)
	c.PeakMemory, c.IdleMemory, c.Install = figure("bytes", float64((14+40*s.Pods)<<20)), figure("bytes", float64((9+15*s.Pods)<<20)), figure("s", 1.4+float64(s.Pods))
	for _, counter := range []struct {
		name  string
		value int
	}{{cost.Pods, s.Pods}, {cost.Calls, 5 + 13*s.Pods}, {cost.Writes, 5 + 12*s.Pods}} {
		one := cost.Counter{Name: counter.name, Style: s.Name, Scenario: "create"}
		for round := 1; round <= rounds; round++ {
			one.Values = append(one.Values, cost.Count{Round: round, Value: counter.value})
		}
		c.Counters = append(c.Counters, one)
	}
	return c
}
