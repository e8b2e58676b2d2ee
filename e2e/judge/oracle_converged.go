package judge

import "operatorbench/e2e/record"

// converged is oracle 1: the custom resource's Deployment asks for the wanted
// replicas, and exactly these are ready, within the timeout. What is judged is
// the end state: to have been right once is not enough.
func converged(t *Timeline) Verdict {
	if t.Sample.Size == nil {
		return notApplicable("the custom resource is to be gone")
	}
	size, child := *t.Sample.Size, t.child()
	evidence := func() []string { return t.evidence(of(Deployments)) }
	lacks := "there is no " + t.childTitle()
	if child != nil {
		lacks = child.lacks(size)
	}
	if lacks != "" {
		ending := "when the sample ended"
		if t.End.Outcome == record.TimedOut {
			ending = "when the timeout came"
		}
		return fail(evidence(), "expected %d ready replicas within %s; %s (%s) %s",
			size, round(t.Sample.Timeout), ending, t.since(t.EndedAt), lacks)
	}
	at, reached := t.reached(PhaseReady)
	if reached && t.Sample.Timeout > 0 && at-t.acts.intent > t.Sample.Timeout {
		return fail(evidence(), "expected %d ready replicas within %s; seen at %s", size, round(t.Sample.Timeout), t.since(at))
	}
	if !reached {
		return pass("Deployment %s had %d ready replicas all along", child.Name, size)
	}
	return pass("Deployment %s had %d ready replicas at %s", child.Name, size, t.since(at))
}
