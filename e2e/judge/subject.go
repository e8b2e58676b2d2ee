package judge

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/record"
)

// subject is a custom resource of a sample, with what is wanted of it. The first
// is the sample's own.
type subject struct {
	namespace, name string
	size            *int   // wanted at the end; nil: it is to be gone
	childName       string // empty: the child is found by its owner reference
	*life
}

// life is what the harness made of a custom resource.
type life struct {
	want    int64    // its generation after the last action
	present *int     // the size that it asks for since then; nil: it is deleted, or never was
	uids    []string // in order of appearance
}

// subjects lists the sample's custom resources. That of the sample itself is
// kept by its actions.
func (t *Timeline) newSubjects() error {
	wanted := append([]record.Other{{Namespace: t.Sample.Namespace, Name: t.Sample.Name, Size: t.Sample.Size}}, t.Sample.Others...)
	for i, w := range wanted {
		child, err := t.style.childName(w.Namespace, w.Name)
		if err != nil {
			return err
		}
		s := &subject{namespace: w.Namespace, name: w.Name, size: w.Size, childName: child, life: &t.acts.life}
		if i > 0 {
			s.life = &life{}
		}
		t.subjects = append(t.subjects, s)
	}
	return nil
}

// subject finds a custom resource by its place; nil: it is none of the sample's.
func (t *Timeline) subject(namespace, name string) *subject {
	for _, s := range t.subjects {
		if s.name == name && s.namespace == namespace {
			return s
		}
	}
	return nil
}

func (l *life) knowUID(uid string) {
	if uid != "" && !slices.Contains(l.uids, uid) {
		l.uids = append(l.uids, uid)
	}
}

// uid is the custom resource's, in its present life.
func (l *life) uid() string {
	if n := len(l.uids); n > 0 {
		return l.uids[n-1]
	}
	return ""
}

// asked takes up what an accepted action makes the custom resource ask for.
func (l *life) asked(a *record.Action, reply *Object) {
	if a.Verb == "delete" {
		l.present = nil
		return
	}
	if len(a.Object) > 0 && !reply.Deleting {
		l.present = &reply.Size
	}
	l.want = max(l.want, a.Generation, reply.Generation)
	l.knowUID(reply.UID)
}

// isChild tells whether a Deployment belongs to the custom resource, in any of
// the lives that it had.
func (s *subject) isChild(d *entity) bool {
	if s.childName != "" {
		return d.Name == s.childName && d.Namespace == s.namespace
	}
	return d.owner != "" && slices.Contains(s.uids, d.owner)
}

// childOf is the Deployment of a custom resource's present life; nil: none.
func (t *Timeline) childOf(s *subject) *Object {
	return first(t.world.deployments, func(d *entity) bool {
		if s.childName != "" {
			return d.Name == s.childName && d.Namespace == s.namespace
		}
		return d.owner != "" && d.owner == s.uid()
	})
}

// customOf is a custom resource as last seen; nil: it is not there.
func (t *Timeline) customOf(s *subject) *Object {
	return first(t.world.customs, func(c *entity) bool { return c.Name == s.name && c.Namespace == s.namespace })
}

// childTitle names the Deployment that is looked for.
func (s *subject) childTitle() string {
	if s.childName != "" {
		return fmt.Sprintf("Deployment %s", s.childName)
	}
	return fmt.Sprintf("Deployment whose controller is the custom resource %s", s.name)
}

// stateLacksOf says what a custom resource's wanted state lacks.
func (t *Timeline) stateLacksOf(s *subject) string {
	if s.size == nil {
		return t.goneLacksOf(s)
	}
	missing := t.sizeLacks(s, *s.size)
	if missing == "" && t.Style.Declares.Status.Supported {
		missing = t.statusLacksOf(s, *s.size)
	}
	return missing
}

// sizeLacks says what a custom resource's Deployment lacks to have a size.
func (t *Timeline) sizeLacks(s *subject, size int) string {
	child := t.childOf(s)
	if child == nil {
		return t.noChild(s)
	}
	return child.lacks(size)
}

// statusLacksOf says what a custom resource's status lacks for a size.
func (t *Timeline) statusLacksOf(s *subject, size int) string {
	custom := t.customOf(s)
	if custom == nil {
		return fmt.Sprintf("the custom resource %s has not been seen", s.name)
	}
	want := max(s.want, custom.Generation)
	switch ready := custom.ready(t.style.Declares.Status.Ready); {
	case t.style.says("observedGeneration") && custom.ObservedGeneration != want:
		return fmt.Sprintf("status.observedGeneration of %s is %d, wanted %d", custom.Name, custom.ObservedGeneration, want)
	case t.style.says("nodes") && len(custom.Nodes) != size:
		return fmt.Sprintf("status.nodes of %s names %d of %d pods", custom.Name, len(custom.Nodes), size)
	case t.style.Declares.Status.Ready != "" && (!ready.yes || ready.generation > 0 && ready.generation != want):
		return fmt.Sprintf("the status of %s has no condition %s that is True for generation %d", custom.Name, t.style.Declares.Status.Ready, want)
	}
	return ""
}

// goneLacksOf says what of a deleted custom resource is still there.
func (t *Timeline) goneLacksOf(s *subject) string {
	if c := t.customOf(s); c != nil {
		if c.Deleting && len(c.Finalizers) > 0 {
			return fmt.Sprintf("the custom resource %s waits for its finalizers: %s", c.Name, strings.Join(c.Finalizers, ", ")) + t.refused()
		}
		return fmt.Sprintf("the custom resource %s is still there", c.Name)
	}
	return t.leftoversOf(s)
}

// leftoversOf says what a deleted custom resource's Deployment left. What by its
// name is another's too, which is to stay, is not left over.
func (t *Timeline) leftoversOf(s *subject) string {
	mine := func(d *entity) bool {
		return s.isChild(d) && !slices.ContainsFunc(t.subjects, func(o *subject) bool {
			return o != s && o.size != nil && o.isChild(d)
		})
	}
	ofMine := func(set *entity) bool {
		d := t.world.deployments[set.owner]
		return d != nil && mine(d)
	}
	for _, left := range []struct {
		kind    string
		objects []*Object
	}{
		{"Deployment", living(t.world.deployments, mine)},
		{"ReplicaSet", living(t.world.replicaSets, ofMine)},
		{"pod", living(t.world.pods, func(p *entity) bool {
			set := t.world.replicaSets[p.owner]
			return set != nil && ofMine(set)
		})},
	} {
		switch n := len(left.objects); {
		case n == 1:
			return fmt.Sprintf("%s %s is still there", left.kind, left.objects[0].Name)
		case n > 1:
			return fmt.Sprintf("%d %ss are still there: %s", n, left.kind, names(left.objects))
		}
	}
	return ""
}
