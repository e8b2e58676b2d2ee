package timeline

import (
	"fmt"
	"slices"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline/wire"
)

func (s *Subject) String() string { return s.Namespace + "/" + s.Name }

// Subject is a custom resource of a sample, with what is wanted of it. The first is the sample's own.
type Subject struct {
	Namespace, Name string
	Size            *int   // wanted at the end; nil: it is to be gone
	childName       string // empty: the child is found by its owner reference
	*Life
}

// Life is what the harness made of a custom resource.
type Life struct {
	Want    int64    // its generation after the last action
	present *int     // the size that it asks for since then; nil: it is deleted, or never was
	UIDs    []string // in order of appearance
}

// subjects lists the sample's custom resources. That of the sample itself is kept by its actions.
func (t *Timeline) newSubjects() error {
	wanted := append([]record.Other{{Namespace: t.Sample.Namespace, Name: t.Sample.Name, Size: t.Sample.Size}}, t.Sample.Others...)
	for i, w := range wanted {
		child, err := t.Style.childName(w.Namespace, w.Name)
		if err != nil {
			return err
		}
		s := &Subject{Namespace: w.Namespace, Name: w.Name, Size: w.Size, childName: child, Life: &t.Actions.Life}
		if i > 0 {
			s.Life = &Life{}
		}
		t.Subjects = append(t.Subjects, s)
	}
	return nil
}

// Subject finds a custom resource by its place; nil: it is none of the sample's.
func (t *Timeline) Subject(namespace, name string) *Subject {
	s, _ := plain.Find(t.Subjects, func(s *Subject) bool { return s.Name == name && s.Namespace == namespace })
	return s
}

// knowUID takes up that there is one of a uid: another of its name begins its generations anew.
func (l *Life) knowUID(uid string) {
	if uid != "" && !slices.Contains(l.UIDs, uid) {
		l.UIDs = append(l.UIDs, uid)
		l.Want = 0
	}
}

// uid is the custom resource's, in its present life.
func (l *Life) uid() string {
	if n := len(l.UIDs); n > 0 {
		return l.UIDs[n-1]
	}
	return ""
}

// asked takes up what an accepted action makes the custom resource ask for.
func (l *Life) asked(a *record.Action, reply *wire.Object) {
	if a.Verb == "delete" {
		l.present = nil
		return
	}
	if len(a.Object) > 0 && !reply.Deleting {
		l.present = &reply.Size
	}
	l.knowUID(reply.UID)
	l.Want = max(l.Want, a.Generation, reply.Generation)
}

// asksFor reports whether the custom resource asks for a size at present.
func (l *Life) asksFor(size *int) bool { return size != nil && l.present != nil && *l.present == *size }

// IsChild reports whether a main child belongs to the custom resource, in any of the lives that it had.
func (s *Subject) IsChild(d *Entity) bool {
	if s.childName != "" {
		return d.Name == s.childName && d.Namespace == s.Namespace
	}
	return slices.ContainsFunc(s.UIDs, d.controlledBy)
}

// IsPresent reports whether such a main child is of the custom resource's present life: it is by its name, wherever the
// style gives it one.
func (s *Subject) IsPresent(d *Entity) bool { return s.childName != "" || d.controlledBy(s.uid()) }

// Owns reports whether the custom resource's main child, or another object of its kind, was made for it in any of its
// lives.
func (s *Subject) Owns(d *Entity) bool {
	return s.IsChild(d) || slices.ContainsFunc(s.UIDs, d.controlledBy)
}

// ChildOf is the main child of a custom resource's present life; nil: none.
func (t *Timeline) ChildOf(s *Subject) *wire.Object {
	if t.Child.Many {
		return together(s, t.pods(s))
	}
	if s.childName != "" {
		return t.World.named(t.Mains, s.Namespace, s.childName).object()
	}
	return t.World.ownedBy(s.uid()).object()
}

// hasChildren reports whether there are main children of the custom resource, of any of its lives.
func (t *Timeline) hasChildren(s *Subject) bool {
	if s.childName != "" {
		child := t.World.named(t.Mains, s.Namespace, s.childName)
		return child != nil && !t.occupies(t.Mains, child)
	}
	return slices.ContainsFunc(s.UIDs, func(uid string) bool { return t.effort.spend(1) && t.World.ownedBy(uid) != nil })
}

// CustomOf is a custom resource as last seen; nil: it is not there.
func (t *Timeline) CustomOf(s *Subject) *wire.Object {
	return t.World.named(t.Customs, s.Namespace, s.Name).object()
}

// childTitle names the main child that is looked for.
func (t *Timeline) childTitle(s *Subject) string {
	if s.childName != "" {
		return fmt.Sprintf("%s %s", t.Child.Kind, s.childName)
	}
	return fmt.Sprintf("%s whose controller is the custom resource %s", t.Child.Kind, s.Name)
}
