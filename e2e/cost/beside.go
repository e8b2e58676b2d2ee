package cost

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
)

// What is told of a block of the correctness matrix, or of a load. Its samples
// overlap, so that no change's own cost can be told; these can.
const (
	// unchanged is the scenario that makes an operator look again though nothing
	// that is asked for changes: each of its writes is one.
	unchanged = "no-op-updates"
	// manyCustom is how many custom resources a load must have for its memory to be told.
	manyCustom = 100
)

// Why one of these is not known.
const (
	noCold      = "the recording has no scenario in which it was down, and then handled what had been asked for meanwhile"
	noMany      = "the recording has no load of 100 custom resources that were all handled"
	noUnchanged = "the recording has no " + unchanged + " with an audit log"
	noLines     = "the recording counts no lines of its logs in scenarios that break nothing of it"
)

// beside is one such block.
type beside struct {
	usage

	round int
	began time.Duration
	open  map[string]*looked // by namespace
	looks []moment

	down    bool          // the whole operator was, and has handled nothing since
	started time.Duration // the first sign that a container of it runs again; 0: there is none
	members int           // samples of a load that were begun
	settled int           // and that ended well
	rests   time.Duration // since when they have all been handled; 0: they have not

	load  string      // the scenario; empty: it is none
	sent  []time.Time // by the style's accounts in it, by the API server's clock
	inner inner       // what its own metrics count meanwhile, and what the audit log has beside

	spell *spell // of the step that is under way; nil: none is
	over  *over  // the one before; nil: nothing more will be known of it

	part    *part                             // of a growth, that goes on; nil: none does
	audited bool                              // something was read of the audit log
	unread  func(from, to time.Duration) bool // reports whether it may lack something of a time

	asks   int  // requests of the harness that the API server accepted
	broken bool // a fault concerned the whole operator
}

// logged is what an operator logged in the blocks of a round, and how many requests of the harness it was for.
type logged struct{ lines, asks int }

// looked is a sample of the block that has begun.
type looked struct {
	record.Sample
	touched time.Duration // the first write that changes nothing; 0: there is none
	pass    *pass
}

// pass is what a sample was asked for that changes nothing.
type pass struct {
	*style

	round int
	from  time.Duration // the first of these writes
	lasts time.Duration // from then until the sample's end; 0: it did not settle
	made  []time.Time   // when the API server received them
	calls []time.Time   // and the requests of the style's accounts in the sample's namespace
}

// asides takes the entries of such blocks.
func (m *Meter) asides(e record.Entry) {
	b := m.beside
	if b != nil && b.part != nil && e.Block == nil {
		b.part.add(e)
	}
	switch {
	case e.Block != nil:
		m.asideStage(e)
	case b == nil:
	case e.Begin != nil:
		m.asideBegin(e)
	case e.Usage != nil:
		b.look(e)
	case e.Fault != nil:
		b.broken = b.broken || !scenarios.KindOfFault(e.Fault.Kind).Narrow
		if f := e.Fault; f.Kind == spec.FaultStop && f.What == spec.AllComponents && f.Stage == record.Begun {
			b.down, b.started = true, 0
		}
	case e.Watch != nil:
		b.watch(e)
	case e.Logs != nil:
		if l := e.Logs; l.Lines != nil && !b.broken {
			b.logs[b.round] = logged{b.logs[b.round].lines + *l.Lines, b.logs[b.round].asks + b.asks}
		}
	case e.Action != nil:
		if e.Action.Error == "" && e.Action.Verb != record.ReadScale {
			b.asks++
		}
		if s := b.open[e.Action.Namespace]; s != nil && s.pass != nil && s.touched == 0 && e.Action.Error == "" {
			s.touched = e.Action.From
		}
	case e.Gap != nil:
		m.gap(e)
	case e.Audit != nil:
		b.audited = true
		m.asideAudit(e.Audit)
	case e.End != nil:
		b.end(e)
	}
}

func (m *Meter) asideStage(e record.Entry) {
	if m.beside != nil && (e.Block.Part != nil || e.Block.Stage == record.Driven) {
		m.beside.enter(e)
	}
	switch b := e.Block; b.Stage {
	case record.Installing, record.Installed:
		if m.beside == nil {
			m.beside = &beside{usage: m.style(b.Style, b.Variant, record.Style{}).usage(), round: b.Round, load: b.Load, began: e.Time, unread: m.unread, open: map[string]*looked{}}
		}
		if b.Installed != nil {
			m.beside.Namespaces = b.Installed.Namespaces
		}
	case record.Driven:
		if m.beside != nil {
			m.beside.keep()
			if !m.unread(m.beside.began, e.Time) {
				m.beside.busy()
				m.beside.count()
			}
		}
		m.beside = nil
	}
}

func (m *Meter) asideBegin(e record.Entry) {
	s := &looked{Sample: *e.Begin}
	if m.beside.spell == nil && s.Load && s.Stage == "" {
		m.beside.begins(e.Time, s.Rate)
	}
	m.beside.open[s.Place()], m.beside.inner.began = s, true
	switch {
	case s.Warmup || s.Prepare || s.Reason != "":
	case s.Load && !s.OfStep() && s.Size != nil: // what a ramp makes is not kept, and a growth says itself when it rests
		m.beside.members++
	case s.Scenario == unchanged:
		s.pass = &pass{style: m.beside.style, round: m.beside.round}
		m.passes[s.Namespace] = s.pass
	}
}

