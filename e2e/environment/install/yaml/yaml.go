// Package yaml installs plain YAML: a file with objects, or all such files in a folder.
package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	sigsyaml "sigs.k8s.io/yaml"
)

// Way is the way to install for which install.Way asks.
type Way struct{}

// Of tells whether a path is to be installed in this way: any is, if in no other.
func (Way) Of(string) bool { return true }

// Render reads a file, or the *.yaml and *.yml files of a folder in name order. The order of the documents is kept.
// Errors name the file, and the line where the parser knows it.
func (Way) Render(path string) ([]*unstructured.Unstructured, error) {
	files, err := list(path)
	if err != nil {
		return nil, err
	}
	var objs []*unstructured.Unstructured
	for _, name := range files {
		content, err := fs.ReadFile(beside(path), name)
		if err != nil {
			return nil, fmt.Errorf("reading manifests: %w", err)
		}
		more, err := Parse(name, content)
		if err != nil {
			return nil, err
		}
		objs = append(objs, more...)
	}
	if len(objs) == 0 && !slices.Equal(files, []string{filepath.Base(path)}) {
		return nil, fmt.Errorf("folder %s holds no manifests: expected kustomization.yaml or *.yaml files", filepath.Base(path))
	}
	return objs, nil
}

// Files lists what Render reads.
func (Way) Files(path string) ([]string, error) {
	files, err := list(path)
	for i, name := range files {
		files[i] = filepath.Join(filepath.Dir(path), name)
	}
	return files, err
}

// beside is the folder that a path is in: errors name what is read from there on.
func beside(path string) fs.FS { return os.DirFS(filepath.Dir(path)) }

// list lists the files at a path, each as it is named beside it.
func list(path string) ([]string, error) {
	name := filepath.Base(path)
	info, err := fs.Stat(beside(path), name)
	if err != nil {
		return nil, fmt.Errorf("reading manifests: %w", err)
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	entries, err := fs.ReadDir(beside(path), name) // sorted by name
	if err != nil {
		return nil, fmt.Errorf("reading manifests: %w", err)
	}
	var all []string
	for _, entry := range entries {
		if !entry.IsDir() && slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(entry.Name())) {
			all = append(all, filepath.Join(name, entry.Name()))
		}
	}
	return all, nil
}

// Check refuses nothing: each document is an object.
func (Way) Check(string) error { return nil }

// Complete tells that nothing is installed but what Render returns.
func (Way) Complete() bool { return true }

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

// A document is one part of a YAML file. Its text begins with as many empty lines as stand before it in the file,
// so that the parser's line numbers are the file's.
type document struct {
	text []byte
	line int // the first line that belongs to it, counted from 1
}

func split(content []byte) []document {
	var docs []document
	current := document{line: 1}
	for i, line := range bytes.SplitAfter(content, []byte("\n")) {
		if isSeparator(line) {
			docs = append(docs, current)
			current = document{text: bytes.Repeat([]byte("\n"), i+1), line: i + 2}
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
		return nil, errors.New(strings.TrimPrefix(err.Error(), "error converting YAML to JSON: "))
	}
	if string(json) == "null" {
		return nil, nil
	}
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(json); err != nil {
		return nil, fmt.Errorf("document at line %d: not a Kubernetes object: %w", d.line, err)
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
