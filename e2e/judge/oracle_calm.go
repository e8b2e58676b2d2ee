package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

// calmGrace is how long after the window's begin a reconcile may still be at work.
const calmGrace = time.Second

var calmOracle = Named{Name: "calm", Judge: calm}

// calm judges what no watch shows: that the operator writes again what is there already. In the window in which the
// sample came to rest, but for its first second, its service accounts ask for no writes in the sample's namespaces, by the
// API server's audit log. A single one may belong to what came before. Events, which tell people something, do not count.
func calm(t *timeline.Timeline) Verdict {
	switch {
	case !t.Audited:
		return unheard("the recording has no audit log of the operator: what was written without a change is not known")
	case t.End.Outcome != record.Settled:
		return notApplicable("the sample did not come to rest")
	}
	if gap := t.Unheard([]string{record.AuditLog}); gap != "" {
		return unheard("%s", gap)
	}
	rested := t.RestedAt()
	opens := rested - t.Sample.Window + calmGrace
	within := slices.DeleteFunc(slices.Clone(t.Requests), func(a timeline.Request) bool { return a.At <= opens || a.At > rested })
	if len(within) < leastEndless {
		return pass("%s asked for in the sample's namespaces from %s to %s", wereNone(len(within)), t.Since(opens), t.Since(rested))
	}
	return fail(requestLines(t, within), "expected no write while nothing happened, from %s to %s; the operator asked for %s, the first at %s: %s; %s",
		t.Since(opens), t.Since(rested), plain.Plural(len(within), "write"), t.Since(within[0].At), sumOf(within), movedBy(t, opens))
}

// leastEndless is how many writes are work without end.
const leastEndless = 2

func wereNone(writes int) string {
	if writes == 0 {
		return "no write was"
	}
	return plain.Plural(writes, "write") + " was"
}

// sumOf says what was written, and how often each.
func sumOf(list []timeline.Request) string {
	var same plain.Groups[string, int]
	for i := range list {
		same.Add(list[i].String(), i)
	}
	each := plain.Map(same.Keys, func(what string) string { return fmt.Sprintf("%s (%d×)", what, len(same.Of[what])) })
	return strings.Join(timeline.Some(each, 3), ", ")
}

// movedBy says what of the sample's objects the watches saw change after a time.
func movedBy(t *timeline.Timeline, after time.Duration) string {
	var moved []string
	known := map[string]bool{}
	for e := range t.All() {
		if e.Kind != record.KindWatch || e.Time <= after || e.Watch.Resource == spec.Events || !t.Covers(e.Watch.Namespace) {
			continue
		}
		if what := timeline.Title(e.Watch.Resource, e.Watch.Name); !known[what] {
			known[what], moved = true, append(moved, what)
		}
	}
	if len(moved) == 0 {
		return "nothing moved: each wrote what was there already, or was refused"
	}
	return "what moved: " + strings.Join(moved, ", ")
}

// requestLines lists a few of the requests, as evidence.
func requestLines(t *timeline.Timeline, list []timeline.Request) []string {
	return timeline.Some(plain.Map(list, func(r timeline.Request) string {
		return fmt.Sprintf("%s by %s, answered with %d, at %s", &r, r.Account, r.Code, t.Since(r.At))
	}), 6)
}
