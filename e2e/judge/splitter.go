package judge

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"operatorbench/e2e/record"
)

// Splitter cuts a stream of entries into Timelines, one a sample. Watch events
// in a sample's namespace are that sample's; events elsewhere (a Workflow in
// its operator's namespace) are of the open samples whose style has an inner
// phase on that resource. It is not safe for concurrent use.
type Splitter struct {
	run     string
	styles  map[string]*style
	open    []*Timeline                  // in the order in which they began
	spaces  map[string]bool              // namespaces that a sample ever had
	known   map[string]map[objectID]last // by namespace: what is there
	inner   innerPhases
	counter int
}

type objectID struct{ resource, uid string }

type last struct {
	Event
	seq int // order of appearance
}

// NewSplitter returns a Splitter that expects a header first, as in a
// recording; to follow a recording that has already begun, Add its header by hand.
func NewSplitter() *Splitter {
	return &Splitter{spaces: map[string]bool{}, known: map[string]map[objectID]last{}, inner: innerPhases{}}
}

// Add takes the next entry. It returns the sample's Timeline with the entry
// that ends it, and otherwise nil. An error means that this is not the
// recording of a run; the Splitter is then of no further use.
func (s *Splitter) Add(e record.Entry) (*Timeline, error) {
	if s.styles == nil && e.Kind != record.KindHeader {
		return nil, fmt.Errorf("entry of kind %q before the header", e.Kind)
	}
	var closed *Timeline
	var err error
	switch e.Kind {
	case record.KindHeader:
		err = s.header(e.Header)
	case record.KindBegin:
		err = s.begin(e)
	case record.KindAction:
		err = s.action(e)
	case record.KindWatch:
		err = s.watch(e)
	case record.KindGap:
		err = s.gap(e)
	case record.KindEnd:
		closed, err = s.end(e)
	case record.KindBlock, record.KindUsage, record.KindAudit: // of a style, not of a sample
	default:
		err = fmt.Errorf("unknown kind %q", e.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("%s entry at %s: %w", e.Kind, e.Time, err)
	}
	return closed, nil
}

// Open returns the Timeline of the sample that is open in a namespace, the
// newest if there are several; nil: none.
func (s *Splitter) Open(namespace string) *Timeline {
	for _, t := range slices.Backward(s.open) {
		if t.Sample.Namespace == namespace {
			return t
		}
	}
	return nil
}

// Rest returns the Timelines whose end never came, and forgets them.
func (s *Splitter) Rest() []*Timeline {
	rest := s.open
	s.open = nil
	return rest
}

func (s *Splitter) header(h *record.Header) error {
	if s.styles != nil {
		return errors.New("a second header")
	}
	s.run, s.styles = h.Run, map[string]*style{}
	for _, one := range h.Styles {
		label := record.Label(one.Name, one.Variant)
		if s.styles[label] != nil {
			return fmt.Errorf("style %q is there twice", label)
		}
		c, err := compile(one)
		if err != nil {
			return err
		}
		s.styles[label] = c
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
	for _, t := range s.open {
		if o := t.Sample; o.Style == b.Style && o.Variant == b.Variant && o.Scenario == b.Scenario && o.Round == b.Round && o.Namespace == b.Namespace {
			return fmt.Errorf("%s %s round %d in %s began before its last run ended", label, b.Scenario, b.Round, b.Namespace)
		}
	}
	t, err := newTimeline(s.run, style, *b, e.Time, s.before(b.Namespace))
	if err != nil {
		return err
	}
	s.open, s.spaces[b.Namespace] = append(s.open, t), true
	return nil
}

// before lists what is known of a namespace, in order of appearance.
func (s *Splitter) before(namespace string) []Event {
	var all []last
	for _, one := range s.known[namespace] {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b last) int { return cmp.Compare(a.seq, b.seq) })
	events := make([]Event, len(all))
	for i, one := range all {
		events[i] = one.Event
	}
	return events
}

func (s *Splitter) action(e record.Entry) error {
	// An action elsewhere (a fault on an operator's pod) concerns whatever is open.
	targets := s.in(e.Action.Namespace)
	if len(targets) == 0 && !s.spaces[e.Action.Namespace] {
		targets = s.open
	}
	if named := slices.DeleteFunc(slices.Clone(targets), func(t *Timeline) bool { return t.Sample.Name != e.Action.Name }); len(named) > 0 {
		targets = named
	}
	for _, t := range targets {
		if err := t.add(Event{Entry: e}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Splitter) in(namespace string) []*Timeline {
	var found []*Timeline
	for _, t := range s.open {
		if t.Sample.Namespace == namespace {
			found = append(found, t)
		}
	}
	return found
}

func (s *Splitter) watch(e record.Entry) error {
	object, err := parseObject(e.Watch)
	if err != nil {
		return err
	}
	happened := map[*style][]int{}
	for _, style := range s.styles {
		if found := s.inner.happened(style, e.Watch); found != nil {
			happened[style] = found
		}
	}
	for _, t := range s.open {
		if t.Sample.Namespace != e.Watch.Namespace && (s.spaces[e.Watch.Namespace] || t.style.byResource[e.Watch.Resource] == nil) {
			continue
		}
		if err := t.add(Event{Entry: e, Object: object, inner: happened[t.style]}); err != nil {
			return err
		}
	}
	s.remember(Event{Entry: e, Object: object})
	return nil
}

// remember keeps the last event of each object that judging reads, for the
// samples that begin later.
func (s *Splitter) remember(e Event) {
	if !judged(e.Watch.Resource) {
		return
	}
	space, id := e.Watch.Namespace, objectID{e.Watch.Resource, e.Object.UID}
	if e.Watch.Event == "DELETED" {
		delete(s.known[space], id)
		if len(s.known[space]) == 0 {
			delete(s.known, space)
		}
		return
	}
	if s.known[space] == nil {
		s.known[space] = map[objectID]last{}
	}
	seq := s.known[space][id].seq
	if seq == 0 {
		s.counter++
		seq = s.counter
	}
	s.known[space][id] = last{e, seq}
}

func (s *Splitter) gap(e record.Entry) error {
	for _, t := range s.open {
		if concerns(e.Gap, t.Sample.Namespace, t.style) {
			if err := t.add(Event{Entry: e}); err != nil {
				return err
			}
		}
	}
	return nil
}

// concerns tells whether a gap hides something of a sample: one in its
// namespace or in all, or one elsewhere on a resource of its inner phases.
func concerns(g *record.Gap, namespace string, s *style) bool {
	return g.Namespace == "" || g.Namespace == namespace || s.byResource[g.Resource] != nil
}

func (s *Splitter) end(e record.Entry) (*Timeline, error) {
	for i, t := range s.open {
		o := t.Sample
		if o.Style == e.End.Style && o.Variant == e.End.Variant && o.Scenario == e.End.Scenario && o.Round == e.End.Round && o.Namespace == e.End.Namespace {
			s.open = slices.Delete(s.open, i, i+1)
			t.close(e)
			return t, nil
		}
	}
	return nil, fmt.Errorf("%s %s round %d in %s ended without having begun", e.End.Style, e.End.Scenario, e.End.Round, e.End.Namespace)
}

// Timelines returns every sample of a recording, in the order of their ends; a
// sample that never ended comes last, with a nil End. With an error (see
// record.ErrTruncated) come the Timelines of what could be read before it.
// It holds a recording in memory; Judge does not.
func Timelines(entries iter.Seq2[record.Entry, error]) ([]*Timeline, error) {
	s := NewSplitter()
	var all []*Timeline
	for e, err := range entries {
		if err != nil {
			return append(all, s.Rest()...), err
		}
		t, err := s.Add(e)
		if err != nil {
			return append(all, s.Rest()...), err
		}
		if e.Kind == record.KindGap {
			for _, t := range all {
				if t.EndedAt > e.Gap.From && concerns(e.Gap, t.Sample.Namespace, t.style) {
					t.gaps = append(t.gaps, Event{Entry: e})
				}
			}
		}
		if t != nil {
			all = append(all, t)
		}
	}
	return append(all, s.Rest()...), nil
}
