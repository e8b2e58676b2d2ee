package timeline

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
)

// Splitter cuts a stream of entries into Timelines, one a sample. Watch events in a sample's namespaces are that
// sample's; events elsewhere (a Workflow in its operator's namespace) are of the open samples whose style has an inner
// phase on that resource, and is the one whose turn it is on the cluster. Samples of the correctness matrix overlap:
// each is given only those of its style's work objects that are for its own custom resources. Samples of a load
// overlap, too, and are given nothing elsewhere. It is not safe for concurrent use.
type Splitter struct {
	reader   reader
	run      string
	groups   map[string]string // of scenarios
	styles   map[string]*style
	workload *Workload
	open     []*Timeline                   // in the order in which they began
	within   map[string][]*Timeline        // by namespace: those of open that it is of
	crowd    crowd                         // those of open that share a namespace
	wide     []*Timeline                   // those of open that events elsewhere may concern
	spaces   map[string]bool               // namespaces that a sample ever had
	over     map[string]bool               // those of them that are behind
	now      []space                       // the others
	block    record.Block                  // that began last
	known    map[string]map[objectID]*last // by namespace: what is there
	inner    innerPhases
	jobs     jobs
	clock    clock
	audit    auditClock
	watches  map[watches]int // that are open
	effort   *effort         // nil: without bound
	causes   causes
	counter  int
	objects  int // in known
	held     int // bytes of the samples that are open
	audits   int // entries of the audit log so far
	entry    int // about how many bytes are held of the entry that was taken last
}

// space is a namespace, with the style and round of its last sample.
type space struct {
	name  string
	style *style
	round int
	rate  int // of a ramp's step
}

type objectID struct{ resource, uid string }

type last struct {
	Event
	seq  int // order of appearance
	job  *job
	work []shownWork
}

// NewSplitter returns a Splitter that expects a header first, as in a
// recording; to follow a recording that has already begun, Add its header by hand.
func NewSplitter() *Splitter {
	return &Splitter{
		clock:  clock{acts: map[string]time.Duration{}},
		within: map[string][]*Timeline{}, crowd: newCrowd(), spaces: map[string]bool{}, over: map[string]bool{}, known: map[string]map[objectID]*last{},
		inner: innerPhases{}, jobs: jobs{}, watches: map[watches]int{}, audit: auditClock{least: math.MaxInt64},
	}
}

// Add takes the next entry. It returns the sample's Timeline with the entry that ends it, and otherwise nil. An error
// means that this is not the recording of a run; the Splitter is then of no further use.
func (s *Splitter) Add(e record.Entry) (*Timeline, error) {
	var r Reading
	s.reader.begin(&r, record.Line{Entry: e})
	r.read(nil)
	return s.Take(&r)
}

// Take takes the next entry, which has been read.
func (s *Splitter) Take(r *Reading) (*Timeline, error) {
	e := r.Entry
	if s.styles == nil && e.Kind != record.KindHeader {
		return nil, fmt.Errorf("entry of kind %q before the header", e.Kind)
	}
	var closed *Timeline
	s.entry = r.held
	err := s.clock.check(&r.Entry, s.placeOf)
	if err == nil {
		closed, err = s.hand(r)
	}
	if err == nil {
		err = s.checkHeld()
	}
	if err == nil {
		err = s.effort.take(r.steps)
	}
	if err != nil {
		return nil, fmt.Errorf("%s entry at %s: %w", e.Kind, e.Time, err)
	}
	return closed, nil
}

// hand hands an entry to what it is for.
func (s *Splitter) hand(r *Reading) (closed *Timeline, err error) {
	e := r.Entry
	switch e.Kind {
	case record.KindHeader:
		err = s.header(r)
	case record.KindBegin:
		err = s.begin(e)
	case record.KindAction:
		err = s.action(e)
	case record.KindWatch:
		err = s.watch(r)
	case record.KindGap:
		err = s.gap(e)
	case record.KindEnd:
		closed, err = s.end(e)
	case record.KindBlock:
		s.turn(e.Block)
	case record.KindUsage:
		s.used(&e)
	case record.KindHeld: // of a sample that has ended
	case record.KindAudit:
		s.audited(&e)
		if e.Audit.Open {
			s.watching(e.Audit, 1)
		}
	case record.KindClosed:
		s.watching(e.Closed, -1)
	case record.KindFault:
		err = s.fault(e)
	case record.KindInventory:
		s.inventory(e)
	case record.KindProbe:
		if t := s.Open(e.Probe.Namespace); t != nil {
			err = s.give([]*Timeline{t}, Event{Entry: e})
		}
	case record.KindLogs: // of a style's samples that have ended: see Judge
	default:
		err = fmt.Errorf("unknown kind %q", e.Kind)
	}
	return closed, err
}

