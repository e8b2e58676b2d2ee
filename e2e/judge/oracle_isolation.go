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
	all := t.customs()
	evidence := func() []string { return t.evidence(of(CustomResources, Deployments)) }
	for _, wrong := range []string{t.mixed(all), t.meddled(all), t.bereaved(all)} {
		if wrong != "" {
			return fail(evidence(), "expected custom resources that do not touch each other; %s", wrong)
		}
	}
	return pass("each of %s has its own Deployment, written for its own sake alone", plural(len(all), "custom resource"))
}

// one is one of a sample's custom resources, by its place.
type one struct {
	namespace, name string
	size            *int // wanted at the end; nil: it is to be gone
}

func (c one) String() string { return c.namespace + "/" + c.name }

// customs lists the sample's custom resources, its own first.
func (t *Timeline) customs() []one {
	all := []one{{t.Sample.Namespace, t.Sample.Name, t.Sample.Size}}
	for _, o := range t.Sample.Others {
		all = append(all, one{o.Namespace, o.Name, o.Size})
	}
	return all
}

// has tells whether a Deployment is a custom resource's, in any of its lives.
func (t *Timeline) has(c one, d *entity) bool {
	if d.Namespace != c.namespace {
		return false
	}
	if name, err := t.style.childName(c.namespace, c.name); err != nil || name != "" {
		return err == nil && d.Name == name
	}
	custom := t.world.customs[d.owner]
	return custom != nil && custom.Namespace == c.namespace && custom.Name == c.name
}

func (t *Timeline) deploymentOf(c one) *Object {
	return first(t.world.deployments, func(d *entity) bool { return t.has(c, d) })
}

// mixed says which custom resource has at the end not what it asks for, for itself.
func (t *Timeline) mixed(all []one) string {
	whose := map[string]one{}
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
func (t *Timeline) meddled(all []one) string {
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
			if !t.has(c, t.world.deployments[e.Object.UID]) {
				continue
			}
			if other, only := t.onlyOther(all, c, e.Time); only && t.askedFor(c, e.Time, prev.Replicas) {
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
func (t *Timeline) onlyOther(all []one, c one, at time.Duration) (other one, only bool) {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != record.KindAction || e.Action.From > at || e.Action.Resource != CustomResources {
			continue
		}
		for _, o := range all {
			if o.namespace == e.Action.Namespace && o.name == e.Action.Name {
				other, only = o, o.String() != c.String()
			}
		}
	}
	return other, only
}

// askedFor tells whether a custom resource asked for so many replicas at a time.
func (t *Timeline) askedFor(c one, at time.Duration, replicas int) bool {
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
			case e.Kind == record.KindWatch && e.Time <= at && e.Watch.Resource == CustomResources && e.Watch.Namespace == c.namespace && e.Watch.Name == c.name:
				if e.Watch.Event == "DELETED" {
					last = nil
					continue
				}
				take(e.Object)
			case e.Kind == record.KindAction && e.Action.From <= at && e.Action.Resource == CustomResources &&
				e.Action.Namespace == c.namespace && e.Action.Name == c.name && e.Action.Error == "":
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
func (t *Timeline) bereaved(all []one) string {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != record.KindAction || e.Action.Verb != "delete" || e.Action.Resource != CustomResources || e.Action.Error != "" {
			continue
		}
		then := t.stateAt(e.Action.From)
		for _, c := range all {
			if c.size == nil || (c.namespace == e.Action.Namespace && c.name == e.Action.Name) {
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
