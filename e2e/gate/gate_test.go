package gate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/gate"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// whole is a story's recording as a side by itself.
func whole(t *testing.T, name string, s *story) gate.Side {
	t.Helper()
	side, err := gate.Whole(name, s.recording)
	require.NoError(t, err)
	return side
}

// plain is a run of the native style without variants.
func plain(run string, rounds int) *story {
	s := newStory(run, 0.03, 1)
	for round := 1; round <= rounds; round++ {
		s.native("", round, 1, "")
	}
	return s
}

func TestRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(base, head *story)
		want   string
		forced bool // --force helps
	}{
		"the same run":   {func(_, h *story) { h.recording.Judgement.Header.Run = "b" }, "base and head are the same: run b, in base and head", false},
		"other styles":   {func(_, h *story) { rename(h, "mine") }, "no style and scenario in common: base has native create, native delete; head has mine create, mine delete", false},
		"nothing driven": {func(_, h *story) { h.recording.Judgement.Results = nil }, "head has none", false},
		"another schema": {func(b, _ *story) { b.recording.Judgement.Header.Schema = 1 }, fmt.Sprintf("base has schema 1, head has schema %d", record.Schema), true},
		"another CPU":    {func(_, h *story) { h.recording.Environment.Host.CPU = "Intel" }, "machine AMD EPYC, 2 CPUs, 24 GiB, Linux 6.18.44 against Intel, 2 CPUs", true},
		"more CPUs":      {func(_, h *story) { h.recording.Environment.Host.CPUs = 4 }, "against AMD EPYC, 4 CPUs", true},
		"another kernel": {func(_, h *story) { h.recording.Environment.Host.Kernel = "6.1" }, "Linux 6.18.44 against AMD EPYC, 2 CPUs, 24 GiB, Linux 6.1)", true},
		"more memory":    {func(_, h *story) { h.recording.Environment.Host.Memory *= 2 }, "48 GiB", true},
		"Kubernetes":     {func(_, h *story) { h.recording.Environment.Kubernetes = "v1.36.1" }, "Kubernetes v1.37.0 against v1.36.1", true},
		"a scenario that did something else": {func(b, h *story) {
			b.recording.Judgement.Header.Scenarios = []record.Scenario{{Name: "create", Digest: "0123"}, {Name: "delete", Digest: "89ab"}, {Name: "drift"}}
			h.recording.Judgement.Header.Scenarios = []record.Scenario{{Name: "create", Digest: "4567"}, {Name: "delete", Digest: "89ab"}, {Name: "drift", Digest: "cdef"}}
		}, "base and head were not driven through the same scenarios: create did or expected something else; drive both", true},
		"kind": {func(_, h *story) { h.recording.Environment.Kind = "" }, "kind 0.33.0 against unknown", true},
		"interrupted": {func(_, h *story) {
			for i := range h.recording.Judgement.Results[:8] {
				h.recording.Judgement.Results[i].End = record.Interrupted
			}
		}, "8 of 16 samples of head were interrupted or could not be judged", true},
	} {
		t.Run(name, func(t *testing.T) {
			base, head := plain("b", 8), plain("h", 8)
			test.change(base, head)
			o := gate.DefaultOptions()
			_, err := gate.Compare(o, whole(t, "base", base), whole(t, "head", head), gate.Side{})
			var invalid *gate.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.ErrorContains(t, err, test.want)

			o.Force = true
			r, err := gate.Compare(o, whole(t, "base", base), whole(t, "head", head), gate.Side{})
			if !test.forced {
				require.ErrorAs(t, err, &invalid)
				return
			}
			require.NoError(t, err)
			assert.Contains(t, strings.Join(r.Forced, "; "), test.want)
			for _, print := range outputs(t, r) {
				assert.Contains(t, strings.ToUpper(print), "FORCED", "every output is marked")
			}
		})
	}
}

func rename(s *story, style string) {
	j := s.recording.Judgement
	for i := range j.Results {
		j.Results[i].Style = style
	}
	j.Header.Styles = []record.Style{{Style: spec.Style{Name: style}}}
}

func outputs(t *testing.T, r *gate.Result) []string {
	t.Helper()
	var terminal, markdown, document bytes.Buffer
	require.NoError(t, r.Terminal(&terminal, true))
	require.NoError(t, r.Markdown(&markdown))
	require.NoError(t, r.JSON(&document))
	assert.True(t, json.Valid(document.Bytes()))
	return []string{terminal.String(), markdown.String(), document.String()}
}

