package judge

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/record"
	"operatorbench/e2e/timeline"
)

var ownedOracle = Named{Name: "owned", Needs: onCustoms, Judge: owned}

// owned judges the owner references of a style that declares them: at the end everything in the namespace of a custom
// resource that has no other owner is owned by it, as controller-runtime's SetControllerReference writes it.
func owned(t *timeline.Timeline) Verdict {
	switch {
	case !t.Style.Declares.OwnerReferences.Supported:
		return notApplicable("the style %s declares no owner references", t.Style.Name)
	case t.LastInventory() == nil:
		return notApplicable("no inventory was made at the sample's end")
	}
	var wrong, evidence []string
	seen := 0
	for i := range t.LastInventory().Objects {
		o := &t.LastInventory().Objects[i]
		if o.Deleting || !hasCustom(t, o.Namespace) {
			continue
		}
		seen++
		if why := ownedWrongly(t, o); why != "" {
			wrong, evidence = append(wrong, fmt.Sprintf("%s: %s", timeline.Title(o.Resource, o.Name), why)), append(evidence, itemLine(t, o))
		}
	}
	switch {
	case len(wrong) > 0:
		return fail(evidence, "expected owner references to the custom resource, with its uid, controller and blockOwnerDeletion, on all that was made for it; at %s %s%s",
			t.Since(t.LastInventory().At), strings.Join(wrong, "; "), unlisted(t))
	case seen == 0:
		return notApplicable("nothing was there at the end for a custom resource")
	}
	return pass("each of %s was owned at %s%s", plain.Plural(seen, "object"), t.Since(t.LastInventory().At), unlisted(t))
}

// hasCustom reports whether a custom resource is in a namespace.
func hasCustom(t *timeline.Timeline, namespace string) bool {
	return slices.ContainsFunc(t.Subjects, func(s *timeline.Subject) bool { return s.Namespace == namespace && t.CustomOf(s) != nil })
}

// ownedWrongly says what is wrong with an object's owner references; "": nothing.
func ownedWrongly(t *timeline.Timeline, o *record.Item) string {
	why := ""
	for _, r := range o.Owners {
		group, _, _ := strings.Cut(r.APIVersion, "/")
		s := ownerNamed(t, o.Namespace, r)
		there := slices.ContainsFunc(t.LastInventory().Objects, func(o record.Item) bool { return o.UID == r.UID })
		if s == nil && (there || r.Kind != t.Spec.Resource.Kind && group != t.Spec.Resource.Group) {
			continue // another's, which may in turn be the custom resource's
		}
		wrong := referenceWrong(t, s, r)
		if wrong == "" {
			return ""
		}
		why = wrong
	}
	if why == "" && len(o.Owners) == 0 && !timeline.OfTheCluster(o) && !t.Claimed(o) {
		return "it has no owner reference: nothing removes it with the custom resource"
	}
	return why
}

// ownerNamed is the custom resource that a reference is meant for; nil: none.
func ownerNamed(t *timeline.Timeline, namespace string, r record.Owner) *timeline.Subject {
	s, _ := plain.Find(t.Subjects, func(s *timeline.Subject) bool {
		return s.Namespace == namespace && (slices.Contains(s.UIDs, r.UID) || r.Kind == t.Spec.Resource.Kind && s.Name == r.Name)
	})
	return s
}

// referenceWrong says which field is wrong, and what Kubernetes makes of it.
func referenceWrong(t *timeline.Timeline, s *timeline.Subject, r record.Owner) string {
	if s == nil {
		return fmt.Sprintf("its owner %s %s (%s) is not there: the garbage collector deletes it", r.Kind, r.Name, r.APIVersion)
	}
	custom, is := t.CustomOf(s), t.Spec.Resource
	switch {
	case r.APIVersion != is.APIVersion() || r.Kind != is.Kind:
		return fmt.Sprintf("the reference names %s %s, wanted %s %s: the garbage collector finds no such owner", r.APIVersion, r.Kind, is.APIVersion(), is.Kind)
	case r.Name != s.Name:
		return fmt.Sprintf("the reference names %s, wanted %s: the garbage collector finds no such owner", r.Name, s.Name)
	case custom == nil || r.UID != custom.UID:
		return fmt.Sprintf("the uid of the reference is %s, which is not that of the custom resource: the garbage collector deletes it", r.UID)
	case !r.Controller:
		return "controller is not true: another controller may adopt it, and who watches by controller does not hear of it"
	case !r.BlockOwnerDeletion:
		return "blockOwnerDeletion is not true: a deletion of the custom resource in the foreground does not wait for it"
	}
	return ""
}
