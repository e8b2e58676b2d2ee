package fault

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"

	"operatorbench/fixtures/workloads/memcached"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// tutorial is the definition with an optional size without bounds.
const tutorial = "tutorial"

// replaceDefinition lets custom resources be written as the tutorial's definition
// does, and returns when the API server takes them so.
func (i *Injector) replaceDefinition(ctx context.Context, which string, _ Target) (Broken, error) {
	name := memcached.Resource.GroupResource().String()
	if which != tutorial {
		return Broken{}, fmt.Errorf("replace the definition %s: there is no other called %q, only %s", name, which, tutorial)
	}
	live, err := i.Dynamic.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return Broken{}, fmt.Errorf("replace the definition %s: %w", name, err)
	}
	if err := i.mine(ctx, live, live.GetKind()); err != nil {
		return Broken{}, err
	}
	strict, err := versions(live)
	if err != nil {
		return Broken{}, fmt.Errorf("replace the definition %s: %w", name, err)
	}
	lax, err := versions(live)
	if err != nil {
		return Broken{}, err
	}
	for _, version := range lax {
		if err := relax(version); err != nil {
			return Broken{}, fmt.Errorf("replace the definition %s: %w", name, err)
		}
	}
	broken := Broken{
		Objects: []string{"customresourcedefinitions/" + name},
		Undo:    func(ctx context.Context) error { return i.restoreDefinition(ctx, name, strict) },
	}
	if err := i.define(ctx, name, lax); err != nil {
		return broken, fmt.Errorf("replace the definition %s: %w", name, err)
	}
	return broken, i.awaitSize(ctx, true)
}

// restoreDefinition puts the definition back that was there. Custom resources
// that it would refuse by now stay as they are.
func (i *Injector) restoreDefinition(ctx context.Context, name string, strict []any) error {
	err := i.define(ctx, name, strict)
	if apierrors.IsNotFound(err) {
		return nil // nobody can write a custom resource any more
	}
	if err != nil {
		return fmt.Errorf("the definition %s still takes sizes that are wrong: restore it: %w; by hand: kubectl apply --server-side --force-conflicts -f fixtures/workloads/memcached/crd.yaml", name, err)
	}
	return i.awaitSize(ctx, false)
}

// versions returns a copy of the definition's versions.
func versions(definition *unstructured.Unstructured) ([]any, error) {
	list, found, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	if err == nil && (!found || len(list) == 0) {
		err = fmt.Errorf("it has no versions")
	}
	return list, err
}

// relax makes of a version's schema the tutorial's: the size is an optional
// integer. There is no scale subresource, which would forbid one below zero. All
// else stays, so that an operator can write its status.
func relax(version any) error {
	fields, _ := version.(map[string]any)
	unstructured.RemoveNestedField(fields, "subresources", "scale")
	root := []string{"schema", "openAPIV3Schema"}
	unstructured.RemoveNestedField(fields, append(root, "required")...)
	unstructured.RemoveNestedField(fields, append(root, "properties", "spec", "required")...)
	return unstructured.SetNestedMap(fields, map[string]any{"type": "integer"}, append(root, "properties", "spec", "properties", "size")...)
}

// define writes the versions of a definition, whatever they are.
func (i *Injector) define(ctx context.Context, name string, versions []any) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		live, err := i.Dynamic.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if err := unstructured.SetNestedSlice(live.Object, versions, "spec", "versions"); err != nil {
			return err
		}
		_, err = i.Dynamic.Resource(definitions).Update(ctx, live, metav1.UpdateOptions{})
		return err
	})
}

// anyNamespace exists in every cluster, for writes that are only tried.
const anyNamespace = "default"

// awaitSize returns when the API server takes a negative size, or refuses it.
func (i *Injector) awaitSize(ctx context.Context, taken bool) error {
	what := "the API server to refuse a Memcached of size -1 again"
	if taken {
		what = "the API server to take a Memcached of size -1"
	}
	return until(ctx, what, func(ctx context.Context) (bool, string, error) {
		cr := memcached.New(anyNamespace, "operatorbench-probe", -1)
		_, err := i.Dynamic.Resource(memcached.Resource).Namespace(anyNamespace).Create(ctx, cr, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		switch {
		case err == nil:
			return taken, "it takes it", nil
		case apierrors.IsInvalid(err):
			return !taken, err.Error(), nil
		}
		return false, "", err
	})
}
