package fault

import (
	"context"
	"fmt"
	"slices"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/restmapper"

	"operatorbench/e2e/environment/kube"
)

// longestChain bounds how many owners are asked: a pod, its ReplicaSet, its
// Deployment, a custom resource, and one that made that.
const longestChain = 5

// mine refuses what this run has neither made itself nor had made by what it made: an object of the style that is
// installed, one that such an object controls or alone owns, directly or not, or one that is within what it made.
func (i *Injector) mine(ctx context.Context, obj metav1.Object, kind string) error {
	described := kind + " " + obj.GetNamespace() + "/" + obj.GetName()
	for range longestChain {
		labelled := &unstructured.Unstructured{}
		labelled.SetLabels(obj.GetLabels())
		if i.Owner.Owns(labelled) {
			return nil
		}
		owner := ownerOf(obj)
		if owner == nil {
			break
		}
		next, err := i.owner(ctx, obj.GetNamespace(), owner)
		if err != nil {
			return fmt.Errorf("find out who made %s: %w", described, err)
		}
		if next == nil {
			break
		}
		obj = next
	}
	within, err := i.within(ctx, obj)
	if err != nil {
		return fmt.Errorf("find out who made %s: %w", described, err)
	}
	if within {
		return nil
	}
	return fmt.Errorf("refusing to touch %s: neither it nor what made it nor its namespace carries the label %s=%s of this run", described, kube.LabelRun, i.Owner.Run)
}

// within says whether an object is in a namespace that this run made, or a cluster
// role that is bound to their service accounts alone, and no older than these namespaces: an
// installer gives what it makes in the cluster no owner, and no label of ours.
func (i *Injector) within(ctx context.Context, obj metav1.Object) (bool, error) {
	list, err := i.Kube.CoreV1().Namespaces().List(ctx, metav1.ListOptions{LabelSelector: labels.SelectorFromSet(i.Owner.Labels()).String()})
	if err != nil {
		return false, fmt.Errorf("list the namespaces of this run: %w", err)
	}
	made := map[string]time.Time{}
	for n := range list.Items {
		made[list.Items[n].Name] = list.Items[n].CreationTimestamp.Time
	}
	if obj.GetNamespace() != "" {
		_, is := made[obj.GetNamespace()]
		return is, nil
	}
	role, is := obj.(*rbacv1.ClusterRole)
	if !is {
		return false, nil
	}
	subjects, err := i.bound(ctx, role.Name)
	if err != nil {
		return false, err
	}
	others := slices.ContainsFunc(subjects, func(s rbacv1.Subject) bool {
		since, is := made[s.Namespace]
		return s.Kind != rbacv1.ServiceAccountKind || !is || role.CreationTimestamp.Time.Before(since)
	})
	return len(subjects) > 0 && !others, nil
}

// bound are all that a cluster role is bound to.
func (i *Injector) bound(ctx context.Context, name string) ([]rbacv1.Subject, error) {
	everywhere, err := i.Kube.RbacV1().ClusterRoleBindings().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the bindings of cluster role %s: %w", name, err)
	}
	inNamespaces, err := i.Kube.RbacV1().RoleBindings("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the bindings of cluster role %s: %w", name, err)
	}
	var subjects []rbacv1.Subject
	add := func(role rbacv1.RoleRef, of []rbacv1.Subject) {
		if role.Kind == "ClusterRole" && role.Name == name {
			subjects = append(subjects, of...)
		}
	}
	for n := range everywhere.Items {
		add(everywhere.Items[n].RoleRef, everywhere.Items[n].Subjects)
	}
	for n := range inNamespaces.Items {
		add(inNamespaces.Items[n].RoleRef, inNamespaces.Items[n].Subjects)
	}
	return subjects, nil
}

// ownerOf is what controls an object, or else its only owner: what an installer
// makes need not be controlled by what it was told. Nil: there is none.
func ownerOf(obj metav1.Object) *metav1.OwnerReference {
	if controller := metav1.GetControllerOf(obj); controller != nil {
		return controller
	}
	if owners := obj.GetOwnerReferences(); len(owners) == 1 {
		return &owners[0]
	}
	return nil
}

// owner returns the object that a reference names; nil: there is none any more.
func (i *Injector) owner(ctx context.Context, namespace string, ref *metav1.OwnerReference) (metav1.Object, error) {
	version, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return nil, err
	}
	mapper, err := i.mapper()
	if err != nil {
		return nil, err
	}
	served, err := mapper.RESTMapping(version.WithKind(ref.Kind).GroupKind(), version.Version)
	if err != nil {
		return nil, err
	}
	if served.Scope.Name() == meta.RESTScopeNameRoot {
		namespace = ""
	}
	found, err := i.Dynamic.Resource(served.Resource).Namespace(namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && found.GetUID() != ref.UID {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

// mapper asks the cluster what serves which kinds.
func (i *Injector) mapper() (meta.RESTMapper, error) {
	groups, err := restmapper.GetAPIGroupResources(i.Kube.Discovery())
	if err != nil {
		return nil, fmt.Errorf("ask the cluster for its resources: %w", err)
	}
	return restmapper.NewDiscoveryRESTMapper(groups), nil
}
