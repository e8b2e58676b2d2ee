package judge

// garbage is oracle 6: after a delete nothing is left of the custom resource's
// Deployment, its ReplicaSets and their pods.
func garbage(t *Timeline) Verdict {
	if t.Sample.Size != nil {
		return notApplicable("the custom resource is to stay")
	}
	if left := t.leftovers(); left != "" {
		return fail(t.evidence(of(Deployments, ReplicaSets, Pods)), "expected no Deployment, ReplicaSet or pod to be left; at %s %s", t.since(t.EndedAt), left)
	}
	return pass("no Deployment, ReplicaSet or pod was left at %s", t.since(t.EndedAt))
}
