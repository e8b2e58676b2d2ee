package gate

import (
	"cmp"
	"slices"

	"operatorbench/e2e/stat"
)

// Difference is the first phase at which head differs.
type Difference struct {
	Phase      string           `json:"phase"`
	Base, Head stat.Observation `json:"-"` // empty where only head has the phase
	Only       bool             `json:"onlyHead,omitempty"`
	At         float64          `json:"at"`    // seconds after the intent, at head
	Added      float64          `json:"added"` // seconds that head is later there; of a new phase: at the next one that both have
}

// share of a regression that a phase must add to be named as its beginning.
const share = 0.1

// first walks the phases before a metric that has become slower, in the order of their times at head, and names the
// first one that base does not have, or that is later than at base by a good part of the metric's loss.
func (r *Result) first(slow *Metric) *Difference {
	lost := slow.Head.Value - slow.Base.Value
	var fresh *Difference
	for _, key := range r.walk(slow) {
		i := slices.IndexFunc(r.Metrics, func(m Metric) bool { return m.phase() && m.Key == key })
		if i < 0 {
			if fresh == nil {
				fresh = &Difference{Phase: key.Phase, Only: true, At: r.median(key)}
			}
			continue
		}
		m := &r.Metrics[i]
		added := m.Head.Value - m.Base.Value
		if m.Interval == nil || m.Interval.Low <= 1 || m.P >= r.Alpha || added < share*lost {
			if m != slow {
				fresh = nil // head is as early as base again: the new phase took no time, or ran beside the rest
			}
			continue
		}
		if fresh != nil {
			fresh.Added = added
			return fresh
		}
		return &Difference{Phase: m.Phase, Base: m.Base.Observation, Head: m.Head.Observation, At: m.Head.Value, Added: added}
	}
	return &Difference{Phase: slow.Phase, Base: slow.Base.Observation, Head: slow.Head.Observation, At: slow.Head.Value, Added: lost}
}

// walk lists the phases of head that are reached before a metric, and it last.
func (r *Result) walk(slow *Metric) []Key {
	var keys []Key
	for _, key := range r.head.order {
		if (key.Kind == Latency || key.Kind == Phase) && key.Style == slow.Style && key.Scenario == slow.Scenario && key != slow.Key &&
			r.head.get(key).samples > 0 && r.median(key) < slow.Head.Value {
			keys = append(keys, key)
		}
	}
	slices.SortStableFunc(keys, func(a, b Key) int { return cmp.Compare(r.median(a), r.median(b)) })
	return append(keys, slow.Key)
}

// median is head's.
func (r *Result) median(key Key) float64 { return quantile(0.5, key, []*values{r.head}) }
