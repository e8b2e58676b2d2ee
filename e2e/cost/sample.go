package cost

import (
	"maps"
	"slices"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// running is a sample that has begun.
type running struct {
	record.Sample
	began time.Duration
	style *style
	block *block // nil: the recording has no blocks
	first *anchor
	made  map[string]int // by resource, in the style's namespaces
}

// window is a sample that counts: it was measured, and it settled.
type window struct {
	*running

	to    time.Duration  // on the recorder's clock
	calls map[string]int // by counter's name; nil: not known

	wrote  bool // one of the calls wrote a main child
	before int  // calls before that one
}

// gap is a time in which something was not heard.
type gap struct {
	from, to            time.Duration
	resource, namespace string
}

func (g gap) overlaps(from, to time.Duration) bool { return g.from <= to && g.to >= from }

func (m *Meter) begin(e record.Entry) {
	s := m.style(e.Begin.Style, e.Begin.Variant, record.Style{})
	if e.Begin.Round > 0 {
		s.rounds[e.Begin.Round] = true
	}
	r := &running{Sample: *e.Begin, began: e.Time, style: s, made: map[string]int{}}
	if m.block != nil && m.block.style == s {
		r.block = m.block
		if r.block.first == nil {
			r.block.first = r
		}
		r.block.disturb(e.Time, e.Begin.Window)
	}
	m.open[e.Begin.Namespace] = r
}

// action counts a change, and remembers where in the audit log it will be.
func (m *Meter) action(e record.Entry) {
	a := e.Action
	if a.Error != "" || a.Verb == record.ReadScale {
		return
	}
	place := target{a.Namespace, a.Resource}
	this := &anchor{target: place, verb: a.Verb, name: a.Name, n: m.actions[place], at: a.From}
	m.actions[place]++
	r := m.open[a.Namespace]
	if r == nil || r.Name != a.Name {
		return
	}
	if r.first == nil {
		r.first = this
	}
	if r.Round == 0 {
		return
	}
	r.style.changes++
	if r.block != nil {
		r.block.changes++
	}
}

// deployed notes the first main child of a block's first sample.
func (m *Meter) deployed(e record.Entry) {
	r := m.open[e.Watch.Namespace]
	if r != nil && r.block != nil && r.block.first == r && r.block.handled == 0 && e.Watch.Resource == m.main && e.Watch.Event == spec.Added {
		r.block.handled = e.Time - r.began
	}
}

// watch counts what is made in the namespaces of the style that is driven.
func (m *Meter) watch(w *record.Watch) {
	b := m.block
	if b == nil || !b.style.within(w.Namespace) || w.UID == "" {
		return
	}
	switch {
	case w.Resource == spec.Pods:
		b.podsWatched = true
	case custom(w.Resource):
		b.style.kinds[w.Resource] = true
	default:
		return
	}
	if b.seen[w.UID] || (w.Event != spec.Listed && w.Event != spec.Added) {
		return
	}
	b.seen[w.UID] = true
	if w.Resource == spec.Pods {
		b.style.names[w.Namespace+"/"+w.Name] = b.style.componentOf(w)
	}
	// What a watch lists was there before it, unless an interruption hid its
	// making: then the sample has a gap, and does not count.
	if w.Event == spec.Added {
		for _, r := range m.open {
			if r.block == b {
				r.made[w.Resource]++
			}
		}
	}
}

func (m *Meter) end(e record.Entry) {
	r := m.open[e.End.Namespace]
	if r == nil || r.Scenario != e.End.Scenario || r.Round != e.End.Round || r.style != m.styles[record.Label(e.End.Style, e.End.Variant)] {
		return
	}
	delete(m.open, e.End.Namespace)
	settled := e.End.Outcome == record.Settled
	if r.block != nil {
		if settled && !slices.ContainsFunc(slices.Collect(maps.Values(m.open)), func(other *running) bool { return other.block == r.block }) {
			r.block.quiet(e.Time - r.Window)
		}
		r.block.edge = true
	}
	if !settled || r.Warmup || r.Prepare || r.Round == 0 {
		return
	}
	r.style.scenarios = plain.Once(r.style.scenarios, r.Scenario)
	m.windows = append(m.windows, &window{running: r, to: e.Time})
}

// whole reports whether all that was made in a sample was heard of.
func (m *Meter) whole(w *window) bool {
	return !slices.ContainsFunc(m.lost, func(g gap) bool {
		return g.resource != record.AuditLog && g.resource != usageFigures && w.style.within(g.namespace) && g.overlaps(w.began, w.to)
	})
}
