package judge

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
	"operatorbench/e2e/timeline/wire"
)

// saysWithin is how long a status may go on saying what stands no more.
const saysWithin = 30 * time.Second

// outlived says what is expected of a custom resource's condition while its pods are not ready, and since when it was
// not so: a status may be late, and not by more than saysWithin. It is not judged where something but the pods was
// broken, or the operator was paused.
func outlived(t *timeline.Timeline, s *timeline.Subject, p *past) string {
	kind := t.Style.Declares.Status.Ready
	if kind == "" || t.Sample.Unmeetable || len(t.Gaps) > 0 || len(t.Pauses()) > 0 || slices.ContainsFunc(t.FaultsBegun(), disables) {
		return ""
	}
	says, state := t.StateAt(-1).CustomOf(s), &childState{}
	since, lasts := time.Duration(0), false
	moments := momentsOf(t, s, p)
	for i, m := range moments {
		says, state = cmp.Or(m.says, says), cmp.Or(m.state, state)
		until := t.EndedAt
		if i+1 < len(moments) {
			until = moments[i+1].at
		}
		size, wrong := readyUntrue(t, p, says, state)
		if wrong && !lasts {
			since = m.at
		}
		if lasts = wrong; lasts && until-since > saysWithin {
			return fmt.Sprintf("a status that says within %s what stands no more; from %s on, for longer than that, condition %s was True for generation %d, and its %s were not ready",
				saysWithin, t.Since(since), kind, says.Generation, plain.Plural(size, "pod"))
		}
	}
	return ""
}

// readyUntrue reports whether a custom resource's condition says that pods of the size that it asks for are ready, and
// they are not.
func readyUntrue(t *timeline.Timeline, p *past, says *wire.Object, state *childState) (size int, untrue bool) {
	if says == nil || says.Deleting {
		return 0, false
	}
	is := readyOf(t, says)
	size, known := p.sizes[lifeKey(says.UID, says.Generation)]
	untrue = known && is.True() && (is.ObservedGeneration == 0 || is.ObservedGeneration == says.Generation) && state.ready < size &&
		!slices.ContainsFunc(state.children, func(d child) bool { return d.ready >= size })
	return size, untrue
}

// moment is a time from which a custom resource, or what it has, is another.
type moment struct {
	at    time.Duration
	says  *wire.Object
	state *childState
}

// momentsOf lists a custom resource's statuses, and how its pods stood, in the order of time.
func momentsOf(t *timeline.Timeline, s *timeline.Subject, p *past) []moment {
	var list []moment
	for i := range p.states {
		list = append(list, moment{at: p.states[i].at, state: &p.states[i]})
	}
	for e := range t.All() {
		switch {
		case t.SubjectOf(e) != s:
		case e.Watch.Event == spec.Deleted:
			list = append(list, moment{at: e.Time, says: &wire.Object{}}) // it says nothing more
		default:
			list = append(list, moment{at: e.Time, says: e.Object})
		}
	}
	slices.SortStableFunc(list, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	return list
}