// audited tells the samples that are open that their style has asked for a write in their namespace, be it that it was
// refused, and which of its writes there were. Nothing else of an audit is of a sample.
func (s *Splitter) audited(e *record.Entry) {
	at := s.audit.at(e)
	s.audits++
	if s.workload.concerns(e.Audit.Resource) {
		for _, style := range s.styles {
			style.denies(e)
		}
	}
	if strings.HasPrefix(e.Audit.Resource, "leases.") && e.Audit.Writes() {
		for _, t := range s.wide {
			if t.doubled && t.Style.asks(e.Audit) {
				t.take(at, e.Audit)
			}
		}
	}
	for _, t := range s.near(e.Audit.Namespace, e.Audit.Name, "") {
		if !t.Style.asks(e.Audit) {
			continue
		}
		if t.doubled && e.Audit.Writes() {
			t.take(at, e.Audit)
		}
		if t.Matrix && e.Audit.Writes() && e.Audit.Resource == s.workload.Mains && !strings.HasPrefix(e.Audit.Verb, "delete") {
			t.tried = e.Time
		}
		if t.Matrix {
			t.ask(at, e.Audit)
		}
		t.refuses(e)
		t.miss(at, e.Audit)
	}
}

// used tells the samples that judge it what the pods of their style take.
func (s *Splitter) used(e *record.Entry) {
	for _, t := range s.wide {
		if !t.Matrix || !slices.Contains(t.Sample.Expect, Growth) {
			continue
		}
		for _, p := range e.Usage.Pods {
			if !slices.Contains(t.Style.Namespaces, p.Namespace) || p.Memory <= 0 || len(t.Looks) >= mostLooks {
				continue
			}
			pod := p.Namespace + "/" + p.Name
			t.Looks = append(t.Looks, Look{e.Time, pod, Memory, float64(p.Memory)})
			for what, amount := range p.Kept {
				t.Looks = append(t.Looks, Look{e.Time, pod, what, amount})
			}
			s.effort.spend(len(s.watches))
			for of, open := range s.watches {
				if of.pod == pod {
					t.Looks = append(t.Looks, Look{e.Time, pod, "open watches of " + of.resource, float64(open)})
				}
			}
		}
	}
}

// inventory gives the sample that is open in a namespace what there is.
func (s *Splitter) inventory(e record.Entry) {
	if t := s.Open(e.Inventory.Namespace); t != nil && t.Matrix {
		t.Inventories = append(t.Inventories, Inventory{e.Time, e.Inventory})
		s.hold(t, s.entry)
	}
}

// Open returns the Timeline of the sample that is open at a place, the newest if there are several; nil: none.
func (s *Splitter) Open(place string) *Timeline {
	if t := s.crowd.members[place]; t != nil {
		return t
	}
	for _, t := range slices.Backward(s.within[place]) {
		if t.Sample.Namespace == place {
			return t
		}
	}
	return nil
}

// Spend takes note of work, in steps, that judging a sample took beside what is done here.
func (s *Splitter) Spend(steps int) { s.effort.spend(steps) }

// Overspent is an error once judging takes more than the entries so far can ask for: what was judged is then of no use.
func (s *Splitter) Overspent() error { return s.effort.err() }

// Objects counts what is remembered of objects.
func (s *Splitter) Objects() int { return s.objects + len(s.inner) + len(s.jobs) + len(s.watches) }

// Rest returns the Timelines whose end never came, and forgets them.
func (s *Splitter) Rest() []*Timeline {
	rest := s.open
	s.open, s.wide, s.held = nil, nil, 0
	clear(s.within)
	s.crowd = newCrowd()
	return rest
}

func (s *Splitter) header(r *Reading) error {
	if s.styles != nil {
		return errors.New("a second header")
	}
	if r.err != nil {
		return r.err
	}
	s.run, s.styles, s.workload, s.groups, s.effort = r.Header.Run, r.at.styles, r.at.Workload, map[string]string{}, r.at.effort
	s.audit.began = r.Header.Began
	for _, scenario := range r.Header.Scenarios {
		s.groups[scenario.Name] = scenario.Group
	}
	return nil
}

