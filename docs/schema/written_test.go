package schema_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"operatorbench/e2e/judge"
	"operatorbench/e2e/record"
	"operatorbench/e2e/report"
	"operatorbench/e2e/spec"
)

var update = flag.Bool("update", false, "write the schemas anew")

// values are those of fields that are texts to Go, by their definition and name.
func values() map[string][]any {
	stages := []any{record.Begun, record.Over}
	outcomes := []any{spec.Pass, spec.Fail, spec.NotApplicable, spec.Invalid}
	summed := append(slices.Clone(outcomes), spec.Flaky, spec.Late)
	ends := []any{record.Settled, record.TimedOut, record.Interrupted}
	return map[string][]any{
		"Fault.stage":            stages,
		"Question.what":          {spec.ProbeAsk, spec.ProbeWrite, spec.ProbeRead},
		"Question.class":         {record.ProbeUnasked, record.ProbeNoPod, record.ProbeRefused, record.ProbeTimeout, record.ProbeWrong},
		"Watch.event":            {"LISTED", "ADDED", "MODIFIED", "DELETED"},
		"End.outcome":            ends,
		"End.await":              of(spec.Points()),
		"Block.stage":            {record.Installing, record.Installed, record.Found, record.Rested, record.Driven, record.Removed},
		"Sample.unit":            {"s"},
		"Sample.outcome":         {judge.OK, judge.Wrong, judge.Timeout, judge.Interrupted},
		"Header.schema":          {record.Schema},
		"Document.schema":        {report.DocumentSchema},
		"Cell.verdict":           summed,
		"MatrixCell.verdict":     summed,
		"Result.outcome":         {spec.Pass, spec.Fail, spec.Late, spec.NotApplicable, spec.Invalid},
		"Result.end":             ends,
		"StyleFacts.podSecurity": {"restricted", "baseline", "privileged"},
		"Verdict.outcome":        outcomes,
		"Oracle.outcome":         outcomes,
	}
}

// nullable are lists and maps that are null where nothing was known.
func nullable() []string {
	return []string{
		"Header.styles", "Sample.expect", "Grant.verbs", "Environment.styles", "Environment.images", "Environment.flags", "Environment.stages", "Cost.counters",
	}
}

// signed are whole numbers that may be below zero.
func signed() []string {
	return []string{"Knob.values", "Knob.min", "Knob.max", "Down.only", "Sample.size", "Other.size", "Count.value"}
}

func of[T any](all []T) []any {
	list := make([]any, len(all))
	for i, one := range all {
		list[i] = one
	}
	return list
}

// written are the schemas of what is written for other programs, with the types that write it.
func written() map[string]struct {
	version, title string
	of             reflect.Type
} {
	return map[string]struct {
		version, title string
		of             reflect.Type
	}{
		"recording": {"3", "A line of recording.jsonl. The first one, and no other, is of kind header. See docs/reference/recording.md.", reflect.TypeFor[record.Entry]()},
		"samples":   {"1", "A line of samples.jsonl", reflect.TypeFor[judge.Sample]()},
		"report":    {"2", "What report.json is", reflect.TypeFor[report.Document]()},
	}
}

// generated is the schema of a type: its fields with their comments, closed, and those required that are always
// written.
func generated(t *testing.T, name string, comments map[string]string) []byte {
	t.Helper()
	one := written()[name]
	reflector := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, Mapper: mapped, Namer: namer(), CommentMap: comments}
	schema := reflector.ReflectFromType(one.of)
	schema.ID, schema.Title = jsonschema.ID("urn:operatorbench:schema:"+name+":"+one.version), one.title
	delete(schema.Definitions, namer()(one.of)) // it is the schema itself
	for at, list := range values() {
		if property := find(schema, one.of.Name(), at); property != nil {
			if property.AdditionalProperties != nil {
				property = property.AdditionalProperties
			}
			property.Enum, property.Minimum = list, ""
		}
	}
	for _, at := range signed() {
		if property := find(schema, one.of.Name(), at); property != nil {
			cmp.Or(property.Items, property).Minimum = ""
		}
	}
	for _, at := range nullable() {
		if property := find(schema, one.of.Name(), at); property != nil {
			*property = jsonschema.Schema{AnyOf: []*jsonschema.Schema{new(*property), {Type: "null"}}, Description: property.Description}
			property.AnyOf[0].Description = ""
		}
	}
	switch name {
	case "recording":
		exclusive(schema)
	case "report":
		none := uint64(0) // it is kept for readers, and always empty
		find(schema, "Document", "Document.claims").MaxItems = &none
	}
	text, err := json.MarshalIndent(schema, "", "  ")
	require.NoError(t, err)
	return append(text, '\n')
}

// find is a field of a definition, or of the schema itself; nil: it is of another schema.
func find(schema *jsonschema.Schema, itself, at string) *jsonschema.Schema {
	in, field, _ := strings.Cut(at, ".")
	of := schema
	if in != itself {
		of = schema.Definitions[in]
	}
	if of == nil {
		return nil
	}
	property, _ := of.Properties.Get(field)
	return property
}

// mapped are the types that the library does not know as JSON has them; nil: it does.
func mapped(of reflect.Type) *jsonschema.Schema {
	switch of {
	case reflect.TypeFor[int](), reflect.TypeFor[uint64]():
		return &jsonschema.Schema{Type: "integer", Minimum: "0"} // they count
	case reflect.TypeFor[spec.Outcome]():
		return &jsonschema.Schema{Type: "string"}
	}
	return nil
}

// exclusive lets an entry have the field that its kind names, and no other.
func exclusive(entry *jsonschema.Schema) {
	var kinds []any
	for pair := entry.Properties.Oldest(); pair != nil; pair = pair.Next() {
		if pair.Key == "t" || pair.Key == "kind" {
			continue
		}
		kinds = append(kinds, pair.Key)
		kind := jsonschema.NewProperties()
		kind.Set("kind", &jsonschema.Schema{Const: pair.Key})
		entry.OneOf = append(entry.OneOf, &jsonschema.Schema{Properties: kind, Required: []string{pair.Key}})
	}
	find(entry, "Entry", "Entry.kind").Enum = kinds
	most := uint64(3)
	entry.MaxProperties = &most
}

// namer names definitions by their types; of two with one name, the second by its package as well.
func namer() func(reflect.Type) string {
	named := map[string]reflect.Type{}
	return func(of reflect.Type) string {
		if of.Name() == "" {
			return ""
		}
		name := strings.NewReplacer("Document", "", "Reading[float64]", "Value", "Reading[int]", "Count").Replace(of.Name())
		if before, there := named[name]; there && before != of {
			name = path.Base(of.PkgPath()) + "." + name
		}
		named[name] = of
		return name
	}
}

// The committed schemas are those of the types; -update writes them.
func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	var commented jsonschema.Reflector
	require.NoError(t, commented.AddGoComments("operatorbench", "e2e", jsonschema.WithFullComment()))
	for at, comment := range commented.CommentMap {
		commented.CommentMap[at] = strings.ReplaceAll(comment, "\n", " ")
	}
	for name := range written() {
		t.Run(name, func(t *testing.T) {
			text := generated(t, name, commented.CommentMap)
			file := filepath.Join("docs", "schema", name+".schema.json")
			if *update {
				require.NoError(t, os.WriteFile(file, text, 0o644))
			}
			have, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(text), string(have), "run `go test ./docs/schema -update`")
		})
	}
}
