package gate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/report"
	"operatorbench/e2e/stat"
)

// Metric is one latency of both sides.
type Metric struct {
	Style, Scenario, Phase string
	Gated                  bool
	// Ratio is that of the medians. Its Rounds are 0 where nothing can be
	// compared; Why then says so.
	Ratio stat.Ratio
	// Samples are those that count; Lost are those of which an oracle failed, or
	// that were interrupted.
	Samples, Lost Count
	P, Corrected  float64
	Again         *stat.Ratio // base against itself: the noise floor
	Verdict       Verdict     // of what is not gated: what it would be
	Why           string      // of a verdict that needs an explanation
	Needed        int         // rounds that would do, where there were too few; 0: cannot be told
	First         *Difference // of a regression

	base, head, again stat.Replicates
	fewest            int // rounds with which anything can be told at all
}

// Count is a number on both sides.
type Count struct{ Base, Head int }

// Name is the metric's name.
func (m *Metric) Name() string { return m.Style + " " + m.Scenario + " " + m.Phase }

// gated are the phases that a verdict depends on: those of an outcome that a
// user waits for. How a style comes there is its own business.
func gated(phase string) bool {
	return slices.Contains([]string{judge.PhaseChildWritten, judge.PhaseReady, judge.PhaseChildGone, judge.PhasePodsGone}, phase)
}

type metricKey struct{ style, scenario, phase string }

// latencies are a side's samples by metric and round.
type latencies struct {
	order   []metricKey
	rounds  map[metricKey]map[int][]stat.Observation
	samples map[metricKey]int
	lost    map[metricKey]int
}

func latenciesOf(s Side) latencies {
	l := latencies{rounds: map[metricKey]map[int][]stat.Observation{}, samples: map[metricKey]int{}, lost: map[metricKey]int{}}
	if !s.there() {
		return l
	}
	for sample := range s.Recording.Judgement.Samples() {
		if sample.Variant != s.Variant || sample.Warmup {
			continue
		}
		key := metricKey{sample.Operator, sample.Scenario, sample.Phase}
		if l.rounds[key] == nil {
			l.order, l.rounds[key] = append(l.order, key), map[int][]stat.Observation{}
		}
		switch sample.Outcome {
		case judge.OK, judge.Timeout:
			o := stat.Observation{Value: sample.Value, Censored: sample.Outcome == judge.Timeout}
			l.rounds[key][sample.Block] = append(l.rounds[key][sample.Block], o)
			l.samples[key]++
		default:
			l.lost[key]++
		}
	}
	return l
}

// replicates lists a metric by rounds, so that those of two sides stand beside
// each other.
func (l latencies) replicates(key metricKey, rounds []int) stat.Replicates {
	list := make(stat.Replicates, len(rounds))
	for i, number := range rounds {
		list[i] = l.rounds[key][number]
	}
	return list
}

