package styles

import (
	"path/filepath"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/images"
	"operatorbench/e2e/environment/install"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec"
	"operatorbench/e2e/spec/files"
)

// Style is a style.yaml, read and checked, with where it was found.
type Style struct {
	spec.Style
	Folder string
	Own    []images.Image // those that it brings along

	sources Sources
	node    *yaml.Node // what it was read from, for the lines of errors
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
			objs, err := install.Render(s.tree(), filepath.Join(s.Folder, manifests))
			if err != nil {
				return nil, s.problem(i, j, err)
			}
			stages[i] = append(stages[i], objs...)
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
		objs, err := install.Render(s.tree(), filepath.Join(s.Folder, manifests))
		if err != nil {
			return nil, s.upgradeProblem(j, err)
		}
		all = append(all, objs...)
	}
	return all, nil
}

func flatten(stages [][]*unstructured.Unstructured) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, objs := range stages {
		all = append(all, objs...)
	}
	return all
}
