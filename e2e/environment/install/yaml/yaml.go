// Package yaml installs plain YAML: a file with objects, or all such files in a folder.
package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	sigsyaml "sigs.k8s.io/yaml"

	"operatorbench/e2e/spec/files"
)

// Way is the way to install for which install.Way asks.
type Way struct{}

// Read reads a file, or the *.yaml and *.yml files of a folder in name order. The order of the documents is kept.
// Errors name the file from the folder on that it or its folder is in, and the line where the parser knows it.
func (Way) Read(tree files.Tree, path string) (objs []*unstructured.Unstructured, all []string, err error) {
	if all, err = filesAt(tree, path); err != nil {
		return nil, nil, err
	}
	for _, file := range all {
		content, err := tree.Read(file)
		if err != nil {
			return nil, nil, fmt.Errorf("reading manifests: %w", err)
		}
		name, err := filepath.Rel(filepath.Dir(path), file)
		if err != nil {
			return nil, nil, err
		}
		more, err := Parse(name, content)
		if err != nil {
			return nil, nil, err
		}
		objs = append(objs, more...)
	}
	if len(objs) == 0 && !slices.Equal(all, []string{path}) {
		return nil, nil, fmt.Errorf("folder %s holds no manifests: expected kustomization.yaml or *.yaml files", filepath.Base(path))
	}
	return objs, all, nil
}

// filesAt lists what Read reads.
func filesAt(tree files.Tree, path string) ([]string, error) {
	name, err := tree.Name(path)
	if err != nil {
		return nil, fmt.Errorf("reading manifests: %w", err)
	}
	info, err := fs.Stat(tree, name)
	if err != nil {
		return nil, fmt.Errorf("reading manifests: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := fs.ReadDir(tree, name) // sorted by name
	if err != nil {
		return nil, fmt.Errorf("reading manifests: %w", err)
	}
	var all []string
	for _, entry := range entries {
		if !entry.IsDir() && slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(entry.Name())) {
			all = append(all, filepath.Join(path, entry.Name()))
		}
	}
	return all, nil
}

// Check refuses nothing: each document is an object.
func (Way) Check(files.Tree, string) error { return nil }

// Parse reads the objects of a YAML file with any number of documents; a List is replaced by its items. The name
// is for errors only. Empty documents are skipped.
func Parse(name string, content []byte) ([]*unstructured.Unstructured, error) {
	var objs []*unstructured.Unstructured
	for _, doc := range split(content) {
		more, err := doc.objects()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		objs = append(objs, more...)
	}
	return objs, nil
}

// A document is one part of a YAML file.
type document struct {
	text []byte
	line int // the first line that belongs to it, counted from 1
}

func split(content []byte) []document {
	var docs []document
	current, at := document{line: 1}, 0
	for line := range bytes.Lines(content) {
		at++
		if isSeparator(line) {
			docs = append(docs, current)
			current = document{line: at + 1}
			continue
		}
		current.text = append(current.text, line...)
	}
	return append(docs, current)
}

func isSeparator(line []byte) bool {
	rest, found := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("---"))
	if !found {
		return false
	}
	rest = bytes.TrimLeft(rest, " \t")
	return len(rest) == 0 || rest[0] == '#'
}

func (d document) objects() ([]*unstructured.Unstructured, error) {
	json, err := sigsyaml.YAMLToJSONStrict(d.text)
	if err != nil {
		// Once more behind as many empty lines as stand before it in the file, so that the parser's line is the file's.
		if _, there := sigsyaml.YAMLToJSONStrict(append(bytes.Repeat([]byte("\n"), d.line-1), d.text...)); there != nil {
			err = there
		}
		reason := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
		if bytes.Contains(d.text, []byte("{{")) {
			reason += "; if it is of a Helm chart, `helm template` prints what it stands for"
		}
		return nil, errors.New(reason)
	}
	if string(json) == "null" {
		return nil, nil
	}
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(json); err != nil {
		return nil, fmt.Errorf("document at line %d: not a Kubernetes object: expected apiVersion, kind and metadata", d.line) // err repeats the document
	}
	if !obj.IsList() {
		return []*unstructured.Unstructured{obj}, d.check(obj)
	}
	return d.items(obj)
}

func (d document) items(list *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	var objs []*unstructured.Unstructured
	err := list.EachListItem(func(item runtime.Object) error {
		obj, ok := item.(*unstructured.Unstructured)
		if !ok {
			return fmt.Errorf("document at line %d: a list within a list", d.line)
		}
		objs = append(objs, obj)
		return d.check(obj)
	})
	return objs, err
}

func (d document) check(obj *unstructured.Unstructured) error {
	switch {
	case obj.GetAPIVersion() == "":
		return fmt.Errorf("document at line %d: apiVersion is missing", d.line)
	case obj.GetKind() == "":
		return fmt.Errorf("document at line %d: kind is missing", d.line)
	case obj.GetName() == "":
		return fmt.Errorf("document at line %d: %s without metadata.name", d.line, obj.GetKind())
	}
	return nil
}
