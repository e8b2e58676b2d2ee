package judge

import (
	"operatorbench/e2e/spec"
	"operatorbench/e2e/timeline"
)

var goneOracle = Named{Name: "gone", Needs: onWritten, Shows: onWritten, Judge: gone, OfTheEnd: true, Losing: true}

// gone judges a delete's convergence: the custom resource and its main child
// are gone within the timeout, and were not made again.
func gone(t *timeline.Timeline) Verdict {
	if t.Sample.Size != nil {
		return notApplicable("the custom resource is to stay")
	}
	if c := t.Custom(); c != nil {
		return fail(nil, "expected the custom resource to be gone%s; at %s %s", withinTimeout(t), t.Since(t.EndedAt), t.GoneLacks(t.Subjects[0]))
	}
	if left := t.Children(); len(left) > 0 {
		return fail(nil, "expected the %s to be gone%s; at %s there was still %s", t.Child.Kind, withinTimeout(t), t.Since(t.EndedAt), timeline.Names(left))
	}
	if left := t.RemainsLack(t.Subjects[0]); left != "" {
		return fail(nil, "expected nothing of the custom resource to be left%s; at %s: %s", withinTimeout(t), t.Since(t.EndedAt), left)
	}
	at, reached := t.Reached(spec.PhaseChildGone)
	if !reached {
		return pass("there was no %s to remove", t.Child.Kind)
	}
	if t.Sample.Timeout > 0 && at-t.Actions.Intent > t.Sample.Timeout {
		return fail(nil, "expected the %s to be gone%s; it was at %s", t.Child.Kind, withinTimeout(t), t.Since(at))
	}
	return pass("the %s was gone at %s", t.Child.Kind, t.Since(at))
}
