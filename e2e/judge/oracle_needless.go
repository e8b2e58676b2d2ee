package judge

import (
	"slices"
	"strings"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

// noNeedlessWork judges writes to the custom resource that ask for nothing new
// (annotations, finalizers): the operator neither writes to a Deployment that is
// right already, nor makes more objects to work by than there are changes.
func noNeedlessWork(t *timeline.Timeline) Verdict {
	noops := noops(t)
	if len(noops) == 0 {
		return notApplicable("each write to the custom resource asked for something new")
	}
	writes := rightAlready(t)
	if len(writes) > 0 {
		return fail(nil, "expected no write to the Deployment on account of %s to the custom resource that asked for nothing new; seen %d, the first at %s",
			timeline.Plural(len(noops), "write"), len(writes), t.Since(writes[0].At))
	}
	if works, asks := worksMade(t), len(changes(t, given(t))); len(works) > asks {
		return fail(evidenceOf(t, of(spec.CustomResources)), "expected no work on account of %s to the custom resource that asked for nothing new; seen %s, for %s: %s",
			timeline.Plural(len(noops), "write"), timeline.Plural(len(works), "work object"), timeline.Plural(asks, "change"), worksNames(works))
	}
	return pass("no write to the Deployment, and no work, on account of %s to the custom resource that asked for nothing new", timeline.Plural(len(noops), "write"))
}

// noops are the harness's writes to the custom resource that asked for nothing new.
func noops(t *timeline.Timeline) []*timeline.Event {
	var list []*timeline.Event
	generations := map[string]int64{}
	know := func(o *wire.Object) { generations[o.UID] = max(generations[o.UID], o.Generation) }
	for e := range timeline.Each(t.Before) {
		if e.Watch.Resource == spec.CustomResources {
			know(e.Object)
		}
	}
	for e := range t.All() {
		if !t.OnOwn(e) || e.Action.Verb == "delete" {
			continue
		}
		reply, err := timeline.ReplyOf(e.Action)
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

// worksMade lists the objects that the style made in the sample to work by, for
// the sample's own custom resource.
func worksMade(t *timeline.Timeline) []*timeline.WorkObject {
	t.Settle()
	return slices.DeleteFunc(t.WorksOf(t.Subjects[0]), func(w *timeline.WorkObject) bool { return w.Listed || w.Made < t.StepsBegan() })
}

func worksNames(works []*timeline.WorkObject) string {
	var names []string
	for _, w := range works {
		names = append(names, w.Name)
	}
	return strings.Join(timeline.Some(names, 3), ", ")
}

// rightAlready lists the operator's writes to a Deployment that had what the
// custom resource asked for, and that nobody else had written to.
func rightAlready(t *timeline.Timeline) []childWrite {
	var list []childWrite
	for _, w := range childWrites(t) {
		if w.before != nil && !w.drifted && askedFor(t, t.Subjects[0], w.At, w.before.Replicas) {
			list = append(list, w)
		}
	}
	return list
}