func TestSides(t *testing.T) {
	s := steady(6)
	_, err := gate.Whole("results/a", s.recording)
	require.EqualError(t, err, "the comparison is not valid: results/a holds the variants base, again, head: give it alone, as opbench gate results/a")

	_, _, _, err = gate.Sides("results/b", plain("b", 1).recording)
	require.ErrorContains(t, err, "results/b is not of a run that compares base and head (it holds no variants)")

	only := newStory("c", 0.03, 1)
	only.native(gate.VariantBase, 1, 1, "")
	_, _, _, err = gate.Sides("results/c", only.recording)
	require.ErrorContains(t, err, "it holds the variants base)")
	side, err := gate.Whole("results/c", only.recording)
	require.NoError(t, err)
	assert.Equal(t, gate.VariantBase, side.Variant)

	base := whole(t, "base", plain("x", 6))
	_, err = gate.Compare(gate.DefaultOptions(), base, whole(t, "head", plain("y", 6)), base)
	require.ErrorContains(t, err, "base and base again are the same: run x")
}

func TestOptions(t *testing.T) {
	require.NoError(t, gate.DefaultOptions().Check())
	for _, change := range []func(*gate.Options){
		func(o *gate.Options) { o.Tolerance = -0.1 },
		func(o *gate.Options) { o.Tolerance = math.NaN() },
		func(o *gate.Options) { o.Effect = o.Tolerance },
		func(o *gate.Options) { o.Effect = math.Inf(1) },
		func(o *gate.Options) { o.Alpha = 0 },
		func(o *gate.Options) { o.Alpha = 1 },
	} {
		o := gate.DefaultOptions()
		change(&o)
		require.Error(t, o.Check())
		_, err := gate.Compare(o, whole(t, "base", plain("b", 6)), whole(t, "head", plain("h", 6)), gate.Side{})
		require.Error(t, err)
	}
}

func TestStatus(t *testing.T) {
	assert.Equal(t, 0, gate.Pass.Status())
	assert.Equal(t, 0, gate.Improvement.Status())
	assert.Equal(t, 1, gate.Regression.Status())
	assert.Equal(t, 10, gate.Inconclusive.Status(), "not 2: Go ends a panic with it")
	assert.Equal(t, 3, gate.StatusInvalid)
}

// What a recording says was planned is foreign text.
func TestPlannedRoundsOutOfRangeAreRefused(t *testing.T) {
	for _, planned := range []int{-1, 0, 10001, math.MinInt} {
		s := steady(6)
		s.recording.Environment.Planned = map[string]int{"native": planned}
		base, head, again, err := gate.Sides("results/a", s.recording)
		require.NoError(t, err)
		_, err = gate.Compare(gate.DefaultOptions(), base, head, again)
		var invalid *gate.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.ErrorContains(t, err, fmt.Sprintf("environment.json says that %d rounds of native were planned: expected a number from 1 to 10000", planned))
	}
}

