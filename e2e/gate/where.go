package gate

import (
	"cmp"
	"slices"

	"operatorbench/e2e/stat"
)

// Difference is the first phase at which head differs.
type Difference struct {
	Phase string
	// Ratio is empty where only head has the phase.
	Ratio stat.Ratio
	Only  bool
	At    float64 // seconds after the intent, at head
	Added float64 // seconds that head is later there; of a new phase: at the next one that both have
}

// share of a regression that a phase must add to be named as its beginning.
const share = 0.1

// first walks the phases before a metric that has become slower, in the order
// of their times at head, and names the first one that is later than at base,
// by a good part of what the metric has lost; or that base does not have.
func (r *Result) first(slow *Metric, head latencies) *Difference {
	lost := slow.Ratio.Head.Value - slow.Ratio.Base.Value
	var fresh *Difference
	for _, key := range r.walk(slow, head) {
		i := slices.IndexFunc(r.Metrics, func(m Metric) bool {
			return m.Style == key.style && m.Scenario == key.scenario && m.Phase == key.phase
		})
		if i < 0 {
			if fresh == nil {
				fresh = &Difference{Phase: key.phase, Only: true, At: median(head, key)}
			}
			continue
		}
		m := &r.Metrics[i]
		added := m.Ratio.Head.Value - m.Ratio.Base.Value
		if m.Ratio.Interval == nil || m.Ratio.Interval.Low <= 1 || m.P >= r.Alpha || added < share*lost {
			fresh = unless(m == slow, fresh)
			continue
		}
		if fresh != nil {
			fresh.Added = added
			return fresh
		}
		return &Difference{Phase: m.Phase, Ratio: m.Ratio, At: m.Ratio.Head.Value, Added: added}
	}
	return &Difference{Phase: slow.Phase, Ratio: slow.Ratio, At: slow.Ratio.Head.Value, Added: lost}
}

// unless forgets a new phase after which head is as early as base: it took no
// time, or ran beside the rest.
func unless(last bool, fresh *Difference) *Difference {
	if last {
		return fresh
	}
	return nil
}

// walk lists the phases of head that are reached before a metric, and it last.
func (r *Result) walk(slow *Metric, head latencies) []metricKey {
	self := metricKey{slow.Style, slow.Scenario, slow.Phase}
	var keys []metricKey
	for _, key := range head.order {
		if key.style == slow.Style && key.scenario == slow.Scenario && key != self && head.samples[key] > 0 && median(head, key) < slow.Ratio.Head.Value {
			keys = append(keys, key)
		}
	}
	slices.SortStableFunc(keys, func(a, b metricKey) int { return cmp.Compare(median(head, a), median(head, b)) })
	return append(keys, self)
}

func median(l latencies, key metricKey) float64 {
	var all []stat.Observation
	for _, round := range l.rounds[key] {
		all = append(all, round...)
	}
	return stat.Order(all).Quantile(0.5).Value
}
