// Package upstreamtest holds the manifests of a style to those that a Go module publishes.
package upstreamtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/diff"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/spec/files"
)

// Module is the folder of the module that an image is built from, as the recipe pins it, and its version. A test of a
// style calls it, in the style's folder.
func Module(t *testing.T, recipe, module string) (dir, version string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	command.Dir = filepath.Join("..", "..", "fixtures", "images", "recipes", recipe)
	text, err := command.Output()
	var downloaded struct{ Dir, Version string }
	if err == nil {
		err = json.Unmarshal(text, &downloaded)
	}
	if err != nil {
		t.Fatalf("%s in %s: %v: %s", command, command.Dir, err, text)
	}
	return downloaded.Dir, downloaded.Version
}

// Render is what a file, a folder or a kustomization has.
func Render(t *testing.T, path string) []*unstructured.Unstructured {
	t.Helper()
	objs, err := install.Render(files.Tree("/"), path) // upstream's are in the module cache
	if err != nil {
		t.Fatal(err)
	}
	return objs
}

// ByName are objects by their kind and name.
func ByName(objs []*unstructured.Unstructured) map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, obj := range objs {
		all[key(obj)] = obj.Object
	}
	return all
}

// Same holds a style's objects to upstream's, one by one, as a definition is long. edit, where there is one, is what a style
// means to have otherwise.
func Same(t *testing.T, want, got map[string]map[string]any, edit func(name string, object map[string]any)) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if want[name] == nil {
			t.Errorf("%s is not upstream's", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if edit != nil {
			edit(name, want[name])
		}
		if !reflect.DeepEqual(want[name], got[name]) {
			t.Errorf("%s is not as upstream has it (-), but (+):\n%s", name, diff.Diff(want[name], got[name]))
		}
	}
}

func key(obj *unstructured.Unstructured) string { return obj.GetKind() + " " + obj.GetName() }

// Write writes objects into a file, in the order of their names.
func Write(t *testing.T, name, header string, objs []*unstructured.Unstructured) {
	t.Helper()
	slices.SortFunc(objs, func(a, b *unstructured.Unstructured) int { return strings.Compare(key(a), key(b)) })
	text := header
	for i, obj := range objs {
		if i > 0 {
			text += "---\n"
		}
		one, err := written(obj)
		if err != nil {
			t.Fatal(err)
		}
		text += one
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil { //nolint:gosec // a file of the repository
		t.Fatal(err)
	}
}

// written is an object as text: a definition in one line, since nobody reads it there.
func written(obj *unstructured.Unstructured) (string, error) {
	if obj.GetKind() == Definition {
		text, err := json.Marshal(obj.Object)
		return fmt.Sprintln(string(text)), err
	}
	text, err := yaml.Marshal(obj.Object)
	return string(text), err
}

// Definition is the kind of a definition.
const Definition = "CustomResourceDefinition"

// Brief is a definition without the descriptions in its schema; any other object is left as it is.
func Brief(obj *unstructured.Unstructured) *unstructured.Unstructured {
	if obj.GetKind() != Definition {
		return obj
	}
	object, _ := plain(obj.Object, false).(map[string]any)
	return &unstructured.Unstructured{Object: object}
}

// plain is a schema, or what holds one, without its descriptions; properties says that its keys are names of fields.
func plain(of any, properties bool) any {
	switch of := of.(type) {
	case map[string]any:
		short := map[string]any{}
		for key, value := range of {
			if key != "description" || properties {
				short[key] = plain(value, key == "properties" && !properties)
			}
		}
		return short
	case []any:
		short := []any{} // empty is not absent
		for _, value := range of {
			short = append(short, plain(value, false))
		}
		return short
	}
	return of
}

// Replaced is a value with one text in the place of another, wherever that is the whole text.
func Replaced(of any, there, here string) any {
	switch value := of.(type) {
	case string:
		if value == there {
			return here
		}
	case map[string]any:
		for key, one := range value {
			value[key] = Replaced(one, there, here)
		}
	case []any:
		for i, one := range value {
			value[i] = Replaced(one, there, here)
		}
	}
	return of
}
