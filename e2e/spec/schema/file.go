package schema

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// File is a YAML file whose mistakes are collected.
type File struct {
	Name string // for errors
	Root *yaml.Node
	// Aliases says whether a part may stand for another that is written elsewhere.
	Aliases bool

	word     string // what the file is
	followed int    // aliases
	problems []problem
}

// problem is a mistake at a line, counted from 1.
type problem struct {
	line int
	text string
}

// Read parses a file of one document; what says for people what it should be.
func Read(name string, text []byte, what string) (*File, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, further yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) || err == nil && len(document.Content) != 1 {
		return nil, fmt.Errorf("%s:1: the file is empty, expected a %s", name, what)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{Name: name, Root: document.Content[0]}
	if f.Root.HeadComment == "" {
		f.Root.HeadComment = document.HeadComment
	}
	if err := decoder.Decode(&further); !errors.Is(err, io.EOF) {
		f.Fail(&further, "a second document begins here, expected one %s", what)
	}
	return f, nil
}

// Fail notes a mistake at a node.
func (f *File) Fail(node *yaml.Node, format string, args ...any) {
	f.problems = append(f.problems, problem{max(node.Line, 1), fmt.Sprintf(format, args...)})
}

// FailAt notes a mistake at a place: fields and indices from the top. What is
// absent is at the line of the deepest part that is there.
func (f *File) FailAt(at []any, format string, args ...any) {
	f.problems = append(f.problems, problem{f.Line(at...), fmt.Sprintf(format, args...)})
}

// Err joins the mistakes in the order of their lines, each once.
func (f *File) Err() error {
	slices.SortFunc(f.problems, func(a, b problem) int { return cmp.Or(a.line-b.line, strings.Compare(a.text, b.text)) })
	var all []error
	seen := map[problem]bool{}
	for _, p := range f.problems {
		if !seen[p] {
			all = append(all, fmt.Errorf("%s:%d: %s", f.Name, p.line, p.text))
		}
		seen[p] = true
	}
	return errors.Join(all...)
}

// OK reports whether no mistake is known.
func (f *File) OK() bool { return len(f.problems) == 0 }

// Line is that of the deepest part of a place that is there: of a field's name, or of an item.
func (f *File) Line(at ...any) int {
	line, node := 1, f.Root
	for _, key := range at {
		label, value := Below(node, key)
		if value == nil {
			break
		}
		line, node = label.Line, value
	}
	return line
}

// Has reports whether a place is written in the file.
func (f *File) Has(at ...any) bool {
	node := f.Root
	for _, key := range at {
		if _, node = Below(node, key); node == nil {
			return false
		}
	}
	return true
}

// Below is a field's value with the node that names it, or an item of a list twice; nil: there is nothing.
func Below(node *yaml.Node, key any) (label, value *yaml.Node) {
	if node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node == nil {
		return nil, nil
	}
	switch key := key.(type) {
	case int:
		if node.Kind == yaml.SequenceNode && key < len(node.Content) {
			return node.Content[key], node.Content[key]
		}
	case string:
		for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == key {
				return node.Content[i], node.Content[i+1]
			}
		}
	}
	return nil, nil
}

// unusable stands for what is told of already.
type unusable struct{}

// mostAliases are followed in a file: each may stand for what has more of them.
const mostAliases = 100

// within reports whether an alias stands for something that it is a part of.
func within(alias, whole *yaml.Node) bool {
	return slices.ContainsFunc(whole.Content, func(part *yaml.Node) bool { return part == alias || within(alias, part) })
}

// plain is a node as the values of JSON.
func (f *File) plain(node *yaml.Node, path string) any {
	switch node.Kind {
	case yaml.MappingNode:
		return f.object(node, path)
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range node.Content {
			list = append(list, f.plain(item, path))
		}
		return list
	case yaml.ScalarNode:
		return f.scalar(node, path)
	case yaml.AliasNode:
		if f.followed++; f.Aliases && f.followed <= mostAliases && !within(node, node.Alias) {
			return f.plain(node.Alias, path)
		}
	}
	f.Fail(node, "%s: found %s, expected it written out", f.named(path), Found(node))
	return unusable{}
}

// named is a place for people: the whole file, where it is the top.
func (f *File) named(path string) string { return cmp.Or(path, f.word) }

func (f *File) object(node *yaml.Node, path string) any {
	object := map[string]any{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		_, twice := object[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode || key.Tag != "!!str":
			f.Fail(key, "%s: found %s as a field's name, expected a text", f.named(path), Found(key))
		case twice:
			f.Fail(key, "%s: field %q stands twice, expected it once", f.named(path), key.Value)
		default:
			object[key.Value] = f.plain(value, join(path, key.Value))
		}
	}
	return object
}

func (f *File) scalar(node *yaml.Node, path string) any {
	var value any
	switch node.Tag {
	case "!!str":
		return node.Value
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		if err := node.Decode(&value); err == nil && finite(value) {
			return value
		}
	}
	f.Fail(node, "%s: found %s, expected a text, a number, true or false", f.named(path), Found(node))
	return unusable{}
}

func finite(value any) bool {
	number, is := value.(float64)
	return !is || !math.IsNaN(number) && !math.IsInf(number, 0)
}

// Found says for people what is in a file.
func Found(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.AliasNode:
		return "an alias"
	case node.Kind == yaml.SequenceNode && len(node.Content) == 0:
		return "an empty list"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Tag == "!!null":
		return "nothing"
	case node.Tag == "!!int", node.Tag == "!!float":
		return "the number " + node.Value
	}
	return fmt.Sprintf("%q", node.Value)
}
