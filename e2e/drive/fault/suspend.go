package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/spec/workloads"
)

// suspend holds up the newest work object of the custom resource that has not ended.
func (i *Injector) suspend(ctx context.Context, _ string, cr Target) (Broken, error) {
	newest, kind, err := i.newestWork(ctx, cr)
	if err != nil {
		return Broken{}, fmt.Errorf("suspend the work for %s %s/%s: %w", i.Workload.Resource.Kind, cr.Namespace, cr.Name, err)
	}
	path := strings.Split(kind.Suspend, ".")
	before, found, err := unstructured.NestedFieldCopy(newest.Object, path...)
	if err != nil {
		return Broken{}, fmt.Errorf("suspend %s: %w", newest.GetName(), err)
	}
	if !found {
		before = nil // a merge patch removes what is null
	}
	object := workloads.GVR(kind.Resource).Resource + "/" + newest.GetNamespace() + "/" + newest.GetName()
	broken := Broken{Objects: []string{object}, Undo: func(ctx context.Context) error {
		err := i.set(ctx, kind, newest, path, before)
		if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return nil // it was deleted; another may have its name
		}
		if err != nil {
			patch, _ := spec.MergePatch(path, before) // of strings, booleans and null
			return fmt.Errorf("%s is still suspended: set %s to %v: %w; by hand: kubectl -n %s patch %s %s --type=merge -p '%s'",
				object, kind.Suspend, before, err, newest.GetNamespace(), workloads.GVR(kind.Resource).GroupResource(), newest.GetName(), patch)
		}
		return nil
	}}
	if err := i.set(ctx, kind, newest, path, true); err != nil {
		return broken, fmt.Errorf("suspend %s: set %s: %w", object, kind.Suspend, err)
	}
	return broken, nil
}

// set writes a field of a work object, if it is still the same object.
func (i *Injector) set(ctx context.Context, kind spec.Work, obj *unstructured.Unstructured, path []string, value any) error {
	patch := map[string]any{"metadata": map[string]any{"uid": string(obj.GetUID())}}
	if err := unstructured.SetNestedField(patch, value, path...); err != nil {
		return err
	}
	body, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = i.Dynamic.Resource(workloads.GVR(kind.Resource)).Namespace(obj.GetNamespace()).Patch(ctx, obj.GetName(), types.MergePatchType, body, metav1.PatchOptions{})
	return err
}

// newestWork finds the newest work object of a custom resource that has not ended.
func (i *Injector) newestWork(ctx context.Context, cr Target) (*unstructured.Unstructured, spec.Work, error) {
	var newest *unstructured.Unstructured
	var kind spec.Work
	seen := 0
	for _, w := range i.Style.Work {
		if w.Suspend == "" {
			continue
		}
		of, err := bounds.WorkMatcher(w, cr.Namespace, cr.Name)
		if err != nil {
			return nil, kind, err
		}
		list, err := i.Dynamic.Resource(workloads.GVR(w.Resource)).Namespace(w.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, kind, fmt.Errorf("list %s in namespace %s: %w", w.Resource, w.Namespace, err)
		}
		for n := range list.Items {
			obj := &list.Items[n]
			if value := at(obj, w.Of.Path); !value.Exists() || !of.MatchString(value.String()) {
				continue
			}
			seen++
			ended, err := holds(w.Ended, obj)
			if err != nil {
				return nil, kind, err
			}
			if !ended && (newest == nil || younger(obj, newest)) {
				newest, kind = obj, w
			}
		}
	}
	if newest == nil {
		return nil, kind, fmt.Errorf("style %s has %d work objects for it that can be suspended, all of which have ended", i.Style.Name, seen)
	}
	return newest, kind, nil
}

// younger tells which of two objects was made later: creation times are in whole
// seconds, and names of one second say nothing, so that the UID decides then.
func younger(a, b *unstructured.Unstructured) bool {
	at, bt := a.GetCreationTimestamp(), b.GetCreationTimestamp()
	if at.Equal(&bt) {
		return a.GetUID() > b.GetUID()
	}
	return bt.Before(&at)
}

// holds reports whether a condition holds for an object.
func holds(c spec.FieldCondition, obj *unstructured.Unstructured) (bool, error) {
	value := at(obj, c.Path)
	switch {
	case !value.Exists():
		return false, nil
	case c.Matches != "":
		pattern, err := bounds.Expression(c.Matches)
		return err == nil && pattern.MatchString(value.String()), err
	case len(c.Equals) > 0:
		return slices.Contains(c.Equals, value.String()), nil
	}
	return true, nil
}

// at reads a path, in gjson's syntax, of an object.
func at(obj *unstructured.Unstructured, path string) gjson.Result {
	text, err := json.Marshal(obj.Object)
	if err != nil {
		return gjson.Result{} // cannot happen to what was decoded from JSON
	}
	return gjson.GetBytes(text, path)
}
