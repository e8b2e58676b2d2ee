package gate

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"operatorbench/e2e/cost"
	"operatorbench/e2e/judge"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/stat"
)

// Kind is what a metric is of. Each has a part of the error probability.
type Kind string

// The kinds of metrics.
const (
	Latency Kind = "latency" // a phase that a user waits for, and the operator has a part in: see awaited and collected
	Phase   Kind = "phase"   // any other phase
	Load    Kind = "load"    // the last of many custom resources to reach a phase
	Tail    Kind = "tail"    // how far the slowest samples are out
	Cost    Kind = "cost"    // installing, peak memory, CPU time
	Counter Kind = "counter" // pods, objects, API calls for each change
)

// kinds in the order of weights.
func kinds() []Kind { return []Kind{Latency, Phase, Load, Tail, Cost, Counter} }

// weights are the parts of the error probability that the kinds have, before any hands on its own: the most for what a
// user waits for, whose tail has a part for itself, and so have a style's own phases.
func weights() []float64 { return []float64{0.45, 0.05, 0.05, 0.05, 0.2, 0.05, 0.1, 0.05} }

// group is whose part a metric shares.
func (m *Metric) group() int {
	switch {
	case m.whole():
		return len(kinds())
	case m.inner():
		return len(kinds()) + 1
	}
	return slices.Index(kinds(), m.Kind)
}

// inner reports whether a metric is one of the style's own phases, which lie before one another: see chains.
func (m *Metric) inner() bool { return m.Kind == Phase && spec.Inner(m.Phase) }

// exact reports whether a metric is compared only where it has no noise: a counter
// of one scenario. With noise it counts among those of all scenarios.
func (m *Metric) exact() bool { return m.Kind == Counter && m.Scenario != "" }

// wide is by how much anything but a latency that a user waits for may look worse, if that is not significant.
const wide = 0.5

// Key is what a metric is of.
type Key struct {
	Style    string `json:"style"`
	Scenario string `json:"scenario,omitempty"` // "": all of the style's together
	Phase    string `json:"phase"`
	Kind     Kind   `json:"kind"`
}

// Test is what a metric's verdict rests on.
type Test struct {
	Rounds int `json:"rounds"` // 0: nothing can be compared; Why then says so
	// P is the exact one-sided probability of so much, were there no difference;
	// Corrected is that for all metrics, looks and styles: up to Alpha ÷ 2 is significant.
	P         float64     `json:"p"`
	Corrected float64     `json:"corrected"`
	Needed    int         `json:"needed,omitempty"` // rounds that would do, where there were too few; 0: cannot be told
	First     *Difference `json:"first,omitempty"`  // of a regression
}

// Metric is one measured thing of both sides.
type Metric struct {
	Key
	Verdict Verdict `json:"verdict"`
	Base    Half    `json:"base,omitzero"`
	Head    Half    `json:"head,omitzero"`
	// Ratio is by how many times head takes longer, as rounds show it side by
	// side; Interval its 95% interval. Nil: there is none.
	Ratio    *float64     `json:"ratio,omitempty"`
	Interval *stat.Bounds `json:"interval,omitempty"`
	Again    *stat.Bounds `json:"again,omitempty"` // the same of base once more against base: the noise floor
	Test

	Why string `json:"-"` // of a verdict that needs an explanation

	measured measured       // of all rounds of the style
	beyond   measured       // of a tail: the same in units of base's p90
	replies  [3][][]float64 // likewise, by round and sample: seconds until the API server replied; 0: not known
	reply    *Metric        // how long that took; nil: it is not taken out
	differs  bool           // of a reply: head's took longer or less long, at the last look
	score    stat.Score
	fewest   int // rounds with which a regression could be told at all
	settled  bool
	seen     []stat.Stratum // at the last look
	shown    []stat.Stratum // the same, as it was measured
	looked   int            // after how many of the style's rounds that was
}

// measured are the rounds of the three sides.
type measured [3]stat.Replicates

// The sides, in the order in which all that has three of something has them.
const (
	ofBase = iota
	ofHead
	ofAgain
)

// until are the first n rounds, or as many as there are.
func (m measured) until(n int) measured {
	for side, rounds := range m {
		m[side] = rounds[:min(n, len(rounds))]
	}
	return m
}

