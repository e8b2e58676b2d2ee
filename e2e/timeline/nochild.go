package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/timeline/wire"
)

// NoChild says that a custom resource's main child is not there, and which are there that no custom resource of the
// sample has: by another reference, or under another name.
func (t *Timeline) NoChild(s *Subject) string {
	others := Living(t.World.Mains, func(d *Entity) bool {
		return d.Namespace == s.Namespace && !slices.ContainsFunc(t.Subjects, func(o *Subject) bool { return t.ChildOf(o) == d.Object })
	})
	text := "there is no " + t.childTitle(s)
	for _, d := range others[:min(len(others), mostNamed)] {
		text += fmt.Sprintf("; there is %s %s with %s", t.Child.Kind, d.Name, s.references(d))
	}
	if more := len(others) - mostNamed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text + t.refused()
}

// references names an object's owner references.
func (s *Subject) references(o *wire.Object) string {
	switch {
	case o.Detail != nil && len(o.Detail.Owners) > 0:
		return "the owner reference " + strings.Join(plain.Map(o.Detail.Owners, s.reference), ", and ")
	case o.Controller != "":
		return "a controller of uid " + s.whose(o.Controller)
	case o.Detail != nil:
		return "no owner reference"
	}
	return "no controller"
}

func (s *Subject) reference(r wire.OwnerReference) string {
	what := "which is no controller"
	if r.Controller {
		what = "its controller"
	}
	return fmt.Sprintf("%s %s (uid %s), %s", cmp.Or(r.Kind, "no kind"), cmp.Or(r.Name, "no name"), s.whose(r.UID), what)
}

// whose says of a uid that it is the custom resource's, where it is.
func (s *Subject) whose(uid string) string {
	switch {
	case uid != "" && uid == s.uid():
		return uid + ", this custom resource's"
	case slices.Contains(s.UIDs, uid):
		return uid + ", this custom resource's in an earlier life"
	}
	return cmp.Or(uid, "none")
}
