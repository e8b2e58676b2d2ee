package judge

import (
	"fmt"
	"slices"
	"strings"
)

const notAcknowledged = "the API server has not acknowledged the sample's action"

// Missing says in one short sentence what the sample still waits for; it is
// empty once everything has been seen: the harness's action acknowledged, the
// wanted state reached, the status written where the style declares it, and
// the inner phases that end a reconcile, where the action causes one.
func (t *Timeline) Missing() string {
	t.settle()
	switch {
	case t.acts.refused != nil:
		a := t.acts.refused
		return fmt.Sprintf("%s of %s %s was refused: %s", a.Verb, a.Resource, a.Name, a.Error)
	case !t.acts.any:
		return notAcknowledged
	}
	missing := t.stateLacks()
	if missing == "" {
		missing = t.idleLacks()
	}
	return missing
}

// stateLacks says what the wanted state lacks.
func (t *Timeline) stateLacks() string {
	if t.Sample.Size == nil {
		return t.goneLacks()
	}
	child := t.child()
	if child == nil {
		return "there is no " + t.childTitle()
	}
	missing := child.lacks(*t.Sample.Size)
	if missing == "" && t.Style.Status {
		missing = t.statusLacks(*t.Sample.Size)
	}
	return missing
}

// childTitle names the Deployment that is looked for.
func (t *Timeline) childTitle() string {
	if t.childName != "" {
		return fmt.Sprintf("Deployment %s", t.childName)
	}
	return fmt.Sprintf("Deployment whose controller is the custom resource %s", t.Sample.Name)
}

// statusLacks says what the custom resource's status lacks for a size.
func (t *Timeline) statusLacks(size int) string {
	custom := t.custom()
	if custom == nil {
		return fmt.Sprintf("the custom resource %s has not been seen", t.Sample.Name)
	}
	want := max(t.acts.want, custom.Generation)
	switch {
	case custom.ObservedGeneration != want:
		return fmt.Sprintf("status.observedGeneration of %s is %d, wanted %d", custom.Name, custom.ObservedGeneration, want)
	case len(custom.Nodes) != size:
		return fmt.Sprintf("status.nodes of %s names %d of %d pods", custom.Name, len(custom.Nodes), size)
	}
	return ""
}

// goneLacks says what of a deleted custom resource is still there.
func (t *Timeline) goneLacks() string {
	if c := t.custom(); c != nil {
		if c.Deleting && len(c.Finalizers) > 0 {
			return fmt.Sprintf("the custom resource %s waits for its finalizers: %s", c.Name, strings.Join(c.Finalizers, ", "))
		}
		return fmt.Sprintf("the custom resource %s is still there", c.Name)
	}
	return t.leftovers()
}

// leftovers says what a deleted custom resource's Deployment left.
func (t *Timeline) leftovers() string {
	for _, left := range []struct {
		kind    string
		objects []*Object
	}{{"Deployment", t.children()}, {"ReplicaSet", t.childReplicaSets()}, {"pod", t.childPods()}} {
		switch n := len(left.objects); {
		case n == 1:
			return fmt.Sprintf("%s %s is still there", left.kind, left.objects[0].Name)
		case n > 1:
			return fmt.Sprintf("%d %ss are still there: %s", n, left.kind, names(left.objects))
		}
	}
	return ""
}

// idleLacks names the inner phases that must still happen before the style is
// done with this reconcile.
func (t *Timeline) idleLacks() string {
	if !t.acts.reconcile {
		return ""
	}
	for i, p := range t.phases {
		if p.inner >= 0 && !t.marks[i].reached && slices.Contains(t.Style.Idle, p.name) {
			return fmt.Sprintf("inner phase %q has not happened", p.name)
		}
	}
	return ""
}

// names joins at most three objects' names.
func names(objects []*Object) string {
	const most = 3
	var list []string
	for i, o := range objects {
		if i == most {
			list = append(list, fmt.Sprintf("and %d more", len(objects)-most))
			break
		}
		list = append(list, o.Name)
	}
	return strings.Join(list, ", ")
}
