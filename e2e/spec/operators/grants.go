package operators

import (
	"cmp"
	"fmt"
	"slices"
)

// Grant is one rule of RBAC that a service account holds through a binding.
type Grant struct {
	ServiceAccount string   // namespace/name; namespace/* or */* for a group of them
	Role           string   // Role namespace/name, or ClusterRole name
	Namespace      string   // in which it holds; empty: in all
	Groups         []string // of the API; "" is the core group
	Resources      []string // with subresource: pods/log
	Names          []string // of the only objects; empty: any
	Verbs          []string
	URLs           []string // that are no resources
}

// Grants lists what the style's service accounts are allowed by its manifests, in
// an order of their own. Of roles that are bound but not among them nothing is
// known; Facts names these.
func (s Style) Grants() ([]Grant, error) {
	objs, err := s.Objects()
	if err != nil {
		return nil, err
	}
	roles, bindings, err := readRoles(objs)
	if err != nil {
		return nil, fmt.Errorf("grants of operator %s: %w", s.Name, err)
	}
	var grants []Grant
	for _, b := range bindings {
		rules, _ := roles.rules(b)
		for _, account := range b.accounts {
			for _, rule := range rules {
				g := Grant{
					ServiceAccount: account, Role: b.role,
					Groups: rule.APIGroups, Resources: rule.Resources, Names: rule.ResourceNames, Verbs: rule.Verbs,
				}
				if b.scope == everywhere {
					g.URLs = rule.NonResourceURLs // which are in no namespace
				} else {
					g.Namespace = b.scope
				}
				grants = append(grants, g)
			}
		}
	}
	slices.SortStableFunc(grants, func(a, b Grant) int {
		return cmp.Or(cmp.Compare(a.ServiceAccount, b.ServiceAccount), cmp.Compare(a.Role, b.Role), cmp.Compare(a.Namespace, b.Namespace))
	})
	return grants, nil
}

// UnknownRoles lists the roles that the style's service accounts are bound to and
// that are not among its manifests: what they allow is not known.
func (s Style) UnknownRoles() ([]string, error) {
	objs, err := s.Objects()
	if err != nil {
		return nil, err
	}
	p, err := permissions(objs)
	return p.Unknown, err
}

// Writes tells whether the grant lets its account write objects of a resource of
// an API group.
func (g Grant) Writes(group, resource string) bool {
	return g.covers(group, resource, "create", "update", "patch", "delete", "deletecollection")
}

// Reads tells whether the grant lets its account read objects of a resource of
// an API group.
func (g Grant) Reads(group, resource string) bool {
	return g.covers(group, resource, "get", "list", "watch")
}

func (g Grant) covers(group, resource string, verbs ...string) bool {
	has := func(list []string, wanted ...string) bool {
		return slices.ContainsFunc(append(wanted, "*"), func(w string) bool { return slices.Contains(list, w) })
	}
	return has(g.Groups, group) && has(g.Resources, resource) && has(g.Verbs, verbs...)
}