// Whether a scenario is broken, by the rounds in which it failed.
func TestCorrectness(t *testing.T) {
	all := func(n int) []int {
		var list []int
		for round := range n {
			list = append(list, round+1)
		}
		return list
	}
	for name, test := range map[string]struct {
		base, head []int
		rounds     int
		want       gate.Verdict
		why        string
	}{
		"never":                  {nil, nil, 9, gate.Pass, ""},
		"once at head":           {nil, []int{5}, 9, gate.Regression, ""},
		"always":                 {nil, all(9), 9, gate.Regression, ""},
		"always, in few rounds":  {nil, all(2), 2, gate.Regression, ""},
		"in the only round":      {nil, all(1), 1, gate.Inconclusive, "it never failed at base, in 2, but so many failures at head can be chance (p = 0.333): it is broken if it fails again"},
		"flaky":                  {[]int{2}, []int{5}, 9, gate.Inconclusive, "it failed at base too, in 1 of 18: it is flaky, and so many failures at head can be chance (p = 0.564)"},
		"was flaky":              {[]int{2}, nil, 9, gate.Pass, "flaky at base, where 1 of 18 failed"},
		"mended":                 {all(9), nil, 9, gate.Improvement, ""},
		"both":                   {all(9), all(9), 9, gate.Pass, "it fails on both sides"},
		"119 of 120 against 0":   {[]int{7}, all(120), 120, gate.Regression, "it fails at base too, but less often; the difference is significant: p = <0.001"},
		"flaky, and far more so": {[]int{2}, all(9), 9, gate.Regression, "it fails at base too, but less often; the difference is significant: p = <0.001"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory("a", 0.03, 1)
			s.turns(test.rounds, func(variant string, round int) {
				always := test.base // of base again, where base always fails
				if variant == gate.VariantAgain && len(test.base) < test.rounds {
					always = nil
				}
				failed := map[string][]int{gate.VariantBase: test.base, gate.VariantAgain: always, gate.VariantHead: test.head}[variant]
				fail := ""
				if slices.Contains(failed, round) {
					fail = "gone"
				}
				s.native(variant, round, 1, fail)
			})
			r := interleaved(t, s)
			for _, one := range r.Scenarios {
				if one.Scenario != "delete" {
					assert.Equal(t, gate.Pass, one.Verdict)
					continue
				}
				assert.Equal(t, test.want, one.Verdict)
				assert.Equal(t, test.why, one.Why)
				if test.head == nil {
					assert.Nil(t, one.Failure)
					continue
				}
				assert.Equal(t, &gate.Failure{Round: test.head[0], Oracle: "gone", Message: "expected no Deployment | one is left"}, one.Failure)
			}
			if test.want == gate.Regression {
				assert.Equal(t, gate.Regression, r.Verdict, "whatever the latencies")
			}
		})
	}
}

func TestCorrectnessWithoutAJudgement(t *testing.T) {
	base, head := plain("b", 6), plain("h", 6)
	for i := range head.recording.Judgement.Results {
		if r := &head.recording.Judgement.Results[i]; r.Scenario == "delete" {
			r.Verdicts[0].Outcome = spec.Invalid
		}
	}
	o := gate.DefaultOptions()
	o.Force = true
	r, err := gate.Compare(o, whole(t, "base", base), whole(t, "head", head), gate.Side{})
	require.NoError(t, err)
	assert.Equal(t, gate.Inconclusive, r.Scenarios[0].Verdict)
	assert.Equal(t, gate.Tally{Unjudged: 6}, r.Scenarios[0].Head)
	assert.Equal(t, gate.Inconclusive, r.Verdict)
}

// times repeats a count.
func times(count, n int) []int { return slices.Repeat([]int{count}, n) }

// A counter without noise is compared exactly, after six samples; one with noise
// by its distribution, over all scenarios together.
func TestCounters(t *testing.T) {
	varying := func(n int) []int { return append(times(n, 11), n+1) }
	for name, test := range map[string]struct {
		counter    string
		base, head []int
		want       gate.Verdict
	}{
		"same":                     {cost.Writes, times(3, 12), times(3, 12), gate.Pass},
		"one more":                 {cost.Writes, times(3, 6), times(4, 6), gate.Regression},
		"more, and varying":        {cost.Pods, times(3, 6), append(times(4, 5), 5), gate.Regression},
		"fewer":                    {cost.Pods, times(3, 12), times(2, 12), gate.Improvement},
		"a retry at head":          {cost.Writes, times(3, 12), varying(3), gate.Pass},
		"varies at base":           {cost.Writes, varying(3), times(6, 12), gate.Regression},
		"varies on both sides":     {cost.Calls, varying(5), varying(5), gate.Pass},
		"more calls":               {cost.Calls, varying(5), varying(8), gate.Regression},
		"none on either side":      {cost.Pods, times(0, 12), times(0, 12), gate.Pass},
		"in half of the rounds":    {cost.Pods, times(1, 12), []int{1, 9, 1, 9, 1, 9, 1, 9, 1, 1, 9, 1}, gate.Inconclusive},
		"pods 1 to 40 in 11 of 12": {cost.Pods, times(1, 12), append(times(40, 11), 1), gate.Regression},
	} {
		t.Run(name, func(t *testing.T) {
			s := steady(12)
			s.count("native", gate.VariantBase, "create", test.counter, test.base...)
			s.count("native", gate.VariantAgain, "create", test.counter, test.base...)
			s.count("native", gate.VariantHead, "create", test.counter, test.head...)
			assert.Equal(t, test.want, interleaved(t, s).Verdict)
		})
	}
}

