package fault

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"

	"operatorbench/e2e/spec"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// replaceDefinition lets custom resources be written as the tutorial's definition does, which has an optional size
// without bounds, and returns when the API server takes them so.
func (i *Injector) replaceDefinition(ctx context.Context, _ string, _ Target) (Broken, error) {
	name := i.Workload.GVR().GroupResource().String()
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
	_, knob := i.Workload.ScaleKnob()
	relaxed := false
	for _, version := range lax {
		relaxed = relax(version, spec.Fields(knob.Path)) || relaxed
	}
	if !relaxed {
		return Broken{}, fmt.Errorf("replace the definition %s: no version of it has %s", name, knob.Path)
	}
	taken, _, err := i.takesWrong(ctx)
	if err != nil {
		return Broken{}, fmt.Errorf("replace the definition %s: %w", name, err)
	}
	broken := Broken{
		Objects: []string{"customresourcedefinitions/" + name},
		Undo:    func(ctx context.Context) error { return i.restoreDefinition(ctx, name, strict, taken) },
	}
	if err := i.define(ctx, name, lax); err != nil {
		return broken, fmt.Errorf("replace the definition %s: %w", name, err)
	}
	return broken, i.awaitSize(ctx, true)
}

// restoreDefinition puts the definition back that was there, and returns when the API server takes a size that is too
// small as before. Custom resources that it would refuse by now stay as they are.
func (i *Injector) restoreDefinition(ctx context.Context, name string, strict []any, taken bool) error {
	err := i.define(ctx, name, strict)
	if apierrors.IsNotFound(err) {
		return nil // nobody can write a custom resource any more
	}
	if err != nil {
		byHand := "apply the operator's own definition again"
		if i.Workload.Definition != "" {
			byHand = "kubectl apply --server-side --force-conflicts -f fixtures/workloads/" + i.Workload.Name + "/" + i.Workload.Definition
		}
		return fmt.Errorf("the definition %s still takes sizes that are wrong: restore it: %w; by hand: %s", name, err, byHand)
	}
	return i.awaitSize(ctx, taken)
}

// versions returns a copy of the definition's versions.
func versions(definition *unstructured.Unstructured) ([]any, error) {
	list, found, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	if err == nil && (!found || len(list) == 0) {
		err = fmt.Errorf("it has no versions")
	}
	return list, err
}

// relax makes what a version's schema says of a path as lax as in the tutorial: an optional
// integer. There is no scale subresource, which would forbid one below zero. All
// else stays, so that an operator can write its status. It reports whether the version has the path.
func relax(version any, path []string) bool {
	fields, _ := version.(map[string]any)
	inner := func(in map[string]any, key string) map[string]any {
		value, _ := in[key].(map[string]any)
		return value
	}
	at := inner(inner(fields, "schema"), "openAPIV3Schema")
	var above []map[string]any
	for _, key := range path {
		above = append(above, at)
		at = inner(inner(at, "properties"), key)
	}
	if at == nil {
		return false
	}
	for _, schema := range above {
		delete(schema, "required")
		delete(schema, "x-kubernetes-validations")
	}
	clear(at)
	at["type"] = "integer"
	unstructured.RemoveNestedField(fields, "subresources", "scale")
	return true
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

// awaitSize returns when the API server takes a size that is too small, or refuses it.
func (i *Injector) awaitSize(ctx context.Context, taken bool) error {
	wrong := i.Workload.Smallest() - 1
	what := fmt.Sprintf("the API server to refuse a %s of size %d again", i.Workload.Resource.Kind, wrong)
	if taken {
		what = fmt.Sprintf("the API server to take a %s of size %d", i.Workload.Resource.Kind, wrong)
	}
	return until(ctx, what, func(ctx context.Context) (bool, string, error) {
		takes, answer, err := i.takesWrong(ctx)
		return err == nil && takes == taken, answer, err
	})
}

// takesWrong reports whether the API server takes a size that is too small, and what it answers. It is only tried, in the
// namespace that every cluster has.
func (i *Injector) takesWrong(ctx context.Context) (takes bool, answer string, err error) {
	cr := i.Workload.New(metav1.NamespaceDefault, probe, i.Workload.Smallest()-1)
	_, err = i.Dynamic.Resource(i.Workload.GVR()).Namespace(metav1.NamespaceDefault).Create(ctx, cr, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	switch {
	case err == nil:
		return true, "it takes it", nil
	case apierrors.IsInvalid(err):
		return false, err.Error(), nil
	}
	return false, "", err
}
