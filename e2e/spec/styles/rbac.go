package styles

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"operatorbench/e2e/bed/kube"
)

// Permissions are what the bindings of a style give to service accounts.
type Permissions struct {
	// Accounts that any binding names, as namespace/name, sorted.
	Accounts []string `json:"accounts"`
	// Rules of the roles that are bound, each role's once for each scope.
	Rules int `json:"rules"`
	// ClusterWide and Namespaced count distinct (API group, resource, verb), or
	// (URL, verb); Namespaced ones for each namespace. A * counts as one.
	ClusterWide int `json:"clusterWide"`
	Namespaced  int `json:"namespaced"`
	// Wildcards are those among them with a *, as "verb resource.group".
	Wildcards []string `json:"wildcards,omitempty"`
	// Secrets says where secrets can be read: "cluster-wide" or a namespace.
	Secrets []string `json:"secrets,omitempty"`
	// Unknown are roles that are bound but not among the style's manifests; what
	// they allow is not counted.
	Unknown []string `json:"unknown,omitempty"`
}

// everywhere is the scope of what a ClusterRoleBinding gives.
const everywhere = "cluster-wide"

// right is one thing that is allowed in a scope: everywhere, or a namespace.
type right struct{ scope, group, resource, verb string }

func (r right) String() string {
	return r.verb + " " + strings.TrimSuffix(r.resource+"."+r.group, ".")
}

// permissions reads roles and bindings among objects.
func permissions(objs []*unstructured.Unstructured) (Permissions, error) {
	roles, bindings, err := readRoles(objs)
	if err != nil {
		return Permissions{}, err
	}
	accounts, unknown, bound := map[string]bool{}, map[string]bool{}, map[string]int{}
	rights := map[right]bool{}
	for _, b := range bindings {
		if len(b.accounts) == 0 {
			continue // people's
		}
		for _, account := range b.accounts {
			accounts[account] = true
		}
		rules, known := roles.rules(b)
		if !known {
			unknown[b.role] = true
		}
		bound[b.scope+" "+b.role] = len(rules)
		for _, rule := range rules {
			addRights(rights, b.scope, rule)
		}
	}
	p := summary(rights)
	for _, rules := range bound {
		p.Rules += rules
	}
	p.Accounts, p.Unknown = slices.Sorted(maps.Keys(accounts)), slices.Sorted(maps.Keys(unknown))
	return p, nil
}

func addRights(rights map[right]bool, scope string, rule rbacv1.PolicyRule) {
	for _, verb := range rule.Verbs {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				rights[right{scope, group, resource, verb}] = true
			}
		}
		for _, url := range rule.NonResourceURLs {
			rights[right{scope, "", url, verb}] = true
		}
	}
}

func summary(rights map[right]bool) Permissions {
	var p Permissions
	wildcards, secrets := map[string]bool{}, map[string]bool{}
	for r := range rights {
		if r.scope == everywhere {
			p.ClusterWide++
		} else {
			p.Namespaced++
		}
		if strings.Contains(r.verb+r.resource+r.group, "*") {
			wildcards[r.String()] = true
		}
		if slices.Contains([]string{"", "*"}, r.group) && slices.Contains([]string{"secrets", "*"}, r.resource) &&
			slices.Contains([]string{"get", "list", "watch", "*"}, r.verb) {
			secrets[r.scope] = true
		}
	}
	p.Wildcards, p.Secrets = slices.Sorted(maps.Keys(wildcards)), slices.Sorted(maps.Keys(secrets))
	return p
}

// binding gives a role to service accounts.
type binding struct {
	scope    string
	role     string // as kube.Describe names it
	accounts []string
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
		case "ClusterRoleBinding":
			var b rbacv1.ClusterRoleBinding
			err = convert(obj, &b)
			bindings = append(bindings, binding{everywhere, b.RoleRef.Kind + " " + b.RoleRef.Name, accountsOf(b.Subjects)})
		case "RoleBinding":
			var b rbacv1.RoleBinding
			err = convert(obj, &b)
			role := b.RoleRef.Kind + " " + b.RoleRef.Name
			if b.RoleRef.Kind == "Role" {
				role = b.RoleRef.Kind + " " + b.Namespace + "/" + b.RoleRef.Name
			}
			bindings = append(bindings, binding{b.Namespace, role, accountsOf(b.Subjects)})
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return all, bindings, nil
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
// ClusterRole that it selects, of which each may be aggregated in turn.
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
