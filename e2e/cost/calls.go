package cost

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unique"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// The audit log has the API server's clock, actions have the recorder's. The two are never subtracted from each other:
// they meet at the harness's own requests, which both tell of. A sample's time on the API server's clock begins where
// the log has its first request, and is as long as it was on the recorder's.

// target is where requests are counted through.
type target struct{ namespace, resource string }

// anchor is an action: the n-th of its target that was accepted.
type anchor struct {
	target
	verb, name string
	n          int
	at         time.Duration // its intent, on the recorder's clock
}

// request is one of the harness in the audit log.
type request struct {
	received   time.Time
	verb, name string
}

// call is a request of a style's pod in the audit log.
type call struct {
	received int64                 // Unix time in nanoseconds
	pod      unique.Handle[string] // namespace/name
	verb     unique.Handle[string]
	writes   bool
	lease    bool
	child    bool // it wrote a main child
}

// named is a verb of Audit.Verb by its name, or one that stands for all others.
func named(verb string) unique.Handle[string] {
	if !slices.Contains(spec.ReadVerbs(), verb) && !slices.Contains(spec.WriteVerbs(), verb) {
		verb = "other"
	}
	return unique.Make(verb)
}

const (
	accounts = "account " // + name, in place of a pod
	leases   = "leases.v1.coordination.k8s.io"
)

// audit keeps a request of a style's pod, and one of the harness on what it acts on.
func (m *Meter) audit(a *record.Audit) {
	namespace, name, isAccount := a.Account()
	writes := a.Writes()
	changed := writes && a.Subresource == "" && a.Code < 300
	if !isAccount {
		if t := (target{a.Namespace, a.Resource}); changed && a.Namespace != "" {
			m.harness[t] = append(m.harness[t], request{a.Received, a.Verb, a.Name})
		}
		return
	}
	if !m.spaces[namespace] {
		return
	}
	pod := namespace + "/" + a.Pod
	if a.Pod == "" {
		pod = accounts + name // a token that was issued for no pod
	}
	m.calls = append(m.calls, call{
		received: a.Received.UnixNano(), pod: unique.Make(pod), verb: named(a.Verb), writes: writes, lease: a.Resource == leases,
		child: changed && a.Resource == m.main,
	})
}

// resolve finds out for each sample what was asked for meanwhile.
func (m *Meter) resolve() {
	slices.SortStableFunc(m.calls, func(a, b call) int { return cmp.Compare(a.received, b.received) })
	for t := range m.harness {
		slices.SortStableFunc(m.harness[t], func(a, b request) int { return a.received.Compare(b.received) })
	}
	for _, w := range m.windows {
		w.calls = nil
		if from, known := m.found(w); known {
			m.count(w, from.UnixNano(), from.Add(w.to-w.first.at).UnixNano())
		}
	}
}

// unread reports whether the audit log may lack something of a time: a line that was lost was written shortly before
// the loss was noticed.
func (m *Meter) unread(from, to time.Duration) bool {
	return slices.ContainsFunc(m.lost, func(g gap) bool { return g.resource == record.AuditLog && g.overlaps(from, to+time.Second) })
}

// found is when the API server received a sample's first request.
func (m *Meter) found(w *window) (at time.Time, known bool) {
	if w.first == nil {
		return at, false
	}
	if m.unread(w.began, w.to) {
		return at, false
	}
	made := m.harness[w.first.target]
	if w.first.n >= len(made) {
		return at, false
	}
	r := made[w.first.n]
	return r.received, r.verb == w.first.verb && r.name == w.first.name
}

// count counts the calls that were received from a time until another.
func (m *Meter) count(w *window, from, to int64) {
	w.calls, w.wrote, w.before = map[string]int{}, false, 0
	i, _ := slices.BinarySearchFunc(m.calls, from, func(c call, at int64) int { return cmp.Compare(c.received, at) })
	for ; i < len(m.calls) && m.calls[i].received <= to; i++ {
		c := &m.calls[i]
		component, ours := w.style.caller(c.pod.Value())
		if !ours {
			continue
		}
		if c.lease {
			w.calls[Leases]++
			continue
		}
		if w.wrote = w.wrote || c.child; !w.wrote {
			w.before++
		}
		w.calls[Calls]++
		w.calls[CallsPrefix+component+" "+c.verb.Value()]++
		if c.writes {
			w.calls[Writes]++
		}
	}
}

// callsBefore are, for each sample that creates a custom resource, the calls before the one that writes its main child.
func (m *Meter) callsBefore(s *style) []Value {
	var values []Value
	for _, w := range m.windows {
		if w.style == s && w.wrote && w.first.verb == "create" {
			values = append(values, Value{Round: w.Round, Value: float64(w.before)})
		}
	}
	return values
}

// caller names the component that a pod belongs to; false: it is not the style's.
func (s *style) caller(pod string) (name string, ours bool) {
	if strings.HasPrefix(pod, accounts) {
		return pod, true
	}
	if name, ours = s.names[pod]; ours {
		return name, true
	}
	namespace, _, _ := strings.Cut(pod, "/")
	return unknownPods, s.within(namespace)
}
