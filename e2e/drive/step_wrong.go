package drive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/wrong"
)

// wrong sets fields of the custom resource to wrong values, derived from the definition that is served. What the API
// server takes is left until nothing has moved for the window, and set right again; only then comes the next.
func (s *sampleRun) wrong(ctx context.Context, step scenarios.Step) error {
	r, client := s.on(step)
	custom, err := client.Get(ctx, r.name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("read the custom resource before its fields are set to wrong values: %w", err)
	}
	rules, err := s.rules(ctx)
	if err != nil {
		return err
	}
	values, err := wrong.Values(rules, custom.Object, step.Wrong)
	if err != nil {
		return err
	}
	if len(values) == 0 {
		return fmt.Errorf("the definition of %s has no field below spec that a wrong value can be derived of", s.Workload.Resource.Name())
	}
	for _, value := range values {
		if err := s.wrongOne(ctx, step, custom, value); err != nil {
			return err
		}
	}
	return nil
}

// wrongOne sets one field to a wrong value and, if the API server takes it, back.
func (s *sampleRun) wrongOne(ctx context.Context, step scenarios.Step, custom *unstructured.Unstructured, value wrong.Value) error {
	set := func(to any, as string) (taken bool, err error) {
		patch, err := json.Marshal(wrong.Patch(value.Path, to))
		if err != nil {
			return false, fmt.Errorf("set %s: %w", value, err)
		}
		r, client := s.on(step)
		r = merge(r, client, patch, metav1.PatchOptions{FieldValidation: metav1.FieldValidationStrict})
		r.mayFail, r.wrong = as != "", as
		reply, err := s.send(ctx, r)
		return reply != nil, err
	}
	if taken, err := set(value.Value, value.String()); err != nil || !taken {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, s.style.bound())
	defer cancel()
	s.wait(bounded, func() string { return "" }, s.Matrix.Window, 0) // what the operator makes of it is for the oracles
	right, _ := wrong.At(custom.Object, value.Path)
	if _, err := set(right, ""); err != nil {
		return fmt.Errorf("after %s: %w", value, err)
	}
	err := s.reach(ctx, spec.PointHandled, 0)
	var unreached *unreachedError
	if errors.As(err, &unreached) {
		return &unreachedError{unreached.point, fmt.Sprintf("after %s was set and set right again: %s", value, unreached.lacks)}
	}
	return err
}

// rules is the schema of the custom resource's version, in the definition that is served.
func (s *sampleRun) rules(ctx context.Context) (map[string]any, error) {
	of := s.Workload.Resource
	name := of.Plural + "." + of.Group
	resource := schema.GroupVersionResource{Group: apiextensions.GroupName, Version: "v1", Resource: "customresourcedefinitions"}
	definition, err := s.Client.Resource(resource).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read the definition %s: %w", name, err)
	}
	versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	if err != nil {
		return nil, fmt.Errorf("read the definition %s: %w", name, err)
	}
	for _, version := range versions {
		version, is := version.(map[string]any)
		if !is || version["name"] != of.Version {
			continue
		}
		rules, _, err := unstructured.NestedMap(version, "schema", "openAPIV3Schema")
		if err != nil {
			return nil, fmt.Errorf("read the definition %s: %w", name, err)
		}
		return rules, nil
	}
	return nil, fmt.Errorf("the definition %s has no version %s", name, of.Version)
}
