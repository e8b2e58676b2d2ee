package judge

import "fmt"

// garbage is oracle 6: after a delete nothing is left of the custom resource's
// Deployment, its ReplicaSets and their pods. In the correctness matrix, where
// the sample's namespace is its own, nor is any other Deployment, ReplicaSet or
// pod there, but for those of custom resources that are to stay; nor anything else,
// of whatever kind, that was made for one that is gone, wherever it is. The garbage
// collector has had at least the quiescence window for that.
func garbage(t *Timeline) Verdict {
	if t.Sample.Size != nil {
		return notApplicable("the custom resource is to stay")
	}
	left := t.leftovers()
	if left == "" && t.Sample.Matrix {
		left = t.strangers()
	}
	if left != "" {
		return fail(t.evidence(of(Deployments, ReplicaSets, Pods)), "expected no Deployment, ReplicaSet or pod to be left; at %s %s", t.since(t.EndedAt), left)
	}
	s := t.inventory()
	if s == nil {
		return pass("no Deployment, ReplicaSet or pod was left at %s", t.since(t.EndedAt))
	}
	if left := t.uncollected(); len(left) > 0 {
		var evidence []string
		for _, o := range left {
			evidence = append(evidence, t.itemLine(o))
		}
		return fail(evidence, "expected nothing to be left that was made for the custom resource; at %s, %s after the first inventory, there is still %s%s",
			t.since(s.at), round(s.at-t.inventories[0].at), listItems(left), t.unlisted())
	}
	return pass("nothing that was made for the custom resource was left at %s; of %s that the style may write, all objects were looked at%s", t.since(s.at), plural(len(s.Resources), "resource"), t.unlisted())
}

// strangers says what is left in the sample's namespace that is of no custom
// resource which is to stay.
func (t *Timeline) strangers() string {
	stays := map[string]bool{}
	for _, s := range t.subjects {
		for uid, d := range t.world.deployments {
			stays[uid] = stays[uid] || s.size != nil && s.isChild(d)
		}
	}
	for uid, set := range t.world.replicaSets {
		stays[uid] = stays[set.owner]
	}
	for _, left := range []struct {
		kind    string
		objects map[string]*entity
	}{{"Deployment", t.world.deployments}, {"ReplicaSet", t.world.replicaSets}, {"pod", t.world.pods}} {
		found := living(left.objects, func(o *entity) bool {
			return o.Namespace == t.Sample.Namespace && !stays[o.UID] && !stays[o.owner]
		})
		if len(found) > 0 {
			return fmt.Sprintf("there is still %s: %s", plural(len(found), left.kind), names(found))
		}
	}
	return ""
}
