package judge

import (
	"fmt"
	"slices"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

var isolationOracle = Named{Name: "isolation", Needs: onAll, Shows: onWritten, Judge: isolation}

// isolation is oracle 8, for samples with several custom resources: each has a main child of its own, of its own size;
// the operator writes to none while only another custom resource is acted on; and to delete one leaves the main
// children and the pods of the others as they are, by their uids.
func isolation(t *timeline.Timeline) Verdict {
	if len(t.Sample.Others) == 0 {
		return notApplicable("there is one custom resource only")
	}
	all := t.Subjects
	for _, wrong := range []string{mixed(t, all), writtenForAnother(t, all), lostByDeletion(t, all)} {
		if wrong != "" {
			return fail(nil, "expected custom resources that do not touch each other; %s", wrong)
		}
	}
	return pass("each of %s has its own %s, written only because of its own changes", plain.Plural(len(all), "custom resource"), t.Child.Kind)
}

// mainOf is a main child of a custom resource, in any of its lives; nil: none.
func mainOf(t *timeline.Timeline, s *timeline.Subject) *wire.Object {
	if all := t.ChildrenOf(s); len(all) > 0 {
		return all[0]
	}
	return nil
}

// mixed says which custom resource has at the end not what it asks for, for itself.
func mixed(t *timeline.Timeline, all []*timeline.Subject) string {
	whose, kind := map[string]*timeline.Subject{}, t.Child.Kind
	for _, c := range all {
		d := mainOf(t, c)
		if c.Size == nil {
			continue
		}
		if d == nil {
			return fmt.Sprintf("%s has no %s at %s", c, kind, t.Since(t.EndedAt))
		}
		if made := t.ChildrenOf(c); len(made) > 1 && !t.Child.Many {
			return fmt.Sprintf("%s has %s at %s: %s", c, plain.Plural(len(made), kind), t.Since(t.EndedAt), timeline.Names(made))
		}
		if other, shared := whose[d.UID]; shared {
			return fmt.Sprintf("%s and %s share %s %s", other, c, kind, d.Name)
		}
		whose[d.UID] = c
		if lacks := t.RolloutLacks(d, *c.Size); lacks != "" {
			return fmt.Sprintf("of %s at %s %s", c, t.Since(t.EndedAt), lacks)
		}
	}
	for _, c := range all {
		if d := mainOf(t, c); c.Size == nil && d != nil {
			if other, shared := whose[d.UID]; shared {
				return fmt.Sprintf("%s, which is deleted, and %s share %s %s", c, other, kind, d.Name)
			}
			return fmt.Sprintf("%s %s of %s, which is deleted, is still there at %s", kind, d.Name, c, t.Since(t.EndedAt))
		}
	}
	return ""
}

// writtenForAnother finds a write to the main child of a custom resource that had what it
// asked for, after another was acted on.
func writtenForAnother(t *timeline.Timeline, all []*timeline.Subject) string {
	t.Settle()
	seen, wrote := map[string]*wire.Object{}, map[string]time.Duration{} // by uid; wrote: when its specification was last written
	drifted, deletions := map[string]bool{}, t.Deletions()               // drifted: the harness wrote it last
	for e := range timeline.Each(t.Before) {
		seen[e.Object.UID] = e.Object
	}
	for e := range t.All() {
		if e.Kind != record.KindWatch || e.Watch.Resource != t.Mains {
			continue
		}
		prev, rests := seen[e.Object.UID], wrote[e.Object.UID]
		seen[e.Object.UID] = e.Object
		gone, byHarness := e.Watch.Event == spec.Deleted, t.Actions.Versions[e.Object.UID+"/"+e.Object.ResourceVersion]
		repairs := drifted[e.Object.UID] && !gone
		if prev == nil || prev.Generation != e.Object.Generation {
			wrote[e.Object.UID], drifted[e.Object.UID] = e.Time, byHarness
		}
		if prev == nil || (!gone && prev.Generation == e.Object.Generation) || byHarness || repairs || gone && deletions.Took(e) {
			continue
		}
		for _, c := range all {
			if !c.IsChild(t.World.Mains[e.Object.UID]) {
				continue
			}
			if other, only := onlyOther(t, c, rests, e.Time); only && askedFor(t, c, e.Time, prev.Replicas) {
				what := fmt.Sprintf("asks for %d", e.Object.Replicas)
				if gone {
					what = "is deleted"
				}
				return fmt.Sprintf("%s %s had the %d replicas that %s asks for; after an action on %s it %s at %s",
					t.Child.Kind, e.Watch.Name, prev.Replicas, c, other, what, t.Since(e.Time))
			}
		}
	}
	return ""
}

// onlyOther names the custom resource that was acted on last, where that is another, and since a time at which the main
// child was written, as it may take two writes; and nothing new was asked of this one since then.
func onlyOther(t *timeline.Timeline, c *timeline.Subject, since, at time.Duration) (other *timeline.Subject, only bool) {
	generation, asked := int64(0), false
	for e := range t.All() {
		if e.Kind != record.KindAction || e.Action.From > at || e.Action.Resource != t.Customs {
			continue
		}
		o := t.Subject(e.Action.Namespace, e.Action.Name)
		if o != nil {
			other, only = o, o != c && e.Action.From > since
		}
		if a, accepted := t.AcceptedIn(e); accepted && o == c {
			asked = asked || a.From > since && a.Reply.Generation > generation
			generation = max(generation, a.Reply.Generation)
		}
	}
	return other, only && !asked
}

// askedFor reports whether a custom resource asked for so many replicas at a time.
func askedFor(t *timeline.Timeline, c *timeline.Subject, at time.Duration, replicas int) bool {
	var last *wire.Object
	take := func(o *wire.Object) {
		if last == nil || o.UID != last.UID || o.Generation >= last.Generation {
			last = o
		}
	}
	for _, events := range [][]timeline.Event{t.Before, t.Events} {
		for e := range t.Each(events) {
			switch a, accepted := t.AcceptedIn(e); {
			case accepted && a.On == c && a.From <= at:
				if a.Deletes() {
					last = nil
				} else if a.Reply.UID != "" {
					take(a.Reply)
				}
			case t.SubjectOf(e) == c && e.Time <= at:
				if take(e.Object); e.Watch.Event == spec.Deleted {
					last = nil
				}
			}
		}
	}
	return last != nil && !last.Deleting && last.Size == replicas
}

// lostByDeletion finds a main child or pods that went when another custom resource was deleted.
func lostByDeletion(t *timeline.Timeline, all []*timeline.Subject) string {
	for a := range t.Accepted() {
		if !a.Deletes() {
			continue
		}
		then := t.StateAt(a.From)
		for _, c := range all {
			if c.Size == nil || c == a.On {
				continue
			}
			was := mainOf(then, c)
			if was == nil || deletedSince(t, c, was, a.From) {
				continue
			}
			where := fmt.Sprintf("when %s/%s was deleted at %s, ", a.Namespace, a.Name, t.Since(a.From))
			if now := mainOf(t, c); now == nil || now.UID != was.UID {
				return where + fmt.Sprintf("%s lost its %s %s", c, t.Child.Kind, was.Name)
			}
			had := func(d *timeline.Entity) bool { return d.UID == was.UID || t.Child.Many && c.IsChild(d) }
			if lost := missingFrom(running(t, had), running(then, had)); len(lost) > max(was.Replicas-fewestWanted(t, c, a.From), 0) {
				return where + fmt.Sprintf("%s lost pods: %s", c, timeline.Names(lost))
			}
		}
	}
	return ""
}

// deletedSince reports whether the harness has deleted a custom resource, or its main child, itself since a time.
func deletedSince(t *timeline.Timeline, s *timeline.Subject, child *wire.Object, since time.Duration) bool {
	for e := range t.All() {
		a := e.Action
		if e.Kind != record.KindAction || a.Verb != "delete" || a.Error != "" || a.From < since || a.Namespace != s.Namespace {
			continue
		}
		if a.Resource == t.Customs && a.Name == s.Name || a.Resource == t.Mains && a.Name == child.Name {
			return true
		}
	}
	return false
}

// missingFrom lists the objects that were there and are not among those that are left.
func missingFrom(left, before []*wire.Object) []*wire.Object {
	there := plain.Set(left, func(is *wire.Object) string { return is.UID })
	return slices.DeleteFunc(slices.Clone(before), func(was *wire.Object) bool { return there[was.UID] })
}
