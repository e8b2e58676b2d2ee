// Package workloads reads workloads, a folder each: a custom resource, what an operator makes for it, and what it owes.
package workloads

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/bounds"
	"operatorbench/e2e/spec/expr"
	rules "operatorbench/e2e/spec/schema"
	published "operatorbench/fixtures/workloads"
)

// Folder is where the workloads are, from the repository's root.
const Folder = "fixtures/workloads"

// FileName is the file that makes a folder a workload.
const FileName = "workload.yaml"

// Workload is a workload with the objects of its folder.
type Workload struct {
	spec.Workload

	definition, template, reference *unstructured.Unstructured // nil: the folder has none
	folder                          fs.FS
}

// Named returns a workload of this repository; "" is the default one.
func Named(name string) (*Workload, error) {
	name = NameOf(name)
	if names := Names(); !slices.Contains(names, name) {
		return nil, fmt.Errorf("there is no workload %q; there are: %s", name, strings.Join(names, ", "))
	}
	folder, err := fs.Sub(published.Files, name)
	if err != nil {
		return nil, err
	}
	return Read(path.Join(Folder, name), folder)
}

// NameOf is the name of the workload that a style names; "" is the default one.
func NameOf(named string) string { return cmp.Or(named, published.Default) }

// Default returns the workload of styles and recordings that name none. Its files are a part of the program.
var Default = sync.OnceValues(func() (*Workload, error) { return Named("") })

// Recorded returns the workload of a recording's header. One that names none was made when there was one alone.
func Recorded(w *spec.Workload) (*spec.Workload, error) {
	if w != nil {
		return w, nil
	}
	only, err := Default()
	if err != nil {
		return nil, err
	}
	return &only.Workload, nil
}

// Names lists the workloads of this repository.
func Names() []string {
	entries, err := fs.ReadDir(published.Files, ".")
	if err != nil {
		return nil
	}
	return plain.Map(entries, func(entry fs.DirEntry) string { return entry.Name() })
}

// workloadSchema is docs/schema/workload.schema.json with its formats.
var workloadSchema = sync.OnceValues(func() (*rules.Schema, error) {
	return rules.Load("workload", rules.Formats{
		"name":   func(text string) error { _, err := bounds.NewTemplate(text); return err },
		"re2":    func(text string) error { _, err := bounds.Expression(text); return err },
		"answer": answer,
	})
})

// answer checks what the answer to a probe is to match.
func answer(text string) error {
	expected, err := bounds.Expression(text)
	if err == nil && expected.MatchString("") {
		err = errors.New("it matches no answer at all")
	}
	return err
}

// Read reads the workload in a folder; where is its path for errors, which list every mistake of workload.yaml with its
// line.
func Read(where string, folder fs.FS) (*Workload, error) {
	file := path.Join(where, FileName)
	text, err := fs.ReadFile(folder, FileName)
	if err != nil {
		return nil, fmt.Errorf("read the workload %s: %w", where, err)
	}
	known, err := workloadSchema()
	if err != nil {
		return nil, err
	}
	f, err := rules.Read(file, text, "workload")
	if err != nil {
		return nil, err
	}
	value := f.Check(known)
	if !f.OK() {
		return nil, f.Err()
	}
	w := &Workload{folder: folder}
	if text, err = json.Marshal(value); err == nil {
		err = json.Unmarshal(text, &w.Workload)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	w.check(f, path.Base(where))
	for name, into := range map[string]**unstructured.Unstructured{w.Definition: &w.definition, w.Template: &w.template, w.Reference: &w.reference} {
		if name == "" {
			continue
		}
		if *into, err = object(path.Join(where, name), folder, name); err != nil {
			f.Fail(f.Root, "%v", err)
		}
	}
	if f.OK() {
		w.checkObjects(f)
	}
	return w, f.Err()
}

// object reads a file that holds one Kubernetes object.
func object(where string, folder fs.FS, name string) (*unstructured.Unstructured, error) {
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", where, err)
	}
	o, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", where, err)
	}
	return o, nil
}

