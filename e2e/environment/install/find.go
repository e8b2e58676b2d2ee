package install

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// telling are the resources that say what a style runs, and what it may do.
func telling() []schema.GroupVersionResource {
	of := func(group string, names ...string) []schema.GroupVersionResource {
		return plain.Map(names, schema.GroupVersion{Group: group, Version: "v1"}.WithResource)
	}
	return slices.Concat(of("", "namespaces", "serviceaccounts"), of("apps", "deployments", "statefulsets", "daemonsets"),
		of("rbac.authorization.k8s.io", "roles", "rolebindings", "clusterroles", "clusterrolebindings"))
}

// Find returns what there is of an installed style in the cluster: what carries the labels of its run and its own; of
// workloads, accounts, roles and bindings also what is in a namespace among these, what one of these owns, and so on,
// and the cluster's bindings of accounts in these namespaces alone; and the roles that are bound, whoever made them.
func Find(ctx context.Context, c Cluster, style string) ([]*unstructured.Unstructured, error) {
	found, err := c.Kube.Made(ctx, c.Run)
	if err != nil {
		return nil, fmt.Errorf("find what %s has installed: %w", style, err)
	}
	found = slices.DeleteFunc(found, func(obj *unstructured.Unstructured) bool { return obj.GetLabels()[kube.LabelStyle] != style })
	known, own := map[types.UID]bool{}, map[string]bool{}
	for _, obj := range found {
		known[obj.GetUID()] = true
		if kube.IsNamespace(obj) {
			own[obj.GetName()] = true
		}
	}
	var others []*unstructured.Unstructured
	for _, resource := range telling() {
		list, err := c.Kube.Dynamic.Resource(resource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("find what %s has installed: list the %s: %w", style, resource.Resource, err)
		}
		for i := range list.Items {
			if !known[list.Items[i].GetUID()] {
				others = append(others, &list.Items[i])
			}
		}
	}
	for grown := true; grown; {
		grown = false
		others = slices.DeleteFunc(others, func(obj *unstructured.Unstructured) bool {
			if !own[obj.GetNamespace()] && !binds(obj, own) && !slices.ContainsFunc(obj.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return known[r.UID] }) {
				return false
			}
			found, grown, known[obj.GetUID()] = append(found, obj), true, true
			return true
		})
	}
	return c.withRoles(ctx, found)
}

// binds reports whether an object is a binding for the whole cluster, of service accounts in some namespaces alone.
func binds(obj *unstructured.Unstructured, namespaces map[string]bool) bool {
	if obj.GetKind() != "ClusterRoleBinding" {
		return false
	}
	subjects, _, err := unstructured.NestedSlice(obj.Object, "subjects")
	return err == nil && len(subjects) > 0 && !slices.ContainsFunc(subjects, func(each any) bool {
		subject, _ := each.(map[string]any)
		namespace, _ := subject["namespace"].(string)
		return subject["kind"] != "ServiceAccount" || !namespaces[namespace]
	})
}

// withRoles adds the cluster roles that bindings among objects name and that are not among them.
func (c Cluster) withRoles(ctx context.Context, objs []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	held, err := RightsOf(objs)
	if err != nil {
		return nil, err
	}
	clusterRoles := c.Kube.Dynamic.Resource(schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"})
	for _, role := range held.Unknown {
		var name string
		if n, _ := fmt.Sscanf(role, "ClusterRole %s", &name); n != 1 {
			continue // a Role of another namespace's, which nobody has
		}
		live, err := clusterRoles.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the role %s that is bound: %w", name, err)
		}
		live = live.DeepCopy()
		unstructured.RemoveNestedField(live.Object, "aggregationRule") // its rules are there
		objs = append(objs, live)
	}
	return objs, nil
}

// InstalledOf says what objects tell of a style: of those that are rendered beforehand, and of those that Find returns.
func InstalledOf(objs []*unstructured.Unstructured) (spec.Installed, error) {
	held, err := RightsOf(objs)
	if err != nil {
		return spec.Installed{}, err
	}
	return spec.Installed{Namespaces: kube.Plan(objs).Namespaces, Grants: held.Grants}, nil
}

// Unmade lists the components for whose pods no workload is among objects.
func Unmade(components []spec.Component, objs []*unstructured.Unstructured) ([]string, error) {
	var unmade []string
	for _, component := range components {
		selector, err := labels.Parse(component.Selector)
		if err != nil {
			return nil, fmt.Errorf("component %s: %w", component.Name, err)
		}
		if !slices.ContainsFunc(objs, func(obj *unstructured.Unstructured) bool {
			pod, found, _ := unstructured.NestedStringMap(obj.Object, "spec", "template", "metadata", "labels")
			return found && obj.GetNamespace() == component.Namespace && selector.Matches(labels.Set(pod))
		}) {
			unmade = append(unmade, component.Name)
		}
	}
	return unmade, nil
}
