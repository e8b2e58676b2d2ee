package cost

import (
	"cmp"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Rest is what a style uses while nothing is asked of it, with so many custom resources that are all handled: of a
// growth.
type Rest struct {
	Load      string `json:"load"` // the scenario
	Customs   int    `json:"customs"`
	Restarted bool   `json:"restarted,omitempty"` // the operator has been since it was first left alone with so many
	Beside    string `json:"beside,omitempty"`    // the kind of objects that are not the operator's which were put there last; empty: there are none
	Each      int    `json:"each,omitempty"`      // how many of each kind
	Stop      Figure `json:"stop,omitzero"`       // seconds from when its pods were told to end until they were gone: of a rest after a restart
	Grace     int64  `json:"grace,omitempty"`     // seconds that they have for that before they are killed
	Memory    Figure `json:"memory"`              // working sets, in bytes
	CPU       Figure `json:"cpu"`                 // cores
	Requests  Figure `json:"requests"`            // to the API server in a minute, those for leases left out
	Calls     []Call `json:"calls,omitempty"`     // all requests, by verb and kind
}

// Call is how often something is asked of the API server in a minute.
type Call struct {
	Verb      string  `json:"verb"`
	Resource  string  `json:"resource"` // as in record.Watch.Resource
	PerMinute float64 `json:"perMinute"`
}

// Kept is what it took the harness to create custom resources, and to record them: of a stage of a growth.
type Kept struct {
	Load    string  `json:"load"` // the scenario
	Stage   string  `json:"stage"`
	Customs int     `json:"customs"` // when it began
	Round   int     `json:"round"`
	Entries int     `json:"entries"` // of the recording
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu"`    // seconds of a processor
	Memory  int64   `json:"memory"` // the most that the harness has held, in bytes
}

// part is a stage of a growth that goes on.
type part struct {
	record.Part
	*beside
	load    string
	from    time.Duration
	to      time.Duration // the first custom resource is deleted, which ends a rest; 0: none was
	looks   int           // of the block, before it
	entries int
	calls   map[Call]int
	rested  bool // a style that was restarted before it
	ending  stop // of the style's pods, in this part
	stopped stop // and before it, in a restart
}

// stop is how the pods of a style ended.
type stop struct {
	from, took time.Duration
	grace      int64 // seconds
}

// add takes an entry within it. The audit log's are counted when they are read: a stage of rest begins calm.
func (p *part) add(e record.Entry) {
	p.entries++
	w := e.Watch
	if w != nil && w.Resource == spec.Pods && p.within(w.Namespace) {
		p.ending.look(e.Time, w)
	}
	switch {
	case p.Stage != record.StageRest || p.to > 0:
	case w != nil && w.Resource == p.custom && (w.Event == spec.Deleted || gjson.GetBytes(w.Object, "metadata.deletionTimestamp").Exists()):
		p.to = e.Time
	case e.Audit != nil:
		if namespace, _, account := e.Audit.Account(); account && p.within(namespace) {
			p.calls[Call{Verb: e.Audit.Verb, Resource: e.Audit.Resource}]++
		}
	}
}

// look takes an event of one of the pods.
func (s *stop) look(at time.Duration, w *record.Watch) {
	grace := gjson.GetBytes(w.Object, "metadata.deletionGracePeriodSeconds")
	if !grace.Exists() {
		return
	}
	if s.from == 0 {
		s.from = at
	}
	if s.grace = max(s.grace, grace.Int()); w.Event == spec.Deleted {
		s.took = at - s.from
	}
}

// enter ends the part that goes on, and begins the next, where there is one.
func (b *beside) enter(e record.Entry) {
	was := b.part
	if b.part = nil; e.Block.Part != nil {
		b.part = &part{Part: *e.Block.Part, beside: b, load: e.Block.Load, from: e.Time, looks: len(b.looks), calls: map[Call]int{}}
		if was != nil {
			b.part.rested, b.part.stopped = was.rested || was.Stage == record.StageDown, was.stopped
			if b.part.Stage == record.StageDown {
				b.part.stopped = was.ending
			}
		}
	}
	switch {
	case was == nil:
	case was.Stage == record.StageRest:
		was.tell(e.Time)
	case b.part != nil:
		b.kept = append(b.kept, Kept{
			Load: was.load, Stage: was.Stage, Customs: was.Customs, Round: b.round, Entries: was.entries,
			Seconds: (e.Time - was.from).Seconds(), CPU: (b.part.CPU - was.CPU).Seconds(), Memory: b.part.Memory,
		})
	}
}

// tell adds what the style used in it to what it did in the other rounds.
func (p *part) tell(to time.Duration) {
	r := plain.FindOrAdd(&p.style.rests, func(r Rest) bool {
		return r.Load == p.load && r.Customs == p.Customs && r.Restarted == p.rested && r.Beside == p.Beside
	}, Rest{
		Load: p.load, Customs: p.Customs, Restarted: p.rested, Beside: p.Beside, Each: p.Each,
		Memory: Figure{Unit: "bytes"}, CPU: Figure{Unit: "cores"}, Requests: Figure{Unit: "1"},
	})
	to = cmp.Or(p.to, to)
	minutes := (to - p.from).Minutes()
	if looks := plain.Where(p.beside.looks[p.looks:], func(look moment) bool { return look.at <= to }); len(looks) > 1 {
		first, last := looks[0], looks[len(looks)-1]
		if lasts := last.at - first.at; lasts > 0 {
			r.CPU.Values = append(r.CPU.Values, Value{Round: p.round, Value: float64(last.total-first.total) / float64(lasts)})
		}
		r.Memory.Values = append(r.Memory.Values, Value{Round: p.round, Value: float64(middleMemory(looks))})
	}
	if p.stopped.took > 0 && p.Beside == "" {
		r.Stop, r.Grace = Figure{Unit: "s", Values: append(r.Stop.Values, Value{Round: p.round, Value: p.stopped.took.Seconds()})}, p.stopped.grace
	}
	if minutes <= 0 || !p.audited || p.unread(p.from, to) {
		return
	}
	requests := 0 // whole: the order in which quotients are added would be in their last digit
	r.Calls = nil // of the last round
	for call, n := range p.calls {
		call.PerMinute = float64(n) / minutes
		if r.Calls = append(r.Calls, call); call.Resource != leases {
			requests += n
		}
	}
	slices.SortFunc(r.Calls, func(a, b Call) int {
		return cmp.Or(cmp.Compare(b.PerMinute, a.PerMinute), cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Resource, b.Resource))
	})
	r.Requests.Values = append(r.Requests.Values, Value{Round: p.round, Value: float64(requests) / minutes})
}
