package schema

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/plain"
)

// Check holds a file against a schema, notes every mistake, and returns what is written as the values of JSON. A schema
// says with errorMessage what it expects, where its keywords do not.
func (f *File) Check(s *Schema) any {
	f.word = str(s.source, "title")
	value := f.plain(f.Root, "")
	var wrong *jsonschema.ValidationError
	if err := s.compiled.Validate(value); errors.As(err, &wrong) {
		c := check{File: f, schema: s}
		c.explain(wrong)
	}
	return value
}

// Known notes a word that is none of those that are known, at a place.
func (f *File) Known(at []any, what, word string, known []string) {
	if slices.Contains(known, word) {
		return
	}
	f.FailAt(at, "unknown %s %q, expected one of %s%s", what, word, strings.Join(known, ", "), Suggestion(word, known))
}

// Once notes each name that stands again in the list at a place.
func (f *File) Once(at []any, what string, names []string) {
	for i, name := range names {
		if name != "" && slices.Contains(names[:i], name) {
			f.FailAt(append(slices.Clone(at), i), "%s: the name %q stands twice, expected it once", what, name)
		}
	}
}

type check struct {
	*File
	schema *Schema
}

// explain notes what an error, or those that it is made of, says.
func (c *check) explain(e *jsonschema.ValidationError) {
	node, path := c.place(e.InstanceLocation)
	rule := c.schema.at(e.SchemaURL)
	if len(e.InstanceLocation) == 0 {
		path = cmp.Or(str(rule, "title"), path)
	}
	switch k := e.ErrorKind.(type) {
	case *kind.InvalidJsonValue: // told of
	case *kind.AdditionalProperties:
		c.unknown(node, path, rule, k.Properties)
	case *kind.Required:
		for _, name := range k.Missing {
			c.Fail(node, "%s: field %q is missing%s", path, name, strings.TrimSuffix(": "+str(rule, "errorMessage"), ": "))
		}
	case *kind.OneOf:
		c.oneOf(node, path, rule, "oneOf", "exactly one")
	case *kind.AnyOf:
		c.oneOf(node, path, rule, "anyOf", "at least one")
	case *kind.DependentRequired:
		c.Fail(node, "%s: %s without %s, expected both", path, k.Prop, strings.Join(k.Missing, ", "))
	case *kind.UniqueItems:
		item := node.Content[k.Duplicates[1]]
		c.Fail(item, "%s: %s stands twice, expected it once", path, Found(item))
	case *kind.PropertyNames:
		for _, cause := range e.Causes {
			key, _ := Below(node, k.Property)
			c.Fail(cmp.Or(key, node), "%s: found %q, expected %s", path, k.Property, str(c.schema.at(cause.SchemaURL), "errorMessage"))
		}
	default:
		if len(e.Causes) == 0 {
			c.Fail(node, "%s: found %s, expected %s", path, Found(node), expected(e.ErrorKind, rule, node))
		}
		for _, cause := range e.Causes {
			c.explain(cause)
		}
	}
}

func (c *check) unknown(node *yaml.Node, path string, rule any, names []string) {
	known := keys(in(rule, "properties"))
	slices.Sort(names)
	for _, name := range names {
		if key, _ := Below(node, name); key != nil {
			c.Fail(key, "%s: unknown field %q, expected one of %s%s", path, name, strings.Join(known, ", "), Suggestion(name, known))
		}
	}
}

// oneOf says how many of the fields are set where one should be.
func (c *check) oneOf(node *yaml.Node, path string, rule any, keyword, want string) {
	var names []string
	branches, _ := in(rule, keyword).([]any)
	for _, branch := range branches {
		required, _ := in(branch, "required").([]any)
		names = append(names, texts(required)...)
	}
	found := plain.Where(names, func(name string) bool {
		_, value := Below(node, name)
		return value != nil
	})
	if text := str(rule, "errorMessage"); text != "" {
		c.Fail(node, "%s: expected %s", path, text)
		return
	}
	c.Fail(node, "%s: found %d of the fields %s, expected %s", path, len(found), strings.Join(names, ", "), want)
}

// expected says for people what a rule wants of a value.
func expected(is jsonschema.ErrorKind, rule any, node *yaml.Node) string {
	if text := str(rule, "errorMessage"); text != "" {
		if format, is := is.(*kind.Format); is {
			text += ": " + format.Err.Error()
		}
		return text
	}
	switch is := is.(type) {
	case *kind.Enum:
		words := strings.Join(texts(is.Want), ", ") + Suggestion(node.Value, texts(is.Want))
		if len(is.Want) > 1 {
			words = "one of " + words
		}
		return words
	case *kind.Const:
		return fmt.Sprint(is.Want)
	case *kind.Format:
		return is.Want + ": " + is.Err.Error()
	case *kind.Type:
		return expectedType(is.Want[0], rule)
	case *kind.MinItems:
		return "a list of at least " + count(is.Want)
	}
	return bounds(rule)
}

func expectedType(name string, rule any) string {
	switch name {
	case "object":
		if fields := keys(in(rule, "properties")); len(fields) > 0 {
			return "the fields " + strings.Join(fields, ", ")
		}
		return "a mapping"
	case "array":
		if least := num(rule, "minItems"); least == "1" {
			return "a list of at least one"
		}
		return "a list"
	case "string":
		return "a text"
	case "boolean":
		return "true or false"
	}
	return bounds(rule)
}

// bounds are those of a number.
func bounds(rule any) string {
	switch least, most := num(rule, "minimum"), num(rule, "maximum"); {
	case least != "" && most != "":
		return least + " to " + most
	case least != "":
		return "a number, at least " + least
	}
	return "a number"
}

func count(n int) string {
	if n == 1 {
		return "one"
	}
	return strconv.Itoa(n)
}

// place finds what a location in the value was read from, and names it.
func (c *check) place(location []string) (*yaml.Node, string) {
	node, path := c.Root, ""
	for _, key := range location {
		var next *yaml.Node
		if i, err := strconv.Atoi(key); err == nil && node.Kind == yaml.SequenceNode {
			_, next = Below(node, i)
		} else {
			_, next = Below(node, key)
			path = join(path, key)
		}
		if next == nil {
			break
		}
		node = next
	}
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node, c.named(path)
}

// join names a field by those above it.
func join(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }

func keys(value any) []string {
	object, _ := value.(map[string]any)
	return slices.Sorted(maps.Keys(object))
}

func texts(list []any) []string {
	return plain.Map(list, func(item any) string { return fmt.Sprint(item) })
}

// Suggestion ends an error about an unknown name with the known one that was probably meant, or with nothing.
func Suggestion(name string, known []string) string {
	if best := nearest(name, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// nearest returns the known name with the fewest edits to the given one, or
// none if that takes more than two edits and more than a third of its letters.
func nearest(name string, known []string) string {
	best, fewest := "", min(max(2, len(name)/3)+1, len(name))
	for _, candidate := range known {
		if d := edits(name, candidate); d < fewest {
			best, fewest = candidate, d
		}
	}
	return best
}

// edits is the Levenshtein distance in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
