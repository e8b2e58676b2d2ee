package judge

import (
	"slices"

	"operatorbench/e2e/record"
)

// noNeedlessWork judges writes to the custom resource that ask for nothing new
// (annotations, finalizers): the operator neither writes to a Deployment that is
// right already, nor makes more objects to work by than there are changes.
func noNeedlessWork(t *Timeline) Verdict {
	noops := t.noops()
	if len(noops) == 0 {
		return notApplicable("each write to the custom resource asked for something new")
	}
	writes := t.rightAlready()
	evidence := func() []string { return t.evidence(of(CustomResources, Deployments)) }
	if len(writes) > 0 {
		return fail(evidence(), "expected no write to the Deployment on account of %s to the custom resource that asked for nothing new; seen %d, the first at %s",
			plural(len(noops), "write"), len(writes), t.since(writes[0].at))
	}
	if works, asks := t.worksMade(), len(t.changes(t.given())); len(works) > asks {
		return fail(t.evidence(of(CustomResources)), "expected no work on account of %s to the custom resource that asked for nothing new; seen %s, for %s: %s",
			plural(len(noops), "write"), plural(len(works), "work object"), plural(asks, "change"), worksNames(works))
	}
	return pass("no write to the Deployment, and no work, on account of %s to the custom resource that asked for nothing new", plural(len(noops), "write"))
}

// noops are the harness's writes to the custom resource that asked for nothing new.
func (t *Timeline) noops() []*Event {
	var list []*Event
	generations := map[string]int64{}
	know := func(o *Object) { generations[o.UID] = max(generations[o.UID], o.Generation) }
	for i := range t.Before {
		if t.Before[i].Watch.Resource == CustomResources {
			know(t.Before[i].Object)
		}
	}
	for i := range t.Events {
		e := &t.Events[i]
		if !t.onOwn(e) || e.Action.Verb == "delete" {
			continue
		}
		reply, err := replyOf(e.Action)
		if err != nil || reply.UID == "" {
			continue
		}
		if known := generations[reply.UID]; known > 0 && (reply.Generation <= known || reply.Deleting) {
			list = append(list, e)
		}
		know(reply)
	}
	return list
}

// onOwn tells whether an event is an action on the sample's own custom resource
// that the API server accepted.
func (t *Timeline) onOwn(e *Event) bool {
	return e.Kind == record.KindAction && e.Action.Error == "" && e.Action.Verb != record.ReadScale && e.Action.Resource == CustomResources &&
		e.Action.Namespace == t.Sample.Namespace && e.Action.Name == t.Sample.Name
}

// worksMade lists the objects that the style made in the sample to work by, for
// the sample's own custom resource.
func (t *Timeline) worksMade() []*workObject {
	t.settle()
	return slices.DeleteFunc(t.worksOf(t.subjects[0]), func(w *workObject) bool { return w.listed || w.made < t.stepsBegan() })
}

func worksNames(works []*workObject) string {
	var objects []*Object
	for _, w := range works {
		objects = append(objects, &Object{Name: w.Name})
	}
	return names(objects)
}

// rightAlready lists the operator's writes to a Deployment that had what the
// custom resource asked for, and that nobody else had written to.
func (t *Timeline) rightAlready() []childWrite {
	var list []childWrite
	for _, w := range t.childWrites() {
		if w.before != nil && !w.drifted && t.askedFor(t.subjects[0], w.at, w.before.Replicas) {
			list = append(list, w)
		}
	}
	return list
}
