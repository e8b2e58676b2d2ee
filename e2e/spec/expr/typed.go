package expr

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Types are what the variables of a workload are.
type Types struct {
	// Definition is the CustomResourceDefinition; nil: it is not known, and the custom resource may have any field.
	Definition *unstructured.Unstructured
	Version    string           // of the custom resource
	Children   map[string]Child // by the names of their variables
	Knobs      []string
}

// Child is what a variable holds, an object of one of the cluster's own kinds; one that is not known may have any field.
type Child struct {
	Kind schema.GroupVersionKind
	List bool // it holds a list of such objects
}

// Typed returns an environment in which a field that the definition or the kind does not have is an error.
func Typed(t Types) (*Environment, error) {
	options := environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0)}
	fields := map[string]bool{}
	declare := func(name string, is *apiservercel.DeclType) {
		if is == nil {
			options.EnvOptions = append(options.EnvOptions, cel.Variable(name, cel.DynType))
			return
		}
		names(is, fields)
		is = is.MaybeAssignTypeName("workload." + name)
		options.EnvOptions = append(options.EnvOptions, cel.Variable(name, is.CelType()))
		options.DeclTypes = append(options.DeclTypes, is)
	}
	custom, err := customType(t.Definition, t.Version)
	if err != nil {
		return nil, err
	}
	declare(Custom, custom)
	for name, child := range t.Children {
		is := kindType(child.Kind)
		if child.List && is != nil {
			is = apiservercel.NewListType(is.MaybeAssignTypeName("workload."+name+".item"), -1)
		}
		declare(name, is)
	}
	knobs := map[string]*apiservercel.DeclField{}
	for _, name := range t.Knobs {
		knobs[name] = apiservercel.NewDeclField(name, apiservercel.IntType, true, nil, nil)
	}
	declare(Knob, apiservercel.NewObjectType("knobs", knobs))
	env, err := extend(options)
	if err == nil {
		env.fields = slices.Sorted(maps.Keys(fields))
	}
	return env, err
}

// names adds the fields that a type has, at any depth.
func names(t *apiservercel.DeclType, all map[string]bool) {
	if t == nil {
		return
	}
	for name, field := range t.Fields {
		all[name] = true
		names(field.Type, all)
	}
	names(t.ElemType, all)
}

// customType is the type of the custom resource by its definition; nil: it is not known.
func customType(definition *unstructured.Unstructured, of string) (*apiservercel.DeclType, error) {
	if definition == nil {
		return nil, nil
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(definition.Object, &crd); err != nil {
		return nil, fmt.Errorf("read the definition %s: %w", definition.GetName(), err)
	}
	for _, v := range crd.Spec.Versions {
		if v.Name != of || v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		var internal apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &internal, nil); err != nil {
			return nil, fmt.Errorf("read the schema of %s: %w", definition.GetName(), err)
		}
		is, err := structural.NewStructural(&internal)
		if err != nil {
			return nil, fmt.Errorf("read the schema of %s: %w", definition.GetName(), err)
		}
		root := open(model.SchemaDeclType(is, true), is)
		if root == apiservercel.DynType {
			return nil, nil // it may have any field
		}
		// Kubernetes' own rules may read the name alone of the metadata; ours read all of it.
		meta := goType(reflect.TypeFor[metav1.ObjectMeta](), map[reflect.Type]bool{})
		root.Fields["metadata"] = apiservercel.NewDeclField("metadata", meta, true, nil, nil)
		return root, nil
	}
	return nil, fmt.Errorf("the definition %s has no schema of the version %s", definition.GetName(), of)
}

// open makes a type as open as the schema that it was made of, which CEL's rules in definitions are not: what the schema
// names no field of may have any, and so may what has a field whose name is no identifier, as in cr.status['ready-replicas'].
func open(t *apiservercel.DeclType, s *structural.Structural) *apiservercel.DeclType {
	for name := range s.Properties {
		if escaped, is := apiservercel.Escape(name); !is || escaped != name {
			return apiservercel.DynType
		}
	}
	if t == nil || s.XPreserveUnknownFields && len(s.Properties) == 0 {
		return apiservercel.DynType
	}
	for name, property := range s.Properties {
		field := t.Fields[name]
		if field == nil {
			field = apiservercel.NewDeclField(name, nil, false, nil, nil)
			t.Fields[name] = field
		}
		field.Type = open(field.Type, &property)
	}
	switch {
	case s.Items != nil:
		t.ElemType = open(t.ElemType, s.Items)
	case s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil:
		t.ElemType = open(t.ElemType, s.AdditionalProperties.Structural)
	}
	return t
}

// kindType is the type of one of the cluster's own kinds, by its Go type; nil: it is not known.
func kindType(kind schema.GroupVersionKind) *apiservercel.DeclType {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme} {
		if add(scheme) != nil {
			return nil
		}
	}
	object, err := scheme.New(kind)
	if err != nil {
		return nil
	}
	return goType(reflect.TypeOf(object).Elem(), map[reflect.Type]bool{})
}

// goType is the type that a Go type has in JSON. A type that holds itself may have any field.
func goType(t reflect.Type, within map[reflect.Type]bool) *apiservercel.DeclType {
	switch t {
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]():
		return apiservercel.StringType
	case reflect.TypeFor[intstr.IntOrString](), reflect.TypeFor[resource.Quantity](), reflect.TypeFor[runtime.RawExtension](), reflect.TypeFor[metav1.FieldsV1]():
		return apiservercel.DynType
	}
	switch t.Kind() {
	case reflect.Pointer:
		return goType(t.Elem(), within)
	case reflect.String:
		return apiservercel.StringType
	case reflect.Bool:
		return apiservercel.BoolType
	case reflect.Int, reflect.Int32, reflect.Int64:
		return apiservercel.IntType
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return apiservercel.StringType
		}
		return apiservercel.NewListType(goType(t.Elem(), within), -1)
	case reflect.Map:
		return apiservercel.NewMapType(apiservercel.StringType, goType(t.Elem(), within), -1)
	case reflect.Struct:
		if within[t] {
			return apiservercel.DynType
		}
		within[t] = true
		fields := map[string]*apiservercel.DeclField{}
		addFields(t, fields, within)
		delete(within, t)
		return apiservercel.NewObjectType(t.String(), fields)
	}
	return apiservercel.DynType
}

func addFields(t reflect.Type, fields map[string]*apiservercel.DeclField, within map[reflect.Type]bool) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		switch {
		case name != "":
			fields[name] = apiservercel.NewDeclField(name, goType(t.Field(i).Type, within), false, nil, nil)
		case t.Field(i).Anonymous:
			addFields(t.Field(i).Type, fields, within)
		}
	}
}
