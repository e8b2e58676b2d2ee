package judge

import (
	"slices"
	"strings"
)

// status is oracle 7, for styles that declare to write the status:
// status.nodes names exactly the pods that run, and status.observedGeneration
// is the custom resource's generation.
func status(t *Timeline) Verdict {
	switch {
	case !t.Style.Status:
		return notApplicable("the style %s declares that it writes no status", t.Style.Name)
	case t.Sample.Size == nil:
		return notApplicable("the custom resource is to be gone")
	}
	evidence := func() []string { return t.evidence(of(CustomResources, Pods)) }
	custom := t.custom()
	if custom == nil {
		return fail(evidence(), "expected the status of %s; the custom resource was not there at %s", t.Sample.Name, t.since(t.EndedAt))
	}
	if want := max(t.acts.want, custom.Generation); custom.ObservedGeneration != want {
		return fail(evidence(), "expected status.observedGeneration %d; seen %d at %s", want, custom.ObservedGeneration, t.since(t.EndedAt))
	}
	var running []string
	for _, p := range t.childPods() {
		if p.Phase == "Running" && !p.Deleting {
			running = append(running, p.Name)
		}
	}
	nodes := slices.Sorted(slices.Values(custom.Nodes))
	slices.Sort(running)
	if !slices.Equal(nodes, running) {
		return fail(evidence(), "expected status.nodes to name the running pods [%s]; seen [%s] at %s",
			strings.Join(running, " "), strings.Join(nodes, " "), t.since(t.EndedAt))
	}
	return pass("status.nodes names the %s that run, of generation %d", plural(len(nodes), "pod"), custom.ObservedGeneration)
}