// over are the rounds in units of a threshold.
func (m measured) over(threshold float64) measured {
	for side, rounds := range m {
		m[side] = plain.Map(rounds, func(round []stat.Observation) []stat.Observation {
			return plain.Map(round, func(o stat.Observation) stat.Observation {
				if threshold > 0 {
					o.Value /= threshold
				}
				return o
			})
		})
	}
	return m
}

// Half is what one side has of a metric, in seconds, bytes or a count. Base once more is base.
type Half struct {
	Samples          int  `json:"samples"`
	Lost             int  `json:"lost,omitempty"` // did not count: wrong, or interrupted
	stat.Observation      // the median; of a tail the share above base's p90
	P90              *p90 `json:"p90,omitempty"` // nil: there are too few samples for it
}

// p90 is one that samples are enough for.
type p90 stat.Observation

// MarshalJSON leaves out whether it is more than that.
func (p p90) MarshalJSON() ([]byte, error) { return json.Marshal(p.Value) }

// Name is the metric's name.
func (m *Metric) Name() string {
	parts := []string{m.Style, m.Scenario, m.Phase}
	if m.Kind == Tail {
		parts = append(parts, "tail")
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// late reports whether more of a metric is later, and not dearer.
func (m *Metric) late() bool { return m.Kind != Counter && (m.Kind != Cost || m.Phase == install) }

// phase reports whether the metric is a phase of a scenario, by its middle.
func (m *Metric) phase() bool { return m.Kind == Latency || m.Kind == Phase }

// whole reports whether the metric is the tail of all of a style's latencies.
func (m *Metric) whole() bool { return m.Kind == Tail && m.Scenario == "" }

// awaited are the phases of an outcome that a user waits for.
func awaited(phase string) bool {
	return slices.Contains([]string{spec.PhaseChildWritten, spec.PhaseReady, spec.PhaseChildGone, spec.PhasePodsGone}, phase)
}

// done are the phases by which an operator has answered a load.
func done(phase string) bool {
	return slices.Contains([]string{spec.PhaseChildWritten, spec.PhaseChildGone, spec.PhaseStatusWritten}, phase)
}

// values are a side's by metric, in the order in which they were first seen.
type values struct {
	order []Key
	of    map[Key]*series
}

// series is what a side has of one metric.
type series struct {
	rounds        map[int][]stat.Observation
	replies       map[int][]float64 // of each observation of a phase: seconds until the API server replied; 0: not known
	samples, lost int
}

// Quick is the end of the names of scenarios that are gone through at size 0, where no pod has to be waited for: they
// are more samples of the operator's part in the scenario without it.
const Quick = "-empty"

// Again is the end of the names of scenarios that a pass goes through a second time.
const Again = "-again"

// latenciesOf collects a side's phases, and the last of each load's.
func latenciesOf(s Side) values {
	v := values{of: map[Key]*series{}}
	for one := range s.results() {
		if one.Warmup || one.Matrix || one.Style == spec.Floor {
			continue
		}
		load, reply := one.Group == spec.GroupLoad, 0.0
		if i := slices.IndexFunc(one.Samples, func(s judge.Sample) bool { return s.Phase == spec.PhaseAcknowledged && s.Outcome == judge.OK }); i >= 0 {
			reply = one.Samples[i].Value
		}
		for _, sample := range one.Samples {
			key := Key{sample.Operator, sample.Scenario, sample.Phase, Phase}
			switch {
			case load && !done(sample.Phase):
				continue // when all is quiet, and what the cluster does, is no answer of the operator's
			case load:
				key.Kind = Load
			case awaited(sample.Phase):
				key.Kind = Latency
			}
			v.add(key, sample, load, reply)
		}
	}
	return v
}

func (v *values) add(key Key, sample judge.Sample, load bool, reply float64) {
	of := v.know(key)
	if sample.Outcome != judge.OK && sample.Outcome != judge.Timeout {
		of.lost++
		return
	}
	of.samples++
	o := stat.Observation{Value: sample.Value, Censored: sample.Outcome == judge.Timeout}
	if round := of.rounds[sample.Block]; load && len(round) > 0 {
		round[0] = stat.Order([]stat.Observation{round[0], o}).Max()
		return
	}
	of.rounds[sample.Block] = append(of.rounds[sample.Block], o)
	of.replies[sample.Block] = append(of.replies[sample.Block], reply)
}

// has reports whether there is anything of a metric's scenario.
func (v *values) has(key Key) bool {
	return slices.ContainsFunc(v.order, func(k Key) bool { return k.Style == key.Style && k.Scenario == key.Scenario })
}

// know returns what there is of a metric, to be added to.
func (v *values) know(key Key) *series {
	if v.of[key] == nil {
		v.order, v.of[key] = append(v.order, key), &series{rounds: map[int][]stat.Observation{}, replies: map[int][]float64{}}
	}
	return v.of[key]
}

// get returns what there is of a metric, which may be nothing.
func (v *values) get(key Key) *series { return cmp.Or(v.of[key], &series{}) }

// join takes the samples of quick and of repeated scenarios to those that they belong to. Both are put on one scale by
// medians over all sides, which do not depend on whose is which. What else quick scenarios show is left out.
func join(sides ...*values) {
	for _, key := range keysOf(sides...) {
		long, quick := strings.CutSuffix(key.Scenario, Quick)
		if !quick {
			var again bool
			if long, again = strings.CutSuffix(key.Scenario, Again); !again {
				continue
			}
		}
		to := key
		to.Scenario = long
		own, other := middle(key, sides), middle(to, sides)
		for _, side := range sides {
			counts := !quick || slices.Contains([]string{spec.PhaseChildWritten, spec.PhaseChildGone, spec.PhaseAcknowledged}, key.Phase)
			if from, into := side.get(key), side.of[to]; counts && own > 0 && other > 0 && into != nil {
				for round, list := range from.rounds {
					into.replies[round] = append(into.replies[round], from.replies[round]...)
					for _, o := range list {
						into.rounds[round] = append(into.rounds[round], stat.Observation{Value: o.Value * other / own, Censored: o.Censored})
					}
				}
				into.samples += from.samples
				into.lost += from.lost
			}
			delete(side.of, key)
			side.order = slices.DeleteFunc(side.order, func(k Key) bool { return k == key })
		}
	}
}

func keysOf(sides ...*values) []Key {
	return plain.Once(nil, plain.Flat(sides, func(side *values) []Key { return side.order })...)
}

// middle is the median of a metric over all sides; 0 where there is none.
func middle(key Key, sides []*values) float64 { return quantile(0.5, key, sides) }

func quantile(p float64, key Key, sides []*values) float64 {
	var all []stat.Observation
	for _, side := range sides {
		for _, round := range side.get(key).rounds {
			all = append(all, round...)
		}
	}
	if len(all) == 0 {
		return 0
	}
	return stat.Order(all).Quantile(p).Value
}

// costsOf adds what installing a style takes, and what the style uses.
func (v *values) costsOf(s Side) {
	if !s.there() {
		return
	}
	for _, c := range s.Recording.Costs {
		if c.Style == spec.Floor || c.Variant != s.Variant {
			continue
		}
		for _, f := range []struct {
			name   string
			figure cost.Figure
		}{{install, installed(c)}, {peakMemory, c.PeakMemory}, {"CPU for each change", c.CPU}} {
			for _, one := range f.figure.Values {
				v.count(Key{c.Style, "", f.name, Cost}, one.Round, one.Value)
			}
		}
		for _, counter := range c.Counters {
			if counted(counter.Name) {
				v.average(c, counter.Name)
				for _, one := range counter.Values {
					v.count(Key{c.Style, counter.Scenario, counter.Name, Counter}, one.Round, float64(one.Value))
				}
			}
		}
	}
}

// average adds a counter of all scenarios together, for each change.
func (v *values) average(c cost.Cost, name string) {
	key := Key{c.Style, "", perChange(name), Counter}
	if v.of[key] != nil {
		return
	}
	for _, one := range c.PerChange(name).Values {
		v.count(key, one.Round, one.Value)
	}
}

func perChange(counter string) string { return counter + " for each change" }

func (v *values) count(key Key, round int, value float64) {
	of := v.know(key)
	of.rounds[round] = append(of.rounds[round], stat.Observation{Value: value})
	of.samples++
}

// Names of costs that are not printed as those of others.
const (
	install    = "install"
	peakMemory = "peak memory"
)

// installed is how long installing took until the style had handled its first
// event; of recordings that do not tell, until it said that it was ready.
func installed(c cost.Cost) cost.Figure {
	if c.FirstHandled.Known() {
		return c.FirstHandled
	}
	return c.Install
}

// counted are the counters that say what a change costs. Those that go by the
// clock are left out, and those by verb: they are in the others.
func counted(name string) bool {
	return name == cost.Pods || name == cost.Calls || name == cost.Writes || strings.HasPrefix(name, cost.MadePrefix)
}

// sidesOf are all values of the three sides.
func (r *Result) sidesOf() []*values {
	list := plain.Map([]Side{r.Base, r.Head, r.Again}, func(side Side) *values {
		v := latenciesOf(side)
		v.costsOf(side)
		return &v
	})
	join(list...)
	same(list...)
	collected(list...)
	return list
}

// collected makes other phases of "child gone" and "pods gone" where no side's operator writes anything at a deletion:
// Kubernetes' garbage collector removes the child then, and how long that takes says nothing of the operator.
func collected(sides ...*values) {
	for _, key := range keysOf(sides...) {
		writes := Key{key.Style, key.Scenario, cost.Writes, Counter}
		if key.Kind != Latency || key.Phase != spec.PhaseChildGone && key.Phase != spec.PhasePodsGone || slices.ContainsFunc(sides, func(v *values) bool {
			return v.of[key] != nil && (v.of[writes] == nil || middle(writes, []*values{v}) > 0)
		}) {
			continue
		}
		to := key
		to.Kind = Phase
		for _, v := range sides {
			v.rename(key, to)
		}
	}
}

// rename gives a metric another key.
func (v *values) rename(key, to Key) {
	if i := slices.Index(v.order, key); i >= 0 {
		v.order[i], v.of[to] = to, v.of[key]
		delete(v.of, key)
	}
}

// same gives each side the kinds of custom objects that only another one made: a
// recording names a kind once it was made, so a side that counts pods made none of it.
func same(sides ...*values) {
	for _, key := range keysOf(sides...) {
		if !strings.HasPrefix(key.Phase, cost.MadePrefix) {
			continue
		}
		pods := key
		if pods.Phase = cost.Pods; key.Scenario == "" {
			pods.Phase = perChange(cost.Pods)
		}
		for _, side := range sides {
			if side.of[key] != nil {
				continue
			}
			for round, counted := range side.get(pods).rounds {
				for range counted {
					side.count(key, round, 0)
				}
			}
		}
	}
}

// metricsOf lists the metrics of a style that base has and that head has or should have.
func metricsOf(style string, rounds []int, sides []*values) []*Metric {
	base, head := sides[ofBase], sides[ofHead]
	var list, tails []*Metric
	for _, key := range base.order {
		if key.Style != style || !head.has(key) {
			continue // that it is missing is said once
		}
		m := newMetric(key, rounds, sides)
		list = append(list, m)
		if key.Kind == Latency && head.of[key] != nil {
			tails = append(tails, m.tail(m.far(), quantile(0.9, key, []*values{base, sides[ofAgain]})))
		}
	}
	for _, m := range list {
		i := slices.IndexFunc(list, func(other *Metric) bool { return other.Scenario == m.Scenario && other.Phase == spec.PhaseAcknowledged })
		if i >= 0 && m.phase() && m.Phase != spec.PhaseAcknowledged {
			m.reply = list[i]
		}
	}
	if len(tails) == 0 {
		return list
	}
	all := newMetric(Key{style, "", "latencies", Tail}, rounds, sides)
	all.score, all.beyond = stat.ExcessScore(1), all.measured.over(1)
	for _, t := range tails {
		for side := range sides {
			for i := range rounds {
				all.measured[side][i] = append(all.measured[side][i], t.measured[side][i]...)
				all.beyond[side][i] = append(all.beyond[side][i], t.beyond[side][i]...)
			}
		}
		all.Base.Samples += t.Base.Samples
		all.Head.Samples += t.Head.Samples
	}
	return append(append(list, all), tails...)
}

// newMetric lists a metric by rounds, so that those of the sides stand beside each other.
func newMetric(key Key, rounds []int, sides []*values) *Metric {
	base, head, again := sides[ofBase].get(key), sides[ofHead].get(key), sides[ofAgain].get(key)
	m := &Metric{
		Key: key, score: stat.RankScore,
		Base: Half{Samples: base.samples + again.samples, Lost: base.lost + again.lost}, Head: Half{Samples: head.samples, Lost: head.lost},
	}
	if key.Phase == peakMemory {
		m.score = stat.LevelScore // it does not depend on how quick the machine is at the moment
	}
	for i, side := range sides {
		of := side.get(key)
		for _, round := range rounds {
			m.measured[i] = append(m.measured[i], of.rounds[round])
			m.replies[i] = append(m.replies[i], of.replies[round])
		}
	}
	return m
}

// steadied are the first n rounds of base, head and again without how much quicker or slower the API server replied to
// a sample's request than to the others of the round: what it took for that it takes for what the operator asks of it,
// too. By how much is the slope of the logarithms of latencies on those of replies, within the rounds of all sides
// together, which does not depend on whose is which (analysis of covariance in a randomization test: M. Gail, W. Tan
// and S. Piantadosi, "Tests for no treatment effect in randomized clinical trials", Biometrika 75, 1988).
func (m *Metric) steadied(n int) measured {
	sides := m.measured.until(n)
	if m.reply == nil {
		return sides
	}
	each := func(round int, do func(o *stat.Observation, reply float64)) {
		for side := range sides {
			for i := range sides[side][round] {
				if o, reply := &sides[side][round][i], m.replies[side][round][i]; reply > 0 && o.Value > 0 && !o.Censored {
					do(o, math.Log(reply))
				}
			}
		}
	}
	n = len(sides[0])
	var replies, latencies []float64 // less the mean of their round
	for round := range n {
		from := len(replies)
		each(round, func(o *stat.Observation, reply float64) {
			replies, latencies = append(replies, reply), append(latencies, math.Log(o.Value))
		})
		centre(replies[from:])
		centre(latencies[from:])
	}
	slope := floats.Dot(replies, latencies) / floats.Dot(replies, replies)
	if !(slope > 0) || len(replies) <= 2*n {
		return sides
	}
	for side, rounds := range sides {
		sides[side] = make(stat.Replicates, n)
		for round := range n {
			sides[side][round] = slices.Clone(rounds[round])
		}
	}
	at := 0
	for round := range n {
		each(round, func(o *stat.Observation, _ float64) {
			o.Value *= math.Exp(-min(slope, 1) * replies[at])
			at++
		})
	}
	return sides
}

// centre takes the mean away.
func centre(list []float64) {
	if len(list) > 0 {
		floats.AddConst(-floats.Sum(list)/float64(len(list)), list)
	}
}

// far is where a tail begins, whosever it is: the median, over the blocks of all sides, of their p90s. (The p90 of all
// samples would lie within the tail, if only head had one, and it were large.)
func (m *Metric) far() float64 {
	var highs []stat.Observation
	for _, round := range slices.Concat(m.measured[:]...) {
		if len(round) > 0 {
			highs = append(highs, stat.Order(round).Quantile(0.9))
		}
	}
	if len(highs) == 0 {
		return 0
	}
	return stat.Order(highs).Quantile(0.5).Value
}

// tail is the metric of a latency's tail: how far it is above where tails begin.
// What is shown, and bounded, is the share above the p90 of base.
func (m *Metric) tail(all, base float64) *Metric {
	t := *m
	t.Kind, t.score, t.reply = Tail, stat.ExcessScore(1), nil
	t.measured, t.beyond = m.measured.over(all), m.measured.over(base)
	return &t
}

// order sorts the worst first, then by kind.
func (m *Metric) order(other *Metric) int {
	return cmp.Or(
		cmp.Compare(rank(m.Verdict), rank(other.Verdict)),
		cmp.Compare(slices.Index(kinds(), m.Kind), slices.Index(kinds(), other.Kind)),
		cmp.Compare(m.low(), other.low())*-1,
	)
}

func (m *Metric) low() float64 {
	if m.Interval == nil {
		return math.Inf(-1)
	}
	return m.Interval.Low
}

func rank(v Verdict) int {
	return slices.Index([]Verdict{Regression, Inconclusive, Improvement, Pass}, v)
}
