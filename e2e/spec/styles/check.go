package styles

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/plain"
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
