package timeline

import (
	"fmt"
	"slices"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/timeline/wire"
)

// innerReading is what a style's inner phases read of the objects of one resource.
type innerReading struct {
	paths []string // each once
	look  *wire.Lookup
	inner []innerPhase
}

// innerPhase is a spec.Phase made ready for use.
type innerPhase struct {
	spec.Phase
	index int // into Style.Phases
	slot  int // of Path; -1: none
	where []condition
}

// condition is a spec.FieldCondition made ready for use.
type condition struct {
	spec.FieldCondition
	slot    int
	matches *bounds.Pattern // nil: any value
}

func (c *condition) holds(v wire.Value) bool {
	return v.Exists() && (len(c.Equals) == 0 || v.IsAny(c.Equals)) && (c.matches == nil || c.matches.MatchString(v.String()))
}

// cost is how many steps it takes at most to tell whether a value holds.
func (c *condition) cost(v wire.Value) int {
	n := len(c.Equals)
	if c.matches != nil && v.Exists() {
		n += c.matches.Cost(len(v))
	}
	return n
}

func (r *innerReading) add(index int, p spec.Phase) error {
	one := innerPhase{Phase: p, index: index, slot: -1}
	if err := bounds.Path(p.Path); err != nil {
		return fmt.Errorf("path %.80q: %w", p.Path, err)
	}
	if p.Path != "" {
		one.slot = r.slot(p.Path)
	}
	for _, w := range p.Where {
		if err := bounds.Path(w.Path); err != nil {
			return fmt.Errorf("where %.80q: %w", w.Path, err)
		}
		c := condition{FieldCondition: w, slot: r.slot(w.Path)}
		if w.Matches != "" {
			var err error
			if c.matches, err = bounds.Expression(w.Matches); err != nil {
				return fmt.Errorf("where %s: %w", w.Path, err)
			}
		}
		one.where = append(one.where, c)
	}
	r.inner = append(r.inner, one)
	return nil
}

func (r *innerReading) slot(path string) int {
	if i := slices.Index(r.paths, path); i >= 0 {
		return i
	}
	r.paths = append(r.paths, path)
	return len(r.paths) - 1
}

// shown is what one event shows of an inner phase.
type shown uint8

const (
	elsewhere shown = iota // nothing: it is another object's phase
	no
	yes
)

// seen is what one event shows, and the value at the phase's path.
type seen struct {
	shown
	wire.Value
}

// PhaseEvent is an inner phase that an event brings about, with the value that shows it.
type PhaseEvent struct {
	Phase int // index into Style.Phases
	Value string
}

// of says what an event shows of each of the inner phases. It needs no memory
// of earlier events, and so can be done for many events at once.
func (r *innerReading) of(w *record.Watch, spend func(steps int) bool) []seen {
	list := make([]seen, len(r.inner))
	values := r.look.In(w.Object, spend)
	steps := 0
	for i := range r.inner {
		steps += r.inner[i].cost(values)
	}
	if !spend(steps) {
		return list
	}
	for i := range r.inner {
		p := &r.inner[i]
		list[i].shown = p.shown(w, values)
		if p.slot >= 0 {
			list[i].Value = values[p.slot]
		}
	}
	return list
}

func (p *innerPhase) cost(values []wire.Value) int {
	n := len(p.Equals)
	for i := range p.where {
		n += p.where[i].cost(values[p.where[i].slot])
	}
	return n
}

func (p *innerPhase) shown(w *record.Watch, values []wire.Value) shown {
	if p.Namespace != "" && p.Namespace != w.Namespace {
		return elsewhere
	}
	for i := range p.where {
		if c := &p.where[i]; !c.holds(values[c.slot]) {
			return elsewhere
		}
	}
	if p.slot < 0 {
		return yes
	}
	if v := values[p.slot]; v.Exists() && (len(p.Equals) == 0 || v.IsAny(p.Equals)) {
		return yes
	}
	return no
}

// lastOf says, as the end of a message, what was last seen at the path of an inner phase; "": nothing, or it is not
// known any more.
func (t *Timeline) lastOf(phase int) string {
	of := t.Style.Phases[phase]
	reading := t.Style.byResource[of.Resource]
	at := slices.IndexFunc(reading.inner, func(p innerPhase) bool { return p.index == phase })
	for i := len(t.Events) - 1; i >= 0 && of.Path != "" && t.effort.spend(1); i-- {
		e := &t.Events[i]
		if e.Kind != record.KindWatch || e.Watch.Resource != of.Resource || len(e.Watch.Object) == 0 {
			continue
		}
		list := reading.of(e.Watch, t.effort.spend)
		if list[at].shown == elsewhere {
			continue
		}
		if value := list[at].Value; value.Exists() {
			return fmt.Sprintf("; %s of %s is %s", of.Path, Title(e.Watch.Resource, e.Watch.Name), plain.Line(plain.Clip(value.String(), longestShown)))
		}
		return fmt.Sprintf("; %s of %s is absent", of.Path, Title(e.Watch.Resource, e.Watch.Name))
	}
	return ""
}

// longestShown is how many letters of a value a message has.
const longestShown = 80

// innerKey is a style's inner phases on one object.
type innerKey struct {
	*innerReading
	uid string
}

// innerPhases remembers for which objects a phase's path already holds, so that only the event which brings it about
// counts: a finished Workflow that is labelled later has not finished again. The values are parallel to reading.inner.
type innerPhases map[innerKey][]bool

// happened returns the style's phases that this event brings about.
func (held innerPhases) happened(s *style, w *record.Watch, list []seen) []PhaseEvent {
	r := s.byResource[w.Resource]
	key := innerKey{r, w.UID}
	was := held[key]
	var found []PhaseEvent
	for i := range r.inner {
		p := &r.inner[i]
		if list[i].shown == elsewhere {
			continue
		}
		holds := list[i].shown == yes
		now := holds && w.Event != spec.Listed && (p.Event == "" || p.Event == w.Event)
		// What comes once in an object's life needs no memory.
		if p.slot >= 0 && p.Event != spec.Added && p.Event != spec.Deleted {
			now = now && (was == nil || !was[i])
			if was == nil {
				was = make([]bool, len(r.inner))
				held[key] = was
			}
			was[i] = holds
		}
		if now {
			found = append(found, PhaseEvent{p.index, list[i].Value.String()})
		}
	}
	if w.Event == spec.Deleted {
		delete(held, key)
	}
	return found
}