// metricOf returns a result's metric.
func metricOf(t *testing.T, r *gate.Result, name string) gate.Metric {
	t.Helper()
	for _, m := range r.Metrics {
		if m.Name() == name {
			return m
		}
	}
	require.Fail(t, "no metric "+name)
	return gate.Metric{}
}

// Everything is gated that a style has, and each kind of it can be significant.
func TestWhatIsGated(t *testing.T) {
	s := newStory("a", 0.03, 1)
	s.turns(12, func(variant string, round int) { s.argo(variant, round, "log") })
	for _, variant := range []string{gate.VariantBase, gate.VariantAgain, gate.VariantHead} {
		c := s.cost("argo", variant)
		c.Install, c.FirstHandled, c.PeakMemory, c.CPU = s.figure(12, 9), s.figure(12, 10), s.figure(12, 1e8), s.figure(12, 3)
		s.count("argo", variant, "create", cost.Pods, times(3, 12)...)
		s.count("argo", variant, "create", cost.CallsPrefix+"sensor create", times(3, 12)...)
	}
	s.drive(spec.Floor, "", "create", 1, "", step{spec.PhaseReady, 0.5})
	kinds := map[gate.Kind][]string{}
	for _, m := range interleaved(t, s).Metrics {
		kinds[m.Kind] = append(kinds[m.Kind], strings.TrimPrefix(m.Name(), "argo "))
		assert.Equal(t, 12, m.Rounds, m.Name())
	}
	for _, names := range kinds {
		slices.Sort(names)
	}
	assert.Equal(t, map[gate.Kind][]string{
		gate.Latency: {"create child written", "create ready"},
		gate.Phase:   {"create acknowledged", "create log finished", "create log started", "create workflow created", "create workflow finished"},
		gate.Tail:    {"create child written tail", "create ready tail", "latencies tail"},
		gate.Cost:    {"CPU for each change", "install", "peak memory"},
		gate.Counter: {"create pods", "pods for each change"},
	}, kinds)
}

// What Kubernetes' garbage collector does is no latency of the operator's: how much it varies decides nothing.
func TestWhatTheGarbageCollectorDoes(t *testing.T) {
	for name, test := range map[string]struct {
		base, head []int
		want       gate.Kind
	}{
		"nothing is written at a deletion": {times(0, 12), times(0, 12), gate.Phase},
		"once, of another change":          {times(0, 12), append(times(0, 11), 1), gate.Phase},
		"head has a finalizer":             {times(0, 12), times(1, 12), gate.Latency},
		"both have one":                    {times(1, 12), times(1, 12), gate.Latency},
		"what is written is not known":     {nil, nil, gate.Latency},
	} {
		s := steady(12)
		for variant, writes := range map[string][]int{gate.VariantBase: test.base, gate.VariantAgain: test.base, gate.VariantHead: test.head} {
			if writes != nil {
				s.count("native", variant, "delete", cost.Writes, writes...)
			}
		}
		metrics := interleaved(t, s).Metrics
		for _, phase := range []string{spec.PhaseChildGone, spec.PhasePodsGone} {
			i := slices.IndexFunc(metrics, func(m gate.Metric) bool { return m.Phase == phase && m.Kind != gate.Tail })
			require.GreaterOrEqual(t, i, 0, name)
			assert.Equal(t, test.want, metrics[i].Kind, name)
			assert.Equal(t, test.want == gate.Latency, slices.ContainsFunc(metrics, func(m gate.Metric) bool {
				return m.Phase == phase && m.Kind == gate.Tail
			}), name)
		}
	}
}

