package timeline

import (
	"cmp"

	"operatorbench/e2e/record"
)

// crowd is the samples that share namespaces: those of a load. An object is of the one whose
// custom resource, or named main child, it is named after, or of the one that its controller is of.
type crowd struct {
	members  map[string]*Timeline // by place
	children map[string]*Timeline // by that of the main child, where the style names it
	spaces   map[string]int       // how many are in a namespace
	objects  map[string]*Timeline // by uid
}

func newCrowd() crowd {
	return crowd{members: map[string]*Timeline{}, children: map[string]*Timeline{}, spaces: map[string]int{}, objects: map[string]*Timeline{}}
}

// childPlace is where the main child is, by the name that the style gives it.
func childPlace(t *Timeline) string { return t.Sample.Namespace + "/" + t.Subjects[0].childName }

func (c *crowd) join(t *Timeline) {
	c.members[t.Sample.Place()], c.children[childPlace(t)] = t, t
	c.spaces[t.Sample.Namespace]++
}

func (c *crowd) leave(t *Timeline) {
	delete(c.members, t.Sample.Place())
	delete(c.children, childPlace(t))
	if c.spaces[t.Sample.Namespace]--; c.spaces[t.Sample.Namespace] == 0 {
		delete(c.spaces, t.Sample.Namespace)
	}
	if len(c.members) == 0 {
		clear(c.objects)
	}
}

// own takes note of whose an object is.
func (c *crowd) own(t *Timeline, uid string) {
	if t.Sample.Shared && uid != "" {
		c.objects[uid] = t
	}
}

// near are the open samples that something in a namespace may be of, by its name and the uid of its controller.
func (s *Splitter) near(namespace, name, controller string) []*Timeline {
	if s.crowd.spaces[namespace] == 0 {
		return s.within[namespace]
	}
	for place := range record.Places(namespace, name) {
		if t := cmp.Or(s.crowd.members[place], s.crowd.children[place]); t != nil {
			return []*Timeline{t}
		}
	}
	if t := s.crowd.objects[controller]; t != nil && controller != "" && s.crowd.members[t.Sample.Place()] == t {
		return []*Timeline{t}
	}
	return nil
}

// placeOf is that of the sample that an action is of; "": it is in no sample's namespace.
func (s *Splitter) placeOf(a *record.Action) string {
	switch {
	case s.crowd.spaces[a.Namespace] > 0:
		return a.Namespace + "/" + a.Name
	case s.spaces[a.Namespace]:
		return a.Namespace
	}
	return ""
}
