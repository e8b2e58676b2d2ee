package timeline

import (
	"fmt"
	"slices"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/timeline/normal"
	"operatorbench/e2e/timeline/wire"
)

// style is a record.Style made ready for use.
type style struct {
	record.Style
	child      *bounds.Template         // nil: the child is found by its owner reference
	byResource map[string]*innerReading // the inner phases on a resource
	adds       map[string]bool          // resources in which each reconcile adds an object, as an ADDED phase says
	write      []Phase                  // of a sample that wants a size
	delete     []Phase                  // of a sample that wants the custom resource gone
	load       []Phase                  // of a sample of a load
	work       []*work                  // the kinds of object that it works by
	own        map[string]bool          // namespaces in which it runs, works or has inner phases
	usual      map[string]bool          // shapes of its messages where nothing was wrong
	denied     map[refusal]refusedSoFar // reads that its account has no right to
	Reference  normal.Wanted            // nil: the recording has none
}

func compile(s record.Style, w *Workload) (*style, error) {
	c := &style{Style: s, byResource: map[string]*innerReading{}, adds: map[string]bool{}, usual: map[string]bool{}, denied: map[refusal]refusedSoFar{}}
	c.write, c.delete, c.load = withInner(writePhases(s, w), s.Phases), withInner(deletePhases(w), s.Phases), loadPhases(s, w)
	if s.Child.Name != "" {
		t, err := bounds.NewTemplate(s.Child.Name)
		if err != nil {
			return nil, fmt.Errorf("style %s: childName %.80q: %w", s.Name, s.Child.Name, err)
		}
		c.child = t
	}
	for i, p := range s.Phases {
		if p.Event == spec.Added {
			c.adds[p.Resource] = true
		}
		if c.byResource[p.Resource] == nil {
			c.byResource[p.Resource] = &innerReading{}
		}
		if err := c.byResource[p.Resource].add(i, p); err != nil {
			return nil, fmt.Errorf("style %s: phase %q: %w", s.Name, p.Name, err)
		}
	}
	if err := c.compileWork(); err != nil {
		return nil, err
	}
	for _, r := range c.byResource {
		r.look = wire.NewLookup(r.paths)
	}
	for _, idle := range s.Idle {
		if !slices.ContainsFunc(s.Phases, func(p spec.Phase) bool { return p.Name == idle }) {
			return nil, fmt.Errorf("style %s: idle names phase %q, which it does not define", s.Name, idle)
		}
	}
	return c, nil
}

// Says reports whether the style writes a field of the status.
func (s *style) Says(field string) bool {
	return s.Declares.Status.Supported && slices.Contains(s.Declares.Status.Fields, field)
}

func (s *style) compileWork() error {
	s.own = map[string]bool{}
	for _, namespace := range s.Namespaces {
		s.own[namespace] = true
	}
	for _, p := range s.Phases {
		s.own[p.Namespace] = true
	}
	for _, w := range s.Work {
		one, err := compileWork(w)
		if err != nil {
			return fmt.Errorf("style %s: work %s: %w", s.Name, w.Resource, err)
		}
		s.work, s.own[w.Namespace] = append(s.work, one), true
	}
	delete(s.own, "")
	return nil
}

func (s *style) phases(sample *record.Sample) []Phase {
	switch {
	case sample.Size == nil:
		return s.delete
	case sample.OfStep():
		return s.load[:stepPhases]
	case sample.Load:
		return s.load
	}
	return s.write
}

// childName is the main child's name for a custom resource; empty where the child is found by its owner reference.
func (s *style) childName(namespace, name string) (string, error) {
	if s.child == nil {
		return "", nil
	}
	child, err := s.child.Fill(namespace, name)
	if err != nil {
		return "", fmt.Errorf("style %s: childName %.80q for %.80s/%.80s: %w", s.Name, s.Child.Name, namespace, name, err)
	}
	return child, nil
}

// asks reports whether a request is of a service account in one of the namespaces that the style runs in.
func (s *style) asks(a *record.Audit) bool {
	namespace, _, is := a.Account()
	return is && slices.Contains(s.Namespaces, namespace)
}

// userOf is a service account as namespace/name, and any other user as it is.
func userOf(a *record.Audit) string {
	if namespace, name, is := a.Account(); is {
		return namespace + "/" + name
	}
	return a.User
}
