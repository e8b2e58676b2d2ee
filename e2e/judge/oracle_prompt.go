package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/record"
)

const promptName = "prompt"

// When a reconcile is late: so many times as late as the style's own median, and so
// much later: a multiple alone would find fault with milliseconds. In the matrix
// samples overlap and share the machine with other clusters, where a second more
// says nothing.
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

// prompt judges that the operator handles every custom resource about as soon as
// the others. What it is compared with is known when all have been judged: see
// Judgement.prompt.
func prompt(t *Timeline) Verdict {
	return notApplicable("%s", unreacted)
}

const unreacted = "no Deployment was to be written while nothing was broken"

// reaction is the longest time from a write to a custom resource, by which it asks
// for another size, until its Deployment was written with that. A sample in which
// something is broken has none.
func (t *Timeline) reaction() reaction {
	var slowest reaction
	if !t.matrix || len(t.faults) > 0 || t.blind([]string{CustomResources, Deployments}) != "" {
		return slowest
	}
	t.settle()
	waits := map[*subject]*record.Entry{}
	shows := map[*subject]*Event{} // the event since which the Deployment has its size
	reached := func(s *subject, act *record.Entry, at time.Duration) {
		delete(waits, s)
		slowest = slowest.slower(reaction{at - act.Action.From, fmt.Sprintf("the %s of %s at %s", act.Action.Verb, s, t.since(act.Action.From))})
	}
	for i := range t.Before {
		t.showSize(shows, &t.Before[i])
	}
	sizes := map[*subject]int{}
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case e.Kind == record.KindWatch && e.Watch.Resource == Deployments:
			t.showSize(shows, e)
			for s, act := range waits {
				if d := shows[s]; d != nil && d.Object.Replicas == sizes[s] {
					reached(s, act, max(d.Time, act.Action.From))
				}
			}
		case e.Kind == record.KindAction && e.Action.Resource == CustomResources && e.Action.Error == "" && !e.Action.Nudge:
			s := t.subject(e.Action.Namespace, e.Action.Name)
			reply, err := replyOf(e.Action)
			if s == nil || err != nil {
				continue
			}
			delete(waits, s) // what was asked for before is out of date
			if !slices.Contains([]string{"create", "patch", "apply"}, e.Action.Verb) || reply.UID == "" || reply.Deleting {
				continue // it asks for nothing, or the reply does not tell what
			}
			sizes[s] = reply.Size
			switch d := shows[s]; {
			case d == nil || d.Object.Replicas != reply.Size:
				waits[s] = &e.Entry
			case d.Time >= e.Action.From: // it was written before the reply came
				reached(s, &e.Entry, d.Time)
			}
		}
	}
	return slowest
}

// showSize takes note of an event that shows a custom resource's Deployment with
// another size than before.
func (t *Timeline) showSize(shows map[*subject]*Event, e *Event) {
	if e.Watch.Resource != Deployments {
		return
	}
	d := t.world.deployments[e.Object.UID]
	for _, s := range t.subjects {
		if d == nil || !s.isChild(d) {
			continue
		}
		was := shows[s]
		switch {
		case e.Watch.Event == "DELETED":
			delete(shows, s)
		case was == nil || was.Object.UID != e.Object.UID || was.Object.Replicas != e.Object.Replicas:
			shows[s] = e
		}
	}
}

// prompt compares each sample of the matrix with the others of its style.
func (j *Judgement) prompt() {
	byStyle := map[string][]time.Duration{}
	for i := range j.Results {
		if r := &j.Results[i]; r.reaction.took > 0 {
			label := record.Label(r.Style, r.Variant)
			byStyle[label] = append(byStyle[label], r.reaction.took)
		}
	}
	for i := range j.Results {
		r := &j.Results[i]
		k := slices.IndexFunc(r.Verdicts, func(v Verdict) bool { return v.Oracle == promptName && strings.HasPrefix(v.Message, unreacted) })
		if k < 0 || r.reaction.took == 0 {
			continue
		}
		r.Verdicts[k] = compared(r.reaction, byStyle[record.Label(r.Style, r.Variant)])
	}
}

func compared(r reaction, all []time.Duration) Verdict {
	v := notApplicable("the Deployment was written %s after %s; of %s there is no median to compare that with: it takes %d", round(r.took), r.what, plural(len(all), "sample"), leastPrompt)
	if len(all) >= leastPrompt {
		all = slices.Sorted(slices.Values(all))
		median := all[(len(all)-1)/2]
		bound := promptly(median)
		if r.took > bound {
			v = fail(nil, "expected every custom resource to be handled within %s (%d times the style's own median of %s, of %s in which nothing was broken, and at least %s more); the Deployment was written %s after %s",
				round(bound), lateTimes, round(median), plural(len(all), "sample"), lateBy, round(r.took), r.what)
		} else {
			v = pass("the Deployment was written %s after %s; within %s is prompt (the style's median is %s, of %s)", round(r.took), r.what, round(bound), round(median), plural(len(all), "sample"))
		}
	}
	v.Oracle = promptName
	return v
}
