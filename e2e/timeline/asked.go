package timeline

import (
	"fmt"
	"strings"
	"time"

	"operatorbench/e2e/record"
)

// auditClock tells when the API server answered a request, on the recording's clock. Entries of the audit log are read
// some time after that. How much later is not known, but it is never less than nothing: the least difference between
// the two clocks that was ever seen is what an entry that is read at once has.
type auditClock struct {
	began time.Time // of the recording, by the harness's wall clock
	least time.Duration
}

func (c *auditClock) at(e *record.Entry) time.Duration {
	answered := e.Audit.Answered.Sub(c.began)
	c.least = min(c.least, e.Time-answered)
	return answered + c.least
}

// Request is a write that the style asked the API server for, in the sample's namespace.
type Request struct {
	At                       time.Duration
	verb, resource, sub      string
	namespace, name, Account string
	Pod                      string // whose token it was asked with; empty: the log does not say
	Code                     int
}

// Named reports whether the log names the object of the request; that of a creation it does not name.
func (a *Request) Named() bool { return a.name != "" }

// Is reports whether a resource was asked for, or a subresource of it.
func (a *Request) Is(resource string) bool { return a.resource == resource }

// Lease names the Lease that was written, by which an operator's pods elect a leader; "": it is another object.
func (a *Request) Lease() string {
	if !strings.HasPrefix(a.resource, "leases.") {
		return ""
	}
	return a.namespace + "/" + a.name
}

// watches are those that a pod, as namespace/name, has of a resource.
type watches struct{ pod, resource string }

// watching takes note that a watch has begun, or that one has ended.
func (s *Splitter) watching(a *record.Audit, more int) {
	if a.Verb != "watch" {
		return
	}
	namespace, _, _ := a.Account()
	of := watches{namespace + "/" + a.Pod, a.Resource}
	if s.watches[of] += more; s.watches[of] <= 0 {
		delete(s.watches, of)
	}
}

// mostAsked bounds what is kept of a style that asks, and of two pods that write, without end: more than comes in a
// quiescence window, and while what is left of the faults is undone.
const mostAsked = 5000

// take takes note of a write by one of several pods, of the sample's objects or of a Lease.
func (t *Timeline) take(at time.Duration, a *record.Audit) {
	if len(t.Turns) < mostAsked && !a.OfEvents() {
		t.Turns = append(t.Turns, requestOf(at, a))
	}
}

func requestOf(at time.Duration, a *record.Audit) Request {
	return Request{at, a.Verb, a.Resource, a.Subresource, a.Namespace, a.Name, userOf(a), a.Pod, a.Code}
}

// ask takes note of a request that is no watch, but for those about Kubernetes' Events, and of how often the operator read
// before the harness had asked for anything.
func (t *Timeline) ask(at time.Duration, a *record.Audit) {
	switch {
	case a.OfEvents():
	case a.Writes():
		t.Requests = latest(t.Requests, requestOf(at, a))
	case a.Verb == "watch":
	case t.Begun() && at >= t.Actions.Intent:
		t.Reads = latest(t.Reads, requestOf(at, a))
	default:
		t.ReadBefore++
	}
}

// latest adds a request, and forgets the first of too many.
func latest(list []Request, r Request) []Request {
	if len(list) == mostAsked {
		list = list[1:]
	}
	return append(list, r)
}

func (a *Request) String() string {
	what := Kind(a.resource)
	if a.sub != "" {
		what += "/" + a.sub
	}
	return strings.TrimSuffix(fmt.Sprintf("%s %s %s/%s", a.verb, what, a.namespace, a.name), "/")
}
