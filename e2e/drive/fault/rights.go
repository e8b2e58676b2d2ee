package fault

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// right is that of a service account to do something to a resource.
type right struct {
	user      string
	groups    []string
	verb      string
	what      schema.GroupResource
	namespace string
	name      string // of one object; empty: of any
}

func (r right) String() string {
	return fmt.Sprintf("%s %s %s in namespace %s", r.user, r.verb, r.what, r.namespace)
}

// held returns the rights of a kind that the style's service accounts
// have through some roles at the moment: what a fault takes, and gives back.
func (i *Injector) held(ctx context.Context, objs []*unstructured.Unstructured, roles []role, what taken, cr Target) ([]right, error) {
	var have []right
	for _, obj := range objs {
		b, is, err := bindingOf(obj, cr)
		if err != nil {
			return nil, err
		}
		for _, r := range roles {
			if !is || !b.of(r) {
				continue
			}
			for _, asked := range b.rights(r, what) {
				allowed, _, err := i.allowed(ctx, asked)
				if err != nil {
					return nil, err
				}
				if allowed {
					have = append(have, asked)
				}
			}
		}
	}
	if len(have) == 0 {
		return nil, fmt.Errorf("no service account that style %s binds to its roles may %s", i.Style.Name, what)
	}
	return have, nil
}

// binding is a RoleBinding, or a ClusterRoleBinding with one namespace that stands for all.
type binding struct {
	own       string // its own namespace; empty: it has none
	namespace string // in which to ask
	role      rbacv1.RoleRef
	subjects  []rbacv1.Subject
}

// bindingOf reads a binding; false: the object is none.
func bindingOf(obj *unstructured.Unstructured, cr Target) (b binding, is bool, err error) {
	if obj.GroupVersionKind().Group != rbacv1.GroupName || !strings.HasSuffix(obj.GetKind(), "RoleBinding") {
		return b, false, nil
	}
	var read rbacv1.RoleBinding // a ClusterRoleBinding has the same fields
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &read); err != nil {
		return b, false, fmt.Errorf("read %s %s: %w", obj.GetKind(), obj.GetName(), err)
	}
	return binding{own: read.Namespace, namespace: cmp.Or(read.Namespace, cr.Namespace), role: read.RoleRef, subjects: read.Subjects}, true, nil
}

// of reports whether the binding is of a role.
func (b binding) of(r role) bool {
	if b.role.Name != r.name {
		return false
	}
	if b.role.Kind == "Role" {
		return r.namespace != "" && r.namespace == b.own
	}
	return r.namespace == ""
}

// rights are those of a kind that the binding gives to service accounts.
func (b binding) rights(r role, what taken) []right {
	var all []right
	for _, subject := range b.subjects {
		if subject.Kind != rbacv1.ServiceAccountKind {
			continue
		}
		namespace := cmp.Or(subject.Namespace, b.own)
		one := right{
			user:   "system:serviceaccount:" + namespace + ":" + subject.Name,
			groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
			what:   what.of, namespace: b.namespace,
		}
		for _, rule := range r.rules {
			if !what.in(rule) {
				continue
			}
			for _, one.verb = range slices.DeleteFunc(slices.Clone(what.verbs), func(verb string) bool { return !covers(rule.Verbs, verb) }) {
				for _, one.name = range namesOf(rule) {
					all = append(all, one)
				}
			}
		}
	}
	return all
}

// namesOf are the objects that a rule is limited to, or any.
func namesOf(rule rbacv1.PolicyRule) []string {
	if len(rule.ResourceNames) == 0 {
		return []string{""}
	}
	return rule.ResourceNames
}

// allowed asks the API server whether a right is held, and why.
func (i *Injector) allowed(ctx context.Context, r right) (allowed bool, reason string, err error) {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: r.user, Groups: r.groups,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: r.namespace, Verb: r.verb, Group: r.what.Group, Version: "*", Resource: r.what.Resource, Name: r.name,
		},
	}}
	answer, err := i.Kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, "", fmt.Errorf("ask whether %s is allowed: %w", r, err)
	}
	return answer.Status.Allowed, answer.Status.Reason, nil
}

// awaitRights returns when all of the rights are held, or none.
func (i *Injector) awaitRights(ctx context.Context, rights []right, held bool) error {
	what := "the API server to allow it to no service account of the style any more"
	if held {
		what = "the API server to allow it to the style's service accounts again"
	}
	return until(ctx, what, func(ctx context.Context) (bool, string, error) {
		for _, r := range rights {
			allowed, reason, err := i.allowed(ctx, r)
			if err != nil {
				return false, "", err
			}
			if allowed != held {
				return false, fmt.Sprintf("%s: allowed %t (%s)", r, allowed, reason), nil
			}
		}
		return true, "", nil
	})
}

// served asks the cluster for all that it serves.
func (i *Injector) served() (served, error) {
	_, lists, err := i.Kube.Discovery().ServerGroupsAndResources()
	if err != nil {
		return nil, fmt.Errorf("ask the cluster for its resources: %w", err)
	}
	all := served{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for n := range list.APIResources {
			if name := list.APIResources[n].Name; !slices.Contains(all[version.Group], name) {
				all[version.Group] = append(all[version.Group], name)
			}
		}
	}
	return all, nil
}
