package judge

import (
	"fmt"
	"time"
)

// writeHistory is oracle 4: the child is created once at most, scaling never
// deletes it, and it is not created once the custom resource is deleted. What is counted is what the watch shows: creations that
// the API server refused are not seen.
func writeHistory(t *Timeline) Verdict {
	var created, late, changed, deleted int
	var recreated bool
	deletion := t.lastDeletion()
	for _, w := range t.writes() {
		switch {
		case w.event.Watch.Resource != Deployments:
		case w.deleted:
			deleted++
		case w.created:
			recreated = recreated || deleted > 0
			if created++; w.at > deletion {
				late++
			}
		default:
			changed++
		}
	}
	counts := fmt.Sprintf("%s, %s, %s of the Deployment", plural(created, "creation"), plural(changed, "change"), plural(deleted, "deletion"))
	evidence := func() []string { return t.evidence(of(Deployments)) }
	switch {
	case t.Sample.Size == nil && late > 0:
		return fail(evidence(), "expected no creation after the custom resource's deletion; seen %s by %s", counts, t.since(t.EndedAt))
	case t.Sample.Size == nil:
		return pass("%s", counts)
	case recreated && !t.recreates():
		return fail(evidence(), "expected the Deployment to be changed in place; it was deleted and created again: %s by %s", counts, t.since(t.EndedAt))
	case deleted > 0 && !t.recreates():
		return fail(evidence(), "expected no deletion of the Deployment; seen %s by %s", counts, t.since(t.EndedAt))
	case created > t.mayCreate():
		return fail(evidence(), "expected at most %s of the Deployment; seen %s by %s", plural(t.mayCreate(), "creation"), counts, t.since(t.EndedAt))
	}
	return pass("%s", counts)
}

// mayCreate is how many Deployments there is a need to create: one for each life
// of the custom resource that began in the sample, one for a life that had none
// when the sample began, and one for each that the harness deleted.
func (t *Timeline) mayCreate() int {
	n := len(t.acts.uids)
	if t.given() != nil && t.stateAt(t.Began).hasChildren() {
		n--
	}
	for _, requests := range t.deletions() {
		n += len(requests)
	}
	return n
}

// lastDeletion is the harness's intent of deleting the custom resource, the last
// time; before the sample if it was not in it.
func (t *Timeline) lastDeletion() time.Duration {
	last := t.Began
	for i := range t.Events {
		if e := &t.Events[i]; t.onOwn(e) && e.Action.Verb == "delete" {
			last = e.Action.From
		}
	}
	return last
}

// recreates tells whether the sample itself deletes the custom resource before
// it wants it again: then the child may go with it.
func (t *Timeline) recreates() bool { return len(t.acts.uids) > 1 }

func plural(n int, word string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", word)
	}
	return fmt.Sprintf("%d %ss", n, word)
}
