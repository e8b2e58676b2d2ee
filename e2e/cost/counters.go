package cost

import (
	"maps"
	"slices"
)

// counters are the exact counts of a style. A counter is there for every
// scenario if it is there for one, so that nothing made is told apart from not
// known.
func (m *Meter) counters(s *style) []Counter {
	var all []Counter
	names := m.callNames(s)
	for _, scenario := range s.scenarios {
		var windows []*window
		for _, w := range m.windows {
			if w.style == s && w.scenario == scenario {
				windows = append(windows, w)
			}
		}
		counter := func(name string) Counter {
			return Counter{Name: name, Style: s.Name, Variant: s.Variant, Scenario: scenario}
		}
		all = append(all, m.made(counter(Pods), windows, pods))
		for _, kind := range slices.Sorted(maps.Keys(s.kinds)) {
			all = append(all, m.made(counter(MadePrefix+kind), windows, kind))
		}
		for _, name := range names {
			all = append(all, m.called(counter(name), windows))
		}
	}
	return all
}

// made fills in how many objects of a resource were made in each sample.
func (m *Meter) made(c Counter, windows []*window, resource string) Counter {
	c.Missing = noSettled
	for _, w := range windows {
		switch {
		case len(w.style.Namespaces) == 0 && m.schema < 2:
			c.Missing = oldOwnPods
		case len(w.style.Namespaces) > 0 && (w.block == nil || !w.block.podsWatched):
			c.Missing = noPods
		case !m.whole(w):
			c.Missing = watchLost
		default:
			c.Values = append(c.Values, Count{Round: w.round, Value: w.made[resource]})
		}
	}
	if c.Known() {
		c.Missing = ""
	}
	return c
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

// called fills in how many requests were made in each sample.
func (m *Meter) called(c Counter, windows []*window) Counter {
	c.Missing = noSettled
	for _, w := range windows {
		switch {
		case !m.audited:
			c.Missing = noAudit
		case len(w.style.Namespaces) == 0 && m.schema < 2:
			c.Missing = oldOwnPods
		case w.calls == nil:
			c.Missing = auditLost
		default:
			c.Values = append(c.Values, Count{Round: w.round, Value: w.calls[c.Name]})
		}
	}
	if c.Known() {
		c.Missing = ""
	}
	return c
}
