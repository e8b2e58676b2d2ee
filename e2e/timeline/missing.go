package timeline

import (
	"fmt"
	"slices"
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
	t.Settle()
	switch {
	case t.Actions.refused != nil:
		a := t.Actions.refused
		return fmt.Sprintf("%s of %s %s was refused: %s", a.Verb, a.Resource, a.Name, a.Error)
	case !t.Begun():
		return notAcknowledged
	}
	if missing := t.unseen(); missing != "" {
		return missing
	}
	missing := t.StateLacks()
	if missing == "" && t.Sample.Unmeetable {
		missing = t.causeLacks()
	}
	if missing == "" {
		missing = t.underWay()
	}
	return missing
}

// StateLacks says what the wanted state of the sample's custom resources lacks.
// Of what cannot be brought about only the last size that could is wanted.
func (t *Timeline) StateLacks() string {
	own := t.Subjects[0]
	missing := ""
	switch {
	case !t.Sample.Unmeetable:
		missing = t.stateLacks(own, own.Size)
	case own.Size != nil:
		missing = t.SizeLacks(own, *own.Size)
	}
	for _, s := range t.Subjects[1:] {
		if missing == "" {
			if missing = t.stateLacks(s, s.Size); missing != "" {
				missing = fmt.Sprintf("of %s/%s: %s", s.Namespace, s.Name, missing)
			}
		}
	}
	return missing
}

// underWay names what the style still does for the sample.
func (t *Timeline) underWay() string {
	if !t.Matrix || len(t.Style.work) == 0 {
		return t.idleLacks()
	}
	for _, s := range t.Subjects {
		if missing := t.workLacks(s); missing != "" {
			return missing
		}
	}
	return ""
}

// workLacks names the work objects of a custom resource that have not ended.
func (t *Timeline) workLacks(s *Subject) string {
	var unfinished []string
	for _, w := range t.WorksOf(s) {
		if !w.ended {
			unfinished = append(unfinished, Title(w.Resource, w.Name))
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
	if !t.Actions.Reconcile || t.Actions.present == nil && t.Style.Declares.OwnerReferences.Supported {
		return ""
	}
	for i, p := range t.Phases {
		if p.Inner >= 0 && !t.Marks[i].reached && slices.Contains(t.Style.Idle, p.Name) {
			return fmt.Sprintf("inner phase %q has not happened", p.Name)
		}
	}
	return ""
}
