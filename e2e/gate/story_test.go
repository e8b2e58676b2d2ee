package gate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/gate"
	"operatorbench/e2e/grants"
	"operatorbench/e2e/judge"
	lists "operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/result"
	"operatorbench/e2e/spec"
)

// story is a hand-made run, as if it had been judged.
type story struct {
	random    *rand.Rand
	replies   *rand.Rand // of the API server
	recording result.Recording
	noise     float64 // of every latency, on the log scale
	passes    int
	now       time.Duration
}

// steady is a comparison of so many rounds in which nothing differs.
func steady(rounds int) *story {
	s := newStory("a", 0.03, 1)
	s.turns(rounds, func(variant string, round int) { s.native(variant, round, 1, "") })
	return s
}

// styles are those of the header.
func (s *story) styles(do func(*record.Style)) {
	for i := range s.recording.Judgement.Header.Styles {
		do(&s.recording.Judgement.Header.Styles[i])
	}
}

// step is a phase that is reached so many seconds after the intent.
type step struct {
	phase string
	at    float64
}

func newStory(run string, noise float64, passes int) *story {
	return &story{
		random: rand.New(rand.NewPCG(1, 2)), replies: rand.New(rand.NewPCG(3, 4)), noise: noise, passes: passes,
		recording: result.Recording{
			Judgement: &judge.Judgement{Header: record.Header{Schema: record.Schema, Run: run, Seed: 7, Program: "operatorbench"}},
			Environment: &record.Environment{
				Run: run, Cluster: "kind", Kind: "0.33.0", Kubernetes: "v1.37.0", Revision: "4c6649bd",
				Host: record.Host{Kernel: "6.18.44", CPU: "AMD EPYC", CPUs: 2, Memory: 24 << 30},
				Comparison: &record.Comparison{
					Asked: "origin/main", Base: "fce489ab", Command: "make gate BASE=fce489ab BUDGET=20m", Link: "https://github.com/o/r/actions/runs/1",
					Undriven: []record.Undriven{{Group: "fault", Why: "not asked for"}},
				},
			},
		},
	}
}

// drive adds a round of a scenario; fail names the oracle that fails.
func (s *story) drive(style, variant, scenario string, round int, fail string, steps ...step) {
	s.known(style, variant)
	for range s.passes {
		r := judge.Result{
			Style: style, Variant: variant, Scenario: scenario, Round: round, End: record.Settled, Began: s.now, Ended: s.now + time.Second,
			Verdicts: []judge.Verdict{{Oracle: "converged", Outcome: spec.Pass}},
		}
		s.now += 4 * time.Second
		outcome := judge.OK
		if fail != "" {
			r.Verdicts = append(r.Verdicts, judge.Verdict{Oracle: fail, Outcome: spec.Fail, Message: "expected no Deployment | one is left"})
			outcome = judge.Wrong
		}
		shift := math.Exp(s.random.NormFloat64() * s.noise)
		for _, one := range steps {
			own := shift
			if one.phase == spec.PhaseAcknowledged { // the gate takes out what others share with it
				own = math.Exp(s.replies.NormFloat64() * s.noise)
			}
			r.Samples = append(r.Samples, judge.Sample{
				Operator: style, Variant: variant, Scenario: scenario, Phase: one.phase, Block: round,
				Value: one.at * own, Unit: "s", Outcome: outcome,
			})
		}
		s.recording.Judgement.Results = append(s.recording.Judgement.Results, r)
	}
}

// also adds a verdict to the last sample.
func (s *story) also(v judge.Verdict) {
	last := &s.recording.Judgement.Results[len(s.recording.Judgement.Results)-1]
	last.Verdicts = append(last.Verdicts, v)
}

// matrix adds a scenario of the correctness matrix; fail names the oracle that fails.
func (s *story) matrix(style, variant, scenario, group string, round int, fail string) {
	from := len(s.recording.Judgement.Results)
	s.drive(style, variant, scenario, round, fail)
	for i := range s.recording.Judgement.Results[from:] {
		one := &s.recording.Judgement.Results[from+i]
		one.Matrix, one.Group = true, group
	}
}

