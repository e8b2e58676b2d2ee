package styles

import (
	"encoding/json"
	"slices"
	"strings"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec"
)

// check notes what the schema cannot say: what one field has to do with another, and with what is beside the file.
func (p *parser) check() {
	s := &p.style
	p.name()
	p.Once([]any{"images"}, "images", s.ImageNames())
	p.stages()
	p.components()
	p.upgrade()
	if s.Child.OwnerReference && !s.Declares.OwnerReferences.Supported {
		p.FailAt([]any{"child"}, "child: found by its owner reference, but declares.ownerReferences says that there is none")
	}
	p.phases()
	p.works()
	p.differences()
	p.settings()
	p.paths("owned", s.Owned, "owned")
	p.paths("scaffold", s.Scaffold, "scaffold")
	if s.Timeout > 0 && s.Timeout <= s.Typical.Reconcile {
		p.FailAt([]any{"timeout"}, "timeout is %s, expected more than typical.reconcile, which is %s", s.Timeout, s.Typical.Reconcile)
	}
}

func (p *parser) name() {
	switch name := p.style.Name; {
	case name == "", strings.HasPrefix(p.folder, "."): // as .operatorbench in the operator's own repository
	case name != p.folder:
		p.FailAt([]any{"name"}, "name: found %q, expected %q as the folder's name", name, p.folder)
	}
}

func (p *parser) stages() {
	var names []string
	for i, stage := range p.style.Stages {
		names = append(names, stage.Name)
		p.paths("manifests", stage.Manifests, "install", i, "manifests")
		for j, gate := range stage.Ready {
			if gate.Log != nil {
				p.known([]any{"install", i, "ready", j, "log", "component"}, "component", gate.Log.Component, p.componentNames())
			}
		}
	}
	p.Once([]any{"install"}, "stage", names)
	if last := len(p.style.Stages) - 1; last >= 0 && len(p.style.Stages[last].Ready) == 0 {
		p.FailAt([]any{"install"}, "install: the last stage has no ready list, expected the sign by which the operator is known to see events")
	}
}

func (p *parser) upgrade() {
	u := p.style.Upgrade
	if u == nil {
		return
	}
	p.paths("manifests", u.Manifests, "upgrade", "manifests")
	for i, gate := range u.Ready {
		if gate.Log != nil {
			p.known([]any{"upgrade", "ready", i, "log", "component"}, "component", gate.Log.Component, p.componentNames())
		}
	}
	for i, name := range u.Replaces {
		p.known([]any{"upgrade", "replaces", i}, "component", name, p.componentNames())
	}
}

// known notes a reference to what the file does not hold.
func (p *parser) known(at []any, what, name string, names []string) {
	if name != "" {
		p.Known(at, what, name, names)
	}
}

func (p *parser) componentNames() []string {
	return plain.Map(p.style.Components, func(component spec.Component) string { return component.Name })
}

func (p *parser) components() {
	names := p.componentNames()
	p.Once([]any{"components"}, "component", names)
	ports := p.style.MetricsPorts()
	for i, component := range p.style.Components {
		if port := ports[component.Namespace]; component.Metrics > 0 && component.Metrics != port {
			p.FailAt([]any{"components", i, "metrics"}, "component %s: metrics at port %d, and of another component in namespace %s at %d, expected one port for all pods of a namespace",
				component.Name, component.Metrics, component.Namespace, port)
		}
		at := []any{"components", i, "managedBy"}
		p.known(at, "component", component.ManagedBy, names)
		if p.managedInCircle(component.Name) {
			p.FailAt(at, "component %s: managed by %s, which in the end is managed by it, expected no circle", component.Name, component.ManagedBy)
		}
	}
}

// managedInCircle reports whether a component is reached from itself.
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

func (p *parser) phases() {
	var names []string
	for i, phase := range p.style.Phases {
		names = append(names, phase.Name)
		if text, err := json.Marshal(phase); err != nil || strings.Contains(string(text), "{{") {
			p.FailAt([]any{"phases", i}, "phase %s: found {{, expected a text as it is", phase.Name)
		}
	}
	p.Once([]any{"phases"}, "phase", names)
	for i, name := range p.style.Idle {
		p.known([]any{"idle", i}, "phase", name, names)
	}
}

func (p *parser) works() {
	for i, w := range p.style.Work {
		same := func(other spec.Work) bool { return other.Resource == w.Resource && other.Namespace == w.Namespace }
		if w.Resource != "" && slices.ContainsFunc(p.style.Work[:i], same) {
			p.FailAt([]any{"work", i}, "work: %s in %s stands twice, expected it once", w.Resource, w.Namespace)
		}
	}
}

func (p *parser) differences() {
	for i, d := range p.style.Differs {
		for _, before := range p.style.Differs[:i] {
			if d.Path != "" && (within(d.Path, before.Path) || within(before.Path, d.Path)) {
				p.FailAt([]any{"differs", i}, "differs: %s and %s are the same or one within the other, expected each path once", before.Path, d.Path)
			}
		}
	}
}

// within reports whether a path is another or below it.
func within(path, other string) bool {
	return path == other || other != "" && strings.HasPrefix(path, other+".")
}
