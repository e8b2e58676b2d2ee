// Package install installs an operator style in a cluster and takes it away again. How what a style's folder holds
// becomes objects, and what there is of them in the cluster then, is a way to install: one package each.
package install

import (
	"errors"
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"operatorbench/e2e/environment/install/kustomize"
	"operatorbench/e2e/environment/install/yaml"
	"operatorbench/e2e/environment/kube"
	"operatorbench/e2e/spec/files"
)

// A Way to install turns what a path of a style's folder leads to into a cluster's objects.
type Way interface {
	// Read returns the objects that are applied, in their order, and the files that they are read from, by absolute path,
	// sorted. Nothing is read outside of the tree, nor fetched. Errors name the file, and the line where it is known.
	Read(tree files.Tree, path string) (objects []*unstructured.Unstructured, from []string, err error)
	// Check refuses what is written and has no effect.
	Check(tree files.Tree, path string) error
}

// at returns the way in which a path is installed, and the tree and the path in full. Helm charts and bundles of the
// Operator Lifecycle Manager are to be packages beside these.
func at(tree files.Tree, path string) (Way, files.Tree, string, error) {
	full, err := filepath.Abs(path)
	top, problem := filepath.Abs(string(tree))
	if err := errors.Join(err, problem); err != nil {
		return nil, "", "", fmt.Errorf("reading manifests %s: %w", path, err)
	}
	if kustomize.Of(full) {
		return kustomize.Way{}, files.Tree(top), full, nil
	}
	return yaml.Way{}, files.Tree(top), full, nil
}

// Read returns the objects that are applied for a path in a tree of styles, and the files that they are read from; see
// Way.
func Read(tree files.Tree, path string) (objects []*unstructured.Unstructured, from []string, err error) {
	way, tree, path, err := at(tree, path)
	if err != nil {
		return nil, nil, err
	}
	objects, from, err = way.Read(tree, path)
	for _, obj := range objects {
		if namespaced, known := kube.Namespaced(obj, objects); known && !namespaced {
			obj.SetNamespace("") // published manifests name one, and the API server forgets it
		}
	}
	return objects, from, err
}

// Render returns the objects alone.
func Render(tree files.Tree, path string) ([]*unstructured.Unstructured, error) {
	objects, _, err := Read(tree, path)
	return objects, err
}

// Check refuses what is written at a path and has no effect; see Way.
func Check(tree files.Tree, path string) error {
	way, tree, path, err := at(tree, path)
	if err != nil {
		return err
	}
	return way.Check(tree, path)
}
