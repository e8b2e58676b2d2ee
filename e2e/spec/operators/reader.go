package operators

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// reader reads a YAML file into values and collects every mistake with its line.
type reader struct {
	file     string
	problems []problem
	later    []func() // checks that need the whole file
}

// problem is a mistake at a line, counted from 1.
type problem struct {
	line int
	err  error
}

// err joins the mistakes in the order of their lines.
func (r *reader) err() error {
	slices.SortStableFunc(r.problems, func(a, b problem) int { return a.line - b.line })
	told := map[string]bool{} // a group of phases is read once for each name, its mistakes are told once
	var all []error
	for _, problem := range r.problems {
		if text := problem.err.Error(); !told[text] {
			all, told[text] = append(all, problem.err), true
		}
	}
	return errors.Join(all...)
}

// field is what may stand under a key.
type field struct {
	read     func(*yaml.Node)
	optional bool
}

func optional(read func(*yaml.Node)) field { return field{read: read, optional: true} }
func required(read func(*yaml.Node)) field { return field{read: read} }

func (r *reader) fail(node *yaml.Node, format string, args ...any) {
	line := max(node.Line, 1)
	err := fmt.Errorf("%s:%d: %s", r.file, line, fmt.Sprintf(format, args...))
	r.problems = append(r.problems, problem{line, err})
}

// mapping reads a mapping with known keys; what names it for people.
func (r *reader) mapping(node *yaml.Node, what string, fields map[string]field) {
	if node.Kind != yaml.MappingNode {
		r.fail(node, "%s: found %s, expected the fields %s", what, found(node), strings.Join(names(fields), ", "))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		known, ok := fields[key.Value]
		switch {
		case !ok:
			r.fail(key, "%s: unknown field %q, expected one of %s%s", what, key.Value,
				strings.Join(names(fields), ", "), Suggestion(key.Value, names(fields)))
		case seen[key.Value]:
			r.fail(key, "%s: field %q stands twice, expected it once", what, key.Value)
		default:
			known.read(value)
		}
		seen[key.Value] = true
	}
	for _, name := range names(fields) {
		if !seen[name] && !fields[name].optional {
			r.fail(node, "%s: field %q is missing", what, name)
		}
	}
}

func names(fields map[string]field) []string {
	var all []string
	for name := range fields {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// list reads a list of at least one item.
func (r *reader) list(what string, each func(*yaml.Node)) func(*yaml.Node) {
	return func(node *yaml.Node) {
		if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
			r.fail(node, "%s: found %s, expected a list of at least one", what, found(node))
			return
		}
		for _, item := range node.Content {
			each(item)
		}
	}
}

// text reads a text that is not empty.
func (r *reader) text(what string, into *string) func(*yaml.Node) {
	return func(node *yaml.Node) {
		if node.Kind != yaml.ScalarNode || node.Tag != "!!str" || strings.TrimSpace(node.Value) == "" {
			r.fail(node, "%s: found %s, expected a text", what, found(node))
			return
		}
		*into = node.Value
	}
}

// texts reads a list of texts that are not empty.
func (r *reader) texts(what string, into *[]string) func(*yaml.Node) {
	return r.list(what, func(node *yaml.Node) {
		var text string
		r.text(what, &text)(node)
		*into = append(*into, text)
	})
}

// choice reads one of a few texts.
func (r *reader) choice(what string, into *string, choices ...string) func(*yaml.Node) {
	return func(node *yaml.Node) {
		if node.Kind != yaml.ScalarNode || !slices.Contains(choices, node.Value) {
			r.fail(node, "%s: found %s, expected one of %s%s", what, found(node), strings.Join(choices, ", "), Suggestion(node.Value, choices))
			return
		}
		*into = node.Value
	}
}

func (r *reader) flag(what string, into *bool) func(*yaml.Node) {
	return func(node *yaml.Node) {
		if node.Kind != yaml.ScalarNode || node.Tag != "!!bool" || node.Decode(into) != nil {
			r.fail(node, "%s: found %s, expected true or false", what, found(node))
		}
	}
}

// count reads a number above zero.
func (r *reader) count(what string, into *int) func(*yaml.Node) {
	return func(node *yaml.Node) {
		var value int
		if node.Kind != yaml.ScalarNode || node.Tag != "!!int" || node.Decode(&value) != nil || value < 1 {
			r.fail(node, "%s: found %s, expected a number above zero", what, found(node))
			return
		}
		*into = value
	}
}

// duration reads a duration above zero.
func (r *reader) duration(what string, into *time.Duration) func(*yaml.Node) {
	return func(node *yaml.Node) {
		value, err := time.ParseDuration(node.Value)
		if node.Kind != yaml.ScalarNode || err != nil || value <= 0 {
			r.fail(node, "%s: found %s, expected a duration above zero, such as 90s or 2m", what, found(node))
			return
		}
		*into = value
	}
}

// found says for people what stands in the file.
func found(node *yaml.Node) string {
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
