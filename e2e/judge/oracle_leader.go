package judge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

var oneLeaderOracle = Named{Name: "one-leader", Judge: oneLeader}

// oneLeader judges who writes while the operator has two pods, by the API server's audit log. Where its pods elect a
// leader by a Lease, a pod may write only while the last that has written the Lease is itself. Where they do not, both
// may: the verdict says how much each of them did, and what that does to objects is for other oracles.
func oneLeader(t *timeline.Timeline) Verdict {
	switch {
	case !slices.ContainsFunc(t.FaultsBegun(), func(f *record.Fault) bool { return f.Kind == spec.FaultDouble }):
		return notApplicable("the operator never had a second pod")
	case !t.Audited:
		return unheard("the recording has no audit log of the operator: which pod wrote what is not known")
	}
	if gap := t.Unheard([]string{record.AuditLog}); gap != "" {
		return unheard("%s", gap)
	}
	holders := map[string]string{} // of Leases: the pod that wrote each last
	elects := map[string]bool{}    // by account
	asked, refused := map[string]int{}, map[string]int{}
	var beside []timeline.Request // writes of a pod that led nothing
	for _, r := range t.Turns {
		lease := r.Lease()
		switch namespace, _, _ := strings.Cut(lease, "/"); {
		case lease != "" && t.Covers(namespace): // of a custom resource, which elects nobody
		case lease != "":
			if elects[r.Account] = true; r.Code < 300 {
				holders[lease] = r.Pod
			}
		default:
			if asked[r.Pod]++; r.Code >= 300 {
				refused[r.Pod]++
			}
			if elects[r.Account] && len(holders) > 0 && !slices.Contains(slices.Collect(maps.Values(holders)), r.Pod) {
				beside = append(beside, r)
			}
		}
	}
	var did []string
	for _, pod := range slices.Sorted(maps.Keys(asked)) {
		one := fmt.Sprintf("%s asked for %s", cmp.Or(pod, "a pod that the log does not name"), plain.Plural(asked[pod], "write"))
		if refused[pod] > 0 {
			one += fmt.Sprintf(", and %d of them failed", refused[pod])
		}
		did = append(did, one)
	}
	all := strings.Join(did, "; ")
	switch {
	case len(asked) == 0:
		return notApplicable("neither pod asked for a write in the sample's namespaces")
	case len(beside) > 0:
		return fail(requestLines(t, beside), "expected only the pod that holds the Lease to write; %s by another, the first at %s: %s; in all %s",
			wereNone(len(beside)), t.Since(beside[0].At), sumOf(beside), all)
	case len(holders) > 0:
		return pass("only the holder of Lease %s wrote: %s", strings.Join(slices.Sorted(maps.Keys(holders)), ", "), all)
	case len(asked) > 1:
		return pass("the operator's pods elect no leader by a Lease, and both acted: %s", all)
	}
	return pass("of the operator's pods one acted, though no Lease elects it: %s", all)
}

// whoWrote says what the operator's two pods did, for the evidence of any failure: no other event shows it. It is empty
// of an operator that had one.
func whoWrote(t *timeline.Timeline) string {
	if v := oneLeader(t); v.Outcome != spec.NotApplicable {
		return "who wrote: " + v.Message
	}
	return ""
}
