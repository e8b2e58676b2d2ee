package judge

import (
	"fmt"
	"slices"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

// When a reconcile is late: so many times as late as the style's own median, and so much later: a multiple alone would
// find fault with milliseconds. In the matrix samples overlap and share the machine with other clusters, where a second
// more says nothing.
const (
	lateTimes = 10
	lateBy    = 10 * time.Second
	// leastPrompt is how many samples it takes for there to be a median.
	leastPrompt = 8
)

// promptly is what is not late, where the style's median is this.
func promptly(median time.Duration) time.Duration { return max(lateTimes*median, median+lateBy) }

// reaction is how long the operator took to write what it was asked for.
type reaction struct {
	took time.Duration // 0: none is known
	what string
}

func (r reaction) slower(o reaction) reaction {
	if o.took > r.took {
		return o
	}
	return r
}

var promptOracle = Named{Name: "prompt", Needs: onWritten, Later: prompt, Timely: true, Judge: func(t *timeline.Timeline) Verdict {
	return notApplicable("no %s was to be written while nothing was broken", t.Child.Kind)
}}

// slowestReaction is the longest time from a write to a custom resource, by which it asks for another size, until its
// main child was written with that. A sample in which something is broken, or paused, has none.
func slowestReaction(t *timeline.Timeline) reaction {
	var slowest reaction
	if !t.Matrix || t.Child.Many || len(t.Faults) > 0 || len(t.Pauses()) > 0 || t.Unheard(t.Written()) != "" {
		return slowest
	}
	t.Settle()
	waits := map[*timeline.Subject]*record.Action{}
	shows := map[*timeline.Subject]*timeline.Event{} // the event since which the main child has its size
	reached := func(s *timeline.Subject, act *record.Action, at time.Duration) {
		delete(waits, s)
		slowest = slowest.slower(reaction{at - act.From, fmt.Sprintf("the %s of %s at %s", act.Verb, s, t.Since(act.From))})
	}
	for e := range timeline.Each(t.Before) {
		showSize(t, shows, e)
	}
	sizes := map[*timeline.Subject]int{}
	for e := range t.All() {
		switch a, accepted := t.AcceptedIn(e); {
		case e.Kind == record.KindWatch && e.Watch.Resource == t.Mains:
			showSize(t, shows, e)
			for s, act := range waits {
				if d := shows[s]; d != nil && d.Object.Replicas == sizes[s] {
					reached(s, act, max(d.Time, act.From))
				}
			}
		case accepted && a.On != nil && !a.Nudge:
			delete(waits, a.On) // what was asked for before is out of date
			if !slices.Contains([]string{"create", "patch", "apply"}, a.Verb) || a.Reply.UID == "" || a.Reply.Deleting {
				continue // it asks for nothing, or the reply does not tell what
			}
			sizes[a.On] = a.Reply.Size
			switch d := shows[a.On]; {
			case d == nil || d.Object.Replicas != a.Reply.Size:
				waits[a.On] = a.Action
			case d.Time >= a.From: // it was written before the reply came
				reached(a.On, a.Action, d.Time)
			}
		}
	}
	return slowest
}

// showSize takes note of an event that shows a custom resource's main child with another size than before.
func showSize(t *timeline.Timeline, shows map[*timeline.Subject]*timeline.Event, e *timeline.Event) {
	if e.Watch.Resource != t.Mains {
		return
	}
	d := t.World.Mains[e.Object.UID]
	for _, s := range t.Subjects {
		if d == nil || !s.IsChild(d) {
			continue
		}
		was := shows[s]
		switch {
		case e.Watch.Event == spec.Deleted:
			delete(shows, s)
		case was == nil || was.Object.UID != e.Object.UID || was.Object.Replicas != e.Object.Replicas:
			shows[s] = e
		}
	}
}

// prompt judges that the operator handles every custom resource of the matrix about as soon as the others of its style.
func prompt(of *Result) (v Verdict, known bool) {
	r, all, kind := of.reaction(), of.facts.others, of.where.Child.Kind
	if r.took == 0 || len(all) == 0 {
		return Verdict{}, false
	}
	took, samples := timeline.Round(r.took), plain.Plural(len(all), "sample")
	if len(all) < leastPrompt {
		return notApplicable("the %s was written %s after %s; there is no median to compare that with (%s; at least %d are needed)", kind, took, r.what, samples, leastPrompt), true
	}
	median := all[(len(all)-1)/2]
	bound := promptly(median)
	if r.took > bound {
		return fail(nil, "expected every custom resource to be handled within %s (%d times the style's own median of %s, of %s in which nothing was broken, and at least %s more); the %s was written %s after %s",
			timeline.Round(bound), lateTimes, timeline.Round(median), samples, lateBy, kind, took, r.what), true
	}
	return pass("the %s was written %s after %s; within %s is prompt (the style's median is %s, of %s)", kind, took, r.what, timeline.Round(bound), timeline.Round(median), samples), true
}
