package docs_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// field is a field of a Go struct as JSON has it.
type field struct {
	name     string
	optional bool // left out where it is empty
	goType   reflect.Type
}

// fieldsOf lists a struct's fields in their order, those of embedded structs
// in their place.
func fieldsOf(structType reflect.Type) []field {
	var fields []field
	for i := range structType.NumField() {
		f := structType.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			fields = append(fields, fieldsOf(elem(f.Type))...)
		case f.IsExported() && name != "-":
			fields = append(fields, field{name: name, optional: strings.Contains(options, "omitempty"), goType: f.Type})
		}
	}
	return fields
}

// elem is a type without its pointers.
func elem(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// kindOf is what JSON makes of a type: a JSON Schema type, map or any.
func kindOf(t reflect.Type) string {
	t = elem(t)
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return "any"
	case reflect.TypeFor[time.Time]():
		return "string"
	}
	switch t.Kind() {
	case reflect.Struct:
		return "object"
	case reflect.Map:
		return "map"
	case reflect.Slice:
		return "array"
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64, reflect.Float32:
		return "number"
	}
	return "integer"
}