// Each kind has a part of the error probability: what would be significant alone
// is not, among many.
func TestTheFamilyIsCorrected(t *testing.T) {
	drive := func(scenarios ...string) gate.Metric {
		s := newStory("a", 0.03, 1)
		s.turns(6, func(variant string, round int) {
			slow := 1.0
			if variant == gate.VariantHead {
				slow = 1.3
			}
			s.drive("native", variant, "create", round, "", step{spec.PhaseReady, 0.5 * slow})
			for _, name := range scenarios {
				s.drive("native", variant, name, round, "", step{spec.PhaseReady, 0.5})
			}
		})
		return metricOf(t, interleaved(t, s), "native create ready")
	}
	alone := drive()
	assert.Equal(t, gate.Regression, alone.Verdict)
	assert.InDelta(t, math.Pow(3, -6), alone.P, 1e-12, "head was the slowest of three in each of six rounds")
	among := drive("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
	assert.Greater(t, among.Corrected, 10*among.P)
	assert.Equal(t, gate.Inconclusive, among.Verdict)
	assert.Equal(t, "6 rounds: at least 7 are needed", among.Why)
}

// A style's own phases are tested in a fixed sequence, the last one first: however
// many they are, what is late at the end is found with nine rounds.
func TestOwnPhasesAreAChain(t *testing.T) {
	drive := func(middle, last float64) *gate.Result {
		s := newStory("a", 0.05, 1)
		s.turns(9, func(variant string, round int) {
			m, l := 1.0, 1.0
			if variant == gate.VariantHead {
				m, l = middle, last
			}
			steps := []step{{spec.PhaseChildWritten, 1}, {"workflow finished", 200 * l}}
			for i := range 40 {
				steps = append(steps, step{fmt.Sprintf("step %02d", i), float64(2+i) * m})
			}
			s.drive("argo", variant, "create", round, "", steps...)
		})
		return interleaved(t, s)
	}
	r := drive(1, 1.5)
	assert.Equal(t, gate.Regression, metricOf(t, r, "argo create workflow finished").Verdict)
	assert.Equal(t, gate.Pass, metricOf(t, r, "argo create step 07").Verdict)
	r = drive(2, 2)
	assert.Equal(t, gate.Regression, metricOf(t, r, "argo create step 07").Verdict, "so are those before it")
	r = drive(2, 1)
	assert.Equal(t, gate.Inconclusive, metricOf(t, r, "argo create step 07").Verdict, "it looks late, but nothing after it is")
	assert.Equal(t, gate.Pass, drive(1, 1).Verdict)
}

// A phase that is named as the first to differ.
func TestFirstDifferingPhase(t *testing.T) {
	for name, test := range map[string]struct {
		base, head []step
		phase      string
		only       bool
		added      float64
	}{
		"the metric itself": {
			[]step{{"a", 1}, {spec.PhaseReady, 10}}, []step{{"a", 1}, {spec.PhaseReady, 13}}, spec.PhaseReady, false, 3,
		},
		"an earlier one": {
			[]step{{"a", 1}, {"b", 5}, {spec.PhaseReady, 10}}, []step{{"a", 1}, {"b", 8}, {spec.PhaseReady, 13}}, "b", false, 3,
		},
		"a new one": {
			[]step{{"a", 1}, {"b", 5}, {spec.PhaseReady, 10}}, []step{{"a", 1}, {"new", 3}, {"b", 8}, {spec.PhaseReady, 13}}, "new", true, 3,
		},
		"a new one that takes no time": {
			[]step{{"a", 1}, {"b", 5}, {spec.PhaseReady, 10}}, []step{{"new", 0.5}, {"a", 1}, {"b", 8}, {spec.PhaseReady, 13}}, "b", false, 3,
		},
		"too little to be the reason": {
			[]step{{"a", 1}, {"b", 5}, {spec.PhaseReady, 10}}, []step{{"a", 1.2}, {"b", 5.2}, {spec.PhaseReady, 15}}, spec.PhaseReady, false, 5,
		},
		"one that comes after": {
			[]step{{spec.PhaseReady, 10}, {"finished", 12}}, []step{{spec.PhaseReady, 13}, {"finished", 20}}, spec.PhaseReady, false, 3,
		},
		"one that went away": {
			[]step{{"a", 1}, {"old", 2}, {spec.PhaseReady, 10}}, []step{{"a", 4}, {spec.PhaseReady, 13}}, "a", false, 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory("a", 0.002, 1)
			s.turns(9, func(variant string, round int) {
				steps := test.base
				if variant == gate.VariantHead {
					steps = test.head
				}
				s.drive("argo", variant, "create", round, "", steps...)
			})
			m := metricOf(t, interleaved(t, s), "argo create ready")
			require.Equal(t, gate.Regression, m.Verdict)
			assert.Equal(t, test.phase, m.First.Phase)
			assert.Equal(t, test.only, m.First.Only)
			assert.InDelta(t, test.added, m.First.Added, 0.2)
		})
	}
}