// parse reads a Kubernetes object in YAML.
func parse(text []byte) (*unstructured.Unstructured, error) {
	fields := map[string]any{}
	if err := yaml.UnmarshalStrict(text, &fields); err != nil {
		return nil, err
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	o := &unstructured.Unstructured{}
	return o, o.UnmarshalJSON(text) // whole numbers are int64 from here on
}

// check finds what the schema cannot say of workload.yaml alone.
func (w *Workload) check(f *rules.File, folder string) {
	if w.Name != folder {
		f.FailAt([]any{"name"}, "name is %q, expected %q as the folder's", w.Name, folder)
	}
	if main := w.Main(); main.Many && (w.Reference != "" || w.Phases.Ready == "") {
		f.FailAt([]any{"children"}, "children: the main child %s is many: say in phases.ready when they are ready, and leave out reference, which is one", main.ID)
	}
	if mains := len(plain.Where(w.Children, func(c spec.ChildKind) bool { return c.Main })); mains != 1 {
		f.FailAt([]any{"children"}, "children: %d of them are main, expected exactly one: the child that runs the pods", mains)
	}
	w.checkKnobs(f)
}

// checkKnobs finds what the schema cannot say of knobs.
func (w *Workload) checkKnobs(f *rules.File) {
	scales := 0
	for name, knob := range w.Knobs {
		if knob.Effect != spec.Scale {
			continue
		}
		if scales++; !slices.IsSorted(knob.Values) {
			f.FailAt([]any{"knobs", name, "values"}, "knobs.%s.values are not in ascending order", name)
		}
		if len(knob.Values) == 0 && knob.Max <= knob.Min {
			f.FailAt([]any{"knobs", name}, "knobs.%s: no values, and max is not above min", name)
		}
		if main := w.Main(); main.Many && knob.Lowest() == 0 {
			f.FailAt([]any{"knobs", name}, "knobs.%s: it takes 0, where the main child %s, which is many, is not there to be judged: say min: 1", name, main.ID)
		}
	}
	if scales != 1 {
		f.FailAt([]any{"knobs"}, "knobs: %d of them have the effect %s, expected exactly one: how many pods run", scales, spec.Scale)
	}
}

// checkPause holds the patch that pauses against the definition and the template.
func (w *Workload) checkPause(f *rules.File, env *expr.Environment, patch map[string]any, at ...string) {
	for _, key := range slices.Sorted(maps.Keys(patch)) {
		path := append(slices.Clone(at), key)
		if inner, is := patch[key].(map[string]any); is {
			w.checkPause(f, env, inner, path...)
			continue
		}
		where := strings.Join(path, ".")
		if _, there, _ := unstructured.NestedFieldNoCopy(w.template.Object, path...); there {
			f.FailAt([]any{"pause"}, "pause: %s has %s already, and it is removed to go on", w.Template, where)
		}
		if path[0] != "spec" {
			continue // labels and annotations may have any name
		}
		if _, err := env.Compile("has(" + expr.Custom + "." + where + ")"); err != nil {
			f.FailAt([]any{"pause"}, "pause: %s: %v", where, err)
		}
	}
}

// checkObjects holds the folder's objects against workload.yaml.
func (w *Workload) checkObjects(f *rules.File) {
	if got, want := w.template.GroupVersionKind(), w.Kind(); got != want {
		f.FailAt([]any{"template"}, "template: %s has a %s, expected a %s", w.Template, got, want)
	}
	for _, path := range unfilled(w.template.Object, "") {
		f.FailAt([]any{"template"}, "template: %s: %s is still to be said", w.Template, path)
	}
	if _, found, err := unstructured.NestedInt64(w.template.Object, spec.Fields(w.scalePath())...); err != nil || !found {
		f.FailAt([]any{"template"}, "template: %s has no whole number at %s, the path of the knob that scales", w.Template, w.scalePath())
	}
	if w.definition != nil {
		if want := w.GVR().GroupResource().String(); w.definition.GetName() != want {
			f.FailAt([]any{"definition"}, "definition: %s defines %s, expected %s", w.Definition, w.definition.GetName(), want)
		}
		if w.ScaleSubresource {
			f.FailAt([]any{"scaleSubresource"}, "scaleSubresource: leave it out, %s says whether there is one", w.Definition)
		}
		w.ScaleSubresource, w.WholeStatus = w.serves("scale"), !w.serves("status")
	}
	w.checkPhases(f)
	if main := w.Main(); w.reference != nil && w.reference.GetKind() != main.Kind {
		f.FailAt([]any{"reference"}, "reference: %s has a %s, expected the main child's kind, %s", w.Reference, w.reference.GetKind(), main.Kind)
	}
}

// unfilled lists the paths below a node that are still to be said.
func unfilled(node any, path string) (list []string) {
	switch is := node.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(is)) {
			list = append(list, unfilled(is[key], strings.TrimPrefix(path+"."+key, "."))...)
		}
	case []any:
		for i, item := range is {
			list = append(list, unfilled(item, fmt.Sprintf("%s.%d", path, i))...)
		}
	case string:
		if is == spec.Unsaid {
			list = append(list, path)
		}
	}
	return list
}

