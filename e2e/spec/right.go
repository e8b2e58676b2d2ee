package spec

import (
	"slices"
	"strings"
)

// Right is one verb on one resource (or URL) that a service account has through
// one role. What it allows is decided as the API server's authorizer does:
// https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources
type Right struct {
	ServiceAccount string `json:"serviceAccount"`      // as in Grant
	Role           string `json:"role"`                // as in Grant
	Namespace      string `json:"namespace,omitempty"` // in which it holds; empty: in the whole cluster
	Group          string `json:"group,omitempty"`     // of the API; "" is the core group
	Resource       string `json:"resource,omitempty"`  // with subresource: pods/log; empty: URL is set
	Name           string `json:"name,omitempty"`      // of the only object; empty: any
	Verb           string `json:"verb"`
	URL            string `json:"url,omitempty"` // that is no resource; the audit log has none of them
}

// Rights lists the rights that a grant is made of.
func (g Grant) Rights() []Right {
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

// ClusterWide reports whether the right holds in every namespace, or is on resources that have none.
func (r Right) ClusterWide() bool { return r.Namespace == "" }

// All reports whether the right is one to everything.
func (r Right) All() bool { return r.Verb == "*" && r.Group == "*" && r.Resource == "*" }

// Wild reports whether the right has a wildcard: it then allows what nobody counted.
func (r Right) Wild() bool { return strings.Contains(r.Verb+r.Group+r.Resource, "*") }

// Object is what the right is on, as kubectl takes it.
func (r Right) Object() string {
	switch {
	case r.URL != "":
		return r.URL
	case r.Name != "":
		return Qualified(r.Group, r.Resource) + " " + r.Name
	}
	return Qualified(r.Group, r.Resource)
}

// Qualified is a resource with its group, as kubectl takes it.
func Qualified(group, resource string) string { return strings.TrimSuffix(resource+"."+group, ".") }

// ReadsSecrets reports whether the right lets somebody read secrets.
func (r Right) ReadsSecrets() bool {
	return r.URL == "" && (r.Group == "" || r.Group == "*") && Covers(r.Resource, "secrets") && (r.Verb == "*" || Reads(r.Verb))
}

// Covers reports whether a rule's resource is that of a call: it may be *, for all
// with their subresources, or */status, for that subresource of all.
func Covers(rule, resource string) bool {
	if rule == "*" || rule == resource {
		return true
	}
	sub, isAny := strings.CutPrefix(rule, "*/")
	_, of, isSub := strings.Cut(resource, "/")
	return isAny && isSub && sub == of
}

// Includes reports whether a right allows all that another one does, whoever holds the two.
func (r Right) Includes(other Right) bool {
	is := func(rule, what string) bool { return rule == "*" || rule == what }
	switch {
	case !is(r.Verb, other.Verb), r.Namespace != "" && r.Namespace != other.Namespace, (r.URL == "") != (other.URL == ""):
		return false
	case r.URL != "":
		prefix, all := strings.CutSuffix(r.URL, "*")
		return r.URL == other.URL || all && strings.HasPrefix(other.URL, prefix)
	}
	return is(r.Group, other.Group) && Covers(r.Resource, other.Resource) && (r.Name == "" || r.Name == other.Name)
}

// Reads reports whether a verb reads objects.
func Reads(verb string) bool { return slices.Contains(ReadVerbs(), verb) }

// ReadVerbs are the verbs of RBAC that read objects.
func ReadVerbs() []string { return []string{"get", "list", "watch"} }

// WriteVerbs are those that change objects: all others.
func WriteVerbs() []string {
	return []string{"create", "update", "patch", "delete", "deletecollection"}
}

// Installed is what is known of a style once its manifests are rendered and its folder is read, beside its style.yaml.
type Installed struct {
	// Namespaces are those that the operator itself runs in.
	Namespaces []string `json:"namespaces,omitempty"`
	// Grants are the rights that its service accounts hold.
	Grants []Grant `json:"grants,omitempty"`
	// Secrets are the service accounts that may read secrets for a reason.
	Secrets []SecretReader `json:"secrets,omitempty"`
}

// Grant is one rule of RBAC that a service account holds through a binding.
type Grant struct {
	ServiceAccount string   `json:"serviceAccount"`      // namespace/name; namespace/* or */* for a group of them
	Role           string   `json:"role"`                // Role namespace/name, or ClusterRole name
	Namespace      string   `json:"namespace,omitempty"` // in which it holds; empty: in all
	Groups         []string `json:"groups,omitempty"`    // of the API; "" is the core group
	Resources      []string `json:"resources,omitempty"` // with subresource: pods/log
	Names          []string `json:"names,omitempty"`     // of the only objects; empty: any
	Verbs          []string `json:"verbs"`
	URLs           []string `json:"urls,omitempty"` // that are no resources
}

// SecretReader is a service account that may read secrets, and why.
type SecretReader struct {
	ServiceAccount string `json:"serviceAccount"`      // namespace/name
	Namespace      string `json:"namespace,omitempty"` // empty: in all
	Reason         string `json:"reason"`
}
