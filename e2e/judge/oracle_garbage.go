package judge

import (
	"fmt"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
)

var garbageOracle = Named{Name: "garbage", Needs: onChildren, Shows: onChildren, Judge: garbage, OfTheEnd: true}

// garbage is oracle 6: after a delete nothing is left of the custom resource's main child, its ReplicaSets and their
// pods. In the correctness matrix, where the sample's namespace is its own, nor is any other such child, ReplicaSet or
// pod there, but for those of custom resources that are to stay; nor anything else, of whatever kind, that was made for
// one that is gone, wherever it is. The garbage collector has had at least the quiescence window for that.
func garbage(t *timeline.Timeline) Verdict {
	if t.Sample.Size != nil {
		return notApplicable("the custom resource is to stay")
	}
	left := t.Leftovers(t.Subjects[0])
	if left == "" && t.Sample.Matrix {
		left = unowned(t)
	}
	if left != "" {
		return fail(nil, "expected no %s to be left; at %s %s", t.RunsPods(), t.Since(t.EndedAt), left)
	}
	s := t.LastInventory()
	if s == nil {
		return pass("no %s was left at %s", t.RunsPods(), t.Since(t.EndedAt))
	}
	if left := t.Uncollected(); len(left) > 0 {
		evidence := plain.Map(left, func(o *record.Item) string { return itemLine(t, o) })
		return fail(evidence, "expected nothing to be left that was made for the custom resource; at %s, %s after the first inventory, there is still %s%s",
			t.Since(s.At), timeline.Round(s.At-t.Inventories[0].At), timeline.ListItems(left), unlisted(t))
	}
	return pass("nothing that was made for the custom resource was left at %s; of %s that the style may write, all objects were looked at%s", t.Since(s.At), plain.Plural(len(s.Resources), "resource"), unlisted(t))
}

// unowned says what is left in the sample's namespace that is of no custom resource which is to stay.
func unowned(t *timeline.Timeline) string {
	stays := t.Staying()
	for _, left := range []struct {
		kind    string
		objects map[string]*timeline.Entity
	}{{t.Child.Kind, t.World.Mains}, {"ReplicaSet", t.World.ReplicaSets}, {"pod", t.World.Pods}} {
		found := timeline.Living(left.objects, func(o *timeline.Entity) bool {
			return o.Namespace == t.Sample.Namespace && !stays[o.UID] && !stays[o.Owner]
		})
		if len(found) > 0 {
			return fmt.Sprintf("there is still %s: %s", plain.Plural(len(found), left.kind), timeline.Names(found))
		}
	}
	return ""
}
