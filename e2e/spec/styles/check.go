package styles

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// Check refuses, before there is a cluster, styles that cannot be installed as they stand, or that would share what
// they act on: manifests that cannot be rendered, an overlay that no longer applies, an object that is rendered twice
// or that the harness makes itself, two operators in one style, and a style.yaml that its manifests contradict, or an
// overlay that leaves its manifests unused. The catalogue knows the images, beside those that the styles bring along.
// Errors name file and line.
//
// Styles of one run may have the same objects: they take turns, and none is installed beside what another has left.
func Check(catalogue *images.Catalogue, all ...*Style) error {
	_, err := catalogue.With(OwnImages(all...)...)
	return errors.Join(err, errors.Join(plain.Map(all, func(s *Style) error { return s.check(catalogue) })...))
}

func (s Style) check(catalogue *images.Catalogue) error {
	all, err := s.placed()
	if err != nil {
		return err
	}
	if err := s.checkUpgrade(); err != nil {
		return err
	}
	catalogue, _ = catalogue.With(s.Own...) // Check says what is wrong with these, of all styles at once
	c := checks{Style: s, all: all}
	c.objects()
	c.fail(s.checkBases())
	c.fail(s.checkUnused())
	c.distinct()
	c.components()
	c.rollouts()
	c.images(catalogue)
	return errors.Join(c.problems...)
}

// checks collects what is wrong with a style's objects.
type checks struct {
	Style
	all      []placed
	problems []error
}

func (c *checks) fail(err error) { c.problems = append(c.problems, err) }

// about notes an error about an object, with the line of style.yaml that leads to it.
func (c *checks) about(obj placed, format string, args ...any) {
	c.fail(c.problem(obj.from, fmt.Errorf(kube.Describe(obj.Unstructured)+" "+format, args...)))
}

// checkUpgrade refuses a next version that cannot be rendered, or that is what is
// installed already: an upgrade to it would replace nothing.
func (s Style) checkUpgrade() error {
	next, err := s.next()
	if err != nil || s.Upgrade == nil {
		return err
	}
	for _, from := range s.nextSources() {
		if err := from.check(); err != nil {
			return s.problem(from, err)
		}
	}
	now, err := s.Objects()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(next, func(obj *unstructured.Unstructured) bool {
		return !slices.ContainsFunc(now, func(old *unstructured.Unstructured) bool { return reflect.DeepEqual(old.Object, obj.Object) })
	}) {
		return s.errorAt([]any{"upgrade", "manifests"}, "upgrade: all of it is installed already, expected a next version")
	}
	return nil
}

// placed is an object with the place from which it is rendered.
type placed struct {
	*unstructured.Unstructured
	from source
}

// placed renders all manifests, each with its place.
func (s Style) placed() ([]placed, error) {
	var all []placed
	var problems []error
	for _, from := range slices.Concat(s.stageSources()...) {
		err := from.err
		if err == nil {
			err = from.check()
		}
		if err != nil {
			problems = append(problems, s.problem(from, err))
		}
		for _, obj := range from.copies() {
			all = append(all, placed{obj, from})
		}
	}
	return all, errors.Join(problems...)
}

// identity is what no two objects of a cluster have in common.
type identity struct {
	schema.GroupKind
	namespace, name string
}

func identityOf(obj *unstructured.Unstructured) identity {
	return identity{obj.GroupVersionKind().GroupKind(), obj.GetNamespace(), obj.GetName()}
}

// objects refuses what is rendered twice, and what the harness makes.
func (c *checks) objects() {
	w, err := c.Handles()
	if err != nil {
		c.fail(err)
		return
	}
	var harness identity // nothing is called so
	if crd := w.CRD(); crd != nil {
		harness = identityOf(crd)
	}
	first := map[identity]placed{}
	for _, obj := range c.all {
		is := identityOf(obj.Unstructured)
		before, twice := first[is]
		switch {
		case is == harness:
			c.about(obj, "is here, which the harness itself makes for all styles: it would go with this one, leave it out")
		case twice:
			c.about(obj, "is rendered twice, by %s from %s (line %d), too: leave one out", before.from.what, before.from.path, c.line(before.from.where))
		default:
			first[is] = obj
		}
	}
}

// components refuses a component whose pods nothing makes: no workload of the manifests, and no other component.
func (c *checks) components() {
	objs := plain.Map(c.all, func(obj placed) *unstructured.Unstructured { return obj.Unstructured })
	for i, component := range c.Components {
		unmade, err := install.Unmade([]spec.Component{component}, objs)
		if err != nil {
			c.fail(c.errorAt([]any{"components", i, "selector"}, "%w", err))
			return
		}
		if len(unmade) > 0 && component.ManagedBy == "" {
			c.fail(c.errorAt([]any{"components", i}, "component %s: no workload of the manifests has pods %s in namespace %s: mend the selector, or say with managedBy which component makes them",
				component.Name, component.Selector, component.Namespace))
		}
	}
}