// known puts a style into the header and the environment.
func (s *story) known(style, variant string) {
	header := &s.recording.Judgement.Header
	if slices.ContainsFunc(header.Styles, func(one record.Style) bool { return one.Name == style && one.Variant == variant }) {
		return
	}
	header.Styles = append(header.Styles, record.Style{Style: spec.Style{Name: style}, Variant: variant})
	hash := "sha256:1c8bf6b4967261880b5e17448afe501d"
	if variant == gate.VariantHead {
		hash = "sha256:ebba374dec253abe2ae88766914da34a"
	}
	s.recording.Environment.Styles = append(s.recording.Environment.Styles, record.StyleFacts{Name: style, Variant: variant, Manifests: hash})
}

// count adds a counter.
func (s *story) count(style, variant, scenario, name string, values ...int) {
	c := cost.Counter{Name: name, Style: style, Variant: variant, Scenario: scenario}
	for round, value := range values {
		c.Values = append(c.Values, cost.Count{Round: round + 1, Value: value})
	}
	of := s.cost(style, variant)
	of.Counters = append(of.Counters, c)
}

// cost is what a style uses.
func (s *story) cost(style, variant string) *cost.Cost {
	is := func(one cost.Cost) bool { return one.Style == style && one.Variant == variant }
	return lists.FindOrAdd(&s.recording.Costs, is, cost.Cost{Style: style, Variant: variant})
}

// figure is one value for each round, which vary by the story's noise.
func (s *story) figure(rounds int, median float64) cost.Figure {
	f := cost.Figure{Unit: "s"}
	for round := range rounds {
		f.Values = append(f.Values, cost.Value{Round: round + 1, Value: median * math.Exp(s.random.NormFloat64()*s.noise)})
	}
	return f
}

// each are all results of a variant.
func (s *story) each(variant string, do func(*judge.Result)) {
	for i := range s.recording.Judgement.Results {
		if r := &s.recording.Judgement.Results[i]; r.Variant == variant {
			do(r)
		}
	}
}

// may gives an account of a variant a right.
func (s *story) may(style, variant string, right spec.Right) {
	of := func(use grants.Use) bool { return use.Style == style && use.Variant == variant }
	use := lists.FindOrAdd(&s.recording.Grants, of, grants.Use{Style: style, Variant: variant})
	use.Rights = append(use.Rights, grants.Right{Right: right})
}

// native drives the native style through create and delete; slow is a factor.
func (s *story) native(variant string, round int, slow float64, fail string) {
	s.drive("native", variant, "create", round, "", step{spec.PhaseAcknowledged, 0.0025}, step{spec.PhaseChildWritten, 0.008 * slow},
		step{spec.PhaseReady, 0.58}, step{spec.PhaseStatusWritten, 0.581})
	s.drive("native", variant, "delete", round, fail, step{spec.PhaseAcknowledged, 0.005}, step{spec.PhaseChildGone, 0.012 * slow},
		step{spec.PhasePodsGone, 1.2})
}

// argo drives the argo style, whose steps take ten seconds each; logs is how
// many steps it has before the last.
func (s *story) argo(variant string, round int, steps ...string) {
	reached := []step{{spec.PhaseAcknowledged, 0.004}, {"workflow created", 0.05}}
	at := 0.1
	for _, name := range steps {
		reached = append(reached, step{name + " started", at}, step{name + " finished", at + 10})
		at += 10
	}
	reached = append(reached, step{spec.PhaseChildWritten, at + 1}, step{spec.PhaseReady, at + 2}, step{"workflow finished", at + 10})
	s.drive("argo", variant, "create", round, "", reached...)
}

// again drives base, base again and head in turns.
func (s *story) turns(rounds int, drive func(variant string, round int)) {
	for round := 1; round <= rounds; round++ {
		for _, variant := range []string{gate.VariantBase, gate.VariantAgain, gate.VariantHead} {
			drive(variant, round)
		}
	}
}
