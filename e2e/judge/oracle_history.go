package judge

import "fmt"

// writeHistory is oracle 4: the child is created once at most, and scaling
// never deletes it. What is counted is what the watch shows: creations that
// the API server refused are not seen.
func writeHistory(t *Timeline) Verdict {
	var created, changed, deleted int
	var recreated bool
	for _, w := range t.writes() {
		switch {
		case w.event.Watch.Resource != Deployments:
		case w.deleted:
			deleted++
		case w.created:
			recreated = recreated || deleted > 0
			created++
		default:
			changed++
		}
	}
	counts := fmt.Sprintf("%s, %s, %s of the Deployment", plural(created, "creation"), plural(changed, "change"), plural(deleted, "deletion"))
	evidence := func() []string { return t.evidence(of(Deployments)) }
	switch {
	case t.Sample.Size == nil && created > 0:
		return fail(evidence(), "expected no creation after the custom resource's deletion; seen %s by %s", counts, t.since(t.EndedAt))
	case t.Sample.Size == nil:
		return pass("%s", counts)
	case recreated && !t.recreates():
		return fail(evidence(), "expected the Deployment to be changed in place; it was deleted and created again: %s by %s", counts, t.since(t.EndedAt))
	case deleted > 0 && !t.recreates():
		return fail(evidence(), "expected no deletion of the Deployment; seen %s by %s", counts, t.since(t.EndedAt))
	case created > max(1, len(t.acts.uids)):
		return fail(evidence(), "expected one creation of the Deployment at most; seen %s by %s", counts, t.since(t.EndedAt))
	}
	return pass("%s", counts)
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
