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

var inVainOracle = Named{Name: "in-vain", Judge: inVain}

// How often a request may be made that comes to nothing.
const (
	// hastyAfter is when a try must have become seldom: an exponential wait from 5 ms is then above a second.
	hastyAfter = 2 * time.Second
	mostHasty  = 3                      // tries in any second after that, beside one for each thing that moved
	wakes      = 250 * time.Millisecond // how long after something moved a try may still be for that
	mostVainly = 8                      // in all, where nothing is broken on purpose: nobody will mend it
	// goneGrace is how long after all is gone somebody may still look for the custom resource, and mostGone how often later.
	goneGrace, mostGone = time.Second, 3
	// restGrace is how long after the last event what was begun may be read to its end, and mostReads how often
	// something may be read later: a resync or a list that is made again is one request.
	restGrace, mostReads = 10 * time.Second, 3
)

// inVain judges what no watch shows, by the API server's audit log: that a pod of the operator asks for the same again and
// again, and gets nowhere. A write that is refused is tried ever more seldom; where the harness has broken nothing, and nobody
// has asked for what is wrong, it is not tried for ever; and a custom resource that has gone is not asked for any more,
// nor, when all have gone, anything else where they were. The log does not name the object of a creation: each
// custom resource may have as many.
func inVain(t *timeline.Timeline) Verdict {
	if !t.Audited {
		return unheard("the recording has no audit log of the operator: what was asked for in vain is not known")
	}
	if gap := t.Unheard([]string{record.AuditLog}); gap != "" {
		return unheard("%s", gap)
	}
	whole := len(t.Faults) == 0 && t.Sample.Cause == "" && !t.Sample.Unmeetable && !slices.ContainsFunc(t.Events, setsWrong)
	tries, moved := 0, t.Moved()
	for i := range t.Vain {
		v := &t.Vain[i]
		slices.Sort(v.Times)
		tries += v.Tries
		objects := 1
		if !v.Named() {
			alike := len(plain.Where(t.Spec.Children, func(c spec.ChildKind) bool { return v.Is(c.Resource) }))
			objects = len(t.Subjects) * max(alike, 1) // it may be of any of them
		}
		what := fmt.Sprintf("%s, answered with %d", &v.Request, v.Code)
		if v.Code == 404 {
			if late := after(v.Times, t.LastEvent()+goneGrace); len(late) > mostGone {
				return fail(vainLines(t, v), "expected the operator to forget a custom resource that has gone; it goes on with %s: %s in all, %d of them later than %s after the last event",
					what, plain.Plural(v.Tries, "try", "tries"), len(late), goneGrace)
			}
			continue
		}
		for _, tries := range anew(t, v.Times) {
			if n, moves, at := hasty(after(tries, tries[0]+hastyAfter), moved); n > mostHasty*objects+moves {
				moving := "nothing"
				if moves > 0 {
					moving = plain.Plural(moves, "thing")
				}
				return fail(vainLines(t, v), "expected the operator to wait ever longer between tries; it asked %d times within a second, in which %s moved, at %s, %s after the first refusal: %s (%s in all)",
					n, moving, t.Since(at), timeline.Round(at-tries[0]), what, plain.Plural(v.Tries, "try", "tries"))
			}
		}
		if whole && v.Tries > mostVainly*objects {
			return fail(vainLines(t, v), "expected the operator not to ask again and again for what the API server refuses; it asked %d times from %s to %s: %s",
				v.Tries, t.Since(v.Times[0]), t.Since(v.Times[len(v.Times)-1]), what)
		}
	}
	if late, allowed := readsOn(t); len(late) > allowed {
		return fail(requestLines(t, late), "expected the operator to ask for nothing more where all custom resources have gone; from %s after the last event until %s it "+
			"asked %d times, where %d were let pass (%d before there was any): %s",
			restGrace, t.Since(t.EndedAt), len(late), allowed, t.ReadBefore, sumOf(late))
	}
	return pass("%s of the operator's came to nothing", plain.Plural(tries, "request"))
}

// readsOn is what the operator read in the sample's namespaces when all of its custom resources had long gone, and how
// often it may: as often in that time as before there was any, and a few times more.
func readsOn(t *timeline.Timeline) (late []timeline.Request, allowed int) {
	from := t.LastEvent() + restGrace
	stays := slices.ContainsFunc(t.Subjects, func(s *timeline.Subject) bool { return s.Size != nil || t.GoneLacks(s) != "" })
	if stays || t.EndedAt <= from {
		return nil, 0
	}
	late = plain.Where(t.Reads, func(r timeline.Request) bool { return r.At > from })
	if before, asked := t.Intent(); asked && before > t.Began {
		allowed = int(float64(t.ReadBefore) * float64(t.EndedAt-from) / float64(before-t.Began))
	}
	return late, allowed + mostReads
}

func setsWrong(e timeline.Event) bool { return e.Action != nil && e.Action.Wrong != "" }

// anew cuts tries where the harness set a wrong value that the API server took: the one before was set right and handled,
// so that what is refused then is refused for the first time.
func anew(t *timeline.Timeline, tries []time.Duration) [][]time.Duration {
	var parts [][]time.Duration
	for _, w := range t.WrongValues() {
		if a := w.Event.Action; a.Error == "" {
			n, _ := slices.BinarySearch(tries, a.From)
			parts, tries = append(parts, tries[:n]), tries[n:]
		}
	}
	return slices.DeleteFunc(append(parts, tries), func(part []time.Duration) bool { return len(part) == 0 })
}

func after(times []time.Duration, from time.Duration) []time.Duration {
	i, _ := slices.BinarySearch(times, from)
	return times[i:]
}

// hasty is the second with the most tries beside one for each thing that moved in it, how many these were, and when it
// began.
func hasty(times, moved []time.Duration) (most, moves int, at time.Duration) {
	for i, from := range times {
		n, _ := slices.BinarySearch(times, from+time.Second)
		first, _ := slices.BinarySearch(moved, from-wakes)
		last, _ := slices.BinarySearch(moved, from+time.Second)
		if n-i-(last-first) > most-moves {
			most, moves, at = n-i, last-first, from
		}
	}
	return most, moves, at
}

func vainLines(t *timeline.Timeline, v *timeline.Vain) []string {
	lines := plain.Map(v.Times, func(at time.Duration) string {
		return fmt.Sprintf("%s: %s by %s, answered with %d", t.Since(at), &v.Request, v.Account, v.Code)
	})
	return timeline.Some(lines, 6)
}
