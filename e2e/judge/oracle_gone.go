package judge

// gone judges a delete's convergence: the custom resource and its Deployment
// are gone within the timeout, and were not made again.
func gone(t *Timeline) Verdict {
	if t.Sample.Size != nil {
		return notApplicable("the custom resource is to stay")
	}
	evidence := func() []string { return t.evidence(of(CustomResources, Deployments)) }
	if c := t.custom(); c != nil {
		return fail(evidence(), "expected the custom resource to be gone%s; at %s %s", t.within(), t.since(t.EndedAt), t.goneLacks())
	}
	if left := t.children(); len(left) > 0 {
		return fail(evidence(), "expected the Deployment to be gone%s; at %s there was still %s", t.within(), t.since(t.EndedAt), names(left))
	}
	at, reached := t.reached(PhaseChildGone)
	if !reached {
		return pass("there was no Deployment to remove")
	}
	if t.Sample.Timeout > 0 && at-t.acts.intent > t.Sample.Timeout {
		return fail(evidence(), "expected the Deployment to be gone%s; it was at %s", t.within(), t.since(at))
	}
	return pass("the Deployment was gone at %s", t.since(at))
}
