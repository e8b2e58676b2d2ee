package stat

import (
	"iter"

	"operatorbench/e2e/judge"
)

// Level is the confidence level of all intervals.
const Level = 0.95

// Key is what samples are grouped by.
type Key struct{ Operator, Variant, Scenario, Phase string }

// Summary sums up the latencies of one phase. Values are in the samples' unit,
// seconds. Warm-up samples are left out.
type Summary struct {
	Key
	N           int // latencies that count, the censored ones included
	Censored    int // of these, timeouts
	Wrong       int // not counted, because an oracle failed
	Interrupted int // not counted, because it is not known

	P50, P90, P99, Max Observation // zero where N is 0
	// Confidence intervals; nil where N is too small for the level.
	CI50, CI90, CI99 *Interval
}

// Summarize groups samples, in the order of their first appearance.
func Summarize(samples iter.Seq[judge.Sample]) []Summary {
	var order []Key
	groups := map[Key]*group{}
	for s := range samples {
		if s.Warmup {
			continue
		}
		key := Key{s.Operator, s.Variant, s.Scenario, s.Phase}
		g := groups[key]
		if g == nil {
			g = &group{}
			groups[key] = g
			order = append(order, key)
		}
		g.add(s)
	}
	summaries := make([]Summary, len(order))
	for i, key := range order {
		summaries[i] = groups[key].summary(key)
	}
	return summaries
}

type group struct {
	observations       []Observation
	wrong, interrupted int
}

func (g *group) add(s judge.Sample) {
	switch s.Outcome {
	case judge.OK, judge.Timeout:
		g.observations = append(g.observations, Observation{Value: s.Value, Censored: s.Outcome == judge.Timeout})
	case judge.Wrong:
		g.wrong++
	default:
		g.interrupted++
	}
}

func (g *group) summary(key Key) Summary {
	s := Summary{Key: key, N: len(g.observations), Wrong: g.wrong, Interrupted: g.interrupted}
	if s.N == 0 {
		return s
	}
	for _, o := range g.observations {
		if o.Censored {
			s.Censored++
		}
	}
	ordered := Order(g.observations)
	s.P50, s.P90, s.P99, s.Max = ordered.Quantile(0.5), ordered.Quantile(0.9), ordered.Quantile(0.99), ordered.Max()
	s.CI50, s.CI90, s.CI99 = interval(ordered, 0.5), interval(ordered, 0.9), interval(ordered, 0.99)
	return s
}

func interval(o Ordered, p float64) *Interval {
	if i, ok := o.Interval(p, Level); ok {
		return &i
	}
	return nil
}