// roundsOf are the numbers of the rounds that any side has.
func roundsOf(sides ...latencies) []int {
	seen := map[int]bool{}
	for _, side := range sides {
		for _, rounds := range side.rounds {
			for number := range rounds {
				seen[number] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// compareLatencies fills Metrics: all phases that both sides have, and those
// gated ones that only one has.
func (r *Result) compareLatencies() {
	base, head, again := latenciesOf(r.Base), latenciesOf(r.Head), latenciesOf(r.Again)
	rounds := roundsOf(base, head, again)
	for _, key := range base.order {
		if head.rounds[key] == nil && (!gated(key.phase) || !r.shares(key)) {
			continue
		}
		m := Metric{
			Style: key.style, Scenario: key.scenario, Phase: key.phase,
			Gated:   gated(key.phase) && key.style != report.Floor,
			Samples: Count{base.samples[key], head.samples[key]}, Lost: Count{base.lost[key], head.lost[key]},
			base: base.replicates(key, rounds), head: head.replicates(key, rounds),
		}
		if again.rounds[key] != nil {
			m.again = again.replicates(key, rounds)
		}
		r.Metrics = append(r.Metrics, m)
	}
	r.judge(stat.NewBootstrap(r.Seed), r.Metrics)
	for i := range r.Metrics {
		if m := &r.Metrics[i]; m.Gated && m.Verdict == Regression {
			m.First = r.first(m, head)
		}
	}
	slices.SortStableFunc(r.Metrics, func(a, b Metric) int { return a.order(&b) })
}

// shares tells whether both sides drove a style through a scenario.
func (r *Result) shares(key metricKey) bool {
	return slices.ContainsFunc(r.Scenarios, func(s Scenario) bool { return s.Style == key.style && s.Scenario == key.scenario })
}

// judge fills in the verdicts of metrics whose replicates are known. Those that
// are gated are one family of tests.
func (r *Result) judge(b *stat.Bootstrap, metrics []Metric) {
	family := 0
	for i := range metrics {
		if metrics[i].Gated {
			family++
		}
	}
	aim := r.aim(family)
	var p []float64
	var tested []*Metric
	for i := range metrics {
		m := &metrics[i]
		m.P, m.Corrected = 1, 1
		ratio, ok := b.CompareQuantiles(0.5, m.base, m.head, r.Paired)
		if !ok {
			continue
		}
		m.Ratio = ratio
		m.P, _ = aim.Test(m.base, m.head, r.Paired) // no error: there are observations
		m.Corrected = m.P
		if m.Gated {
			p, tested = append(p, m.P), append(tested, m)
		}
		if m.again != nil {
			if ratio, ok := b.CompareQuantiles(0.5, m.base, m.again, r.Base.Recording.Judgement == r.Again.Recording.Judgement); ok {
				m.Again = &ratio
			}
		}
	}
	for i, corrected := range stat.Holm(p) {
		tested[i].Corrected = corrected
	}
	for i := range metrics {
		m := &metrics[i]
		m.decide(r.Options, aim)
		if m.Verdict == Inconclusive && m.Ratio.Rounds > 0 {
			m.Needed = aim.Rounds(m.Ratio, m.base, m.head, r.Paired)
		}
	}
}

// decide gives the verdict of one metric.
func (m *Metric) decide(o Options, aim stat.Aim) {
	interval := m.Ratio.Interval
	significant := m.Corrected < o.Alpha
	m.Verdict = Inconclusive
	switch {
	case m.Ratio.Rounds == 0:
		m.Why = m.absent()
	case interval == nil || m.Gated && m.Ratio.Rounds < aim.MinRounds():
		m.fewest = aim.MinRounds()
		m.Why = fmt.Sprintf("%s: at least %d are needed", plural(m.Ratio.Rounds, "round"), m.fewest)
	case m.Again != nil && m.Again.Interval != nil && off(*m.Again.Interval, o):
		m.Why = "base differs from itself by more than the tolerance: this run is too unsteady"
	case interval.Low > 1+o.Tolerance && significant:
		m.Verdict = Regression
	case interval.High < 1/(1+o.Tolerance) && significant:
		m.Verdict = Improvement
	case interval.High < 1+o.Effect && m.Again != nil && m.Again.Interval != nil && blind(*m.Again.Interval, o):
		m.Why = fmt.Sprintf("base may differ from itself by %s or more: the noise of this run is above the effect", percent(o.Effect))
	case interval.High < 1+o.Effect:
		m.Verdict = Pass
	case m.Ratio.Head.Censored || m.Ratio.Base.Censored:
		m.Why = "too much timed out for a ratio"
	default:
		m.Why = fmt.Sprintf("the noise would hide a slowdown of %s", percent(o.Effect))
	}
}

// absent says why there is nothing to compare.
func (m *Metric) absent() string {
	switch {
	case m.Samples.Base == 0 && m.Samples.Head == 0:
		return "no sample of either side counts"
	case m.Samples.Base == 0:
		return "no sample of base counts"
	case m.Samples.Head == 0:
		return "no sample of head counts"
	}
	return "no round has samples of both sides that can be compared"
}

// blind tells whether base against itself is as uncertain as what the gate must
// see: a pass would then be luck.
func blind(b stat.Bounds, o Options) bool {
	return b.High > 1+o.Effect && b.Low < 1/(1+o.Tolerance)
}

// off tells whether an interval of base against itself excludes that nothing
// changed.
func off(b stat.Bounds, o Options) bool {
	return b.Low > 1+o.Tolerance || b.High < 1/(1+o.Tolerance)
}

// order sorts the worst first, but what is gated before all that is not.
func (m *Metric) order(other *Metric) int {
	return cmp.Or(
		cmp.Compare(number(!m.Gated), number(!other.Gated)),
		cmp.Compare(rank(m.Verdict), rank(other.Verdict)),
		cmp.Compare(other.Ratio.Value.Low, m.Ratio.Value.Low),
	)
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func rank(v Verdict) int {
	return slices.Index([]Verdict{Regression, Inconclusive, Improvement, Pass}, v)
}
