package styles

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// each stands, in the phases of a group, for the name that it is their turn for.
const each = "{{.Each}}"

// expand puts phases in the places of groups of phases, which every name of a list
// has. A group that is none is left to the schema.
func (p *parser) expand() {
	list := below(p.Root, "phases")
	if list == nil || list.Kind != yaml.SequenceNode {
		return
	}
	var all []*yaml.Node
	for _, item := range list.Content {
		names, group := below(item, "each"), below(item, "phases")
		if names == nil || group == nil || len(item.Content) != 4 || !isTexts(names) || group.Kind != yaml.SequenceNode || len(group.Content) == 0 {
			all = append(all, item)
			continue
		}
		if !strings.Contains(content(group), each) {
			p.Fail(group, "phases: %s stands nowhere in the phases of a group, expected it where their names differ", each)
		}
		for _, phase := range group.Content {
			if inner := below(phase, "each"); inner != nil {
				p.Fail(inner, "phases: unknown field %q, expected no group within a group", "each")
			}
		}
		for _, name := range names.Content {
			all = append(all, instance(group, name.Value).Content...)
		}
	}
	list.Content = all
}

// isTexts reports whether a node is a list of texts that are not empty.
func isTexts(node *yaml.Node) bool {
	for _, item := range node.Content {
		if item.Kind != yaml.ScalarNode || item.Tag != "!!str" || strings.TrimSpace(item.Value) == "" {
			return false
		}
	}
	return node.Kind == yaml.SequenceNode && len(node.Content) > 0
}

// content joins all values at or below a node.
func content(node *yaml.Node) string {
	if node == nil {
		return ""
	}
	var text strings.Builder
	text.WriteString(node.Value)
	for _, inner := range node.Content {
		text.WriteString(" " + content(inner))
	}
	return text.String()
}

// instance copies a node, with a name in place of each. Aliases are left as they are: no reader follows them.
func instance(node *yaml.Node, name string) *yaml.Node {
	made := *node
	if node.Kind == yaml.ScalarNode {
		made.Value = strings.ReplaceAll(node.Value, each, name)
	}
	made.Content = nil
	for _, inner := range node.Content {
		made.Content = append(made.Content, instance(inner, name))
	}
	return &made
}
