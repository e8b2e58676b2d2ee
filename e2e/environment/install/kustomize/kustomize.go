// Package kustomize installs a folder with a kustomization, as kubectl apply -k does.
package kustomize

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"

	"operatorbench/e2e/environment/install/yaml"
	"operatorbench/e2e/spec/files"
)

// Way is the way to install for which install.Way asks.
type Way struct{}

// Of reports whether a path is a folder with a kustomization.
func Of(path string) bool {
	return slices.ContainsFunc(konfig.RecognizedKustomizationFileNames(), func(name string) bool {
		_, err := os.Stat(filepath.Join(path, name))
		return err == nil
	})
}

// Read builds the kustomization, which may refer to folders above its own in the tree. The order is that of kubectl
// apply -k: namespaces and definitions before what needs them. The files are those of its bases, too. An error names
// the kustomization that cannot be built, and is kustomize's own.
func (Way) Read(tree files.Tree, folder string) (objects []*unstructured.Unstructured, from []string, err error) {
	tracked := track(tree)
	objects, err = build(tracked, folder)
	return objects, slices.Sorted(maps.Keys(tracked.read)), err
}

func build(tracked *tracked, folder string) ([]*unstructured.Unstructured, error) {
	options := anywhere()
	options.Reorder = krusty.ReorderOptionLegacy
	content, err := tracked.run(options, folder)
	if err != nil && tracked.refused == nil {
		k, unread := readKustomization(tracked.tree, folder)
		if unread != nil {
			return nil, unread
		}
		err = k.failed(err)
	}
	if err != nil {
		return nil, err
	}
	return yaml.Parse("the result of kustomize build "+folder, content)
}

// Check refuses a kustomization, or one of a style that it builds on, in which an entry changes nothing: kustomize is
// silent where the target of a patch is gone. Others that it builds on are published as they are. Errors name file and
// line.
func (w Way) Check(tree files.Tree, folder string) error {
	k, err := readKustomization(tree, folder)
	if err != nil {
		return err
	}
	whole, err := k.without(nil)
	if err != nil {
		return k.failed(err)
	}
	var problems []error
	for _, e := range k.entries {
		if base := k.base(e); base != "" && files.StyleOf(base) != "" {
			problems = append(problems, w.Check(tree, base))
		}
		if !slices.Contains([]string{"patches", "patchesStrategicMerge", "patchesJson6902", "images", "replicas", "replacements"}, e.key) {
			continue
		}
		if rest, err := k.without(e.node); err == nil && bytes.Equal(rest, whole) {
			problems = append(problems, k.errorAt(e, errors.New("this entry changes nothing: what it is meant for is gone, or is so already; mend its target, or remove it")))
		}
	}
	return errors.Join(problems...)
}