// serves reports whether the definition has a subresource.
func (w *Workload) serves(subresource string) bool {
	versions, _, _ := unstructured.NestedSlice(w.definition.Object, "spec", "versions")
	return slices.ContainsFunc(versions, func(version any) bool {
		fields, _ := version.(map[string]any)
		_, found, _ := unstructured.NestedMap(fields, "subresources", subresource)
		return found && fields["name"] == w.Resource.Version
	})
}

// ScenariosFolder is where a workload's folder has the scenarios of this workload alone.
const ScenariosFolder = "scenarios"

// Scenarios are the files of the scenarios of this workload alone; there may be none, as of one that was read from a
// recording.
func (w *Workload) Scenarios() (fs.FS, error) {
	if w.folder == nil {
		return embed.FS{}, nil
	}
	return fs.Sub(w.folder, ScenariosFolder)
}

// checkPhases compiles the expressions against the definition and the kinds of the children. None may hold of a custom
// resource that no operator has seen.
func (w *Workload) checkPhases(f *rules.File) {
	main := w.Main()
	_, knob := w.ScaleKnob()
	env, err := expr.Typed(w.types(func(child spec.ChildKind) bool { return child.ID != main.ID || main.Many }))
	if err != nil {
		f.FailAt([]any{"definition"}, "definition: %v", err)
		return
	}
	untyped, err := expr.Untyped(w.ChildIDs()...)
	if err != nil {
		f.FailAt([]any{"children"}, "children: %v", err)
		return
	}
	for name, knob := range w.Knobs {
		if slices.Contains(spec.Fields(knob.Path), spec.Unsaid) {
			f.FailAt([]any{"knobs", name, "path"}, "knobs.%s.path: %s is still to be said", name, knob.Path)
		} else if _, err := env.Compile("has(" + expr.Custom + "." + knob.Path + ")"); err != nil {
			f.FailAt([]any{"knobs", name, "path"}, "knobs.%s.path: %s: %v", name, knob.Path, err)
		}
		if is, _, _ := unstructured.NestedFieldNoCopy(w.template.Object, spec.Fields(knob.Path)...); knob.To != nil && fmt.Sprint(is) == fmt.Sprint(knob.To) {
			f.FailAt([]any{"knobs", name, "to"}, "knobs.%s.to: %s has %v at %s already", name, w.Template, knob.To, knob.Path)
		}
	}
	w.checkPause(f, env, w.Pause)
	size, _, _ := unstructured.NestedInt64(w.template.Object, spec.Fields(knob.Path)...)
	values := w.present(w.template.Object, size, nil)
	phases := map[string]*expr.Expression{}
	for phase, text := range w.Phases.Named() {
		if phase == "gone" {
			w.checkGone(f, untyped)
			continue
		}
		compiled, err := compile(env, untyped, text)
		if err != nil {
			f.FailAt([]any{"phases", phase}, "phases.%s: %v", phase, err)
			continue
		}
		if lacks, _ := compiled.Lacks(values); lacks == "" {
			f.FailAt([]any{"phases", phase}, "phases.%s holds already of %s, which no operator has seen: say what its status must have", phase, w.Template)
		}
		values := maps.Clone(values)
		values[expr.Custom] = w.unsaid(size)
		if lacks, _ := compiled.Lacks(values); lacks == "" && strings.Contains(text, ".all(") {
			f.FailAt([]any{"phases", phase}, "phases.%s holds of a status without a condition: all() is true of an empty list, ask for exists() or size() > 0, too", phase)
		}
		phases[phase] = compiled
	}
	if f.OK() {
		w.checkFixtures(f, phases)
	}
}

