package drive

import (
	"context"
	"errors"
	"fmt"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/scenarios"
	"operatorbench/e2e/spec/wrong"
)

// wrong sets fields of the custom resource to wrong values, derived from the definition that is served. What the API
// server takes is left until it is brought about or its status says otherwise and nothing has moved for the window, and
// is set right again; only then comes the next.
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
	values := wrong.Values(rules, custom.Object, step.Wrong)
	if len(values) == 0 {
		return fmt.Errorf("the definition of %s has no field below spec that a wrong value can be derived of", s.Workload.Resource.Name())
	}
	return plain.Try(values, func(value wrong.Value) error { return s.wrongOne(ctx, step, custom, value) })
}

// wrongOne sets one field to a wrong value and, if the API server takes it, back.
func (s *sampleRun) wrongOne(ctx context.Context, step scenarios.Step, custom *unstructured.Unstructured, value wrong.Value) error {
	set := func(to any, as string) (taken bool, err error) {
		patch, err := spec.MergePatch(value.Path, to)
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
	var unreached *unreachedError
	if err := s.reach(ctx, spec.PointAnswered, s.Matrix.Window); err != nil && !errors.As(err, &unreached) {
		return err // that nobody answers is for an oracle to judge
	}
	right, _, err := unstructured.NestedFieldNoCopy(custom.Object, value.Path...)
	if err != nil {
		right = nil // it has no such field
	}
	if _, err := set(right, ""); err != nil {
		return fmt.Errorf("after %s: %w", value, err)
	}
	err = s.reach(ctx, spec.PointHandled, 0)
	if errors.As(err, &unreached) {
		return &unreachedError{unreached.point, fmt.Sprintf("after %s was set and set right again: %s", value, unreached.lacks)}
	}
	return err
}

// rules is the schema of the custom resource's version, in the definition that is served.
func (s *sampleRun) rules(ctx context.Context) (*apiextensions.JSONSchemaProps, error) {
	of := s.Workload.Resource
	name := of.Plural + "." + of.Group
	served, err := s.Client.Resource(apiextensions.SchemeGroupVersion.WithResource("customresourcedefinitions")).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read the definition %s: %w", name, err)
	}
	var definition apiextensions.CustomResourceDefinition
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(served.Object, &definition); err != nil {
		return nil, fmt.Errorf("read the definition %s: %w", name, err)
	}
	for _, version := range definition.Spec.Versions {
		if version.Name == of.Version && version.Schema != nil && version.Schema.OpenAPIV3Schema != nil {
			return version.Schema.OpenAPIV3Schema, nil
		}
	}
	return nil, fmt.Errorf("the definition %s has no schema of version %s", name, of.Version)
}
