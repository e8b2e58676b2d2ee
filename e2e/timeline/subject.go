package timeline

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline/wire"
)

// Lacks says in one sentence what a Deployment still needs to be rolled out
// with size replicas; it is empty when nothing is missing.
func Lacks(o *wire.Object, size int) string {
	switch {
	case o.Replicas != size:
		return fmt.Sprintf("Deployment %s asks for %d replicas, wanted %d", o.Name, o.Replicas, size)
	case o.ObservedGeneration < o.Generation:
		return fmt.Sprintf("the Deployment controller has seen generation %d of Deployment %s, not yet %d", o.ObservedGeneration, o.Name, o.Generation)
	case o.ReadyReplicas != size:
		return fmt.Sprintf("Deployment %s has %d of %d ready replicas", o.Name, o.ReadyReplicas, size)
	case o.UpdatedReplicas != size:
		return fmt.Sprintf("Deployment %s has %d of %d replicas of the current template", o.Name, o.UpdatedReplicas, size)
	case o.StatusReplicas != size:
		return fmt.Sprintf("Deployment %s still has %d replicas, wanted %d", o.Name, o.StatusReplicas, size)
	}
	return ""
}

func (s *Subject) String() string { return s.Namespace + "/" + s.Name }

// Subject is a custom resource of a sample, with what is wanted of it. The first
// is the sample's own.
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

// subjects lists the sample's custom resources. That of the sample itself is
// kept by its actions.
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
	for _, s := range t.Subjects {
		if s.Name == name && s.Namespace == namespace {
			return s
		}
	}
	return nil
}

func (l *Life) knowUID(uid string) {
	if uid != "" && !slices.Contains(l.UIDs, uid) {
		l.UIDs = append(l.UIDs, uid)
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
	l.Want = max(l.Want, a.Generation, reply.Generation)
	l.knowUID(reply.UID)
}

// IsChild tells whether a Deployment belongs to the custom resource, in any of
// the lives that it had.
func (s *Subject) IsChild(d *Entity) bool {
	if s.childName != "" {
		return d.Name == s.childName && d.Namespace == s.Namespace
	}
	return d.Owner != "" && slices.Contains(s.UIDs, d.Owner)
}

// ChildOf is the Deployment of a custom resource's present life; nil: none.
func (t *Timeline) ChildOf(s *Subject) *wire.Object {
	return First(t.World.Deployments, func(d *Entity) bool {
		return s.IsChild(d) && (s.childName != "" || d.Owner == s.uid())
	})
}

// CustomOf is a custom resource as last seen; nil: it is not there.
func (t *Timeline) CustomOf(s *Subject) *wire.Object {
	return First(t.World.customs, func(c *Entity) bool { return c.Name == s.Name && c.Namespace == s.Namespace })
}

// childTitle names the Deployment that is looked for.
func (s *Subject) childTitle() string {
	if s.childName != "" {
		return fmt.Sprintf("Deployment %s", s.childName)
	}
	return fmt.Sprintf("Deployment whose controller is the custom resource %s", s.Name)
}

// stateLacks says what a custom resource lacks to have a size, its status included;
// nil: to be gone.
func (t *Timeline) stateLacks(s *Subject, size *int) string {
	if size == nil {
		return t.GoneLacks(s)
	}
	missing := t.SizeLacks(s, *size)
	if missing == "" && t.Style.Declares.Status.Supported {
		missing = t.statusLacks(s, *size)
	}
	return missing
}

// SizeLacks says what a custom resource's Deployment lacks to have a size.
func (t *Timeline) SizeLacks(s *Subject, size int) string {
	child := t.ChildOf(s)
	if child == nil {
		return t.NoChild(s)
	}
	return Lacks(child, size)
}

// statusLacks says what a custom resource's status lacks for a size.
func (t *Timeline) statusLacks(s *Subject, size int) string {
	custom := t.CustomOf(s)
	if custom == nil {
		return fmt.Sprintf("the custom resource %s has not been seen", s.Name)
	}
	want := max(s.Want, custom.Generation)
	switch ready := custom.Ready(t.Style.Declares.Status.Ready); {
	case t.Style.Says("observedGeneration") && custom.ObservedGeneration != want:
		return fmt.Sprintf("status.observedGeneration of %s is %d, wanted %d", custom.Name, custom.ObservedGeneration, want)
	case t.Style.Says("nodes") && len(custom.Nodes) != size:
		return fmt.Sprintf("status.nodes of %s names %d of %d pods", custom.Name, len(custom.Nodes), size)
	case t.Style.Declares.Status.Ready != "" && (!ready.Yes || ready.Generation > 0 && ready.Generation != want):
		return fmt.Sprintf("the status of %s has no condition %s that is True for generation %d", custom.Name, t.Style.Declares.Status.Ready, want)
	}
	return ""
}

// GoneLacks says what of a deleted custom resource is still there.
func (t *Timeline) GoneLacks(s *Subject) string {
	if c := t.CustomOf(s); c != nil {
		if c.Deleting && len(c.Finalizers) > 0 {
			return fmt.Sprintf("the custom resource %s waits for its finalizers: %s", c.Name, strings.Join(c.Finalizers, ", ")) + t.refused()
		}
		return fmt.Sprintf("the custom resource %s is still there", c.Name)
	}
	return t.Leftovers(s)
}

// Leftovers says what a deleted custom resource's Deployment left. What by its
// name is another's too, which is to stay, is not left over.
func (t *Timeline) Leftovers(s *Subject) string {
	mine := func(d *Entity) bool {
		return s.IsChild(d) && !slices.ContainsFunc(t.Subjects, func(o *Subject) bool {
			return o != s && o.Size != nil && o.IsChild(d)
		})
	}
	for _, left := range []struct {
		kind    string
		objects []*wire.Object
	}{
		{"Deployment", Living(t.World.Deployments, mine)},
		{"ReplicaSet", Living(t.World.ReplicaSets, func(set *Entity) bool { return t.World.setIs(set, mine) })},
		{"pod", t.World.PodsOf(mine)},
	} {
		switch n := len(left.objects); {
		case n == 1:
			return fmt.Sprintf("%s %s is still there", left.kind, left.objects[0].Name)
		case n > 1:
			return fmt.Sprintf("%d %ss are still there: %s", n, left.kind, Names(left.objects))
		}
	}
	return ""
}
