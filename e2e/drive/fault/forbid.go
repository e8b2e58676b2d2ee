package fault

import (
	"context"
	"errors"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"
)

// taking returns what takes some verbs of a resource from the style's roles, and returns when its service accounts do
// not have them any more.
func taking(what string, verbs ...string) func(*Injector, context.Context, string, Target) (Broken, error) {
	return func(i *Injector, ctx context.Context, resource string, cr Target) (Broken, error) {
		broken, err := i.take(ctx, resource, verbs, cr)
		if err != nil {
			return broken, fmt.Errorf("forbid %s %s: %w", what, resource, err)
		}
		return broken, nil
	}
}

// take takes some verbs of a resource from the style's roles.
func (i *Injector) take(ctx context.Context, resource string, verbs []string, cr Target) (Broken, error) {
	what := taken{schema.ParseGroupResource(resource), verbs}
	installed, err := i.Installed(ctx)
	if err != nil {
		return Broken{}, err
	}
	roles, err := i.roles(ctx, installed, what)
	if err != nil {
		return Broken{}, err
	}
	rights, err := i.held(ctx, installed, roles, what, cr)
	if err != nil {
		return Broken{}, err
	}
	everything, err := i.served()
	if err != nil {
		return Broken{}, err
	}
	var changed []role
	broken := Broken{Undo: func(ctx context.Context) error { return i.allow(ctx, changed, rights) }}
	for _, r := range roles {
		changed = append(changed, r)
		if err := i.setRules(ctx, r, withhold(r.rules, what, everything)); err != nil {
			return broken, fmt.Errorf("change the rules of %s: %w", r, err)
		}
		broken.Objects = append(broken.Objects, r.String())
	}
	return broken, i.awaitRights(ctx, rights, false)
}

// allow restores the rules that the roles had, and returns when they are in force.
func (i *Injector) allow(ctx context.Context, roles []role, rights []right) error {
	var problems []error
	uninstalled := false
	for _, r := range roles {
		err := i.setRules(ctx, r, r.rules)
		if apierrors.IsNotFound(err) {
			uninstalled = true // it has no rules to lack
		} else if err != nil {
			problems = append(problems, fmt.Errorf("%s still lacks rules: restore them: %w; by hand: apply the manifests of style %s again (%s)", r, err, i.Style.Name, i.Folder))
		}
	}
	if len(problems) > 0 || uninstalled {
		return errors.Join(problems...)
	}
	return i.awaitRights(ctx, rights, true)
}

// role is a Role, or a ClusterRole where it has no namespace, with the rules that it had.
type role struct {
	namespace, name string
	rules           []rbacv1.PolicyRule
}

func (r role) String() string {
	if r.namespace == "" {
		return "clusterroles/" + r.name
	}
	return "roles/" + r.namespace + "/" + r.name
}

// roles reads those of the style's roles, as they are now, that cover what is taken.
func (i *Injector) roles(ctx context.Context, objs []*unstructured.Unstructured, what taken) ([]role, error) {
	var found []role
	for _, obj := range objs {
		if obj.GroupVersionKind().Group != rbacv1.GroupName || obj.GetKind() != "Role" && obj.GetKind() != "ClusterRole" {
			continue
		}
		r := role{namespace: obj.GetNamespace(), name: obj.GetName()}
		live, rules, err := i.rules(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", r, err)
		}
		if !slices.ContainsFunc(rules, what.in) {
			continue
		}
		if clusterRole, is := live.(*rbacv1.ClusterRole); is && clusterRole.AggregationRule != nil {
			return nil, fmt.Errorf("%s is aggregated from others: a controller would write its rules again", r)
		}
		if err := i.mine(ctx, live, obj.GetKind()); err != nil {
			return nil, err
		}
		r.rules = rules
		found = append(found, r)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("none of the roles of style %s lets it %s", i.Style.Name, what)
	}
	return found, nil
}

func (i *Injector) rules(ctx context.Context, r role) (metav1.Object, []rbacv1.PolicyRule, error) {
	if r.namespace == "" {
		live, err := i.Kube.RbacV1().ClusterRoles().Get(ctx, r.name, metav1.GetOptions{})
		if err != nil {
			return nil, nil, err
		}
		return live, live.Rules, nil
	}
	live, err := i.Kube.RbacV1().Roles(r.namespace).Get(ctx, r.name, metav1.GetOptions{})
	if err != nil {
		return nil, nil, err
	}
	return live, live.Rules, nil
}

// setRules writes the rules of a role, whatever they are.
func (i *Injector) setRules(ctx context.Context, r role, rules []rbacv1.PolicyRule) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, _, err := i.rules(ctx, r)
		switch live := live.(type) {
		case *rbacv1.ClusterRole:
			live.Rules = rules
			_, err = i.Kube.RbacV1().ClusterRoles().Update(ctx, live, metav1.UpdateOptions{})
		case *rbacv1.Role:
			live.Rules = rules
			_, err = i.Kube.RbacV1().Roles(r.namespace).Update(ctx, live, metav1.UpdateOptions{})
		}
		return err
	})
}