func TestTimeouts(t *testing.T) {
	late := func(variants ...string) gate.Metric {
		s := newStory("a", 0.03, 1)
		s.turns(9, func(variant string, round int) {
			s.drive("native", variant, "create", round, "", step{spec.PhaseReady, 0.5})
		})
		for i := range s.recording.Judgement.Results {
			r := &s.recording.Judgement.Results[i]
			for _, variant := range variants {
				if r.Variant == variant {
					r.Samples[0].Value, r.Samples[0].Outcome = 180, judge.Timeout
				}
			}
		}
		return metricOf(t, interleaved(t, s), "native create ready")
	}
	head := late(gate.VariantHead)
	assert.Equal(t, gate.Regression, head.Verdict)
	assert.Contains(t, head.Message(), "native create ready: slower, ")
	assert.Contains(t, head.Message(), "and >180 s at head, ratio ∞")
	assert.Equal(t, gate.Improvement, late(gate.VariantBase, gate.VariantAgain).Verdict)
	both := late(gate.VariantBase, gate.VariantAgain, gate.VariantHead)
	assert.Equal(t, gate.Inconclusive, both.Verdict)
	assert.Equal(t, "too much timed out for a ratio", both.Why)
}

// A side all of whose samples are wrong has no latencies; that is said, and
// what is broken decides.
func TestNoSampleCounts(t *testing.T) {
	s := newStory("a", 0.03, 1)
	s.turns(7, func(variant string, round int) {
		fail := ""
		if variant == gate.VariantHead {
			fail = "gone"
		}
		s.native(variant, round, 1, fail)
	})
	r := interleaved(t, s)
	m := metricOf(t, r, "native delete pods gone")
	assert.Equal(t, gate.Inconclusive, m.Verdict)
	assert.Equal(t, "no sample of head counts", m.Why)
	assert.Equal(t, gate.Half{Lost: 7}, m.Head)
	assert.Equal(t, gate.Regression, r.Verdict)
	assert.Contains(t, r.Conclusion(), "BROKEN: native delete")
	outputs(t, r)
}

// Rounds are told apart by their numbers, however a foreign recording counts; the
// last one does not count before all have had their turns in it.
func TestRoundNumbers(t *testing.T) {
	s := newStory("a", 0.03, 1)
	for _, round := range []int{-5, 0, 1, 7, 11, 12, 13, 1 << 40, math.MaxInt - 1} {
		s.native(gate.VariantBase, round, 1, "")
		s.native(gate.VariantAgain, round, 1, "")
		s.native(gate.VariantHead, round, 1, "")
	}
	s.native(gate.VariantBase, math.MaxInt, 1, "") // head has none of it
	r := interleaved(t, s)
	assert.Equal(t, 9, r.Rounds)
	assert.Equal(t, gate.Pass, r.Verdict)
}

// Of the correctness matrix all groups are compared that were driven; the comment
// says which were, and why others were not.
func TestTheMatrixIsCompared(t *testing.T) {
	for _, group := range []string{spec.GroupBasic, spec.GroupLevel, spec.GroupInput, spec.GroupFault, spec.GroupUpgrade} {
		s := steady(9)
		for round := 1; round <= 2; round++ {
			s.matrix("native", gate.VariantBase, "drift-replicas", group, round, "")
			s.matrix("native", gate.VariantHead, "drift-replicas", group, round, "converged")
		}
		r := interleaved(t, s)
		assert.Equal(t, gate.Regression, r.Verdict, group)
		if group == spec.GroupBasic {
			assert.Contains(t, outputs(t, r)[1], "groups of the correctness matrix: run at base and at head: basic (1 scenario); not run: level, input, fault (not asked for), upgrade")
		}
	}
}

// Where every sample of head fails, oracles that have nothing left to judge are not missing: the scenario is broken.
func TestABrokenScenarioLacksNoOracle(t *testing.T) {
	for _, passes := range []bool{false, true} {
		s := steady(9)
		for round := 1; round <= 2; round++ {
			s.matrix("native", gate.VariantBase, "drift-deleted", spec.GroupLevel, round, "")
			results := s.recording.Judgement.Results
			last := &results[len(results)-1]
			last.Verdicts = append(last.Verdicts, judge.Verdict{Oracle: "calm", Outcome: spec.Pass})
			s.matrix("native", gate.VariantHead, "drift-deleted", spec.GroupLevel, round, map[bool]string{false: "converged"}[passes])
		}
		r := interleaved(t, s)
		assert.Equal(t, gate.Regression, r.Verdict)
		if passes {
			require.Len(t, r.Lacks, 1)
			assert.Equal(t, "this oracle judged drift-deleted at base, and at head it does not", r.Lacks[0].Why)
		} else {
			assert.Empty(t, r.Lacks)
		}
	}
}

