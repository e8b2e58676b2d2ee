package fault

import (
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// served is what a cluster serves: resources, with their subresources, by group.
// RBAC knows no exceptions, so a wildcard less one thing is a list of all others.
type served map[string][]string

// taken are verbs of a resource.
type taken struct {
	of    schema.GroupResource
	verbs []string
}

func (t taken) String() string { return strings.Join(t.verbs, ", ") + " " + t.of.String() }

// in reports whether a rule allows any of it.
func (t taken) in(rule rbacv1.PolicyRule) bool {
	return covers(rule.APIGroups, t.of.Group) && covers(rule.Resources, t.of.Resource) &&
		slices.ContainsFunc(t.verbs, func(verb string) bool { return covers(rule.Verbs, verb) })
}

// withhold takes verbs of a resource from rules. What they allow otherwise stays: a rule that covers more is split.
func withhold(rules []rbacv1.PolicyRule, what taken, all served) []rbacv1.PolicyRule {
	var kept []rbacv1.PolicyRule
	for _, rule := range rules {
		if what.in(rule) {
			kept = append(kept, without(rule, what, all)...)
		} else {
			kept = append(kept, rule)
		}
	}
	return kept
}

// covers reports whether a list of RBAC has a name. A resource's name is never that
// of a subresource, so that "*/scale" cannot cover it.
func covers(list []string, name string) bool {
	return slices.Contains(list, rbacv1.APIGroupAll) || slices.Contains(list, name)
}

// without splits a rule that covers what is taken into what it allows
// besides: in other groups, for other resources of this group, and other verbs.
func without(rule rbacv1.PolicyRule, what taken, all served) []rbacv1.PolicyRule {
	var parts []rbacv1.PolicyRule
	part := func(groups, resources, verbs []string) {
		if len(groups) == 0 || len(resources) == 0 || len(verbs) == 0 {
			return
		}
		parts = append(parts, rbacv1.PolicyRule{APIGroups: groups, Resources: resources, Verbs: verbs, ResourceNames: rule.ResourceNames})
	}
	part(except(rule.APIGroups, slices.Sorted(maps.Keys(all)), what.of.Group), rule.Resources, rule.Verbs)
	part([]string{what.of.Group}, except(rule.Resources, all[what.of.Group], what.of.Resource), rule.Verbs)
	part([]string{what.of.Group}, []string{what.of.Resource}, except(rule.Verbs, slices.Concat(spec.ReadVerbs(), spec.WriteVerbs()), what.verbs...))
	return parts
}

// except returns a list less some names; a wildcard is spelled out first.
func except(list, wildcard []string, names ...string) []string {
	if slices.Contains(list, rbacv1.APIGroupAll) {
		list = slices.Concat(list, wildcard)
	}
	return slices.DeleteFunc(plain.Once(nil, list...), func(name string) bool {
		return name == rbacv1.APIGroupAll || slices.Contains(names, name)
	})
}
