// Package wrong derives wrong values of a custom resource's fields from its definition, as Acto does
// (Gu et al., SOSP 2023): what breaks a rule of the schema, and what no rule forbids although nobody can mean it.
package wrong

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Value is a wrong value of one field.
type Value struct {
	Path  []string // of the field, from the object's root
	Value any      // as in JSON; nil removes the field in a merge patch
	Why   string   // what is wrong with it
}

func (v Value) String() string {
	text, err := json.Marshal(v.Value)
	if err != nil {
		text = fmt.Append(nil, v.Value)
	}
	return fmt.Sprintf("%s: %s (%s)", strings.Join(v.Path, "."), text, v.Why)
}

// depth is how many keys below spec a field may lie: what is deeper is mostly a pod's.
const depth = 2

// Values returns wrong values of the fields of spec, of a definition's schema: at most so many that no rule forbids,
// which reach the operator, and then as many that one does. The fields that the custom resource has set come first,
// then the others by their names; each has one value before any has a second one. A value that asks for more pods than
// a node has room for is not among them.
func Values(definition *apiextensions.JSONSchemaProps, custom map[string]any, most int) []Value {
	root := definition.Properties["spec"]
	fields := fieldsOf(&root, []string{"spec"})
	slices.SortStableFunc(fields, func(a, b field) int { return cmp.Compare(a.rank(custom), b.rank(custom)) })
	return slices.Concat(
		inTurn(fields, most, func(f field) []Value { return f.free }),
		inTurn(fields, most, func(f field) []Value { return f.ruled }),
	)
}

// field is a field's wrong values.
type field struct {
	path  []string
	free  []Value // that no rule forbids
	ruled []Value
}

// inTurn takes one value of each field after the other, at most so many.
func inTurn(fields []field, most int, of func(field) []Value) []Value {
	var list []Value
	for turn := 0; ; turn++ {
		before := len(list)
		for _, f := range fields {
			if values := of(f); turn < len(values) && len(list) < most {
				list = append(list, Value{f.path, values[turn].Value, values[turn].Why})
			}
		}
		if len(list) == before {
			return list
		}
	}
}

// rank is 0 where the custom resource has the field, else 1.
func (f field) rank(custom map[string]any) int {
	if _, set, err := unstructured.NestedFieldNoCopy(custom, f.path...); set && err == nil {
		return 0
	}
	return 1
}

// fieldsOf are those below a path.
func fieldsOf(s *apiextensions.JSONSchemaProps, path []string) []field {
	var all []field
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		rules := s.Properties[name]
		at := slices.Concat(path, []string{name})
		free, ruled := values(&rules)
		if slices.Contains(s.Required, name) {
			ruled = append(ruled, Value{Why: "it is required"})
		}
		all = append(all, field{at, free, ruled})
		if len(at) <= depth {
			all = append(all, fieldsOf(&rules, at)...)
		}
	}
	return all
}

// values are the wrong ones of one field: those that no rule forbids, and the others.
func values(s *apiextensions.JSONSchemaProps) (free, ruled []Value) {
	add := func(list *[]Value, value any, why string) { *list = append(*list, Value{Value: value, Why: why}) }
	switch {
	case len(s.Enum) > 0:
		add(&ruled, "no-such-value", "it is none of the enumeration")
	case s.XIntOrString:
		add(&ruled, true, "it is neither a number nor a text")
	case s.Type == "integer", s.Type == "number":
		if s.Minimum == nil {
			add(&free, -1, "it is below zero")
		} else {
			add(&ruled, int64(*s.Minimum)-1, "it is below the minimum")
		}
		if s.Maximum != nil && *s.Maximum < math.MaxInt32 {
			add(&ruled, int64(*s.Maximum)+1, "it is above the maximum")
		}
		add(&ruled, "three", "it is no number")
	case s.Type == "string":
		if s.Pattern != "" {
			add(&ruled, "?", "it does not match the pattern")
		} else {
			add(&free, "no such value!", "it has characters of no name")
			if s.MinLength == nil {
				add(&free, "", "it is empty")
			}
		}
		add(&ruled, 1, "it is no text")
	case s.Type == "boolean":
		add(&ruled, "perhaps", "it is neither true nor false")
	case s.Type == "array":
		if s.MinItems != nil && *s.MinItems > 0 {
			add(&ruled, []any{}, "it has too few items")
		}
		add(&ruled, "none", "it is no list")
	case s.Type == "object":
		add(&ruled, "none", "it is no object")
	}
	return free, ruled
}
