package gate_test

import (
	"bytes"
	"encoding/json"
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
	"operatorbench/e2e/report"
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
		"another schema": {func(b, _ *story) { b.recording.Judgement.Header.Schema = 1 }, "base has schema 1, head has schema 3", true},
		"another CPU":    {func(_, h *story) { h.recording.Environment.Host.CPU = "Intel" }, "machine AMD EPYC, 2 CPUs, 24 GiB, Linux 6.18.44 against Intel, 2 CPUs", true},
		"more CPUs":      {func(_, h *story) { h.recording.Environment.Host.CPUs = 4 }, "against AMD EPYC, 4 CPUs", true},
		"another kernel": {func(_, h *story) { h.recording.Environment.Host.Kernel = "6.1" }, "Linux 6.18.44 against AMD EPYC, 2 CPUs, 24 GiB, Linux 6.1)", true},
		"more memory":    {func(_, h *story) { h.recording.Environment.Host.Memory *= 2 }, "48 GiB", true},
		"Kubernetes":     {func(_, h *story) { h.recording.Environment.Kubernetes = "v1.36.1" }, "Kubernetes v1.37.0 against v1.36.1", true},
		"kind":           {func(_, h *story) { h.recording.Environment.Kind = "" }, "kind 0.33.0 against unknown", true},
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
	j.Header.Styles = []record.Style{{Name: style}}
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
	s := newStory("a", 0.03, 1)
	s.turns(6, func(variant string, round int) { s.native(variant, round, 1, "") })
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
	assert.Equal(t, 2, gate.Inconclusive.Status())
	assert.Equal(t, 3, gate.StatusInvalid)
}

