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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/spec"
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
	bound, err := install.RightsOf(objs)
	if err != nil {
		return nil, err
	}
	var have []right
	for _, g := range bound.Grants {
		if !slices.ContainsFunc(roles, func(r role) bool { return r.grants(g) }) {
			continue
		}
		for _, asked := range what.through(g, cr) {
			allowed, _, err := i.allowed(ctx, asked)
			if err != nil {
				return nil, err
			}
			if allowed {
				have = append(have, asked)
			}
		}
	}
	if len(have) == 0 {
		return nil, fmt.Errorf("no service account that style %s binds to its roles may %s", i.Style.Name, what)
	}
	return have, nil
}

// grants reports whether a grant to one service account is through the role.
func (r role) grants(g spec.Grant) bool {
	if strings.HasSuffix(g.ServiceAccount, "/*") {
		return false
	}
	if r.namespace == "" {
		return g.Role == "ClusterRole "+r.name
	}
	return g.Role == "Role "+r.namespace+"/"+r.name
}

// through returns the rights of the kind that a grant gives, in its namespace or the custom resource's.
func (t taken) through(g spec.Grant, cr Target) []right {
	if !t.in(rbacv1.PolicyRule{APIGroups: g.Groups, Resources: g.Resources, Verbs: g.Verbs}) {
		return nil
	}
	namespace, name, _ := strings.Cut(g.ServiceAccount, "/")
	one := right{
		user:   serviceaccount.MakeUsername(namespace, name),
		groups: append(serviceaccount.MakeGroupNames(namespace), user.AllAuthenticated),
		what:   t.of, namespace: cmp.Or(g.Namespace, cr.Namespace),
	}
	names := g.Names
	if len(names) == 0 {
		names = []string{""}
	}
	var all []right
	for _, one.verb = range t.verbs {
		for _, one.name = range names {
			if covers(g.Verbs, one.verb) {
				all = append(all, one)
			}
		}
	}
	return all
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
