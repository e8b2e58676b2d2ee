package judge

import (
	"fmt"
	"time"

	"operatorbench/e2e/record"
)

// isolation is oracle 8, for samples with several custom resources: each has a
// Deployment of its own, of its own size; the operator writes to none while only
// another custom resource is acted on; and to delete one leaves the Deployments
// and the pods of the others as they are, by their uids.
func isolation(t *Timeline) Verdict {
	if len(t.Sample.Others) == 0 {
		return notApplicable("there is one custom resource only")
	}
	all := t.subjects
	evidence := func() []string { return t.evidence(of(CustomResources, Deployments)) }
	for _, wrong := range []string{t.mixed(all), t.meddled(all), t.bereaved(all)} {
		if wrong != "" {
			return fail(evidence(), "expected custom resources that do not touch each other; %s", wrong)
		}
	}
	return pass("each of %s has its own Deployment, written for its own sake alone", plural(len(all), "custom resource"))
}

func (s *subject) String() string { return s.namespace + "/" + s.name }

// deploymentOf is a Deployment of a custom resource, in any of its lives; nil: none.
func (t *Timeline) deploymentOf(s *subject) *Object { return first(t.world.deployments, s.isChild) }

// mixed says which custom resource has at the end not what it asks for, for itself.
func (t *Timeline) mixed(all []*subject) string {
	whose := map[string]*subject{}
	for _, c := range all {
		d := t.deploymentOf(c)
		if c.size == nil {
			continue
		}
		if d == nil {
			return fmt.Sprintf("%s has no Deployment at %s", c, t.since(t.EndedAt))
		}
		if other, shared := whose[d.UID]; shared {
			return fmt.Sprintf("%s and %s share Deployment %s", other, c, d.Name)
		}
		whose[d.UID] = c
		if lacks := d.lacks(*c.size); lacks != "" {
			return fmt.Sprintf("of %s at %s %s", c, t.since(t.EndedAt), lacks)
		}
	}
	for _, c := range all {
		if d := t.deploymentOf(c); c.size == nil && d != nil {
			if other, shared := whose[d.UID]; shared {
				return fmt.Sprintf("%s, which is deleted, and %s share Deployment %s", c, other, d.Name)
			}
			return fmt.Sprintf("Deployment %s of %s, which is deleted, is still there at %s", d.Name, c, t.since(t.EndedAt))
		}
	}
	return ""
}

// meddled finds a write to the Deployment of a custom resource that had what it
// asked for, after another was acted on.
func (t *Timeline) meddled(all []*subject) string {
	t.settle()
	seen := map[string]*Object{}
	for i := range t.Before {
		seen[t.Before[i].Object.UID] = t.Before[i].Object
	}
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != record.KindWatch || e.Watch.Resource != Deployments {
			continue
		}
		prev := seen[e.Object.UID]
		seen[e.Object.UID] = e.Object
		gone := e.Watch.Event == "DELETED"
		if prev == nil || (!gone && prev.Generation == e.Object.Generation) || t.acts.versions[e.Object.UID+"/"+e.Object.ResourceVersion] {
			continue
		}
		for _, c := range all {
			if !c.isChild(t.world.deployments[e.Object.UID]) {
				continue
			}
			if other, only := t.onlyOther(c, e.Time); only && t.askedFor(c, e.Time, prev.Replicas) {
				what := fmt.Sprintf("asks for %d", e.Object.Replicas)
				if gone {
					what = "is deleted"
				}
				return fmt.Sprintf("Deployment %s had the %d replicas that %s asks for; after an action on %s it %s at %s",
					e.Watch.Name, prev.Replicas, c, other, what, t.since(e.Time))
			}
		}
	}
	return ""
}

// onlyOther names the custom resource that was acted on last, where that is another.
func (t *Timeline) onlyOther(c *subject, at time.Duration) (other *subject, only bool) {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != record.KindAction || e.Action.From > at || e.Action.Resource != CustomResources {
			continue
		}
		if o := t.subject(e.Action.Namespace, e.Action.Name); o != nil {
			other, only = o, o != c
		}
	}
	return other, only
}

// askedFor tells whether a custom resource asked for so many replicas at a time.
func (t *Timeline) askedFor(c *subject, at time.Duration, replicas int) bool {
	var last *Object
	take := func(o *Object) {
		if last == nil || o.UID != last.UID || o.Generation >= last.Generation {
			last = o
		}
	}
	for _, events := range [][]Event{t.Before, t.Events} {
		for i := range events {
			e := &events[i]
			switch {
			case e.Kind == record.KindWatch && e.Time <= at && t.subjectOf(e) == c:
				if e.Watch.Event == "DELETED" {
					last = nil
					continue
				}
				take(e.Object)
			case e.Kind == record.KindAction && e.Action.From <= at && e.Action.Resource == CustomResources &&
				t.subject(e.Action.Namespace, e.Action.Name) == c && e.Action.Error == "":
				if e.Action.Verb == "delete" {
					last = nil
				} else if reply, err := replyOf(e.Action); err == nil && reply.UID != "" {
					take(reply)
				}
			}
		}
	}
	return last != nil && !last.Deleting && last.Size == replicas
}

// bereaved finds a Deployment or pods that went when another custom resource was deleted.
func (t *Timeline) bereaved(all []*subject) string {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != record.KindAction || e.Action.Verb != "delete" || e.Action.Resource != CustomResources || e.Action.Error != "" {
			continue
		}
		then := t.stateAt(e.Action.From)
		for _, c := range all {
			if c.size == nil || c == t.subject(e.Action.Namespace, e.Action.Name) {
				continue
			}
			was := then.deploymentOf(c)
			if was == nil {
				continue
			}
			where := fmt.Sprintf("when %s/%s was deleted at %s, ", e.Action.Namespace, e.Action.Name, t.since(e.Action.From))
			if now := t.deploymentOf(c); now == nil || now.UID != was.UID {
				return where + fmt.Sprintf("%s lost its Deployment %s", c, was.Name)
			}
			if lost := t.lostPods(then.podsOf(was.UID), t.podsOf(was.UID)); len(lost) > max(was.Replicas-*c.size, 0) {
				return where + fmt.Sprintf("%s lost pods: %s", c, names(lost))
			}
		}
	}
	return ""
}

// podsOf are the pods of a Deployment that run and are to run on.
func (t *Timeline) podsOf(deployment string) []*Object {
	return living(t.world.pods, func(p *entity) bool {
		set := t.world.replicaSets[p.owner]
		return set != nil && set.owner == deployment && p.Phase == "Running" && !p.Deleting
	})
}

// lostPods are those that are not among those that are left.
func (t *Timeline) lostPods(before, after []*Object) []*Object {
	left := map[string]bool{}
	for _, p := range after {
		left[p.UID] = true
	}
	var lost []*Object
	for _, p := range before {
		if !left[p.UID] {
			lost = append(lost, p)
		}
	}
	return lost
}
