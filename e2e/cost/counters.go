package cost

import (
	"maps"
	"slices"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// counters are the exact counts of a style. A counter is there for every scenario if it is there for one, so that
// nothing made is told apart from not known.
func (m *Meter) counters(s *style) []Counter {
	var all []Counter
	names := m.callNames(s)
	for _, scenario := range s.scenarios {
		windows := plain.Where(m.windows, func(w *window) bool { return w.style == s && w.Scenario == scenario })
		counter := func(name string) Counter {
			return Counter{Name: name, Style: s.Name, Variant: s.Variant, Scenario: scenario}
		}
		for _, kind := range slices.Concat([]string{spec.Pods}, slices.Sorted(maps.Keys(s.kinds))) {
			name := MadePrefix + kind
			if kind == spec.Pods {
				name = Pods
			}
			all = append(all, counter(name).fill(windows, m.unwatched, func(w *window) int { return w.made[kind] }))
		}
		for _, name := range names {
			all = append(all, counter(name).fill(windows, m.unaudited, func(w *window) int { return w.calls[name] }))
		}
	}
	return all
}

// fill takes what each sample's count is, of those that lack nothing.
func (c Counter) fill(windows []*window, lack func(*window) string, of func(*window) int) Counter {
	missing := noSettled
	for _, w := range windows {
		if why := lack(w); why != "" {
			missing = why
			continue
		}
		c.Values = append(c.Values, Count{Round: w.Round, Value: of(w)})
	}
	if !c.Known() {
		c.Missing = missing
	}
	return c
}

// unwatched is why it is not known what was made in a sample.
func (m *Meter) unwatched(w *window) string {
	switch {
	case len(w.style.Namespaces) > 0 && (w.block == nil || !w.block.podsWatched):
		return noPods
	case !m.whole(w):
		return watchLost
	}
	return ""
}

// unaudited is why it is not known what was asked for in a sample.
func (m *Meter) unaudited(w *window) string {
	switch {
	case !m.audited:
		return noAudit
	case w.calls == nil:
		return auditLost
	}
	return ""
}

// callNames are the counters of API calls that any sample of a style has.
func (m *Meter) callNames(s *style) []string {
	names := map[string]bool{}
	for _, w := range m.windows {
		if w.style == s {
			for name := range w.calls {
				names[name] = true
			}
		}
	}
	for _, always := range []string{Calls, Writes, Leases} {
		delete(names, always)
	}
	return slices.Concat([]string{Calls, Writes, Leases}, slices.Sorted(maps.Keys(names)))
}