// compile compiles an expression against the types of its variables, and as whoever reads a recording does, who has
// none: there a list cannot have both a field and a text.
func compile(typed, untyped *expr.Environment, text string) (*expr.Expression, error) {
	compiled, err := typed.Compile(text)
	if err == nil {
		_, err = untyped.Compile(text)
	}
	return compiled, err
}

// checkGone compiles the expression that says that nothing is left. It must look at a child, and hold where there is
// none.
func (w *Workload) checkGone(f *rules.File, untyped *expr.Environment) {
	fail := func(format string, args ...any) { f.FailAt([]any{"phases", "gone"}, "phases.gone: "+format, args...) }
	of := w.types(func(spec.ChildKind) bool { return true })
	env, err := expr.Typed(of)
	if err != nil {
		return // checkPhases says so
	}
	of.Children = nil
	alone, err := expr.Typed(of)
	if err != nil {
		return // checkPhases says so
	}
	if _, err := alone.Compile(w.Phases.Gone); err == nil {
		fail("it looks at no child: the custom resource is gone before it is asked")
		return
	}
	compiled, err := compile(env, untyped, w.Phases.Gone)
	if err != nil {
		fail("%v", err)
	} else if lacks, _ := compiled.Lacks(w.values(w.template.Object, int64(w.Smallest()), nil)); lacks != "" {
		fail("where nothing is left it does not hold: %s", lacks)
	}
}

// types are those of an expression's variables; list reports whether a child's holds a list.
func (w *Workload) types(list func(spec.ChildKind) bool) expr.Types {
	name, _ := w.ScaleKnob()
	all := expr.Types{Definition: w.definition, Version: w.Resource.Version, Knobs: []string{name}, Children: map[string]expr.Child{}}
	for _, child := range w.Children {
		all.Children[child.ID] = expr.Child{Kind: GVR(child.Resource).GroupVersion().WithKind(child.Kind), List: list(child)}
	}
	return all
}

// values are what the variables of an expression hold, with children in lists by their kinds.
func (w *Workload) values(cr map[string]any, size int64, objects map[string][]any) map[string]any {
	name, _ := w.ScaleKnob()
	values := map[string]any{expr.Custom: cr, expr.Knob: map[string]any{name: size}}
	for _, child := range w.Children {
		values[child.ID] = append([]any{}, objects[kind(child)]...)
	}
	return values
}

// present are they where the custom resource is there: of the main child the object, which may be empty, unless it is many.
func (w *Workload) present(cr map[string]any, size int64, objects map[string][]any) map[string]any {
	values := w.values(cr, size, objects)
	if main := w.Main(); !main.Many {
		values[main.ID] = append(objects[kind(main)], any(map[string]any{}))[0]
	}
	return values
}

// kind is the version and kind of a child, as its objects have them.
func kind(child spec.ChildKind) string {
	return GVR(child.Resource).GroupVersion().String() + " " + child.Kind
}

// unsaid is the template with a status that is of its generation and size, and whose lists are empty.
func (w *Workload) unsaid(size int64) map[string]any {
	cr := w.template.DeepCopy().Object
	set(cr, "metadata.generation", int64(1))
	for path, value := range map[string]any{
		w.Status.ObservedGeneration: int64(1), w.Status.Replicas: size, w.Status.Conditions: []any{}, w.Status.Nodes: []any{},
	} {
		if path != "" {
			set(cr, path, value)
		}
	}
	return cr
}

// GVR names the custom resource as clients do.
func (w *Workload) GVR() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: w.Resource.Group, Version: w.Resource.Version, Resource: w.Resource.Plural}
}

// Kind is the custom resource's.
func (w *Workload) Kind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: w.Resource.Group, Version: w.Resource.Version, Kind: w.Resource.Kind}
}

// MainGVR names the main child's resource as clients do.
func (w *Workload) MainGVR() schema.GroupVersionResource { return GVR(w.Main().Resource) }

// GVR reads plural.version.group, or plural.version of the core group.
func GVR(resource string) schema.GroupVersionResource {
	plural, rest, _ := strings.Cut(resource, ".")
	version, group, _ := strings.Cut(rest, ".")
	return schema.GroupVersionResource{Group: group, Version: version, Resource: plural}
}

// CRD returns the CustomResourceDefinition; nil: the operator brings it.
func (w *Workload) CRD() *unstructured.Unstructured {
	if w.definition == nil {
		return nil
	}
	return w.definition.DeepCopy()
}

