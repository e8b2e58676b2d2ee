package styles

import (
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
	once    *once      // nil: all is read whenever it is asked for
}

// tree is where the style's files are, and those of styles beside it.
func (s Style) tree() files.Tree { return files.Tree(filepath.Dir(s.Folder)) }

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
	return install.Reach(append(flatten(stages), next...))
}

// Objects renders everything that Install applies, in its order.
func (s Style) Objects() ([]*unstructured.Unstructured, error) {
	stages, err := s.render()
	return flatten(stages), err
}

// render returns the objects of each stage.
func (s Style) render() ([][]*unstructured.Unstructured, error) {
	stages := make([][]*unstructured.Unstructured, len(s.Stages))
	for i, stage := range s.Stages {
		for j, manifests := range stage.Manifests {
			read := s.at(manifests)
			if read.err != nil {
				return nil, s.problem(i, j, read.err)
			}
			stages[i] = append(stages[i], read.copies()...)
		}
	}
	return stages, nil
}

// next returns the objects of the style's next version; nil: it has none.
func (s Style) next() ([]*unstructured.Unstructured, error) {
	if s.Upgrade == nil {
		return nil, nil
	}
	var all []*unstructured.Unstructured
	for j, manifests := range s.Upgrade.Manifests {
		read := s.at(manifests)
		if read.err != nil {
			return nil, s.upgradeProblem(j, read.err)
		}
		all = append(all, read.copies()...)
	}
	return all, nil
}

func flatten(stages [][]*unstructured.Unstructured) []*unstructured.Unstructured {
	return slices.Concat(stages...)
}

// manifestsAt is the place in style.yaml of the j-th of the i-th stage's manifests.
func manifestsAt(i, j int) []any { return []any{"install", i, "manifests", j} }

// problem says which of a stage's manifests an error is about.
func (s Style) problem(i, j int, err error) error {
	return s.errorAt(manifestsAt(i, j), "operator %s, stage %s, manifests %s: %w", s.Name, s.Stages[i].Name, s.Stages[i].Manifests[j], err)
}

// upgradeProblem says which of the manifests of the next version an error is about.
func (s Style) upgradeProblem(j int, err error) error {
	return s.errorAt([]any{"upgrade", "manifests", j}, "operator %s, upgrade, manifests %s: %w", s.Name, s.Upgrade.Manifests[j], err)
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
