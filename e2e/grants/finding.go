package grants

import (
	"fmt"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// Held says how many rights there are. A wildcard stands for any number of them.
func Held(rights, wildcards int, all bool) string {
	switch {
	case all:
		return "all"
	case wildcards > 0:
		return fmt.Sprintf("%d with * + %d", wildcards, rights-wildcards)
	}
	return fmt.Sprint(rights)
}

// Held says how many rights the style's accounts hold.
func (u Use) Held() string {
	wildcards := plain.Where(u.Rights, func(r Right) bool { return r.Wild() })
	return Held(len(u.Rights), len(wildcards), slices.ContainsFunc(u.Rights, func(r Right) bool { return r.All() }))
}

// find says which rights a style should not hold: wildcards, since each allows
// what it was never used for, and rights to read secrets that were never used and
// for which the style gives no reason. Where that is not known, it finds nothing.
func (u Use) find() []string {
	if !u.Audited {
		return nil
	}
	var found []string
	type right struct{ account, verb, by, used string }
	var wild plain.Groups[right, string] // on what
	for _, r := range u.Rights {
		if !r.Wild() {
			continue
		}
		used := "it was never used"
		if len(r.As) > 0 {
			used = "it was used for " + few(r.As) + " alone"
		}
		if u.Lost > 0 {
			used += ", as far as the audit log goes, which was interrupted"
		}
		wild.Add(right{r.ServiceAccount, r.Verb, r.Role + r.scope(), used}, r.Object())
	}
	for _, r := range wild.Keys {
		found = append(found, fmt.Sprintf("%s may %s %s (%s): %s", r.account, r.verb, strings.Join(wild.Of[r], ", "), r.by, r.used))
	}
	if u.Lost > 0 { // they may have been read meanwhile
		return found
	}
	for _, s := range u.Secrets {
		reason := slices.ContainsFunc(u.Reasons, func(r spec.SecretReader) bool {
			return r.ServiceAccount == s.ServiceAccount && r.Namespace == s.Namespace
		})
		wild := slices.ContainsFunc(u.Rights, func(r Right) bool {
			return r.Wild() && r.ReadsSecrets() && r.ServiceAccount == s.ServiceAccount && r.Role == s.Role && r.Namespace == s.Namespace
		})
		if s.Reads == 0 && !reason && !wild { // of a wildcard it was said
			found = append(found, fmt.Sprintf("%s may %s secrets (%s%s), and never did", s.ServiceAccount, strings.Join(s.Verbs, ", "), s.Role, scope(s.Namespace)))
		}
	}
	return found
}

// few names some of the resources and verbs that calls asked for.
func few(calls []Call) string {
	const most = 4
	parts := plain.Map(calls[:min(len(calls), most)], func(c Call) string { return c.Verb + " " + spec.Qualified(c.Group, c.Resource) })
	if len(calls) > most {
		parts = append(parts, fmt.Sprintf("%d more", len(calls)-most))
	}
	return strings.Join(parts, ", ")
}

// What a rule of RBAC allows is decided as the API server's authorizer does:
// https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources

// holds reports whether a grant is an account's; a binding to a group of accounts is recorded as */* or namespace/*.
func holds(g spec.Grant, account string) bool {
	namespace, _, _ := strings.Cut(account, "/")
	return g.ServiceAccount == account || g.ServiceAccount == namespace+"/*" || g.ServiceAccount == "*/*"
}

// allows reports whether the right allows the call, or a part of it: a server-side
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

// unnamed reports whether a request of the verb names no object when it is authorized, so that a rule with names never
// allows it. A list or a watch does if it selects one by its name.
func unnamed(verb string) bool { return verb == "create" || verb == "deletecollection" }

// wild reports whether the right leaves open what exactly it allows.
func (r *Right) wild() bool {
	return strings.Contains(r.ServiceAccount+r.Verb+r.Group+r.Resource, "*")
}

func (c call) readsSecrets() bool {
	return c.group == "" && c.resource == "secrets" && spec.Reads(c.verb)
}
