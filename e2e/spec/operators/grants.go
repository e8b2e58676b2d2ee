package operators

import (
	"cmp"
	"fmt"
	"slices"
)

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