// Whether a scenario is broken, by the rounds in which it failed.
func TestCorrectness(t *testing.T) {
	for name, test := range map[string]struct {
		base, head []int
		want       gate.Verdict
		why        string
	}{
		"never":        {nil, nil, gate.Pass, ""},
		"once at head": {nil, []int{5}, gate.Regression, ""},
		"always":       {nil, []int{1, 2, 3, 4, 5, 6}, gate.Regression, ""},
		"flaky":        {[]int{2}, []int{5}, gate.Inconclusive, "it failed at base too, in 1 of 6: it is flaky, and a failure at head proves nothing"},
		"was flaky":    {[]int{2}, nil, gate.Pass, "flaky at base, where 1 of 6 failed"},
		"mended":       {[]int{1, 2, 3, 4, 5, 6}, nil, gate.Improvement, ""},
		"both":         {[]int{1, 2, 3, 4, 5, 6}, []int{1, 2, 3, 4, 5, 6}, gate.Pass, "it fails on both sides"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory("a", 0.03, 1)
			s.turns(6, func(variant string, round int) {
				failed := map[string][]int{gate.VariantBase: test.base, gate.VariantHead: test.head}[variant]
				fail := ""
				for _, one := range failed {
					if one == round {
						fail = "gone"
					}
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
				assert.Equal(t, &gate.Failure{Round: test.head[0], Oracle: "gone", Message: "3 replicas wanted | 2 seen"}, one.Failure)
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
			r.Verdicts[0].Outcome = judge.Invalid
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

func TestCounters(t *testing.T) {
	for name, test := range map[string]struct {
		counter    string
		base, head []int
		gated      bool
		want       gate.Verdict
	}{
		"same":              {cost.Writes, times(3, 6), times(3, 6), true, gate.Pass},
		"one more":          {cost.Writes, times(3, 6), times(4, 6), true, gate.Regression},
		"more, and varying": {cost.Pods, times(3, 6), append(times(4, 5), 5), true, gate.Regression},
		"fewer":             {cost.Pods, times(3, 6), times(2, 6), true, gate.Improvement},
		"a retry at head":   {cost.Writes, times(3, 6), append(times(3, 5), 4), false, gate.Pass},
		"varies at base":    {cost.Writes, append(times(3, 5), 4), times(6, 6), false, gate.Regression},
		"few samples":       {cost.Writes, times(3, 6), times(6, 5), false, gate.Regression},
		"reads":             {cost.Calls, times(3, 6), times(6, 6), false, gate.Regression},
		"objects":           {cost.MadePrefix + "workflows.v1alpha1.argoproj.io", times(1, 6), times(2, 6), true, gate.Regression},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory("a", 0.03, 1)
			s.turns(12, func(variant string, round int) { s.native(variant, round, 1, "") })
			s.count("native", gate.VariantBase, "create", test.counter, test.base...)
			s.count("native", gate.VariantHead, "create", test.counter, test.head...)
			r := interleaved(t, s)
			require.Len(t, r.Counters, 1)
			assert.Equal(t, test.gated, r.Counters[0].Gated)
			assert.Equal(t, test.want, r.Counters[0].Verdict)
			want := gate.Pass
			if test.gated {
				want = test.want
			}
			assert.Equal(t, want, r.Verdict)
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

func TestWhatIsGated(t *testing.T) {
	s := newStory("a", 0.03, 1)
	s.turns(7, func(variant string, round int) {
		s.argo(variant, round, "log")
		s.native(variant, round, 1, "")
	})
	s.drive(report.Floor, "", "create", 1, "", step{judge.PhaseReady, 0.5})
	r := interleaved(t, s)
	var names []string
	for _, m := range r.Metrics {
		if m.Gated {
			names = append(names, m.Name())
		}
		assert.NotEqual(t, report.Floor, m.Style, "the floor is of neither side")
	}
	assert.ElementsMatch(t, []string{
		"argo create child written", "argo create ready", "native create child written", "native create ready",
		"native delete child gone", "native delete pods gone",
	}, names)
	assert.InDelta(t, metricOf(t, r, "argo create log started").P, metricOf(t, r, "argo create log started").Corrected, 0, "not in the family")
}

// Holm corrects for all gated metrics: what would be slower alone is not, with
// many.
func TestTheFamilyIsCorrected(t *testing.T) {
	drive := func(scenarios ...string) gate.Metric {
		s := newStory("a", 0.03, 1)
		s.turns(6, func(variant string, round int) {
			slow := 1.0
			if variant == gate.VariantHead {
				slow = 1.3
			}
			s.drive("native", variant, "create", round, "", step{judge.PhaseReady, 0.5 * slow})
			for _, name := range scenarios {
				s.drive("native", variant, name, round, "", step{judge.PhaseReady, 0.5})
			}
		})
		return metricOf(t, interleaved(t, s), "native create ready")
	}
	alone := drive()
	assert.Equal(t, gate.Regression, alone.Verdict)
	assert.InDelta(t, alone.P, alone.Corrected, 0)
	among := drive("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
	assert.InDelta(t, 11*among.P, among.Corrected, 1e-12)
	assert.Equal(t, gate.Inconclusive, among.Verdict)
	assert.Equal(t, "6 rounds: at least 7 are needed", among.Why)
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
			[]step{{"a", 1}, {judge.PhaseReady, 10}}, []step{{"a", 1}, {judge.PhaseReady, 13}}, judge.PhaseReady, false, 3,
		},
		"an earlier one": {
			[]step{{"a", 1}, {"b", 5}, {judge.PhaseReady, 10}}, []step{{"a", 1}, {"b", 8}, {judge.PhaseReady, 13}}, "b", false, 3,
		},
		"a new one": {
			[]step{{"a", 1}, {"b", 5}, {judge.PhaseReady, 10}}, []step{{"a", 1}, {"new", 3}, {"b", 8}, {judge.PhaseReady, 13}}, "new", true, 3,
		},
		"a new one that takes no time": {
			[]step{{"a", 1}, {"b", 5}, {judge.PhaseReady, 10}}, []step{{"new", 0.5}, {"a", 1}, {"b", 8}, {judge.PhaseReady, 13}}, "b", false, 3,
		},
		"too little to be the reason": {
			[]step{{"a", 1}, {"b", 5}, {judge.PhaseReady, 10}}, []step{{"a", 1.2}, {"b", 5.2}, {judge.PhaseReady, 15}}, judge.PhaseReady, false, 5,
		},
		"one that comes after": {
			[]step{{judge.PhaseReady, 10}, {"finished", 12}}, []step{{judge.PhaseReady, 13}, {"finished", 20}}, judge.PhaseReady, false, 3,
		},
		"one that went away": {
			[]step{{"a", 1}, {"old", 2}, {judge.PhaseReady, 10}}, []step{{"a", 4}, {judge.PhaseReady, 13}}, "a", false, 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory("a", 0.002, 1)
			s.turns(7, func(variant string, round int) {
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
		s.turns(7, func(variant string, round int) {
			s.drive("native", variant, "create", round, "", step{judge.PhaseReady, 0.5})
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
	assert.Contains(t, head.Message(), "native create ready: slower, ratio >3")
	assert.Contains(t, head.Message(), " – ∞), n = 7 rounds")
	assert.Equal(t, gate.Improvement, late(gate.VariantBase, gate.VariantAgain).Verdict)
	both := late(gate.VariantBase, gate.VariantAgain, gate.VariantHead)
	assert.Equal(t, gate.Inconclusive, both.Verdict)
	assert.Equal(t, "too much timed out for a ratio", both.Why)
	assert.Contains(t, both.Message(), "ratio unknown")
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
	assert.Equal(t, gate.Count{Base: 0, Head: 7}, m.Lost)
	assert.Equal(t, gate.Regression, r.Verdict)
	assert.Contains(t, r.Conclusion(), "BROKEN: native delete.")
	outputs(t, r)
}

// Rounds are told apart by their numbers, however a foreign recording counts.
func TestRoundNumbers(t *testing.T) {
	s := newStory("a", 0.03, 1)
	for _, round := range []int{-5, 0, 1, 7, 1 << 40, math.MaxInt} {
		s.native(gate.VariantBase, round, 1, "")
		s.native(gate.VariantHead, round, 1, "")
	}
	s.native(gate.VariantBase, 9, 1, "") // of which head has nothing
	r := interleaved(t, s)
	assert.Equal(t, 6, r.Rounds)
	assert.Equal(t, gate.Pass, r.Verdict)
}

// What is there for the correctness matrix has expected verdicts of its own.
func TestTheMatrixIsNotCompared(t *testing.T) {
	s := newStory("a", 0.03, 1)
	s.turns(7, func(variant string, round int) {
		s.native(variant, round, 1, "")
		s.drive("native", variant, "drift-replicas", round, map[string]string{gate.VariantHead: "converged"}[variant])
		results := s.recording.Judgement.Results
		results[len(results)-1].Matrix = true
	})
	r := interleaved(t, s)
	assert.Equal(t, gate.Pass, r.Verdict)
	for _, one := range r.Scenarios {
		assert.NotEqual(t, "drift-replicas", one.Scenario)
	}
}

func TestTooFewRoundsSaysHowManyWouldDo(t *testing.T) {
	s := newStory("a", 0.15, 1)
	s.turns(5, func(variant string, round int) { s.native(variant, round, 1, "") })
	r := interleaved(t, s)
	assert.Equal(t, gate.Inconclusive, r.Verdict)
	assert.Regexp(t, `^CANNOT TELL: .* In all, about \d+ rounds like these would do\.$`, r.Conclusion())
	assert.Contains(t, r.Metrics[0].Message(), "5 rounds: at least 6 are needed; about ")
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