// rollouts refuses the rollout of a workload that nothing makes. Where a component makes
// workloads, they are not among the manifests.
func (c *checks) rollouts() {
	managed := c.managed()
	for i, stage := range c.Stages {
		for j, gate := range stage.Ready {
			r := gate.Rollout
			if r == nil || managed {
				continue
			}
			if !slices.ContainsFunc(c.all, func(obj placed) bool {
				return obj.GetKind() == r.Kind && obj.GetNamespace() == r.Namespace && obj.GetName() == r.Name
			}) {
				c.fail(c.errorAt([]any{"install", i, "ready", j}, "stage %s: the manifests have no %s %s/%s, so that its rollout would never complete", stage.Name, r.Kind, r.Namespace, r.Name))
			}
		}
	}
}

// images refuses a name that the catalogue does not have, and an image of the catalogue that the manifests need
// and style.yaml does not list: the node would not have it. What the catalogue does not know and the style does not
// bring along, the node pulls.
func (c *checks) images(catalogue *images.Catalogue) {
	for i, name := range c.ImageNames() {
		if _, err := catalogue.Image(name); err != nil {
			c.fail(c.errorAt([]any{"images", i}, "%w; an image that it does not have is written as {name: …, reference: …}, see operators/README.md", err))
		}
	}
	for _, image := range catalogue.Images {
		needs := func(obj placed) bool { return runs(obj.Object, image.Reference) }
		if i := slices.IndexFunc(c.all, needs); i >= 0 && !slices.Contains(c.ImageNames(), image.Name) {
			obj := c.all[i]
			c.fail(c.problem(obj.from, fmt.Errorf("%s/%s runs %s, which images (line %d) does not list: add %s",
				strings.ToLower(obj.GetKind()), obj.GetName(), image.Reference, c.line([]any{"images"}), image.Name)))
		}
	}
}

// runs reports whether a container at any depth of an object has an image.
func runs(object any, reference string) bool {
	for inner := range kube.Maps(object) {
		if inner["image"] == reference {
			return true
		}
	}
	return false
}

// distinct refuses two objects that style.yaml says must not be alike: those
// that have at every path some value in common.
func (c *checks) distinct() {
	for _, rule := range c.Distinct {
		var before []placed
		var values [][][]string // of each object before, at each path
		for _, obj := range c.all {
			if obj.GetAPIVersion() != rule.APIVersion || obj.GetKind() != rule.Kind {
				continue
			}
			mine, err := valuesAt(rule, obj)
			if err != nil {
				c.fail(c.problem(obj.from, err))
				return
			}
			alike := func(other [][]string) bool { return shareAll(mine, other) }
			if i := slices.IndexFunc(values, alike); i >= 0 {
				c.about(obj, "is not distinct from %s: %s", kube.Describe(before[i].Unstructured), rule.Reason)
			}
			before, values = append(before, obj), append(values, mine)
		}
	}
}

// valuesAt lists what an object has at each path of a rule, as JSON.
func valuesAt(rule spec.Distinct, obj placed) ([][]string, error) {
	text, err := json.Marshal(obj.Object)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", kube.Describe(obj.Unstructured), err)
	}
	values := make([][]string, len(rule.Paths))
	for i, path := range rule.Paths {
		for _, value := range gjson.GetBytes(text, path).Array() {
			values[i] = append(values[i], value.Raw)
		}
	}
	return values, nil
}

// shareAll reports whether two objects have at every path a value in common.
func shareAll(one, other [][]string) bool {
	for i := range one {
		if !slices.ContainsFunc(one[i], func(value string) bool { return slices.Contains(other[i], value) }) {
			return false
		}
	}
	return true
}

// checkUnused refuses an overlay that has manifests of its own which no stage
// uses: what is installed would be its base's, under its name.
func (s Style) checkUnused() error {
	bases, err := s.bases()
	if err != nil || s.Base == "" && len(bases) == 0 {
		return err
	}
	own := map[string]bool{}
	err = findFiles(filepath.Join(s.Folder, "manifests"), own)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, from := range append(slices.Concat(s.stageSources()...), s.nextSources()...) {
		if from.err != nil {
			return s.problem(from, from.err)
		}
		for _, file := range from.files {
			delete(own, file)
		}
	}
	if len(own) == 0 {
		return nil
	}
	unused := plain.Map(slices.Sorted(maps.Keys(own)), func(file string) string { return strings.TrimPrefix(file, s.Folder+string(filepath.Separator)) })
	return s.errorAt([]any{"install"}, "no stage uses %s, so that what is installed is the base's: name them in install or in a kustomization.yaml that a stage uses, or delete them",
		strings.Join(unused, ", "))
}