// New returns a custom resource that asks for size pods.
func (w *Workload) New(namespace, name string, size int) *unstructured.Unstructured {
	cr := w.template.DeepCopy()
	cr.SetNamespace(namespace)
	cr.SetName(name)
	set(cr.Object, w.scalePath(), int64(size))
	return cr
}

// SizePatch is the merge patch that asks a custom resource for size pods.
func (w *Workload) SizePatch(size int) []byte { return patch(w.scalePath(), size) }

// ScalePatch is the merge patch that gives the main child so many pods.
func (w *Workload) ScalePatch(replicas int) []byte { return patch(w.Main().Scale, replicas) }

// SizeOf reads how many pods a custom resource asks for; false: it does not say.
func (w *Workload) SizeOf(cr *unstructured.Unstructured) (int64, bool) {
	size, found, err := unstructured.NestedInt64(cr.Object, spec.Fields(w.scalePath())...)
	return size, found && err == nil
}

// Smallest is the smallest size that a custom resource can ask for.
func (w *Workload) Smallest() int {
	_, knob := w.ScaleKnob()
	return knob.Lowest()
}

// HasReference reports whether the folder says what a custom resource asks for.
func (w *Workload) HasReference() bool { return w.reference != nil }

// HasFloor reports whether the harness can write what a custom resource asks for before any operator is there.
func (w *Workload) HasFloor() bool { return w.definition != nil && w.reference != nil }

// Asks is what says what a pod requests: the reference, or else the custom resource's template.
func (w *Workload) Asks() map[string]any {
	if w.reference != nil {
		return w.reference.Object
	}
	return w.template.Object
}

// Image is the image of the first container that the reference runs; false: there is no reference, or it has none.
func (w *Workload) Image() (string, bool) {
	if w.reference == nil {
		return "", false
	}
	containers, _, err := unstructured.NestedSlice(w.reference.Object, "spec", "template", "spec", "containers")
	if err != nil || len(containers) == 0 {
		return "", false
	}
	first, _ := containers[0].(map[string]any)
	image, is := first["image"].(string)
	return image, is
}

// instance is the label that has the custom resource's name, wherever the reference has it.
const instance = "app.kubernetes.io/instance"

// Child returns the main child that a custom resource asks for: the reference with the custom resource's name,
// namespace and size. The custom resource is its controller, so that the garbage collector removes it.
func (w *Workload) Child(cr *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	what := fmt.Sprintf("%s %s/%s", w.Resource.Kind, cr.GetNamespace(), cr.GetName())
	if w.reference == nil {
		return nil, fmt.Errorf("the workload %s does not say what %s asks for: it has no reference", w.Name, what)
	}
	size, found := w.SizeOf(cr)
	if !found {
		return nil, fmt.Errorf("read %s of %s: not set", w.scalePath(), what)
	}
	child := w.reference.DeepCopy()
	child.SetNamespace(cr.GetNamespace())
	child.SetName(cr.GetName())
	label(child.Object, cr.GetName())
	set(child.Object, w.Main().Scale, size)
	set(child.Object, "metadata.ownerReferences", []any{map[string]any{
		"apiVersion": cr.GetAPIVersion(), "kind": cr.GetKind(), "name": cr.GetName(),
		"uid": string(cr.GetUID()), "controller": true, "blockOwnerDeletion": true,
	}})
	return child, nil
}

// label gives every label for the instance the value name.
func label(node any, name string) {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			if _, text := value.(string); text && key == instance {
				node[key] = name
			}
			label(value, name)
		}
	case []any:
		for _, one := range node {
			label(one, name)
		}
	}
}

func (w *Workload) scalePath() string {
	_, knob := w.ScaleKnob()
	return knob.Path
}

// set writes a value at a path. What stands in the way of it gives way.
func set(object map[string]any, at string, value any) {
	fields := spec.Fields(at)
	for _, key := range fields[:len(fields)-1] {
		inner, is := object[key].(map[string]any)
		if !is {
			inner = map[string]any{}
			object[key] = inner
		}
		object = inner
	}
	object[fields[len(fields)-1]] = value
}

// patch is the merge patch that writes a number at a path.
func patch(at string, number int) []byte {
	text, _ := spec.MergePatch(spec.Fields(at), number) // keys and a number can always be written
	return text
}
