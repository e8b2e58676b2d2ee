package timeline

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/record"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/timeline/normal"
	"operatorbench/e2e/timeline/wire"
)

// style is a record.Style made ready for use.
type style struct {
	record.Style
	child      *bounds.Template         // nil: the child is found by its owner reference
	byResource map[string]*innerReading // the inner phases on a resource
	adds       map[string]bool          // resources of which each reconcile adds an object, as an ADDED phase says
	write      []Phase                  // of a sample that wants a size
	delete     []Phase                  // of a sample that wants the custom resource gone
	load       []Phase                  // of a sample of a load
	work       []*work                  // the kinds of object that it works by
	Collected  bool                     // what it makes for a custom resource goes with that, by owner references
	own        map[string]bool          // namespaces in which it runs, works or has inner phases
	status     []string                 // what of the status it writes
	Ready      string                   // the type of the condition that says that size pods are ready; "": none does
	Reference  normal.Wanted            // nil: the recording has none
}

func compile(s record.Style) (*style, error) {
	c := &style{Style: s, byResource: map[string]*innerReading{}, adds: map[string]bool{}}
	c.Collected = slices.ContainsFunc(s.Declares, func(d record.Declaration) bool { return d.Name == "ownerReferences" && d.Supported })
	c.compileStatus()
	c.write, c.delete, c.load = withInner(writePhases(s), s.Phases), withInner(deletePhases(), s.Phases), loadPhases(s)
	if s.ChildName != "" {
		t, err := bounds.NewTemplate(s.ChildName)
		if err != nil {
			return nil, fmt.Errorf("style %s: childName %.80q: %w", s.Name, s.ChildName, err)
		}
		c.child = t
	}
	for i, p := range s.Phases {
		if p.Event == "ADDED" {
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
		if !slices.ContainsFunc(s.Phases, func(p record.Phase) bool { return p.Name == idle }) {
			return nil, fmt.Errorf("style %s: idle names phase %q, which it does not define", s.Name, idle)
		}
	}
	return c, nil
}

// compileStatus says what of the status is written. Until schema 4 it was these
// two fields for every style that wrote any.
func (s *style) compileStatus() {
	if !s.Status {
		return
	}
	s.status = []string{"nodes", "observedGeneration"}
	for _, d := range s.Declares {
		if d.Name == "status" && len(d.Fields) > 0 {
			s.status, s.Ready = d.Fields, d.Ready
		}
	}
}

// says tells whether the style writes a field of the status.
func (s *style) Says(field string) bool { return slices.Contains(s.status, field) }

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
	case sample.Load:
		return s.load
	}
	return s.write
}

// childName is the Deployment's name for a custom resource; empty where the
// child is found by its owner reference.
func (s *style) childName(namespace, name string) (string, error) {
	if s.child == nil {
		return "", nil
	}
	child, err := s.child.Fill(namespace, name)
	if err != nil {
		return "", fmt.Errorf("style %s: childName %.80q for %.80s/%.80s: %w", s.Name, s.ChildName, namespace, name, err)
	}
	return child, nil
}

// account tells whether a user is a service account in one of the namespaces that
// the style runs in.
func (s *style) account(user string) bool {
	account, is := strings.CutPrefix(user, "system:serviceaccount:")
	namespace, _, _ := strings.Cut(account, ":")
	return is && slices.Contains(s.Namespaces, namespace)
}
