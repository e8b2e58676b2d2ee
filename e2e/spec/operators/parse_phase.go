package operators

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/spec/bounds"
)

// resource is plural.version.group, or plural.version for the core group.
var resource = regexp.MustCompile(`^[a-z]+\.v[0-9]+((alpha|beta)[0-9]+)?(\.[a-z0-9][a-z0-9.-]*)?$`)

// each stands, in the phases of a group, for the name that it is their turn for.
const each = "{{.Each}}"

// phases reads an item of the list of phases: a phase, or a group of phases that
// every name of a list has.
func (p *parser) phases(node *yaml.Node) {
	if _, has := valueOf(node, "each"); !has {
		p.phase(node)
		return
	}
	var names []string
	var group yaml.Node
	p.mapping(node, "phases", map[string]field{
		"each":   required(p.texts("phases each", &names)),
		"phases": required(func(n *yaml.Node) { group = *n }),
	})
	if group.Kind == 0 {
		return // told as missing
	}
	if !strings.Contains(content(&group), each) {
		p.fail(&group, "phases: %s stands nowhere in the phases of a group, expected it where their names differ", each)
	}
	for _, name := range names {
		p.list("phases", p.phase)(instance(&group, name))
	}
}

// valueOf is what stands under a key of a mapping.
func valueOf(node *yaml.Node, key string) (value *yaml.Node, has bool) {
	if node.Kind != yaml.MappingNode {
		return nil, false
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1], true
		}
	}
	return nil, false
}

// content joins all values at or below a node.
func content(node *yaml.Node) string {
	var text strings.Builder
	text.WriteString(node.Value)
	for _, inner := range node.Content {
		text.WriteString(" " + content(inner))
	}
	return text.String()
}

// instance copies a node, with a name in place of each. Aliases are left as they
// are: no reader follows them.
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

func (p *parser) phase(node *yaml.Node) {
	var phase Phase
	p.mapping(node, "phase", map[string]field{
		"name":      required(p.text("phase name", &phase.Name)),
		"resource":  required(p.resource("phase resource", &phase.Resource)),
		"namespace": optional(p.text("phase namespace", &phase.Namespace)),
		"event":     optional(p.choice("phase event", &phase.Event, "ADDED", "MODIFIED", "DELETED")),
		"path":      optional(p.fieldPath("phase path", &phase.Path)),
		"equals":    optional(p.texts("phase equals", &phase.Equals)),
		"where":     optional(p.list("phase where", func(n *yaml.Node) { phase.Where = append(phase.Where, p.where(n)) })),
	})
	switch {
	case len(phase.Equals) > 0 && phase.Path == "":
		p.fail(node, "phase %s: equals without a path, expected the path whose value is compared", phase.Name)
	case phase.Event == "" && phase.Path == "":
		p.fail(node, "phase %s: neither event nor path, expected what marks it", phase.Name)
	case strings.Contains(content(node), "{{"):
		p.fail(node, "phase %s: found {{, expected at most %s, in a group of phases with each", phase.Name, each)
	}
	if slices.Contains(p.phaseNames(), phase.Name) && phase.Name != "" {
		p.fail(node, "phase: the name %q stands twice, expected it once", phase.Name)
	}
	p.style.Phases = append(p.style.Phases, phase)
}

// where reads a condition that has to do with the value: that a path is there,
// the phase's own path can say.
func (p *parser) where(node *yaml.Node) FieldCondition {
	var c FieldCondition
	p.mapping(node, "where", map[string]field{
		"path":   required(p.fieldPath("where path", &c.Path)),
		"equals": optional(p.texts("where equals", &c.Equals)),
		"matches": optional(func(n *yaml.Node) {
			p.text("where matches", &c.Matches)(n)
			if _, err := bounds.Expression(c.Matches); err != nil {
				p.fail(n, "where matches: found %s, expected a regular expression (RE2): %v", found(n), err)
			}
		}),
	})
	if node.Kind == yaml.MappingNode && len(c.Equals) == 0 && c.Matches == "" {
		p.fail(node, "where: neither equals nor matches, expected what the value at %s is to be", c.Path)
	}
	return c
}
