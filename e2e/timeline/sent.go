package timeline

import (
	"fmt"
	"time"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline/wire"
)

// sent is a write of the harness that its watch must show before the sample's
// state can be told: until then it is the state from before the write.
type sent struct {
	verb, resource  string
	namespace, name string
	from            time.Duration
	uid             string // empty: the reply did not say, as of a deletion
	version         uint64
	seen            bool
}

// send takes up an accepted action.
func (t *Timeline) send(a *record.Action, reply *wire.Object) {
	if !t.Covers(a.Namespace) || (a.Resource != t.Customs && a.Resource != t.Mains) {
		return
	}
	s := sent{verb: a.Verb, resource: a.Resource, namespace: a.Namespace, name: a.Name, from: a.From}
	if a.Verb != "delete" {
		if s.uid, s.version = reply.UID, reply.Version(); s.uid == "" || s.version == 0 {
			return
		}
	} else if a.Resource == t.Customs {
		return // its going is waited for anyway, and finalizers may hold it
	}
	t.sent = append(t.sent, s)
}

// see takes note of an event that shows the write, or what came after it.
func (s *sent) see(e *Event) {
	if s.seen || e.Watch.Resource != s.resource {
		return
	}
	gone := e.Watch.Event == spec.Deleted
	if s.uid == "" {
		s.seen = gone && e.Time >= s.from && e.Watch.Name == s.name && e.Watch.Namespace == s.namespace
		return
	}
	if e.Object.UID == s.uid {
		version := e.Object.Version()
		s.seen = gone || version == 0 || version >= s.version
	}
}

// unseen names a write of the harness that its watch has not shown yet.
func (t *Timeline) unseen() string {
	for i := range t.sent {
		if s := &t.sent[i]; !s.seen {
			return fmt.Sprintf("the watch has not shown the %s of %s", s.verb, Title(s.resource, s.name))
		}
	}
	return ""
}