// What would do is reckoned from how long base and head took turns, where the recording says it.
func TestTooFewRoundsSaysHowLongWouldDo(t *testing.T) {
	for driven, want := range map[float64]string{
		0: `about \d+ rounds like these would do`, 90: `about \d+ minutes like these would do \(--budget=\d+m\)`,
		9 * 60: `about [\d.]+ hours like these would do \(--budget=\d+m\)`,
	} {
		s := newStory("a", 0.3, 1)
		s.turns(9, func(variant string, round int) { s.native(variant, round, 1, "") })
		s.recording.Environment.Comparison.Driven = driven
		r := interleaved(t, s)
		assert.Equal(t, gate.Inconclusive, r.Verdict)
		assert.Regexp(t, `^CANNOT TELL: .* In all, `+want+`\.$`, r.Conclusion())
	}
}

// What a recording holds of foreign texts cannot steer a terminal, nor break
// out of a table.
func TestForeignTextsAreHarmless(t *testing.T) {
	s := newStory("a", 0.03, 1)
	s.turns(7, func(variant string, round int) {
		fail := ""
		if variant == gate.VariantHead {
			fail = "\x1b[2J<script>|@all"
		}
		s.native(variant, round, 1, fail)
	})
	out := outputs(t, interleaved(t, s))
	assert.NotContains(t, out[0], "\x1b[2J")
	assert.Contains(t, out[0], "\x1b[31mbroken", "our own colours stay")
	assert.NotContains(t, out[1], "<script>")
	assert.NotContains(t, out[1], "@all")
}

// What a scenario warms up with counts for correctness: its rounds are those in which it
// was driven, though none of them measured it.
func TestAScenarioThatOnlyWarmedUp(t *testing.T) {
	s := steady(9)
	for i := range s.recording.Judgement.Results {
		if one := &s.recording.Judgement.Results[i]; one.Scenario == "create" {
			one.Warmup = true
		}
	}
	r := interleaved(t, s)
	assert.Equal(t, gate.Pass, r.Verdict, r.Conclusion())
}

// Of two runs, whose rounds are no pairs, a tail is that of all their rounds: also where
// head has no sample in the first one.
func TestTheTailOfTwoRunsIsThatOfAllRounds(t *testing.T) {
	head := newStory("b", 0.03, 1)
	for round := 1; round <= 8; round++ {
		slow, fail := 1.0, ""
		if round == 1 {
			fail = "gone"
		} else if round > 4 {
			slow = 9
		}
		head.native("", round, slow, fail)
	}
	r, err := gate.Compare(gate.DefaultOptions(), whole(t, "base", plain("a", 8)), whole(t, "head", head), gate.Side{})
	require.NoError(t, err)
	outputs(t, r)
	i := slices.IndexFunc(r.Metrics, func(m gate.Metric) bool {
		return m.Kind == gate.Tail && m.Scenario == "delete" && m.Phase == spec.PhaseChildGone
	})
	require.GreaterOrEqual(t, i, 0)
	assert.InDelta(t, 4.0/7, r.Metrics[i].Head.Value, 0.2, "four of the seven that count are late")
}

// A recording names a kind of custom objects once one was made: a side that made none
// has zero of them, not nothing.
func TestCustomObjectsThatOnlyOneSideMakes(t *testing.T) {
	for name, test := range map[string]struct {
		base, head int
		want       gate.Verdict
	}{"only head": {0, 3, gate.Regression}, "only base": {3, 0, gate.Improvement}} {
		s := steady(12)
		for variant, made := range map[string]int{gate.VariantBase: test.base, gate.VariantAgain: test.base, gate.VariantHead: test.head} {
			s.count("native", variant, "create", cost.Pods, times(1, 12)...)
			if made > 0 {
				s.count("native", variant, "create", cost.MadePrefix+"jobs.v1.example.com", times(made, 12)...)
			}
		}
		r := interleaved(t, s)
		assert.Equal(t, test.want, r.Verdict, "%s: %s", name, r.Conclusion())
		outputs(t, r)
	}
}
