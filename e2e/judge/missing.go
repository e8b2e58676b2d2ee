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
// the inner phases that end a reconcile, where the action causes one. In the
// correctness matrix the style's work for the sample's custom resources must have
// ended, instead; and where what is asked for cannot be brought about, a message
// must say so.
func (t *Timeline) Missing() string {
	t.settle()
	switch {
	case t.acts.refused != nil:
		a := t.acts.refused
		return fmt.Sprintf("%s of %s %s was refused: %s", a.Verb, a.Resource, a.Name, a.Error)
	case !t.begun():
		return notAcknowledged
	}
	if missing := t.unseen(); missing != "" {
		return missing
	}
	missing := t.stateLacks()
	if missing == "" && t.Sample.Unmeetable {
		missing = t.toldLacks()
	}
	if missing == "" {
		missing = t.underWay()
	}
	return missing
}

// stateLacks says what the wanted state of the sample's custom resources lacks.
// Of what cannot be brought about only the last size that could is wanted.
func (t *Timeline) stateLacks() string {
	own := t.subjects[0]
	missing := ""
	switch {
	case !t.Sample.Unmeetable:
		missing = t.stateLacksOf(own)
	case own.size != nil:
		missing = t.sizeLacks(own, *own.size)
	}
	for _, s := range t.subjects[1:] {
		if missing == "" {
			if missing = t.stateLacksOf(s); missing != "" {
				missing = fmt.Sprintf("of %s/%s: %s", s.namespace, s.name, missing)
			}
		}
	}
	return missing
}

// statusLacks says what the status of the sample's own custom resource lacks.
func (t *Timeline) statusLacks(size int) string { return t.statusLacksOf(t.subjects[0], size) }

// goneLacks says what of the sample's own custom resource, deleted, is still there.
func (t *Timeline) goneLacks() string { return t.goneLacksOf(t.subjects[0]) }

// leftovers says what its Deployment left.
func (t *Timeline) leftovers() string { return t.leftoversOf(t.subjects[0]) }

// underWay names what the style still does for the sample.
func (t *Timeline) underWay() string {
	if !t.matrix || len(t.style.work) == 0 {
		return t.idleLacks()
	}
	for _, s := range t.subjects {
		if missing := t.workLacks(s); missing != "" {
			return missing
		}
	}
	return ""
}

// workLacks names the work objects of a custom resource that have not ended.
func (t *Timeline) workLacks(s *subject) string {
	var unfinished []string
	for _, w := range t.worksOf(s) {
		if !w.ended {
			unfinished = append(unfinished, title(w.Resource, w.Name))
		}
	}
	switch n := len(unfinished); {
	case n == 1:
		return unfinished[0] + " has not ended"
	case n > 1:
		return fmt.Sprintf("%s and %d more have not ended", unfinished[0], n-1)
	}
	return ""
}

// idleLacks names the inner phases that must still happen before the style is
// done with this reconcile. A deletion that an owner reference leaves to the garbage
// collector need not be one.
func (t *Timeline) idleLacks() string {
	if !t.acts.reconcile || t.acts.present == nil && t.style.Declares.OwnerReferences.Supported {
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
