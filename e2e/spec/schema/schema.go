// Package schema reads YAML files and holds them against the JSON schemas of docs/schema. Every mistake is told with
// file and line, with what was found, what is expected and the nearest right word. What a schema cannot say, the
// packages beside this one check, by the same means.
package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	published "operatorbench/docs/schema"
)

// Schema is a schema of docs/schema.
type Schema struct {
	compiled *jsonschema.Schema
	source   any // as it is written
}

// Formats say why a text is not of a format that a schema names.
type Formats map[string]func(text string) error

// Load compiles the schema docs/schema/NAME.schema.json. A format that nobody knows holds nothing.
func Load(name string, formats Formats) (*Schema, error) {
	file := name + ".schema.json"
	text, err := published.Files.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the schema of %s: %w", name, err)
	}
	s := &Schema{}
	if s.source, err = jsonschema.UnmarshalJSON(strings.NewReader(string(text))); err != nil {
		return nil, fmt.Errorf("read docs/schema/%s: %w", file, err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for format, check := range formats {
		compiler.RegisterFormat(&jsonschema.Format{Name: format, Validate: func(value any) error {
			if text, is := value.(string); is {
				return check(text)
			}
			return nil
		}})
	}
	if err := compiler.AddResource(file, s.source); err != nil {
		return nil, fmt.Errorf("read docs/schema/%s: %w", file, err)
	}
	if s.compiled, err = compiler.Compile(file); err != nil {
		return nil, fmt.Errorf("compile docs/schema/%s: %w", file, err)
	}
	return s, nil
}

// Fields lists what may stand in the mapping that a schema or a definition of it
// describes ("" is the schema itself), sorted; nil: it does not say.
func (s *Schema) Fields(definition string) []string {
	at := s.source
	if definition != "" {
		at = in(in(s.source, "$defs"), definition)
	}
	return keys(in(at, "properties"))
}

// FieldsOf lists the fields of a type as the tags of a kind name them, sorted: what a schema is held equal to.
func FieldsOf(value any, tag string) []string {
	var names []string
	for _, field := range reflect.VisibleFields(reflect.TypeOf(value)) {
		if name, _, _ := strings.Cut(field.Tag.Get(tag), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Words lists the texts that a definition allows.
func (s *Schema) Words(definition string) []string {
	list, _ := in(in(in(s.source, "$defs"), definition), "enum").([]any)
	return texts(list)
}

// at is what is written at a location of the compiled schema.
func (s *Schema) at(location string) any {
	_, pointer, _ := strings.Cut(location, "#")
	node := s.source
	for _, key := range strings.Split(pointer, "/")[1:] {
		key = strings.NewReplacer("~1", "/", "~0", "~", "%24", "$").Replace(key)
		switch is := node.(type) {
		case map[string]any:
			node = is[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(is) {
				return nil
			}
			node = is[i]
		}
	}
	return node
}

// in is what stands under a key of a JSON object; nil: nothing.
func in(value any, key string) any {
	object, _ := value.(map[string]any)
	return object[key]
}

func str(value any, key string) string {
	text, _ := in(value, key).(string)
	return text
}

// num is the number under a key, as it is written; empty: there is none.
func num(value any, key string) string {
	number, _ := in(value, key).(json.Number)
	return number.String()
}
