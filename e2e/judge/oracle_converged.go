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
	lacks := t.sizeLacks(t.subjects[0], size)
	if lacks != "" {
		return fail(evidence(), "expected %d ready replicas%s; %s (%s) %s", size, t.within(), t.ending(), t.since(t.EndedAt), lacks)
	}
	at, reached := t.reached(PhaseReady)
	if reached && t.Sample.Timeout > 0 && at-t.acts.intent > t.Sample.Timeout {
		return fail(evidence(), "expected %d ready replicas%s; seen at %s", size, t.within(), t.since(at))
	}
	if !reached {
		return pass("Deployment %s had %d ready replicas all along", child.Name, size)
	}
	return pass("Deployment %s had %d ready replicas at %s", child.Name, size, t.since(at))
}

// within says how long an end state was waited for; "" in the correctness
// matrix, where each step has a wait of its own, and patience ends many earlier.
func (t *Timeline) within() string {
	if t.Sample.Matrix {
		return ""
	}
	return " within " + round(t.Sample.Timeout).String()
}

// ending names what ended the sample.
func (t *Timeline) ending() string {
	switch {
	case t.End.Outcome != record.TimedOut:
		return "when the sample ended"
	case t.Sample.Matrix:
		return "when it was given up"
	}
	return "when the timeout came"
}
