package timeline

import (
	"fmt"
	"maps"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline/normal"
	"operatorbench/e2e/timeline/wire"
)

// Reading is an entry with what judging reads of it. To begin a read needs the entries before it; to read it needs
// nothing else, so that many can be read at once.
type Reading struct {
	record.Line
	audit record.Audit // what Audit points to
	at    *place
	own   bool // it is in an operator's own namespace: of no sample

	object *wire.Object
	inner  []innerShown
	deep   bool        // it is of the correctness matrix: details are read
	work   []shownWork // where deep: of each style that works by such objects
	err    error
	broken error // the line is no entry
	steps  int   // of effort that it takes to read it
	held   int   // about how many bytes are held of it, without a watch event's object
}

// place is where in a recording an entry stands. Entries share it: it is never changed.
type place struct {
	styles map[string]*style // of the header
	*Workload
	turn   *style          // whose inner phases are read; nil: those of all styles
	own    map[string]bool // namespaces of operators
	deep   bool            // it is the correctness matrix's turn
	effort *effort         // of the recording
}

// innerShown is what an event shows of a style's inner phases.
type innerShown struct {
	style *style
	seen  []seen
}

// reader follows a recording as far as reading it needs.
type reader struct {
	at     *place
	blocks bool    // the recording has blocks
	effort *effort // nil: without bound
}

// begin takes the next entry, in order, into an empty Reading.
func (c *reader) begin(r *Reading, l record.Line) {
	if r.Line, r.held = l, heldEvent+l.Unparsed(); l.Action != nil { // it is parsed already
		r.held += len(l.Action.Object)
	}
	c.effort.begin()
	if c.at == nil {
		c.at = &place{effort: c.effort}
	}
	switch l.Kind {
	case record.KindHeader, record.KindBlock, record.KindBegin:
		c.at, r.err = c.next(&r.Entry)
	}
	r.at = c.at
}

// next is where the entries stand that follow this one, which says so.
func (c *reader) next(l *record.Entry) (*place, error) {
	var err error
	next := *c.at
	switch {
	case l.Kind == record.KindHeader && next.styles == nil:
		if next.Workload, err = workloadOf(l.Header); err == nil {
			next.styles, err = compileAll(l.Header, next.Workload)
		}
		// Where no block says otherwise, what is compared with a reference is the matrix.
		next.own, next.deep = ownNamespaces(l.Header), len(l.Header.Reference) > 0
	case l.Kind == record.KindBlock:
		c.blocks, next.deep = true, l.Block.Wave > 0
		if next.turn = next.styles[record.Label(l.Block.Style, l.Block.Variant)]; l.Block.Stage == record.Removed {
			next.turn = nil
		}
	case l.Kind == record.KindBegin:
		if next.own[l.Begin.Namespace] {
			next.own = maps.Clone(next.own)
			delete(next.own, l.Begin.Namespace)
		}
		next.deep = next.deep || l.Begin.Matrix
		if c.blocks {
			next.turn = next.styles[record.Label(l.Begin.Style, l.Begin.Variant)]
		}
	}
	return &next, err
}

func ownNamespaces(h *record.Header) map[string]bool {
	own := map[string]bool{}
	for _, style := range h.Styles {
		for _, namespace := range style.Namespaces {
			own[namespace] = true
		}
	}
	return own
}

func compileAll(h *record.Header, w *Workload) (map[string]*style, error) {
	styles := map[string]*style{}
	if err := checkPhases(h); err != nil {
		return nil, err
	}
	reference, err := normal.Reference(h.Reference)
	if err != nil {
		return nil, err
	}
	for _, one := range h.Styles {
		label := record.Label(one.Name, one.Variant)
		if styles[label] != nil {
			return nil, fmt.Errorf("style %q is there twice", label)
		}
		c, err := compile(one, w)
		if err != nil {
			return nil, err
		}
		c.Reference, styles[label] = reference, c
	}
	return styles, nil
}

// read parses the entry, unless it is parsed, and reads a watch event's object.
func (r *Reading) read(parser *record.Parser) {
	if r.broken = parser.Parse(&r.Line, &r.audit); r.broken != nil {
		return
	}
	switch {
	case r.Begin != nil:
		r.held += heldEvent * len(r.Begin.Others)
	case r.Inventory != nil:
		r.held += plain.Sum(r.Inventory.Objects, func(o record.Item) int { return heldEvent * (1 + len(o.Owners)) })
	}
	if r.Kind != record.KindWatch {
		return
	}
	r.own, r.deep = r.at.own[r.Watch.Namespace], r.at.deep
	r.held = max(r.held-len(r.Watch.Object), heldEvent)
	r.object = &wire.Object{Resource: r.Watch.Resource, Namespace: r.Watch.Namespace, Name: r.Watch.Name, UID: r.Watch.UID}
	if err := r.readObject(); err != nil {
		r.err = fmt.Errorf("%s event of %s %s/%s: read the recorded object: %w", r.Watch.Event, r.Watch.Resource, r.Watch.Namespace, r.Watch.Name, err)
	}
}

// spend reports whether so many steps may be taken to read the entry.
func (r *Reading) spend(steps int) bool {
	r.steps += steps
	return r.at.effort.reading(steps)
}

// readObject reads what somebody asks for. Of most events (Kubernetes' own
// Events, pods of an operator) nobody asks anything: those are only checked.
func (r *Reading) readObject() error {
	if err := wire.Check(r.Watch.Object); err != nil {
		return err
	}
	if r.at.turn != nil {
		r.readStyle(r.at.turn)
	} else {
		for _, s := range r.at.styles {
			r.readStyle(s)
		}
	}
	if r.deep && r.at.Detailed(r.Watch.Resource) {
		var err error
		if r.object.Detail, err = r.at.ReadDetail(r.Watch.Resource, r.Watch.Object); err != nil {
			return err
		}
	}
	if r.asked() {
		return r.at.Read(r.object, r.Watch.Object)
	}
	return nil
}

// asked reports whether judging reads the object, and not only inner phases and details.
func (r *Reading) asked() bool {
	return r.at.IsRead(r.Watch.Resource) && (!r.own || r.deep || len(r.inner) > 0)
}

// readStyle reads what a style has to do with the object.
func (r *Reading) readStyle(s *style) {
	for _, w := range s.work {
		if r.deep && w.Resource == r.Watch.Resource && w.Namespace == r.Watch.Namespace {
			r.work = append(r.work, w.show(r.Watch.Object, r.spend))
		}
	}
	if inner := s.byResource[r.Watch.Resource]; inner != nil {
		r.inner = append(r.inner, innerShown{s, inner.of(r.Watch, r.spend)})
	}
}
