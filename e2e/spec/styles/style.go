// Package styles holds what is compared: one folder an operator style. A style is its style.yaml and its manifests;
// this package reads them, and package install installs what they say. A new style needs no Go.
package styles

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/files"
	"operatorbench/e2e/spec/schema"
)

// Style is a style.yaml, read and checked, with where it was found.
type Style struct {
	spec.Style
	Folder string
	Own    []images.Image // those that it brings along

	sources Sources
	node    *yaml.Node // what it was read from, for the lines of errors
	once    *once      // nil: all is read whenever it is asked for; see kept
}

// tree is where the style's files are, and those of styles beside it.
func (s Style) tree() files.Tree { return files.Tree(filepath.Dir(s.Folder)) }

// Install returns when the operator will really see what happens to a custom resource. All is rendered before anything
// is applied, and nothing is touched if an object of the same name exists that this run did not make.
func (s *Style) Install(ctx context.Context, c install.Cluster) error {
	return s.installed("install", func(i install.Installation) error { return i.Install(ctx, c) })
}

// Uninstall returns when nothing of the operator is left, whatever part of an Install went before it.
func (s *Style) Uninstall(ctx context.Context, c install.Cluster) error {
	return s.installed("uninstall", func(i install.Installation) error { return i.Uninstall(ctx, c) })
}

// InstallNext installs the next version over what Install has installed, and returns when that sees what happens; see
// spec.Upgrade.
func (s *Style) InstallNext(ctx context.Context, c install.Cluster) error {
	return s.installed("upgrade", func(i install.Installation) error { return i.Upgrade(ctx, c) })
}

// installed does something with what is installed of the style.
func (s *Style) installed(what string, do func(install.Installation) error) error {
	stages, err := s.render()
	var next []*unstructured.Unstructured
	if err == nil {
		next, err = s.next()
	}
	if err != nil {
		return fmt.Errorf("%s operator %s: %w", what, s.Name, err)
	}
	return do(install.Installation{Style: s.Style, Stages: stages, Next: next})
}

// Plan says what Install would touch. It reads the manifests alone.
func (s Style) Plan() (kube.Footprint, error) {
	objs, err := s.Objects()
	if err != nil {
		return kube.Footprint{}, err
	}
	return kube.Plan(objs), nil
}

// Reach says in what it reaches beyond its own namespaces; see install.Reach.
func (s Style) Reach() ([]string, error) {
	stages, err := s.render()
	if err != nil {
		return nil, err
	}
	next, err := s.next()
	if err != nil {
		return nil, err
	}
	return install.Reach(append(slices.Concat(stages...), next...))
}

// Objects renders everything that Install applies, in its order.
func (s Style) Objects() ([]*unstructured.Unstructured, error) {
	stages, err := s.render()
	return slices.Concat(stages...), err
}

// render returns the objects of each stage.
func (s Style) render() ([][]*unstructured.Unstructured, error) {
	var stages [][]*unstructured.Unstructured
	for _, sources := range s.stageSources() {
		objs, err := s.objectsOf(sources)
		if err != nil {
			return nil, err
		}
		stages = append(stages, objs)
	}
	return stages, nil
}

// next returns the objects of the style's next version; nil: it has none.
func (s Style) next() ([]*unstructured.Unstructured, error) { return s.objectsOf(s.nextSources()) }

// source is one of the paths of the style's manifests, with what it leads to.
type source struct {
	*manifests
	what, path string // "stage NAME" or "upgrade", and the path
	where      []any  // in style.yaml; see Style.line
}

// stageSources are what each stage is made from.
func (s Style) stageSources() [][]source {
	var all [][]source
	for i, stage := range s.Stages {
		all = append(all, s.sourcesAt("stage "+stage.Name, stage.Manifests, "install", i))
	}
	return all
}

// nextSources are what the style's next version is made from.
func (s Style) nextSources() []source {
	if s.Upgrade == nil {
		return nil
	}
	return s.sourcesAt("upgrade", s.Upgrade.Manifests, "upgrade")
}

func (s Style) sourcesAt(what string, paths []string, where ...any) []source {
	var all []source
	for i, path := range paths {
		all = append(all, source{s.at(path), what, path, append(slices.Clone(where), "manifests", i)})
	}
	return all
}

func (s Style) objectsOf(sources []source) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, from := range sources {
		if from.err != nil {
			return nil, s.problem(from, from.err)
		}
		all = append(all, from.copies()...)
	}
	return all, nil
}

// problem says which of the manifests an error is about.
func (s Style) problem(from source, err error) error {
	return s.errorAt(from.where, "operator %s, %s, manifests %s: %w", s.Name, from.what, from.path, err)
}

// errorAt is an error about what stands at a place in style.yaml.
func (s Style) errorAt(where []any, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", filepath.Join(s.Folder, files.StyleFile), s.line(where), fmt.Errorf(format, args...))
}

// line is where in style.yaml, counted from 1, there is what keys and indices lead to, or that of them which is there;
// where it is taken over from a base, that of base.
func (s Style) line(where []any) int {
	line, at := 1, s.node
	for i := 0; at != nil; i++ {
		line = at.Line
		if i == len(where) {
			break
		}
		at = below(at, where[i])
	}
	return line
}

// below is what stands under a key, or at an index; nil: there is nothing.
func below(node *yaml.Node, step any) *yaml.Node {
	_, value := schema.Below(node, step)
	return value
}
