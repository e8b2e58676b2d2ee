package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"operatorbench/e2e/record"
)

// calmGrace is how long after the last event a reconcile may still be at work.
const calmGrace = time.Second

// calm judges what no watch shows: that the operator writes again what is there
// already. While nothing happens, from a second after the last event until the
// sample's end, its service accounts ask for no writes in the sample's namespaces,
// by the API server's audit log. A single one may be the last of what came before.
// Events, which tell people something, do not count.
func calm(t *Timeline) Verdict {
	switch {
	case !t.audited:
		return notApplicable("the recording has no audit log: what was written without a change is not known")
	case t.End.Outcome != record.Settled:
		return notApplicable("the sample did not come to rest")
	}
	if gap := t.blind([]string{auditLog}); gap != "" {
		return notApplicable("%s", gap)
	}
	opens := max(t.EndedAt-t.Sample.Window, t.LastEvent()) + calmGrace
	within := slices.DeleteFunc(slices.Clone(t.asked), func(a asked) bool { return a.at <= opens })
	if len(within) < leastRestless {
		return pass("%s asked for in the sample's namespaces from %s to %s", wereNone(len(within)), t.since(opens), t.since(t.EndedAt))
	}
	return fail(t.tell(within), "expected no write while nothing happened, from %s to %s; the operator asked for %s, the first at %s: %s; %s",
		t.since(opens), t.since(t.EndedAt), plural(len(within), "write"), t.since(within[0].at), sumOf(within), t.movedBy(opens))
}

// leastRestless is how many writes are work without end.
const leastRestless = 2

func wereNone(writes int) string {
	if writes == 0 {
		return "no write was"
	}
	return plural(writes, "write") + " was"
}

// auditLog names the audit log in a gap.
const auditLog = "audit"

func (a *asked) String() string {
	what := kind(a.resource)
	if a.sub != "" {
		what += "/" + a.sub
	}
	return strings.TrimSuffix(fmt.Sprintf("%s %s %s/%s", a.verb, what, a.namespace, a.name), "/")
}

// sumOf says what was written, and how often each.
func sumOf(list []asked) string {
	const most = 3
	var order []string
	counts := map[string]int{}
	for i := range list {
		what := list[i].String()
		if counts[what] == 0 {
			order = append(order, what)
		}
		counts[what]++
	}
	var parts []string
	for i, what := range order {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(order)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%d×)", what, counts[what]))
	}
	return strings.Join(parts, ", ")
}

// movedBy says what of the sample's objects the watches saw change after a time.
func (t *Timeline) movedBy(after time.Duration) string {
	var moved []string
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != record.KindWatch || e.Time <= after || e.Watch.Resource == Events || !t.covers(e.Watch.Namespace) {
			continue
		}
		if what := title(e.Watch.Resource, e.Watch.Name); !slices.Contains(moved, what) {
			moved = append(moved, what)
		}
	}
	if len(moved) == 0 {
		return "nothing moved: each wrote what was there already, or was refused"
	}
	return "what moved: " + strings.Join(moved, ", ")
}

// tell lists a few of the requests, as evidence.
func (t *Timeline) tell(list []asked) []string {
	const most = 6
	var lines []string
	for i := range list {
		if i == most {
			lines = append(lines, fmt.Sprintf("and %d more", len(list)-most))
			break
		}
		lines = append(lines, fmt.Sprintf("%s by %s, answered with %d, at %s", &list[i], list[i].account, list[i].code, t.since(list[i].at)))
	}
	return lines
}
