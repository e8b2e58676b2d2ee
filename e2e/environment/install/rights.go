package install

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// Rights are what the bindings among objects give to service accounts.
type Rights struct {
	Grants   []spec.Grant // in an order of their own
	Accounts []string     // that any binding names, as namespace/name, sorted
	// Unknown are roles that are bound and not among the objects, but for one that
	// every cluster has: what they allow is not known.
	Unknown []string
}

// May reports whether some account may do one of these verbs to a resource.
func (r Rights) May(of schema.GroupResource, verbs ...string) bool {
	return slices.ContainsFunc(r.Grants, func(g spec.Grant) bool {
		return slices.ContainsFunc(g.Rights(), func(held spec.Right) bool {
			return (held.Verb == "*" || slices.Contains(verbs, held.Verb)) && (held.Group == "*" || held.Group == of.Group) && spec.Covers(held.Resource, of.Resource)
		})
	})
}

// InformerLacks says that of the two verbs that an informer needs on a resource accounts have one alone; empty: both,
// or none.
func (r Rights) InformerLacks(of schema.GroupResource) string {
	has, lacks := "list", "watch"
	if !r.May(of, has) {
		has, lacks = lacks, has
	}
	if !r.May(of, has) || r.May(of, lacks) {
		return ""
	}
	return fmt.Sprintf("the operator may %s %s, and no role lets it %s them: an informer needs both", has, of, lacks)
}

// Confined says that accounts may watch a resource in namespaces of the manifests alone; empty: anywhere, or not at all.
func (r Rights) Confined(of schema.GroupResource) string {
	everywhere := Rights{Grants: plain.Where(r.Grants, func(g spec.Grant) bool { return g.Namespace == "" })}
	if !r.May(of, "watch") || everywhere.May(of, "watch") {
		return ""
	}
	return fmt.Sprintf("the operator may watch %s in its own namespace alone, and a run makes each in a namespace of its own: it needs a ClusterRole, and must watch all namespaces", of.Resource)
}

// RightsOf reads the roles and bindings among objects.
func RightsOf(objs []*unstructured.Unstructured) (Rights, error) {
	var r Rights
	roles, bindings, err := readRoles(objs)
	if err != nil {
		return r, err
	}
	for _, b := range bindings {
		rules, known := roles.rules(b)
		if !known && len(b.accounts) > 0 { // else it is people's
			r.Unknown = append(r.Unknown, b.role)
		}
		for _, account := range b.accounts {
			r.Accounts = append(r.Accounts, account)
			for _, rule := range rules {
				g := spec.Grant{
					ServiceAccount: account, Role: b.role, Namespace: b.namespace,
					Groups: rule.APIGroups, Resources: rule.Resources, Names: rule.ResourceNames, Verbs: rule.Verbs,
				}
				if b.namespace == "" {
					g.URLs = rule.NonResourceURLs // which are in no namespace
				}
				r.Grants = append(r.Grants, g)
			}
		}
	}
	slices.SortStableFunc(r.Grants, func(a, b spec.Grant) int {
		return cmp.Or(cmp.Compare(a.ServiceAccount, b.ServiceAccount), cmp.Compare(a.Role, b.Role), cmp.Compare(a.Namespace, b.Namespace))
	})
	slices.Sort(r.Accounts)
	slices.Sort(r.Unknown)
	r.Accounts, r.Unknown = slices.Compact(r.Accounts), slices.Compact(r.Unknown)
	return r, nil
}

// binding gives a role to service accounts, in a namespace or (empty) everywhere.
type binding struct {
	namespace string
	role      string // as kube.Describe names it
	accounts  []string
}

// roles are roles by what kube.Describe names them.
type roles struct {
	named      map[string][]rbacv1.PolicyRule
	aggregated map[string][]labels.Selector
	labels     map[string]labels.Set // of ClusterRoles
}

func readRoles(objs []*unstructured.Unstructured) (*roles, []binding, error) {
	all := &roles{map[string][]rbacv1.PolicyRule{}, map[string][]labels.Selector{}, map[string]labels.Set{}}
	var bindings []binding
	for _, obj := range objs {
		if obj.GroupVersionKind().Group != rbacv1.GroupName {
			continue
		}
		var err error
		switch obj.GetKind() {
		case "ClusterRole":
			err = all.addClusterRole(obj)
		case "Role":
			var role rbacv1.Role
			err = convert(obj, &role)
			all.named[kube.Describe(obj)] = role.Rules
		case "ClusterRoleBinding", "RoleBinding":
			var b rbacv1.RoleBinding // but for their kind, they are alike
			err = convert(obj, &b)
			bindings = append(bindings, binding{b.Namespace, nameOf(b), accountsOf(b.Subjects)})
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return all, bindings, nil
}

// nameOf is the role of a binding, as kube.Describe names it.
func nameOf(b rbacv1.RoleBinding) string {
	if b.RoleRef.Kind == "Role" {
		return "Role " + b.Namespace + "/" + b.RoleRef.Name
	}
	return b.RoleRef.Kind + " " + b.RoleRef.Name
}

func convert(obj *unstructured.Unstructured, into any) error {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, into); err != nil {
		return fmt.Errorf("read %s: %w", kube.Describe(obj), err)
	}
	return nil
}

func (all *roles) addClusterRole(obj *unstructured.Unstructured) error {
	var role rbacv1.ClusterRole
	if err := convert(obj, &role); err != nil {
		return err
	}
	name := kube.Describe(obj)
	all.named[name], all.labels[name] = role.Rules, role.Labels
	if role.AggregationRule == nil {
		return nil
	}
	all.named[name] = nil // the controller overwrites them
	for i := range role.AggregationRule.ClusterRoleSelectors {
		selector, err := metav1.LabelSelectorAsSelector(&role.AggregationRule.ClusterRoleSelectors[i])
		if err != nil {
			return fmt.Errorf("read %s: aggregationRule: %w", name, err)
		}
		all.aggregated[name] = append(all.aggregated[name], selector)
	}
	return nil
}

// rules returns those of a binding's role. An aggregated role has those of every
// ClusterRole that it selects; each may be aggregated in turn.
func (all *roles) rules(b binding) (rules []rbacv1.PolicyRule, known bool) {
	_, known = all.named[b.role]
	if !known && b.role == "ClusterRole cluster-admin" { // every cluster has it
		return []rbacv1.PolicyRule{
			{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}},
			{NonResourceURLs: []string{"*"}, Verbs: []string{"*"}},
		}, true
	}
	seen := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		rules = append(rules, all.named[name]...)
		for _, selector := range all.aggregated[name] {
			for _, other := range slices.Sorted(maps.Keys(all.labels)) {
				if selector.Matches(all.labels[other]) {
					add(other)
				}
			}
		}
	}
	add(b.role)
	return rules, known
}

// accountsOf names the service accounts among subjects; a group of them too.
func accountsOf(subjects []rbacv1.Subject) []string {
	var accounts []string
	for _, subject := range subjects {
		switch {
		case subject.Kind == rbacv1.ServiceAccountKind:
			accounts = append(accounts, subject.Namespace+"/"+subject.Name)
		case subject.Kind == rbacv1.GroupKind && slices.Contains([]string{"system:serviceaccounts", "system:authenticated"}, subject.Name):
			accounts = append(accounts, "*/*")
		case subject.Kind == rbacv1.GroupKind && strings.HasPrefix(subject.Name, "system:serviceaccounts:"):
			accounts = append(accounts, strings.TrimPrefix(subject.Name, "system:serviceaccounts:")+"/*")
		}
	}
	return accounts
}