func (s *Splitter) begin(e record.Entry) error {
	b := e.Begin
	label := record.Label(b.Style, b.Variant)
	style := s.styles[label]
	if style == nil {
		return fmt.Errorf("style %q is not in the header", label)
	}
	if b.Shared && (!b.Load || len(b.Others) > 0) {
		return fmt.Errorf("%s %s in %s shares its namespace, expected that only of a load: this is no recording of a run", label, b.Scenario, b.Namespace)
	}
	if s.crowd.members[b.Place()] != nil {
		return fmt.Errorf("%s %s round %d in %s began before its last run ended", label, b.Scenario, b.Round, b.Place())
	}
	if one := len(s.within[b.Namespace]) > 0; b.Shared && one || !b.Shared && s.crowd.spaces[b.Namespace] > 0 {
		return fmt.Errorf("%s %s in %s: only some of the namespace's samples share it: this is no recording of a run", label, b.Scenario, b.Namespace)
	}
	for _, t := range s.within[b.Namespace] {
		if o := t.Sample; o.Style == b.Style && o.Variant == b.Variant && o.Scenario == b.Scenario && o.Round == b.Round && o.Namespace == b.Namespace {
			return fmt.Errorf("%s %s round %d in %s began before its last run ended", label, b.Scenario, b.Round, b.Namespace)
		}
	}
	if n := (1 + len(b.Others)) * max(1, len(style.work)); n > mostMatched {
		return fmt.Errorf("%d custom resources and kinds of work in one sample, expected at most %d: this is no recording of a run", n, mostMatched)
	}
	t, err := newTimeline(s, style, *b, e.Time)
	if err != nil {
		return err
	}
	s.hold(t, s.entry+heldEvent*len(t.Before)+heldMatcher*len(t.Subjects)*len(t.matchers))
	s.open = append(s.open, t)
	if !t.Load {
		s.wide = append(s.wide, t)
	}
	if b.Shared {
		s.crowd.join(t)
		s.enter(space{b.Namespace, style, b.Round, b.Rate})
		return nil
	}
	for _, namespace := range t.spaces {
		s.within[namespace] = append(s.within[namespace], t)
		s.enter(space{namespace, style, b.Round, b.Rate})
	}
	return nil
}

// enter takes note of a sample's namespace. Those of the style's earlier rounds and steps are over: each has its own.
func (s *Splitter) enter(to space) {
	s.now = slices.DeleteFunc(s.now, func(one space) bool {
		return one.name == to.name || (one.style == to.style && (one.round < to.round || one.rate != to.rate) && s.forget(one.name))
	})
	s.now, s.spaces[to.name] = append(s.now, to), true
	delete(s.over, to.name)
}

// turn takes note of a block. With another's beginning all that is known of
// the last one is over: nothing of a style outlives its block.
func (s *Splitter) turn(b *record.Block) {
	was := s.block
	if s.block = *b; was.Style == b.Style && was.Variant == b.Variant && was.Round == b.Round && was.Wave == b.Wave && was.Load == b.Load {
		return
	}
	s.now = slices.DeleteFunc(s.now, func(one space) bool { return s.forget(one.name) })
	for name := range s.known {
		s.forget(name)
	}
	clear(s.inner)
	clear(s.jobs)
}

// forget drops what is known of a namespace, unless a sample is open in it.
func (s *Splitter) forget(name string) bool {
	if len(s.within[name]) > 0 || s.crowd.spaces[name] > 0 {
		return false
	}
	s.objects -= len(s.known[name])
	delete(s.known, name)
	if s.spaces[name] {
		s.over[name] = true
	}
	return true
}

// before lists what is known of a sample's objects, in order of appearance. A sample that shares its namespace begins
// with the creation of its custom resource: it has none.
func (s *Splitter) before(t *Timeline) []Event {
	if t.Sample.Shared {
		return nil
	}
	var all []*last
	for _, namespace := range t.spaces {
		all = slices.AppendSeq(all, maps.Values(s.known[namespace]))
	}
	if t.Matrix {
		for namespace := range t.Style.own {
			for _, one := range s.known[namespace] {
				aside, mine := t.outside(one.Watch, one.job, one.work)
				if mine && !t.Covers(namespace) {
					one := *one
					one.Outside = aside
					all = append(all, &one)
				}
			}
		}
	}
	s.effort.spend(beforeEffort * len(all))
	slices.SortFunc(all, func(a, b *last) int { return cmp.Compare(a.seq, b.seq) })
	return plain.Map(all, func(one *last) Event { return one.Event })
}

func (s *Splitter) action(e record.Entry) error {
	// An action elsewhere (a fault on an operator's pod) concerns whatever is open,
	// but for samples that overlap: of those each has its own.
	targets := s.near(e.Action.Namespace, e.Action.Name, "")
	if len(targets) == 0 && !s.spaces[e.Action.Namespace] {
		targets = plain.Where(s.open, func(t *Timeline) bool { return !t.Matrix })
	}
	if named := plain.Where(targets, func(t *Timeline) bool { return t.Sample.Name == e.Action.Name }); len(named) > 0 {
		targets = named
	}
	return s.give(targets, Event{Entry: e})
}

// fault gives a fault to the samples that it is recorded for.
func (s *Splitter) fault(e record.Entry) error {
	return s.give(plain.Where(s.open, func(t *Timeline) bool { return t.Sample.Namespace == e.Fault.Namespace }), Event{Entry: e})
}

