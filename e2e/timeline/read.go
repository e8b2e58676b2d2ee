package timeline

import (
	"fmt"

	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline/normal"
	"operatorbench/e2e/timeline/wire"
)

// Reading is an entry with what judging reads of it. To begin a read needs the
// entries before it; to read it needs nothing else, so that many can be read at
// once.
type Reading struct {
	record.Entry
	at  *place
	own bool // it is in an operator's own namespace: of no sample

	object *wire.Object
	inner  []innerShown
	deep   *deep // nil: details are not read, it is not of the correctness matrix
	err    error
}

// place is where in a recording an entry stands. Entries share it.
type place struct {
	styles map[string]*style // of the header
	turn   *style            // whose inner phases are read; nil: those of all styles
}

// deep is what is read of an event only for the correctness matrix, beside its
// object's details.
type deep struct {
	work []shownWork // of each style that works by such objects
}

// innerShown is what an event shows of a style's inner phases.
type innerShown struct {
	style *style
	seen  []seen
}

// reader follows a recording as far as reading it needs.
type reader struct {
	at     *place
	own    map[string]bool // namespaces of operators
	blocks bool            // the recording has blocks
	deep   bool            // it is the correctness matrix's turn
}

// begin takes the next entry, in order.
func (c *reader) begin(e record.Entry) Reading {
	r := Reading{Entry: e}
	if c.at == nil {
		c.at = &place{}
	}
	switch {
	case e.Kind == record.KindHeader && c.at.styles == nil:
		var styles map[string]*style
		styles, r.err = compileAll(e.Header)
		c.at, c.own = &place{styles: styles}, ownNamespaces(e.Header)
		// Where no block says otherwise, what is compared with a reference is the matrix.
		c.deep = len(e.Header.Reference) > 0
	case e.Kind == record.KindBlock:
		c.blocks, c.deep = true, e.Block.Wave > 0
		if c.turn(e.Block.Style, e.Block.Variant); e.Block.Stage == record.Removed {
			c.at = &place{styles: c.at.styles}
		}
	case e.Kind == record.KindBegin:
		delete(c.own, e.Begin.Namespace)
		c.deep = c.deep || e.Begin.Matrix
		if c.blocks {
			c.turn(e.Begin.Style, e.Begin.Variant)
		}
	case e.Kind == record.KindWatch:
		if r.own = c.own[e.Watch.Namespace]; c.deep {
			r.deep = &deep{}
		}
	}
	r.at = c.at
	return r
}

// turn makes it a style's turn.
func (c *reader) turn(style, variant string) {
	if turn := c.at.styles[record.Label(style, variant)]; turn != c.at.turn {
		c.at = &place{styles: c.at.styles, turn: turn}
	}
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

func compileAll(h *record.Header) (map[string]*style, error) {
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
		c, err := compile(one)
		if err != nil {
			return nil, err
		}
		c.Reference, styles[label] = reference, c
	}
	return styles, nil
}

// read reads a watch event's object.
func (r *Reading) read() {
	if r.Kind != record.KindWatch {
		return
	}
	r.object = &wire.Object{Resource: r.Watch.Resource, Namespace: r.Watch.Namespace, Name: r.Watch.Name, UID: r.Watch.UID}
	if err := r.readObject(); err != nil {
		r.err = fmt.Errorf("%s event of %s %s/%s: read the recorded object: %w", r.Watch.Event, r.Watch.Resource, r.Watch.Namespace, r.Watch.Name, err)
	}
}

// readObject reads what somebody asks for. Of most events (Kubernetes' own
// Events, pods of an operator) nobody asks anything: those are not looked into.
func (r *Reading) readObject() error {
	if r.at.turn != nil {
		if err := r.readStyle(r.at.turn); err != nil {
			return err
		}
	} else {
		for _, s := range r.at.styles {
			if err := r.readStyle(s); err != nil {
				return err
			}
		}
	}
	if r.deep != nil && wire.Detailed(r.Watch.Resource) {
		var err error
		if r.object.Detail, err = wire.ReadDetail(r.Watch.Resource, r.Watch.Object); err != nil {
			return err
		}
	}
	if r.asked() {
		return r.object.Read(r.Watch.Object)
	}
	return nil
}

// asked tells whether judging reads the object, and not only inner phases and
// details.
func (r *Reading) asked() bool {
	return wire.IsRead(r.Watch.Resource) && (!r.own || r.deep != nil || len(r.inner) > 0)
}

// readStyle reads what a style has to do with the object.
func (r *Reading) readStyle(s *style) error {
	if r.deep != nil {
		if err := r.readWork(s); err != nil {
			return err
		}
	}
	return r.readInner(s)
}

func (r *Reading) readWork(s *style) error {
	for _, w := range s.work {
		if w.Resource != r.Watch.Resource || w.Namespace != r.Watch.Namespace {
			continue
		}
		shown, err := w.show(r.Watch.Object)
		if err != nil {
			return err
		}
		r.deep.work = append(r.deep.work, shown)
	}
	return nil
}

func (r *Reading) readInner(s *style) error {
	inner := s.byResource[r.Watch.Resource]
	if inner == nil {
		return nil
	}
	list, err := inner.of(r.Watch)
	r.inner = append(r.inner, innerShown{s, list})
	return err
}
