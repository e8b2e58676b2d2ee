package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// noChild says that a custom resource's Deployment is not there, and which are
// there that no custom resource of the sample has: by another reference, or
// under another name.
func (t *Timeline) noChild(s *subject) string {
	text := "there is no " + s.childTitle()
	others := living(t.world.deployments, func(d *entity) bool {
		return d.Namespace == s.namespace && !slices.ContainsFunc(t.subjects, func(o *subject) bool { return t.childOf(o) == d.Object })
	})
	const most = 3
	for i, d := range others {
		if i == most {
			text += fmt.Sprintf("; and %d more", len(others)-most)
			break
		}
		text += fmt.Sprintf("; there is Deployment %s with %s", d.Name, s.references(d))
	}
	return text + t.refused()
}

// references names an object's owner references.
func (s *subject) references(o *Object) string {
	switch {
	case o.Detail != nil && len(o.Detail.Owners) > 0:
		var all []string
		for _, r := range o.Detail.Owners {
			all = append(all, s.reference(r))
		}
		return "the owner reference " + strings.Join(all, ", and ")
	case o.Controller != "":
		return "a controller of uid " + s.whose(o.Controller)
	case o.Detail != nil:
		return "no owner reference"
	}
	return "no controller"
}

func (s *subject) reference(r OwnerReference) string {
	what := "which is no controller"
	if r.Controller {
		what = "its controller"
	}
	return fmt.Sprintf("%s %s (uid %s), %s", cmp.Or(r.Kind, "no kind"), cmp.Or(r.Name, "no name"), s.whose(r.UID), what)
}

// whose says of a uid that it is the custom resource's, where it is.
func (s *subject) whose(uid string) string {
	switch {
	case uid != "" && uid == s.uid():
		return uid + ", this custom resource's"
	case slices.Contains(s.uids, uid):
		return uid + ", this custom resource's in an earlier life"
	}
	return cmp.Or(uid, "none")
}
