package operators

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"operatorbench/e2e/bed/kube"
	"operatorbench/e2e/spec/bounds"
)

// replicasPath is what every style is asked for.
const replicasPath = "spec.replicas"

// resource reads the name of a resource as plural.version.group.
func (p *parser) resource(what string, into *string) func(*yaml.Node) {
	return func(node *yaml.Node) {
		p.text(what, into)(node)
		if !resource.MatchString(*into) {
			p.fail(node, "%s: found %s, expected plural.version.group, such as deployments.v1.apps, or pods.v1", what, found(node))
		}
		if plural, _, _ := strings.Cut(*into, "."); plural == "secrets" {
			p.fail(node, "%s: found %s, expected another resource: secrets are never watched or recorded", what, found(node))
		}
	}
}

// fieldPath reads a path in gjson's syntax to what a recording has.
func (p *parser) fieldPath(what string, into *string) func(*yaml.Node) {
	return func(node *yaml.Node) {
		p.anyPath(what, into)(node)
		if field := kube.WithheldIn(*into); field != "" {
			p.fail(node, "%s: found %s, expected a path to what is recorded: values of %s may be secret and are not", what, found(node), field)
		}
	}
}

// anyPath reads a path in gjson's syntax.
func (p *parser) anyPath(what string, into *string) func(*yaml.Node) {
	return func(node *yaml.Node) {
		p.text(what, into)(node)
		if err := bounds.Path(*into); err != nil {
			p.fail(node, "%s: found %s, expected a path in gjson's syntax of which little can be made: %v", what, found(node), err)
		}
	}
}

// keys reads a path of keys and indices that are joined by dots.
func (p *parser) keys(what string, into *string) func(*yaml.Node) {
	return func(node *yaml.Node) {
		p.text(what, into)(node)
		if *into != "" && slices.Contains(strings.Split(*into, "."), "") {
			p.fail(node, "%s: found %s, expected keys and indices joined by single dots, such as spec.suspend", what, found(node))
		}
	}
}

// managedBy reads which other component makes a component's workload.
func (p *parser) managedBy(component *Component) func(*yaml.Node) {
	return func(node *yaml.Node) {
		p.text("component managedBy", &component.ManagedBy)(node)
		p.later = append(p.later, func() {
			if component.ManagedBy == "" {
				return
			}
			p.known(node, "component", p.componentNames())
			if p.managedInCircle(component.Name) {
				p.fail(node, "component %s: managed by %s, which in the end is managed by it, expected no circle", component.Name, component.ManagedBy)
			}
		})
	}
}

// managedInCircle says whether a component is reached from itself.
func (p *parser) managedInCircle(name string) bool {
	at := name
	for range p.style.Components {
		component, _ := p.style.Component(at)
		at = component.ManagedBy
		if at == name {
			return at != ""
		}
	}
	return false
}

func (p *parser) work(node *yaml.Node) {
	var w Work
	p.mapping(node, "work", map[string]field{
		"resource":  required(p.resource("work resource", &w.Resource)),
		"namespace": required(p.text("work namespace", &w.Namespace)),
		"of":        required(func(n *yaml.Node) { w.Of = p.of(n) }),
		"ended":     required(func(n *yaml.Node) { w.Ended = p.ended(n) }),
		"messages": optional(p.list("work messages", func(n *yaml.Node) {
			var path string
			p.fieldPath("work messages", &path)(n)
			w.Messages = append(w.Messages, path)
		})),
		"suspend": optional(p.keys("work suspend", &w.Suspend)),
	})
	same := func(other Work) bool { return other.Resource == w.Resource && other.Namespace == w.Namespace }
	if slices.ContainsFunc(p.style.Work, same) && w.Resource != "" {
		p.fail(node, "work: %s in %s stands twice, expected it once", w.Resource, w.Namespace)
	}
	p.style.Work = append(p.style.Work, w)
}

// of reads which custom resource an object is for.
func (p *parser) of(node *yaml.Node) FieldCondition {
	var c FieldCondition
	p.mapping(node, "work of", map[string]field{
		"path": required(p.anyPath("work of path", &c.Path)),
		"matches": required(func(n *yaml.Node) {
			p.text("work of matches", &c.Matches)(n)
			if err := tellsApart(Work{Of: c}); c.Matches != "" && err != nil {
				p.fail(n, "work of matches: found %s, expected a text/template over .Name and .Namespace that makes a regular expression (RE2): %v", found(n), err)
			}
		}),
	})
	return c
}

// tellsApart makes sure that the matchers of custom resources of two names, or
// in two namespaces, differ.
func tellsApart(w Work) error {
	seen := map[string]bool{}
	for _, of := range []struct{ namespace, name string }{{"a", "a"}, {"b", "a"}, {"a", "b"}} {
		matcher, err := bounds.WorkMatcher(w, of.namespace, of.name)
		if err != nil {
			return err
		}
		if seen[matcher.String()] {
			return errors.New("it is the same for custom resources of two names or in two namespaces")
		}
		seen[matcher.String()] = true
	}
	return nil
}

// ended reads the condition that holds once nothing more comes of an object.
func (p *parser) ended(node *yaml.Node) FieldCondition {
	var c FieldCondition
	p.mapping(node, "work ended", map[string]field{
		"path":   required(p.fieldPath("work ended path", &c.Path)),
		"equals": required(p.texts("work ended equals", &c.Equals)),
	})
	return c
}

// differs reads a path at which the style's Deployment is not as the reference.
func (p *parser) differs(node *yaml.Node) {
	var d Difference
	p.mapping(node, "differs", map[string]field{
		"path":   required(p.keys("differs path", &d.Path)),
		"reason": required(p.text("differs reason", &d.Reason)),
	})
	for _, before := range p.style.Differs {
		if d.Path != "" && (within(d.Path, before.Path) || within(before.Path, d.Path)) {
			p.fail(node, "differs: %s and %s are the same or one within the other, expected each path once", before.Path, d.Path)
		}
	}
	if d.Path != "" && within(replicasPath, d.Path) {
		p.fail(node, "differs: found %s, expected no path that excuses a wrong %s", d.Path, replicasPath)
	}
	p.style.Differs = append(p.style.Differs, d)
}

// within says whether a path is another or below it.
func within(path, other string) bool {
	return path == other || other != "" && strings.HasPrefix(path, other+".")
}
