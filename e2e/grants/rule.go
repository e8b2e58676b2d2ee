package grants

import (
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
		spec.Covers(r.Resource, c.resource) &&
		(r.Name == "" || r.Name == c.name && !unnamed(c.verb))
}

// unnamed tells whether a request of the verb names no object when it is
// authorized, so that a rule with names never allows it. A list or a watch does
// if it selects one by its name.
func unnamed(verb string) bool { return verb == "create" || verb == "deletecollection" }

// wild tells whether the right leaves open what exactly it allows.
func (r *Right) wild() bool {
	return strings.Contains(r.ServiceAccount+r.Verb+r.Group+r.Resource, "*")
}

func (c call) readsSecrets() bool {
	return c.group == "" && c.resource == "secrets" && spec.Reads(c.verb)
}