// asideAudit keeps the requests of a load, and those that concern a pass. The log may tell of them after the sample's
// end.
func (m *Meter) asideAudit(a *record.Audit) {
	namespace, _, account := a.Account()
	b := m.beside
	if b.load != "" && account && b.within(namespace) && !a.OfEvents() {
		b.sent = append(b.sent, a.Received)
	}
	b.inner.audit(a, b.style)
	p := m.passes[a.Namespace]
	switch {
	case p == nil:
	case account && p.within(namespace):
		p.calls = append(p.calls, a.Received)
	case !account && a.Resource == p.custom && a.Verb == "patch" && a.Subresource == "" && a.Code < 300:
		p.made = append(p.made, a.Received)
	}
}

// look takes a kubelet's figures.
func (b *beside) look(e record.Entry) {
	b.looks = append(b.looks, b.usage.look(e, func(p *record.PodUsage) { b.inner.look(e.Time, p) }))
	b.asked()
	if e.Usage.Machine != nil && b.spell != nil {
		b.spell.look(e.Usage)
	}
}

// watch follows how the operator comes back: by its container's start, and by the
// first Deployment that is made after it.
func (b *beside) watch(e record.Entry) {
	w := e.Watch
	switch {
	case !b.down || w.Event == spec.Deleted:
	case b.within(w.Namespace):
		if b.started == 0 && runs(w) {
			b.started = e.Time
		}
	case w.Resource == b.main && w.Event == spec.Added && b.open[w.Namespace] != nil:
		if b.started > 0 {
			b.cold = append(b.cold, Value{Round: b.round, Value: (e.Time - b.started).Seconds()})
		}
		b.down = false
	}
}

// runs reports whether a pod, or an Event about one, says that a container has
// started. The Event is sent at once, the pod's status up to a second later.
func runs(w *record.Watch) bool {
	if w.Resource == spec.Pods {
		return gjson.GetBytes(w.Object, "status.containerStatuses.#.state.running.startedAt|0").Exists()
	}
	return gjson.GetBytes(w.Object, "reason").String() == "Started" && gjson.GetBytes(w.Object, "regarding.kind").String() == "Pod"
}

func (b *beside) end(e record.Entry) {
	s := b.open[e.End.Place()]
	if s == nil {
		return
	}
	delete(b.open, e.End.Place())
	if b.inner.ended = e.Time; len(b.open) == 0 {
		b.strain(e.Time)
	}
	well := e.End.Outcome == record.Settled
	if s.pass != nil && well && s.touched > 0 {
		s.pass.from, s.pass.lasts = s.touched, e.Time-s.touched
	}
	if !s.Load || s.OfStep() || s.Size == nil || s.Warmup || s.Prepare {
		return
	}
	if well {
		b.settled++
	}
	if b.members < manyCustom || b.settled < b.members || len(b.open) > 0 {
		return
	}
	b.rests = e.Time - s.Window
}

// keep tells what it takes to keep many custom resources, once the block is over: until then they are all there, and
// the kubelet is asked once more at its end. The floor has no pod that could.
func (b *beside) keep() {
	rest := slices.DeleteFunc(b.looks, func(look moment) bool { return look.at < b.rests })
	if b.rests == 0 || len(rest) == 0 || b.Name == spec.Floor {
		return
	}
	value := Value{Round: b.round, Value: float64(middleMemory(rest))}
	if b.members == manyCustom {
		b.many = append(b.many, value)
	}
	b.growth.add(b.members, value)
}

// unchangedCalls are the requests of the style's accounts for each write that changed nothing.
func (m *Meter) unchangedCalls(s *style) []Value {
	var values []Value
	for _, p := range m.passes {
		if p.style != s || p.lasts == 0 || len(p.made) == 0 || m.unread(p.from, p.from+p.lasts) {
			continue
		}
		from := slices.MinFunc(p.made, time.Time.Compare)
		calls := plain.Where(p.calls, func(at time.Time) bool { return !at.Before(from) && at.Sub(from) <= p.lasts })
		values = append(values, Value{Round: p.round, Value: float64(len(calls)) / float64(len(p.made))})
	}
	slices.SortFunc(values, func(a, b Value) int { return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.Value, b.Value)) })
	return values
}

// logLines are the lines that it logged for each request of the harness.
func (s *style) logLines() []Value {
	var values []Value
	for _, round := range slices.Sorted(maps.Keys(s.logs)) {
		if l := s.logs[round]; l.asks > 0 {
			values = append(values, Value{Round: round, Value: float64(l.lines) / float64(l.asks)})
		}
	}
	return values
}

// told is a figure of these values.
func told(unit, missing string, values []Value) Figure {
	if len(values) > 0 {
		missing = ""
	}
	return Figure{Unit: unit, Values: values, Missing: missing}
}
