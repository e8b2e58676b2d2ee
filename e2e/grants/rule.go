package grants

import (
	"slices"
	"strings"

	"operatorbench/e2e/spec"
)

// What a rule of RBAC allows is decided as the API server's authorizer does:
// https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources

// holds tells whether a grant is an account's; a binding to a group of accounts
// is recorded as */* or namespace/*.
func holds(g spec.Grant, account string) bool {
	namespace, _, _ := strings.Cut(account, "/")
	return g.ServiceAccount == account || g.ServiceAccount == namespace+"/*" || g.ServiceAccount == "*/*"
}

// allows tells whether the right allows the call, or a part of it: a server-side
// apply that makes an object needs both patch and create.
func (r *Right) allows(c call) bool {
	return r.URL == "" &&
		holds(spec.Grant{ServiceAccount: r.ServiceAccount}, c.account) &&
		(r.Namespace == "" || r.Namespace == c.namespace) &&
		(r.Verb == "*" || r.Verb == c.verb || r.Verb == "create" && c.created) &&
		(r.Group == "*" || r.Group == c.group) &&
		covers(r.Resource, c.resource) &&
		(r.Name == "" || r.Name == c.name && !unnamed(c.verb))
}

// covers tells whether a rule's resource is that of a call: it may be *, for all
// with their subresources, or */status, for that subresource of all.
func covers(rule, resource string) bool {
	if rule == "*" || rule == resource {
		return true
	}
	sub, isAny := strings.CutPrefix(rule, "*/")
	_, of, isSub := strings.Cut(resource, "/")
	return isAny && isSub && sub == of
}

// unnamed tells whether a request of the verb names no object when it is
// authorized, so that a rule with names never allows it. A list or a watch does
// if it selects one by its name.
func unnamed(verb string) bool { return verb == "create" || verb == "deletecollection" }

// wild tells whether the right leaves open what exactly it allows.
func (r *Right) wild() bool {
	return strings.Contains(r.ServiceAccount+r.Verb+r.Group+r.Resource, "*")
}

// expand lists the rights that a grant is made of.
func expand(g spec.Grant) []Right {
	names := g.Names
	if len(names) == 0 {
		names = []string{""}
	}
	var rights []Right
	for _, verb := range g.Verbs {
		r := Right{ServiceAccount: g.ServiceAccount, Role: g.Role, Namespace: g.Namespace, Verb: verb}
		for _, group := range g.Groups {
			for _, resource := range g.Resources {
				for _, name := range names {
					r.Group, r.Resource, r.Name = group, resource, name
					rights = append(rights, r)
				}
			}
		}
		for _, url := range g.URLs {
			rights = append(rights, Right{ServiceAccount: g.ServiceAccount, Role: g.Role, Namespace: g.Namespace, Verb: verb, URL: url})
		}
	}
	return rights
}

// readsSecrets tells whether the right lets somebody read secrets.
func (r *Right) readsSecrets() bool {
	return r.URL == "" && (r.Group == "" || r.Group == "*") && covers(r.Resource, "secrets") && (r.Verb == "*" || reads(r.Verb))
}

func (c call) readsSecrets() bool { return c.group == "" && c.resource == "secrets" && reads(c.verb) }

func reads(verb string) bool { return slices.Contains([]string{"get", "list", "watch"}, verb) }