// give adds an event to open samples.
func (s *Splitter) give(targets []*Timeline, e Event) error {
	for _, t := range targets {
		if err := t.add(e); err != nil {
			return err
		}
		s.hold(t, s.entry)
	}
	return nil
}

// hold takes note of bytes that are held of a sample.
func (s *Splitter) hold(t *Timeline, n int) { t.held, s.held = t.held+n, s.held+n }

func (s *Splitter) watch(r *Reading) error {
	if r.err != nil {
		return r.err
	}
	happened := make([][]PhaseEvent, len(r.inner))
	for i, inner := range r.inner {
		happened[i] = s.inner.happened(inner.style, r.Watch, inner.seen)
	}
	var job *job
	if r.deep {
		job = s.jobs.of(r)
	}
	give := func(t *Timeline, aside *Outside) error {
		event := Event{Entry: r.Entry, Object: r.object, Outside: aside}
		if i := slices.IndexFunc(r.inner, func(inner innerShown) bool { return inner.style == t.Style }); i >= 0 {
			event.Inner = happened[i]
		}
		return s.give([]*Timeline{t}, event)
	}
	for _, t := range s.near(r.Watch.Namespace, r.Watch.Name, r.object.Controller) {
		s.crowd.own(t, r.Watch.UID)
		if err := give(t, nil); err != nil {
			return err
		}
	}
	for _, t := range s.wide {
		if aside, mine := s.concerns(t, r, job); mine {
			if err := give(t, aside); err != nil {
				return err
			}
		}
	}
	return s.remember(r, job)
}

// concerns reports whether a watch event elsewhere is a sample's, and as what.
func (s *Splitter) concerns(t *Timeline, r *Reading, job *job) (*Outside, bool) {
	switch {
	case t.Covers(r.Watch.Namespace):
		return nil, false
	case t.Matrix:
		return t.outside(r.Watch, job, r.work)
	}
	// The sample is the only one that runs. A namespace that no sample ever had is its style's, in the style's turn.
	return nil, (r.at.turn == nil || r.at.turn == t.Style) && t.Style.byResource[r.Watch.Resource] != nil && !s.spaces[r.Watch.Namespace]
}

// remember keeps the last event of each object that judging reads, for the samples that begin later.
func (s *Splitter) remember(r *Reading, job *job) error {
	if !(r.asked() || len(r.work) > 0) || s.over[r.Watch.Namespace] {
		return nil
	}
	space, id := r.Watch.Namespace, objectID{r.Watch.Resource, r.object.UID}
	known := s.known[space]
	if was := known[id]; was != nil {
		if err := advance(&was.Time, r.Time); err != nil {
			return err
		}
	}
	if r.Watch.Event == spec.Deleted {
		if known[id] != nil {
			s.objects--
		}
		delete(known, id)
		if len(known) == 0 {
			delete(s.known, space)
		}
		return nil
	}
	if known == nil {
		known = map[objectID]*last{}
		s.known[space] = known
	}
	if known[id] == nil {
		s.counter, s.objects = s.counter+1, s.objects+1
		known[id] = &last{seq: s.counter}
	}
	one := known[id]
	one.Event, one.job, one.work = Event{Entry: r.Entry, Object: r.object}, job, r.work
	return nil
}

func (s *Splitter) gap(e record.Entry) error {
	for _, t := range s.open {
		if t.Misses(e.Gap) {
			if err := s.give([]*Timeline{t}, Event{Entry: e}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Splitter) end(e record.Entry) (*Timeline, error) {
	for i, t := range s.open {
		o := t.Sample
		if o.Style == e.End.Style && o.Variant == e.End.Variant && o.Scenario == e.End.Scenario && o.Round == e.End.Round && o.Place() == e.End.Place() {
			s.open, s.held = slices.Delete(s.open, i, i+1), s.held-t.held
			s.leave(t)
			t.Audited = s.audits > t.audits && !slices.Contains(t.Style.Namespaces, metav1.NamespaceSystem) // whose accounts the log leaves out
			t.close(e)
			t.learn()
			return t, nil
		}
	}
	return nil, fmt.Errorf("%s %s round %d in %s ended without having begun", e.End.Style, e.End.Scenario, e.End.Round, e.End.Place())
}

// leave takes a sample that has ended out of the indexes.
func (s *Splitter) leave(t *Timeline) {
	this := func(other *Timeline) bool { return other == t }
	s.wide = slices.DeleteFunc(s.wide, this)
	if t.Sample.Shared {
		s.crowd.leave(t)
		return
	}
	for _, namespace := range t.spaces {
		if s.within[namespace] = slices.DeleteFunc(s.within[namespace], this); len(s.within[namespace]) == 0 {
			delete(s.within, namespace)
		}
	}
}
